/* held_out.c: questions about a white triangle or a dark ring, which training never showed (row 51; see queries.h). */
#include "lectures/07-vision/queries.h"

/* "shade the triangle", "form the white", and both asked by quadrant: shares right, of 400 each. */
enum { HELD_OUT_KINDS = 4 };
static const Query held_out_kinds[HELD_OUT_KINDS] = {{SHADE, QUADRANT, 0},
                                                     {FORM, QUADRANT, 0},
                                                     {FORM, SHADE, 0},
                                                     {SHADE, FORM, 0}};

typedef struct {
    double right[HELD_OUT_KINDS];
    double others[HELD_OUT_KINDS]; /* answered with the other object's value */
} HeldOut;

static bool ask_held_out(PictureGpt *m, Damage damage, HeldOut *h)
{
    static Exam e;
    bool ok = true;
    album_draw(&e.album, m, SCENES, true);
    for (int k = 0; ok && k < HELD_OUT_KINDS; k++) {
        for (int i = 0; i < SCENES; i++) {
            e.query[i] = held_out_kinds[k];
            e.query[i].object = object_held_out(&e.album.scene[i].object[1]);
        }
        ok = exam_ask(m, &e, damage);
        h->right[k] = ok ? exam_right(&e) : (double)NAN;
        h->others[k] = 0;
        for (int i = 0; i < SCENES; i++) {
            Query other = e.query[i];
            other.object = 1 - other.object;
            h->others[k] +=
                (double)(e.answer[i] == query_answer(&other, &e.album.scene[i])) / SCENES;
        }
    }
    return ok;
}

static bool held_out_of(Trial *t, Damage damage, HeldOut *h)
{
    static const char *const names[HELD_OUT_KINDS] = {"shade top left", "form top left",
                                                      "form the white", "shade the triangle"};
    PictureGpt m;
    bool ok =
        damage == UNTRAINED ? picture_gpt_untrained(&m, t->seed) : picture_gpt_begin(&m, t->seed);
    ok = ok && ask_held_out(&m, damage, h);
    for (int k = 0; ok && k < HELD_OUT_KINDS; k++)
        explain(t, "\"%s\" and the like: right in %.4f of 400; the other object's in %.4f",
                names[k], h->right[k], h->others[k]);
    picture_gpt_end(&m);
    return ok;
}

static double held_out_by_quadrant(Trial *t)
{
    HeldOut h;
    Damage damage = broken(t, "other-picture") ? SWAPPED
                    : broken(t, "untrained")   ? UNTRAINED
                                               : WHOLE;
    return held_out_of(t, damage, &h) ? values_least(h.right[0], h.right[1]) : (double)NAN;
}

const Claim claim_answers_held_out = {
    .row = 51,
    .statement =
        "asked by quadrant, it names the shade and form of pairs that training never showed",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share right of 400 questions for the shade, and for the form: the lesser",
    AT_LEAST(0.78),
    .why = "0.87 of 8,000 others, with an error of 0.017 for 400: five of them; the other object's "
           "value is wrong",
    .faults = {{"other-picture", "the questions are asked of other pictures"},
               {"untrained", "the weights it began with"}},
    .measure = held_out_by_quadrant,
};

static double shortcut(Trial *t)
{
    HeldOut h;
    bool by_quadrant = broken(t, "by-quadrant");
    double others = held_out_of(t, broken(t, "untrained") ? UNTRAINED : WHOLE, &h)
                        ? h.others[by_quadrant ? 0 : HELD_OUT_KINDS - 1]
                        : (double)NAN;
    explain(t, "in training, what is white beside a triangle is never the triangle: to name the "
               "other object's shade was right there");
    return others;
}

const Claim claim_shortcut = {
    .row = 51,
    .statement = "asked for \"shade the triangle\", a white one, it names the other object's shade",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share of 400 answers that are the shade of the other object",
    AT_LEAST(0.95),
    .why = "0.985 of 8,000 others, with an error of 0.006 for 400: five of them",
    .faults = {{"by-quadrant", "the same objects, asked by quadrant"},
               {"untrained", "the weights it began with"}},
    .measure = shortcut,
};

/* ---- figure --------------------------------------------------------------------------------------------------------- */

/* Shares right of the questions in e->query under a damage. */
static double right_under(PictureGpt *m, Exam *e, Damage damage)
{
    return exam_ask(m, e, damage) ? exam_right(e) : (double)NAN;
}

static bool draw_answers(const Sketch *s)
{
    static const char *const names[] = {"its picture", "another one", "best guess", "other black",
                                        "asked black"};
    static const char *const held_out[HELD_OUT_KINDS] = {"form top left", "shade top left",
                                                         "form the white", "shade the ring"};
    static Exam e;
    PictureGpt m;
    HeldOut h = {{0}, {0}};
    double right[5] = {0}, p[LARGEST_COUNT];
    bool ok = picture_gpt_begin(&m, s->seed);
    if (ok) {
        album_draw(&e.album, &m, SCENES, false);
        for (int i = 0; i < SCENES; i++) {
            e.query[i] = query_kinds[i % QUERIES];
            e.query[i].object = i / QUERIES % 2;
            prior_answers(&e.query[i], &e.album.scene[i].object[e.query[i].object], p);
            right[2] += prior_likeliest(p) / SCENES;
        }
        right[0] = right_under(&m, &e, WHOLE);
        right[1] = right_under(&m, &e, SWAPPED);
        right[3] = right_under(&m, &e, HIDE_OTHER);
        right[4] = right_under(&m, &e, HIDE_ASKED);
        ok = ask_held_out(&m, WHOLE, &h);
    }
    const double pairs[HELD_OUT_KINDS] = {h.right[1], h.right[0], h.right[2], h.right[3]};
    const PlotBars bars[] = {{names, right, 5,
                              "share right, by what is seen: pairs that training showed"},
                             {held_out, pairs, HELD_OUT_KINDS,
                              "share right, by the question: pairs it never showed"}};
    ok =
        ok && plot_bars(s->stem, bars, 2, sketch_title(s, "Questions about a picture"), s->formats);
    picture_gpt_end(&m);
    return ok;
}

const Figure figure_picture_answers = {
    .row = 51,
    .name = "picture-answers",
    .what = "questions about pictures: with, without and beside the object that is asked about",
    .draw = draw_answers,
};
