/* tape_page.c: see tape_page.h.
 *
 *   TAPE_COMPUTED         nothing to do: results live until the reset
 *   TAPE_BACKWARD_BEGINS  the gradient that arrives, and a copy of the operands' gradients
 *   TAPE_BACKWARD_DONE    what the op added to each
 *   TAPE_OVER             after backward: the page is written */
#include "plot/tape/tape_page.h"

#include "plot/html/page.h"
#include "plot/tape/trace.h"

#include <string.h>

enum { PATH = 1024 };

typedef struct Record {
    char path[PATH], title[PATH];
    const PlotPageLive *live;
    bool (*write)(struct Record *);
    int notation;
    bool had_maps;
    Tape *tape; /* whose step is recorded; NULL: none yet */
    Arena arena;
    TapeBackward *backward; /* one for each node, from the first event of backward on */
    int turns;
    TapeGradients before; /* backward of the present op */
} Record;

static Record record;  /* one for the process, like the watcher */
static Page *recorded; /* of tape_page_record */

/* Nothing was recorded yet. False after an error. */
static bool make_backward(Record *r)
{
    int nodes = r->tape->nodes;
    if (nodes > TAPE_OPS)
        return tensor_fail(
            "tape_page: a tape of %d ops; expected at most %d (fewer layers, or shorter sequences "
            "in a recurrent network, have fewer)",
            nodes, TAPE_OPS);
    r->backward = arena_alloc(&r->arena, (size_t)nodes * sizeof *r->backward);
    for (int i = 0; r->backward && i < nodes; i++)
        r->backward[i] = (TapeBackward){.turn = -1};
    return r->backward != NULL;
}

static bool backward_begins(Record *r, const Node *n)
{
    if (!r->backward && !make_backward(r))
        return false;
    TapeBackward *b = &r->backward[trace_number(n)];
    b->turn = r->turns++;
    b->gradient = tape_numbers_of(n->out, n->out->grad, NULL);
    tape_gradients_copy(&r->before, n);
    return true;
}

static void backward_done(Record *r, const Node *n)
{
    TapeBackward *b = &r->backward[trace_number(n)];
    for (int i = 0; i < TAPE_OPERANDS; i++)
        if (tape_gradients_added(&r->before, n, i, &b->operand[i].added))
            b->operand[i].sum = tape_numbers_of(n->in[i], n->in[i]->grad, NULL);
    tape_gradients_free(&r->before);
}

/* ---- the tape's events ----------------------------------------------------------------------- */

/* The recording is over, with a page or without. */
static void release(Record *r)
{
    if (r->tape)
        r->tape->keep_maps = r->had_maps;
    tape_on_event(NULL);
    tape_gradients_free(&r->before);
    arena_free(&r->arena);
    *r = (Record){0};
}

/* A step begins. Without backward it is no training step, and the next one is recorded. */
static void begin(Record *r, Tape *tape)
{
    r->tape = tape;
    r->had_maps = tape->keep_maps;
    tape->keep_maps = true;
}

static void end(Record *r, Tape *tape)
{
    if (tape->backward_done) {
        if (r->backward && !tape->failed)
            r->write(r);
        release(r);
    } else {
        tape->keep_maps = r->had_maps;
        r->tape = NULL;
    }
}

static void follow(TapeEvent event, Tape *tape, const Node *n)
{
    Record *r = &record;
    if (r->tape ? tape != r->tape : event != TAPE_COMPUTED || tape->no_grad)
        return;
    if (!r->tape)
        begin(r, tape);
    if (event == TAPE_BACKWARD_BEGINS && !backward_begins(r, n))
        release(r);
    else if (event == TAPE_BACKWARD_DONE)
        backward_done(r, n);
    else if (event == TAPE_OVER)
        end(r, tape);
}

void tape_page_end(void)
{
    if (record.write)
        release(&record);
    page_free(recorded);
    recorded = NULL;
}

static bool write_data(Record *r)
{
    recorded = page_data_new("tape_page");
    return tape_write(recorded, r->notation, r->tape, r->backward, &r->arena);
}

static bool write_file(Record *r)
{
    Page *p = page_new("tape", r->title, "tape_page");
    if (tape_write(p, r->notation, r->tape, r->backward, &r->arena) &&
        page_live(p, r->live, "tape_page"))
        return page_write(p, r->path);
    page_free(p);
    return false;
}

bool tape_page_begin(const char *path, const char *title, const char *notation)
{
    int known = trace_lecture(notation);
    if (known < 0)
        return tensor_fail("tape_page_begin: notation '%s'; expected '', V, B, H, Z or J",
                           notation);
    release(&record);
    if (snprintf(record.path, PATH, "%s", path) >= PATH)
        return tensor_fail("tape_page_begin: a path of %zu bytes; expected fewer than %d",
                           strlen(path), PATH);
    snprintf(record.title, PATH, "%s", title);
    record.notation = known;
    record.write = write_file;
    tape_on_event(follow);
    return true;
}

void tape_page_live(const PlotPageLive *live)
{
    record.live = live;
}

void tape_page_record(void)
{
    tape_page_end();
    record.write = write_data;
    tape_on_event(follow);
}

size_t tape_page_data(char *text, size_t size)
{
    return page_data(recorded, text, size);
}
