/* made.c: questions that are made from what the project already says: the claims with their faults,
 * the stops of READING.md, and what gdb answers in the guides. See steps.h. */
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"
#include "lectures/steps/steps.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 4, LINES = 1024, TEXT = 1024 };

/* A question whose choices are added one by one, the right one first. */
typedef struct {
    int count;
    char asked[TEXT], answer[TEXT], text[CHOICES][TEXT], reason[CHOICES][TEXT];
} Made;

/* ---- choices --------------------------------------------------------------------------------- */

/* Adds a choice, with a reason as by printf, unless it stands there, or all places are taken. */
static void add(Made *m, const char *text, const char *format, ...) GRADUS_PRINTF(3, 4);
static void add(Made *m, const char *text, const char *format, ...)
{
    va_list list;
    int k = m->count;
    for (int i = 0; i < k; i++)
        if (strcmp(m->text[i], text) == 0)
            return;
    if (k == CHOICES)
        return;
    snprintf(m->text[k], TEXT, "%s", text);
    va_start(list, format);
    vsnprintf(m->reason[k], TEXT, format, list);
    va_end(list);
    m->count++;
}

/* Asks it with the right choice, the first, at a random place among the others. */
static bool ask(const Made *m, int row, Rng *rng)
{
    int right = (int)rng_below(rng, m->count);
    Question q = {.row = row, .question = m->asked, .answer = m->answer, .right = right + 1};
    for (int i = 0; i < m->count; i++) {
        int from = i == right ? 0 : i + (i < right);
        q.choices[i] = (QuestionChoice){m->text[from], m->reason[from]};
    }
    return question_ask(&q, NULL);
}

/* ---- claims and their faults ----------------------------------------------------------------- */

static bool shares_a_slide(const Claim *a, const Claim *b)
{
    for (int i = 0; i < CLAIM_SLIDES && a->slides[i]; i++)
        for (int k = 0; k < CLAIM_SLIDES && b->slides[k]; k++)
            if (strcmp(a->slides[i], b->slides[k]) == 0)
                return true;
    return false;
}

/* Adds faults of the chapter's claims that leave c alone: those of another row and other slides,
 * and that are none of c's by name. */
static void add_foreign(Made *m, const Claim *c, Rng *rng)
{
    const Claim *const *list = chapter_claims(chapter_with_row(c->row));
    int n = 0;
    while (list[n])
        n++;
    int start = (int)rng_below(rng, n);
    for (int i = 0; i < n; i++) {
        const Claim *other = list[(start + 7 * i) % n]; /* neighbours are about one thing */
        if (other->row != c->row && !shares_a_slide(other, c) &&
            !claim_has_fault(c, other->faults[0].name))
            add(m, other->faults[0].what, "this is a fault of another claim, of row %d: \"%s\"",
                other->row, other->statement);
    }
}

/* One run, shown with what it explains; returns the value. */
static double show_run(const Claim *c, const char *fault)
{
    char bound[BOUND_TEXT];
    printf("   %s\n\n", fault ? "with a fault:" : "as it is:");
    Finding f = claim_run(c, fault, 1, stdout);
    printf("\n   value %.6g, bound %s: %s\n\n", f.value, claim_bound(c, bound),
           f.verdict == HOLDS ? "HOLDS" : "FAILS");
    return f.value;
}

/* Shows the claim without and with its fault k, and adds that and its other faults as choices,
 * each with its value, unless that is the same. */
static void show_fault(Made *m, const Claim *c, int k)
{
    wrapped_say("", 3, "%s", c->statement);
    wrapped_say("   measured:", 13, "%s\n", c->quantity);
    double sound = show_run(c, NULL), planted = show_run(c, c->faults[k].name);
    add(m, c->faults[k].what, "it takes the claim's value from %.4g to %.4g", sound, planted);
    for (int i = 0; i < CLAIM_FAULTS && c->faults[i].name && m->count < CHOICES; i++) {
        double value = i == k ? planted : claim_run(c, c->faults[i].name, 1, NULL).value;
        if (value < planted || value > planted || isnan(value) != isnan(planted))
            add(m, c->faults[i].what, "it gives %.4g, and %.4g was measured", value, planted);
    }
}

