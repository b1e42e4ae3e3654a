/* made.c: questions that are made from what the project already says: the claims with their faults,
 * the stops of READING.md, and what gdb answers in the guides. See steps.h. */
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"
#include "lectures/steps/steps.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 4, LINES = 1024, TEXT = 1024 };

typedef struct {
    char asked[TEXT], answer[TEXT];
    char text[CHOICES][TEXT], reason[CHOICES][TEXT]; /* the first one is right */
    int count;
} Made;

/* ---- choices --------------------------------------------------------------------------------- */

static bool has_choice(const Made *m, const char *text)
{
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->text[i], text) == 0)
            return true;
    return false;
}

/* Adds a choice, with a reason as by printf, unless it stands there, or all have one. */
static void add(Made *m, const char *text, const char *format, ...) GRADUS_PRINTF(3, 4);
static void add(Made *m, const char *text, const char *format, ...)
{
    va_list list;
    if (m->count == CHOICES || has_choice(m, text))
        return;
    snprintf(m->text[m->count], TEXT, "%s", text);
    va_start(list, format);
    vsnprintf(m->reason[m->count++], TEXT, format, list);
    va_end(list);
}

/* Asks it with the choices in a random order. */
static bool ask(const Made *m, int row, Rng *rng)
{
    int order[CHOICES] = {0, 1, 2, 3};
    Question q = {.row = row, .question = m->asked, .answer = m->answer};
    rng_shuffle(rng, order, m->count);
    for (int i = 0; i < m->count; i++) {
        q.choices[i] = (QuestionChoice){m->text[order[i]], m->reason[order[i]]};
        q.right = order[i] == 0 ? i + 1 : q.right;
    }
    return question_ask(&q, NULL);
}

/* ---- claims and their faults ----------------------------------------------------------------- */

const Claim *const *claims_of_row(int row, int *count)
{
    const Claim *const *list = chapter_claims(chapter_with_row(row));
    while ((*list)->row != row)
        list++;
    for (*count = 0; list[*count] && list[*count]->row == row;)
        ++*count;
    return list;
}

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
static double show_run(const Claim *c, const char *fault, const char *heading)
{
    char bound[BOUND_TEXT];
    printf("   %s\n\n", heading);
    Finding f = claim_run(c, fault, 1, stdout);
    printf("\n   value %.6g, bound %s: %s\n\n", f.value, claim_bound(c, bound),
           f.verdict == HOLDS ? "HOLDS" : "FAILS");
    return f.value;
}

/* The claim's other faults as choices, each with its value, unless that is the planted one's. */
static void add_own(Made *m, const Claim *c, double planted)
{
    for (int k = 0; k < CLAIM_FAULTS && c->faults[k].name && m->count < CHOICES; k++) {
        if (has_choice(m, c->faults[k].what))
            continue;
        double value = claim_run(c, c->faults[k].name, 1, NULL).value;
        if (value < planted || value > planted || isnan(value) != isnan(planted))
            add(m, c->faults[k].what, "it gives %.4g, and %.4g was measured", value, planted);
    }
}

/* Shows the claim without and with its fault k; returns the value with it. */
static double show_both(const Claim *c, int k, double *sound)
{
    printf("   ");
    wrapped_print(c->statement, 3);
    printf("   measured: ");
    wrapped_print(c->quantity, 13);
    putchar('\n');
    fflush(stdout);
    *sound = show_run(c, NULL, "as it is:");
    return show_run(c, c->faults[k].name, "with a fault:");
}

