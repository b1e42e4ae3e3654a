/* ask.c: poses the questions of a chapter (questions.h).
 *
 *   lectures ask 4                 in the terminal, one at a time
 *   lectures ask 4 --answers FILE  the answers from a file, one a line; an empty line passes a question over
 *   lectures ask 4 --list          the questions alone; --format markdown: as the notes quote them
 *   lectures ask 4 --key           the right answers, one a line, for an instructor
 *
 * Status 0: all were answered rightly; 1: some were not; 2: the command line, or a line of the
 * file, cannot be read. */
#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/values.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

typedef enum { ASK_TEXT, ASK_TSV, ASK_MARKDOWN, ASK_FORMATS } AskFormat;
static const char *const format_names[] = {"text", "tsv", "markdown", NULL};

typedef struct {
    const Chapter *chapter;
    AskFormat format;
    FILE *answers; /* the terminal, or a file */
    const char *name;
    bool terminal;
    int line; /* of the file */
    uint64_t seed;
} Asking;

typedef enum { RIGHT, WRONG, PASSED_OVER, AT_END } Outcome;
static const char *const outcome_names[] = {"right", "wrong", "passed over"};

/* What a student said. */
typedef struct {
    bool given;
    int choice;    /* from 1 */
    double number; /* where a number was asked for */
} Answer;

bool question_is_number(const Question *q)
{
    return !q->choices[0].text;
}

