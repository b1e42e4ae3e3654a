/* made.c: questions that are made from what the project already says: the claims with their faults,
 * the stops of READING.md, and what gdb answers in the guides. See steps.h. */
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"
#include "lectures/steps/steps.h"

#include <stdlib.h>
#include <string.h>

enum { CHOICES = 4 };

/* ---- choices --------------------------------------------------------------------------------- */

static bool has_choice(const Made *m, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (strcmp(m->text[i], text) == 0)
            return true;
    return false;
}

/* Puts the right choice, which is the first of `count`, at a random place. */
static void finish(Made *m, int count, Rng *rng)
{
    int right = (int)rng_below(rng, count);
    char text[MADE_TEXT], reason[MADE_TEXT];
    memcpy(text, m->text[0], MADE_TEXT);
    memcpy(reason, m->reason[0], MADE_TEXT);
    memcpy(m->text[0], m->text[right], MADE_TEXT);
    memcpy(m->reason[0], m->reason[right], MADE_TEXT);
    memcpy(m->text[right], text, MADE_TEXT);
    memcpy(m->reason[right], reason, MADE_TEXT);
    m->question.question = m->asked;
    m->question.answer = m->answer;
    m->question.right = right + 1;
    for (int i = 0; i < count; i++) {
        m->question.choices[i].text = m->text[i];
        m->question.choices[i].reason = m->reason[i];
    }
}

/* ---- what would make a claim false ----------------------------------------------------------- */

static int count_list(const Claim *const *list)
{
    int n = 0;
    while (list[n])
        n++;
    return n;
}

/* A claim of the row: which one depends on the seed. */
static const Claim *some_claim(int row, Rng *rng)
{
    const Claim *const *list = chapter_claims(chapter_with_row(row));
    int first = 0, count = 0;
    while (list[first]->row != row)
        first++;
    while (list[first + count] && list[first + count]->row == row)
        count++;
    return list[first + (int)rng_below(rng, count)];
}

static bool shares_a_slide(const Claim *a, const Claim *b)
{
    for (int i = 0; i < CLAIM_SLIDES && a->slides[i]; i++)
        for (int k = 0; k < CLAIM_SLIDES && b->slides[k]; k++)
            if (strcmp(a->slides[i], b->slides[k]) == 0)
                return true;
    return false;
}

/* Could the first fault of `other` be taken for one of `c`? Not where the claims are of two rows
 * and two slides, and have no fault of one name. */
static bool could_break(const Claim *other, const Claim *c)
{
    return other->row == c->row || shares_a_slide(other, c) ||
           claim_has_fault(c, other->faults[0].name);
}

/* Fills choices from `count` on with faults of the chapter's claims that leave c alone. */
static int add_foreign(Made *m, int count, const Claim *c, Rng *rng)
{
    const Claim *const *list = chapter_claims(chapter_with_row(c->row));
    int n = count_list(list), start = (int)rng_below(rng, n);
    for (int i = 0; i < n && count < CHOICES; i++) {
        const Claim *other =
            list[(start + 7 * i) % n]; /* not neighbours, which are about one thing */
        if (could_break(other, c) || has_choice(m, count, other->faults[0].what))
            continue;
        snprintf(m->text[count], MADE_TEXT, "%s", other->faults[0].what);
        snprintf(m->reason[count++], MADE_TEXT,
                 "this is a fault of another claim, of row %d: \"%s\"", other->row,
                 other->statement);
    }
    return count;
}

void made_of_row(Made *m, int row, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = (uint64_t)row};
    const Claim *c = some_claim(row, &rng);
    *m = (Made){.question.row = row};
    snprintf(m->asked, MADE_TEXT, "The section states: \"%s\". Which of these would make it false?",
             c->statement);
    snprintf(m->text[0], MADE_TEXT, "%s", c->faults[0].what);
    snprintf(m->reason[0], MADE_TEXT, "with it the claim fails");
    snprintf(m->answer, MADE_TEXT, "%s; ./gradus claims --break %d:%s measures it",
             c->faults[0].what, row, c->faults[0].name);
    finish(m, add_foreign(m, 1, c, &rng), &rng);
}

/* ---- which fault was planted ----------------------------------------------------------------- */