bool ask_of_row(int row, uint64_t seed, bool planted)
{
    Rng rng = {.seed = seed, .stream = (uint64_t)row};
    Made m = {.asked = "Which fault is it?"};
    int faults = 0, count;
    const Claim *const *claims = row_claims(row, &count), *c = claims[rng_below(&rng, count)];
    while (faults < CLAIM_FAULTS && c->faults[faults].name)
        faults++;
    int k = (int)rng_below(&rng, faults);
    if (planted) {
        show_fault(&m, c, k);
    } else {
        snprintf(m.asked, TEXT, "The section states: \"%s\". Which of these would make it false?",
                 c->statement);
        add(&m, c->faults[k].what, "with it the claim fails");
    }
    snprintf(m.answer, TEXT, "%s (./gradus claims --break %d:%s)", c->faults[k].what, row,
             c->faults[k].name);
    add_foreign(&m, c, &rng);
    return ask(&m, row, &rng);
}

/* ---- texts that have questions and answers --------------------------------------------------- */

static int blanks(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == ' ';
    return n;
}

/* Asks question k of n. The wrong choices are answers to others: those to k + step, k + 2 step, ...
 * First come those with as many words as the right one has: where gdb prints two numbers, one
 * number is no choice. */
static bool ask_pair(const char *before, char *const question[], const char *after,
                     char *const answer[], int n, int k, int step, Rng *rng)
{
    Made m = {0};
    add(&m, answer[k], "so says the text");
    for (int i = 1; i < 2 * n; i++) {
        int other = (k + i * step) % n;
        if (i >= n || blanks(answer[other]) == blanks(answer[k]))
            add(&m, answer[other], "this answers another: %s%s%s", before, question[other], after);
    }
    snprintf(m.asked, TEXT, "%s%s%s", before, question[k], after);
    snprintf(m.answer, TEXT, "%s", answer[k]);
    return m.count == CHOICES && ask(&m, 0, rng);
}

/* The paragraph after the mark, which ends before an empty line or a number, as a line. It is ended
 * where it stands, so that the last of a text is to be read first. NULL: the mark is not there. */
static char *cut_paragraph(char *text, const char *format, int number)
{
    char mark[32];
    snprintf(mark, sizeof mark, format, number);
    char *at = strstr(text, mark), *begin = at ? at + strlen(mark) : NULL, *to = begin;
    for (at = begin; at && *at; at++) {
        if (*at == '\n' && (at[1] == '\n' || (at[1] >= '0' && at[1] <= '9')))
            break;
        size_t blanks = *at == '\n' ? strspn(at + 1, " ") : 0;
        *to++ = *at == '\n' ? ' ' : *at;
        at += blanks;
    }
    if (to)
        *to = 0;
    return begin;
}

bool ask_of_stop(int stop, uint64_t seed)
{
    char *question[READING_STOPS], *answer[READING_STOPS];
    char *text = text_read(LECTURES_FOLDER "/../READING.md", NULL);
    char *answers = text ? strstr(text, "\n## Answers") : NULL;
    bool there = answers != NULL;
    Rng rng = {.seed = seed, .stream = (uint64_t)stop};
    for (int k = READING_STOPS; there && k > 0; k--)
        there = (answer[k - 1] = cut_paragraph(answers, "\n%d. ", k)) != NULL;
    for (int k = READING_STOPS; there && k > 0; k--)
        there = (question[k - 1] = cut_paragraph(text, "\n*Question %d.* ", k)) != NULL;
    there = there && ask_pair("", question, "", answer, READING_STOPS, stop - 1, 5, &rng);
    free(text);
    return there;
}

/* The commands of a guide that print and that gdb answers with one line, and these lines; returns
 * how many. */
static int typed_lines(char *guide, char *typed[LINES], char *answer[LINES])
{
    int n = 0;
    for (char *line = guide, *next; line && n < LINES; line = next) {
        next = text_cut(line);
        if (!next || strncmp(line, "(gdb) print", 11) != 0)
            continue;
        const char *then = next + strcspn(next, "\n");
        bool one = then > next && strncmp(next, "(gdb)", 5) != 0 && strncmp(next, "```", 3) != 0;
        one = one && (strncmp(then, "\n(gdb)", 6) == 0 || strncmp(then, "\n```", 4) == 0);
        for (int k = 0; k < n; k++)
            one = one && strcmp(typed[k], line + 6) != 0;
        if (one) {
            typed[n] = line + 6;
            answer[n++] = next;
        }
    }
    return n;
}

/* Answers are in the guide's order, so that those near to one another are about one thing. */
bool ask_of_guide(const char *path, uint64_t seed)
{
    static char *typed[LINES], *answer[LINES];
    Rng rng = {.seed = seed};
    char *guide = text_read(path, NULL);
    int n = guide ? typed_lines(guide, typed, answer) : 0;
    bool right = n && ask_pair("Where the guide first types `", typed, "`, what does gdb answer?",
                               answer, n, (int)rng_below(&rng, n), 1, &rng);
    free(guide);
    return right;
}