bool ask_of_row(int row, uint64_t seed, bool planted)
{
    Rng rng = {.seed = seed, .stream = (uint64_t)row};
    Made m = {.asked = "Which fault is it?"};
    int faults = 0, count;
    const Claim *const *claims = claims_of_row(row, &count), *c = claims[rng_below(&rng, count)];
    while (faults < CLAIM_FAULTS && c->faults[faults].name)
        faults++;
    int k = (int)rng_below(&rng, faults);
    if (planted) {
        double sound, value = show_both(c, k, &sound);
        add(&m, c->faults[k].what, "it takes the claim's value from %.4g to %.4g", sound, value);
        add_own(&m, c, value);
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

/* ---- READING.md ------------------------------------------------------------------------------ */

/* Copies the paragraph after the mark, in one line: up to an empty line, or to the next answer,
 * which begins with its number; of a link, its text. False where the mark is not there. */
static bool paragraph(char text[TEXT], const char *from, const char *format, int number)
{
    char mark[32];
    size_t n = 0;
    snprintf(mark, sizeof mark, format, number);
    const char *at = from ? strstr(from, mark) : NULL;
    for (at = at ? at + strlen(mark) : ""; *at && n + 1 < TEXT; at++) {
        if (*at == '\n' && (strchr("\n", at[1]) || (at[1] >= '0' && at[1] <= '9')))
            break;
        if (*at == '\n')
            at += strspn(at + 1, " ");
        if (*at == ']' && at[1] == '(')
            at += strcspn(at, ")");
        else if (*at != '[')
            text[n++] = *at == '\n' ? ' ' : *at;
    }
    text[n] = 0;
    return n > 0;
}

/* The question and the answer of a stop; false where there is none. */
static bool read_stop(int number, char question[TEXT], char answer[TEXT])
{
    char *text = text_read(LECTURES_FOLDER "/../READING.md", NULL);
    bool there = text && paragraph(question, text, "\n*Question %d.* ", number) &&
                 paragraph(answer, strstr(text, "\n## Answers"), "\n%d. ", number);
    free(text);
    return there;
}

bool is_stop(int number)
{
    char question[TEXT], answer[TEXT];
    return read_stop(number, question, answer);
}

bool ask_of_stop(int number, uint64_t seed)
{
    enum { STOPS = 12 };
    char question[TEXT], answer[TEXT];
    Rng rng = {.seed = seed, .stream = (uint64_t)number};
    Made m = {0};
    if (!read_stop(number, m.asked, m.answer))
        return false;
    add(&m, m.answer, "so READING.md says");
    int start = (int)rng_below(&rng, STOPS);
    for (int i = 0; i < STOPS; i++)
        if (read_stop(1 + (start + 5 * i) % STOPS, question, answer)) /* no common factor */
            add(&m, answer, "this answers another question: %s", question);
    return ask(&m, 0, &rng);
}

/* ---- guides ---------------------------------------------------------------------------------- */

static bool begins(const char *line, const char *with)
{
    return line && strncmp(line, with, strlen(with)) == 0;
}

/* The lines with a command that prints, that stands there once and that gdb answers with one line;
 * returns how many. */
static int typed_lines(char *guide, char *line[LINES], int typed[LINES])
{
    int lines = 0, count = 0;
    for (char *next = guide; next && lines < LINES - 2; lines++) {
        line[lines] = next;
        next = text_cut(next);
    }
    line[lines] = line[lines + 1] = NULL;
    for (int i = 0; i + 1 < lines; i++) {
        bool once = begins(line[i], "(gdb) print") && *line[i + 1] &&
                    !begins(line[i + 1], "(gdb)") && !begins(line[i + 1], "```") &&
                    (begins(line[i + 2], "(gdb)") || begins(line[i + 2], "```"));
        for (int k = 0; once && k < lines; k++)
            once = k == i || strcmp(line[k], line[i]) != 0;
        if (once)
            typed[count++] = i;
    }
    return count;
}

/* Answers are in the guide's order, so that those near to one another are about one thing. */
bool ask_of_guide(const char *path, uint64_t seed)
{
    static char *line[LINES];
    static int typed[LINES];
    const size_t prompt = strlen("(gdb) ");
    char whole[TEXT];
    Rng rng = {.seed = seed};
    Made m = {0};
    snprintf(whole, sizeof whole, "%s/%s", LECTURES_FOLDER, path);
    char *guide = text_read(whole, NULL);
    int n = guide ? typed_lines(guide, line, typed) : 0, k = n ? (int)rng_below(&rng, n) : 0;
    for (int i = 0; i < n; i++) {
        const int at = typed[(k + i) % n];
        add(&m, line[at + 1], "`%s` gives this", line[at] + prompt);
    }
    if (n) {
        snprintf(m.asked, TEXT, "Where the guide types `%s`, what does gdb answer?",
                 line[typed[k]] + prompt);
        snprintf(m.answer, TEXT, "%s", line[typed[k] + 1]);
    }
    free(guide);
    return m.count == CHOICES && ask(&m, 0, &rng);
}