/* One run, with what it explains; to be freed. */
typedef struct {
    Finding finding;
    char *notes;
} Noted;

static Noted run_noted(const Claim *c, const char *fault)
{
    TextStream text;
    Noted r;
    r.finding = claim_run(c, fault, 1, text_open(&text));
    r.notes = text_close(&text, NULL);
    return r;
}

static bool same_numbers(const Noted *a, const Noted *b)
{
    bool values = a->finding.value == b->finding.value ||
                  (isnan(a->finding.value) && isnan(b->finding.value));
    return values && a->notes && b->notes && strcmp(a->notes, b->notes) == 0;
}

static void show_run(const char *heading, const Noted *r)
{
    char bound[BOUND_TEXT];
    printf("   %s\n\n%s\n   value %.6g, bound %s: %s\n\n", heading, r->notes ? r->notes : "",
           r->finding.value, claim_bound(r->finding.claim, bound),
           r->finding.verdict == HOLDS ? "HOLDS" : "FAILS");
}

/* The claim's other faults as choices, each with the value that it gives; one whose numbers are the
 * planted one's is left out. */
static int add_own(Made *m, int count, const Claim *c, const Noted *planted)
{
    for (int k = 0; k < CLAIM_FAULTS && c->faults[k].name && count < CHOICES; k++) {
        if (has_choice(m, count, c->faults[k].what))
            continue;
        Noted r = run_noted(c, c->faults[k].name);
        if (!same_numbers(&r, planted)) {
            snprintf(m->text[count], MADE_TEXT, "%s", c->faults[k].what);
            snprintf(m->reason[count++], MADE_TEXT, "it gives %.4g, and %.4g was measured",
                     r.finding.value, planted->finding.value);
        }
        free(r.notes);
    }
    return count;
}

void made_of_fault(Made *m, int row, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = (uint64_t)row};
    const Claim *c = some_claim(row, &rng);
    int faults = 0;
    while (faults < CLAIM_FAULTS && c->faults[faults].name)
        faults++;
    int k = (int)rng_below(&rng, faults);
    *m = (Made){.question.row = row};
    printf("   ");
    wrapped_print(c->statement, 3);
    printf("   measured: ");
    wrapped_print(c->quantity, 13);
    putchar('\n');
    fflush(stdout);
    Noted sound = run_noted(c, NULL), planted = run_noted(c, c->faults[k].name);
    show_run("as it is:", &sound);
    show_run("with a fault:", &planted);
    snprintf(m->asked, MADE_TEXT, "Which fault is it?");
    snprintf(m->text[0], MADE_TEXT, "%s", c->faults[k].what);
    snprintf(m->reason[0], MADE_TEXT, "it takes the claim's value from %.4g to %.4g",
             sound.finding.value, planted.finding.value);
    snprintf(m->answer, MADE_TEXT, "%s (./gradus claims --break %d:%s)", c->faults[k].what, row,
             c->faults[k].name);
    int count = add_own(m, 1, c, &planted);
    finish(m, add_foreign(m, count, c, &rng), &rng);
    free(sound.notes);
    free(planted.notes);
}

/* ---- READING.md ------------------------------------------------------------------------------ */

bool made_of_stop(Made *m, int stop, uint64_t seed)
{
    enum { STOPS = 12 };
    char *text[STOP_TEXTS], *whole;
    Rng rng = {.seed = seed, .stream = (uint64_t)stop};
    *m = (Made){0};
    if (!reading_stop(stop, text, &whole))
        return false;
    snprintf(m->asked, MADE_TEXT, "%s", text[STOP_QUESTION]);
    snprintf(m->text[0], MADE_TEXT, "%s", text[STOP_ANSWER]);
    snprintf(m->reason[0], MADE_TEXT, "so READING.md says");
    snprintf(m->answer, MADE_TEXT, "%s", text[STOP_ANSWER]);
    free(whole);
    int count = 1, start = (int)rng_below(&rng, STOPS);
    for (int i = 0; i < STOPS && count < CHOICES; i++) {
        int other = 1 + (start + 5 * i) % STOPS; /* 5 and 12 have no common factor */
        if (other == stop || !reading_stop(other, text, &whole))
            continue;
        snprintf(m->text[count], MADE_TEXT, "%s", text[STOP_ANSWER]);
        snprintf(m->reason[count++], MADE_TEXT, "this answers question %d: %s", other,
                 text[STOP_QUESTION]);
        free(whole);
    }
    finish(m, count, &rng);
    return true;
}

