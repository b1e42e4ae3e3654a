/* facts.c: see facts.h. */
#include "lectures/runner/facts.h"

#include "lectures/runner/slides.h"

#include "tensor/io/json.h"

#include <math.h>
#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

typedef struct {
    FILE *out;
    bool comma; /* is one due before the next value? */
} Json;

/* A key, or NULL in a list. */
static void begin(Json *j, const char *key)
{
    fputs(j->comma ? ", " : "", j->out);
    if (key)
        fprintf(j->out, "\"%s\": ", key);
    j->comma = true;
}

static void open(Json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->out);
    j->comma = false;
}

static void close(Json *j, char bracket)
{
    fputc(bracket, j->out);
    j->comma = true;
}

/* A text NULL is empty. */
static void put_text(Json *j, const char *key, const char *text)
{
    begin(j, key);
    json_put_text(j->out, text ? text : "");
}

static void put_number(Json *j, const char *key, double number)
{
    begin(j, key);
    fprintf(j->out, isfinite(number) ? "%.9g" : "null", number);
}

/* ---- a chapter ------------------------------------------------------------------------------- */

static void put_claims(Json *j, const char *key, const Claim *const *c)
{
    char bound[BOUND_TEXT];
    open(j, key, '[');
    for (; *c; c++) {
        open(j, NULL, '{');
        put_number(j, "row", (*c)->row);
        put_text(j, "statement", (*c)->statement);
        put_text(j, "quantity", (*c)->quantity);
        put_text(j, "bound", claim_bound(*c, bound));
        put_text(j, "why", (*c)->why);
        open(j, "slides", '[');
        for (int i = 0; i < CLAIM_SLIDES && (*c)->slides[i]; i++)
            put_text(j, NULL, (*c)->slides[i]);
        close(j, ']');
        open(j, "faults", '[');
        for (int i = 0; i < CLAIM_FAULTS && (*c)->faults[i].name; i++) {
            open(j, NULL, '{');
            put_text(j, "name", (*c)->faults[i].name);
            put_text(j, "what", (*c)->faults[i].what);
            close(j, '}');
        }
        close(j, ']');
        put_number(j, "judgement", (*c)->against.judgement);
        put_text(j, "slide", (*c)->against.slide);
        put_text(j, "says", (*c)->against.says);
        put_text(j, "holds_on_nan", (*c)->holds_on_nan);
        put_text(j, "holds_on_zeros", (*c)->holds_on_zeros);
        close(j, '}');
    }
    close(j, ']');
}

static void put_questions(Json *j, const Chapter *c)
{
    const Claim *const *claims = chapter_claims(c);
    open(j, "questions", '[');
    for (const Question *q = c->questions; q && q->row; q++) {
        int claim = 0;
        while (claims[claim] != chapter_asked(c, q))
            claim++;
        open(j, NULL, '{');
        put_number(j, "row", q->row);
        put_number(j, "claim", claim);
        put_text(j, "question", q->question);
        put_text(j, "quantity", q->quantity);
        put_number(j, "within", q->within);
        put_text(j, "answer", q->answer);
        put_text(j, "misconception", q->misconception);
        open(j, "choices", '[');
        for (int i = 0; i < QUESTION_CHOICES && q->choices[i].text; i++) {
            open(j, NULL, '{');
            put_number(j, "right", i + 1 == q->right);
            put_text(j, "text", q->choices[i].text);
            put_text(j, "reason", q->choices[i].reason);
            close(j, '}');
        }
        close(j, ']');
        close(j, '}');
    }
    close(j, ']');
}

/* A figure that the library computes: what it shows first, its controls, what it was given. */
static bool put_live(Json *j, const Figure *figure, uint64_t seed)
{
    const ComputedFigure *f = figure->computed;
    const char *name, *first = figure->give && !figure->give(seed) ? NULL : computed_first(f);
    char after[80];
    const real *numbers;
    int count;
    if (!first)
        return false;
    snprintf(after, sizeof after, "figure-%s", f->name);
    open(j, NULL, '{');
    put_text(j, "kind", "computed");
    put_text(j, "after", after);
    open(j, "labels", '[');
    put_text(j, NULL, first);
    put_text(j, NULL, computed_controls(f));
    close(j, ']');
    open(j, "numbers", '{');
    for (int n = 0; computed_numbers(f, n, &name, &numbers, &count); n++) {
        open(j, name, '[');
        for (int i = 0; i < count; i++)
            put_number(j, NULL, (double)numbers[i]);
        close(j, ']');
    }
    close(j, '}');
    close(j, '}');
    return true;
}

static bool put_chapter(Json *j, const Chapter *c, bool live, uint64_t seed)
{
    const Figure *const *figures = chapter_figures(c);
    bool ok = true;
    open(j, NULL, '{');
    put_number(j, "number", c->number);
    put_text(j, "folder", c->folder);
    put_text(j, "title", c->title);
    put_number(j, "first", c->first_row);
    put_number(j, "last", c->last_row);
    put_claims(j, "claims", chapter_claims(c));
    put_claims(j, "exercises", chapter_exercises(c));
    open(j, "figures", '[');
    for (const Figure *const *f = figures; *f; f++) {
        open(j, NULL, '{');
        put_number(j, "row", (*f)->row);
        put_text(j, "name", (*f)->name);
        put_text(j, "what", (*f)->what);
        put_number(j, "computed", (*f)->computed != NULL);
        close(j, '}');
    }
    close(j, ']');
    put_questions(j, c);
    open(j, "live", '[');
    for (const Figure *const *f = figures; live && ok && *f; f++)
        ok = !(*f)->computed || put_live(j, *f, seed);
    close(j, ']');
    close(j, '}');
    return ok;
}

/* ---- the slides ------------------------------------------------------------------------------ */

static void put_slides(Json *j)
{
    open(j, "rows", '[');
    for (const Row *row = rows; row->number; row++) {
        open(j, NULL, '{');
        put_number(j, "number", row->number);
        put_number(j, "chapter", row->chapter);
        put_text(j, "what", row->what);
        put_text(j, "program", row->program);
        close(j, '}');
    }
    close(j, ']');
    open(j, "slides", '[');
    for (const Slide *s = slides; s->title; s++) {
        open(j, NULL, '{');
        put_text(j, "lecture", (char[]){s->lecture, 0});
        put_text(j, "title", s->title);
        put_number(j, "pages", s->pages);
        open(j, "rows", '[');
        for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++)
            put_number(j, NULL, s->rows[i]);
        close(j, ']');
        close(j, '}');
    }
    close(j, ']');
    open(j, "lectures", '[');
    for (const Lecture *l = lectures; l->letter; l++) {
        open(j, NULL, '{');
        put_text(j, "letter", (char[]){l->letter, 0});
        put_text(j, "name", l->name);
        close(j, '}');
    }
    close(j, ']');
}

bool facts_write(FILE *out, const Chapter *only, bool live, uint64_t seed)
{
    Json j = {.out = out};
    bool ok = true;
    open(&j, NULL, '{');
    open(&j, "chapters", '[');
    for (int i = 0; chapters[i] && ok; i++)
        if (!only || only == chapters[i])
            ok = put_chapter(&j, chapters[i], live, seed);
    close(&j, ']');
    put_slides(&j);
    put_text(&j, "module", GRADUS_LIVE);
    close(&j, '}');
    fputc('\n', out);
    return ok;
}