static int count_choices(const Question *q)
{
    int n = 0;
    while (n < QUESTION_CHOICES && q->choices[n].text)
        n++;
    return n;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void print_posed(const Question *q)
{
    wrapped_say("", 3, "%s\n", q->question);
    for (int i = 0; i < count_choices(q); i++) {
        wrapped_say((char[]){' ', ' ', ' ', (char)('a' + i), 0}, 6, "%s", q->choices[i].text);
    }
    if (!question_is_number(q))
        putchar('\n');
}

static void pose(const Question *q, int number, int count)
{
    printf("%d of %d, row %d\n\n", number, count, q->row);
    print_posed(q);
}

/* A row of a table has neither tabs nor newlines: the texts of this program have none. */
static void print_tsv(const Question *q, const Answer *a, double measured, Outcome o,
                      const Finding *f)
{
    printf("%d\t%s\t", q->row, q->question);
    if (!a->given)
        printf("-\t");
    else if (question_is_number(q))
        printf("%.9g\t", a->number);
    else
        printf("%s\t", q->choices[a->choice - 1].text);
    if (question_is_number(q))
        printf("%.9g\t", measured);
    else
        printf("%s\t", q->choices[q->right - 1].text);
    printf("%s\t%s\t%.9g\t%s\n", outcome_names[o], f->claim->statement, f->value,
           f->verdict == HOLDS ? "HOLDS" : "FAILS");
}

static void print_markdown(const Question *q)
{
    printf("> **Predict.** %s", q->question);
    for (int i = 0; i < count_choices(q); i++)
        printf("%s *(%c)* %s", i ? ";" : "", 'a' + i, q->choices[i].text);
    printf(question_is_number(q) ? "\n" : ".\n");
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Reads "b", "B" or "2" for a choice, or a number. False where the text is none of them. */
static bool read_answer(const Question *q, const char *text, Answer *a)
{
    char *end;
    int n = count_choices(q);
    *a = (Answer){.given = true};
    if (question_is_number(q)) {
        a->number = strtod(text, &end);
        return end != text && !*end && isfinite(a->number);
    }
    long number = strtol(text, &end, 10);
    if (strlen(text) == 1 && (text[0] | 32) >= 'a')
        number = (text[0] | 32) - 'a' + 1;
    else if (end == text || *end)
        return false;
    a->choice = (int)number;
    return number >= 1 && number <= n;
}

/* The next line without the blanks around it; false at the end of the file. */
static bool next_line(Asking *s, char *text, size_t size)
{
    if (!fgets(text, (int)size, s->answers))
        return false;
    s->line++;
    size_t from = strspn(text, " \t"), n = strlen(text);
    while (n > from && strchr(" \t\r\n", text[n - 1]))
        n--;
    memmove(text, text + from, n - from);
    text[n - from] = 0;
    return true;
}

static void help(const Asking *s, const Question *q, const char *wanted)
{
    wrapped_say("", 3,
                "Type %s%s. An empty line passes the question over and shows its answer; q ends; "
                "? shows this.%s",
                wanted,
                question_is_number(q) ? "; it is right when it is near enough to the measured one"
                                      : "",
                s->chapter ? " Type what you expect before you compute: after it the claim is run, "
                             "and the measured answer is shown with its reason."
                           : "");
}

/* Asks until the answer can be read; from a file there is one try. False at the end of the file, or
 * at q. */
static bool take_answer(Asking *s, const Question *q, Answer *a)
{
    char text[256], wanted[64];
    if (question_is_number(q))
        snprintf(wanted, sizeof wanted, "a number");
    else
        snprintf(wanted, sizeof wanted, "a letter from a to %c", 'a' + count_choices(q) - 1);
    for (;;) {
        if (s->format == ASK_TEXT) {
            printf("   your %s (%s; ?: help): ", s->chapter ? "prediction" : "answer", wanted);
            fflush(stdout);
        }
        if (!next_line(s, text, sizeof text) || strcmp(text, "q") == 0)
            return false;
        if (s->format == ASK_TEXT && !s->terminal)
            printf("%s\n", text);
        if (strcmp(text, "?") == 0) {
            if (s->format == ASK_TEXT)
                help(s, q, wanted);
            continue;
        }
        *a = (Answer){0};
        if (!*text || read_answer(q, text, a))
            return true;
        if (!s->terminal)
            options_refuse("%s:%d: found '%s'; expected %s", s->name, s->line, text, wanted);
        printf("   found '%s'; expected %s\n", text, wanted);
    }
}

/* ---- one question ---------------------------------------------------------------------------- */

static double measured_number(const Question *q, const Finding *f, uint64_t seed)
{
    if (!question_is_number(q))
        return (double)NAN;
    if (!q->measure)
        return f->value;
    Trial t = {.claim = f->claim, .seed = seed};
    double measured = q->measure(&t);
    trial_free(&t);
    return measured;
}

static Outcome judge(const Question *q, const Answer *a, double measured)
{
    if (!a->given)
        return PASSED_OVER;
    bool right = question_is_number(q)
                     ? fabs(a->number - measured) <= q->within * fabs(measured) + 1e-12
                     : a->choice == q->right;
    return right ? RIGHT : WRONG;
}

static void show_outcome(const Question *q, const Answer *a, double measured, Outcome o,
                         const Finding *f)
{
    char bound[BOUND_TEXT];
    printf("\n   %s\n", o == RIGHT ? "RIGHT" : o == WRONG ? "NOT SO" : "PASSED OVER");
    if (a->given && !question_is_number(q))
        wrapped_say("   because", 12, "%s", q->choices[a->choice - 1].reason);
    if (question_is_number(q))
        wrapped_say("   measured", 12, "%.4g (%s)", measured,
                    q->quantity ? q->quantity : f->claim->quantity);
    wrapped_say("   answer", 12, "%s", q->answer);
    if (o == WRONG && question_is_number(q))
        wrapped_say("   because", 12, "%s", q->misconception);
    if (f && f->claim)
        wrapped_say("   claim", 12, "\"%s\": %.4g, bound %s: %s", f->claim->statement, f->value,
                    claim_bound(f->claim, bound), f->verdict == HOLDS ? "HOLDS" : "FAILS");
    if (q->row)
        wrapped_say("   more", 12, "./gradus claims --explain %d", q->row);
    putchar('\n');
}

static Outcome ask(Asking *s, const Question *q, int number, int count)
{
    Answer a;
    if (s->format == ASK_TEXT)
        pose(q, number, count);
    if (!take_answer(s, q, &a))
        return AT_END;
    Finding f = claim_run(chapter_asked(s->chapter, q), NULL, s->seed, NULL);
    double measured = measured_number(q, &f, s->seed);
    Outcome o = judge(q, &a, measured);
    if (s->format == ASK_TSV)
        print_tsv(q, &a, measured, o, &f);
    else
        show_outcome(q, &a, measured, o, &f);
    fflush(stdout);
    return o;
}

bool question_ask(const Question *q, const Finding *f)
{
    Asking s = {.answers = stdin, .name = "standard input", .terminal = system_is_terminal(stdin)};
    Answer a;
    print_posed(q);
    if (!take_answer(&s, q, &a)) {
        putchar('\n');
        return false;
    }
    double measured = question_is_number(q) ? f->value : (double)NAN;
    Outcome o = judge(q, &a, measured);
    show_outcome(q, &a, measured, o, f);
    return o == RIGHT;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool chosen(const Question *q, int row)
{
    return !row || q->row == row;
}

static int count_questions(const Chapter *c, int row)
{
    int n = 0;
    for (const Question *q = c->questions; q && q->row; q++)
        n += chosen(q, row);
    return n;
}

/* --list and --key. */
static void print_all(int row, const Asking *s, bool key)
{
    int number = 0, count = count_questions(s->chapter, row);
    for (const Question *q = s->chapter->questions; q->row; q++) {
        if (!chosen(q, row))
            continue;
        number++;
        if (key && question_is_number(q)) {
            Finding f = claim_run(chapter_asked(s->chapter, q), NULL, s->seed, NULL);
            printf("%.9g\n", measured_number(q, &f, s->seed));
        } else if (key) {
            printf("%c\n", 'a' + q->right - 1);
        } else if (s->format == ASK_MARKDOWN) {
            printf(number > 1 ? ">\n" : "");
            print_markdown(q);
        } else {
            pose(q, number, count);
        }
    }
}

static int ask_all(int row, Asking *s)
{
    int number = 0, count = count_questions(s->chapter, row), tally[AT_END + 1] = {0};
    if (s->format == ASK_TSV)
        printf("row\tquestion\tprediction\tanswer\toutcome\tclaim\tvalue\tverdict\n");
    for (const Question *q = s->chapter->questions; q->row; q++) {
        if (!chosen(q, row))
            continue;
        Outcome o = ask(s, q, ++number, count);
        tally[o]++;
        if (o == AT_END)
            break;
    }
    if (s->format == ASK_TEXT)
        printf("%s%d of %d right, %d wrong, %d passed over or not reached\n",
               tally[AT_END] ? "\n\n" : "", tally[RIGHT], count, tally[WRONG],
               count - tally[RIGHT] - tally[WRONG]);
    return tally[RIGHT] < count;
}

int lectures_ask(int argc, char **argv)
{
    int row = 0, seed = 1, threads = 0;
    bool list = false, key = false;
    const char *format = "text", *answers = NULL;
    const Chapter *chapter = take_chapter(&argc, argv);
    const Option table[] = {
        {"row", OPTION_INT, &row, "ROW", "only the questions of this row; 0: all", 0, 99},
        {"answers", OPTION_TEXT, &answers, "FILE",
         "one answer a line; an empty line passes a question over", 0, 0},
        {"format", OPTION_TEXT, &format, "FORMAT", "text, tsv, or with --list markdown", 0, 0},
        {"list", OPTION_FLAG, &list, NULL, "the questions, without asking", 0, 0},
        {"key", OPTION_FLAG, &key, NULL, "the right answers, one a line", 0, 0},
        {"seed", OPTION_INT, &seed, "N", "of all random numbers", 0, 1e9},
        {"threads", OPTION_INT, &threads, "N", "0: as many as there are", 0, 1024},
        {0},
    };
    options_parse(argc, argv, "Poses the questions of a chapter: predict, then measure.", table);
    values_exit_on_error();
    tensor_set_threads(threads);
    if (!chapter)
        options_refuse("found no chapter; expected one, as in: ask 4");
    if (count_questions(chapter, row) == 0)
        options_refuse("chapter %d asks nothing about row %d", chapter->number, row);
    Asking s = {.chapter = chapter,
                .format = (AskFormat)options_one_of("format", format, format_names),
                .answers = stdin,
                .name = answers ? answers : "standard input",
                .seed = (uint64_t)seed};
    if (list || key) {
        print_all(row, &s, key);
        return 0;
    }
    if (s.format == ASK_MARKDOWN)
        options_refuse("--format: found 'markdown'; expected text or tsv, or --list as well");
    if (answers && !(s.answers = fopen(answers, "r")))
        options_refuse("--answers: cannot open '%s'", answers);
    s.terminal = !answers && system_is_terminal(stdin);
    int status = ask_all(row, &s);
    if (answers)
        fclose(s.answers);
    return status;
}