/* ---- what gdb answers ------------------------------------------------------------------------ */

/* A command of a guide that prints, and that gdb answers with one line. */
typedef struct {
    char command[MADE_TEXT / 2], answer[MADE_TEXT / 2];
} Typed;

/* The next one after `at`; returns what follows it, or NULL. */
static const char *next_typed(const char *at, Typed *t)
{
    while ((at = strstr(at, "\n(gdb) ")) != NULL) {
        at += strlen("\n(gdb) ");
        size_t command = strcspn(at, "\n"), answer;
        const char *line = at + command + (at[command] == '\n'), *after;
        answer = strcspn(line, "\n");
        after = line + answer;
        bool one = strncmp(at, "print", 5) == 0 && answer && strncmp(line, "(gdb)", 5) != 0 &&
                   strncmp(line, "```", 3) != 0 &&
                   (strncmp(after, "\n(gdb)", 6) == 0 || strncmp(after, "\n```", 4) == 0);
        if (!one || command >= sizeof t->command || answer >= sizeof t->answer)
            continue;
        snprintf(t->command, sizeof t->command, "%.*s", (int)command, at);
        snprintf(t->answer, sizeof t->answer, "%.*s", (int)answer, line);
        return after;
    }
    return NULL;
}

static bool typed_once(const char *guide, const char *command)
{
    char line[MADE_TEXT];
    snprintf(line, sizeof line, "\n(gdb) %s\n", command);
    const char *first = strstr(guide, line);
    return first && !strstr(first + 1, line);
}

/* Commands that are typed once in the guide, in its order; returns how many. */
static int all_typed(const char *guide, Typed *list, int most)
{
    int count = 0;
    while (count < most && (guide = next_typed(guide, &list[count])) != NULL)
        count++;
    return count;
}

/* The answer that is not yet a choice and whose length is nearest to the right one's, which its
 * form should not give away; NULL: none is left. */
static const Typed *most_alike(const Made *m, int count, const Typed *list, int n)
{
    const Typed *best = NULL;
    size_t least = MADE_TEXT, wanted = strlen(m->text[0]);
    for (int i = 0; i < n; i++) {
        size_t k = strlen(list[i].answer), apart = k > wanted ? k - wanted : wanted - k;
        if (apart < least && !has_choice(m, count, list[i].answer)) {
            best = &list[i];
            least = apart;
        }
    }
    return best;
}

bool made_of_guide(Made *m, const char *path, uint64_t seed)
{
    enum { MOST = 64 };
    static Typed typed[MOST];
    char whole[STEP_PATH];
    Rng rng = {.seed = seed};
    *m = (Made){0};
    snprintf(whole, sizeof whole, "%s/%s", LECTURES_FOLDER, path);
    char *guide = text_read(whole, NULL);
    int n = guide ? all_typed(guide, typed, MOST) : 0;
    int k = n ? (int)rng_below(&rng, n) : 0, tries = 0;
    while (tries < n && !typed_once(guide, typed[k].command))
        k = (k + 1) % n, tries++;
    free(guide);
    if (n < CHOICES || tries == n)
        return false;
    snprintf(m->asked, MADE_TEXT, "Where the guide types `%s`, what does gdb answer?",
             typed[k].command);
    snprintf(m->text[0], MADE_TEXT, "%s", typed[k].answer);
    snprintf(m->reason[0], MADE_TEXT, "so gdb answers");
    snprintf(m->answer, MADE_TEXT, "%s", typed[k].answer);
    int count = 1;
    for (const Typed *other; count < CHOICES && (other = most_alike(m, count, typed, n)); count++) {
        snprintf(m->text[count], MADE_TEXT, "%s", other->answer);
        snprintf(m->reason[count], MADE_TEXT, "this answers `%s`", other->command);
    }
    finish(m, count, &rng);
    return count == CHOICES;
}
