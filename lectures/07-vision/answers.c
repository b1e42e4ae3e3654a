/* answers.c: what the answers to questions about a picture depend on (row 51; see queries.h). */
#include "lectures/07-vision/queries.h"

#include <string.h>

/* ---- picture and question together ------------------------------------------------------------------------------------ */

/* The same question about both objects of a picture, where the answers differ: "shade the ring", "shade the bar". Whoever does not
 * read the question gives one answer to both, and is wrong once. */
static double pairs_right(Trial *t)
{
    static Exam e;
    PictureGpt m;
    bool first[SCENES];
    double asked[QUERIES] = {0}, both[QUERIES] = {0}, all = (double)NAN;
    Damage damage = broken(t, "same-question")   ? SAME_QUESTION
                    : broken(t, "other-picture") ? SWAPPED
                                                 : WHOLE;
    bool ok = broken(t, "untrained") ? picture_gpt_untrained(&m, t->seed)
                                     : picture_gpt_begin(&m, t->seed);
    if (ok)
        album_draw(&e.album, &m, SCENES, false);
    for (int i = 0; ok && i < SCENES; i++)
        e.query[i] = query_kinds[i % QUERIES];
    ok = ok && exam_ask(&m, &e, damage);
    memcpy(first, e.right, sizeof first);
    for (int i = 0; i < SCENES; i++)
        e.query[i].object = 1;
    if (ok && exam_ask(&m, &e, damage)) {
        all = 0;
        for (int i = 0; i < SCENES; i++) {
            const Object *object = e.album.scene[i].object;
            Attribute a = e.query[i].asked;
            bool differ = object[0].value[a] != object[1].value[a];
            asked[i % QUERIES] += differ;
            both[i % QUERIES] += differ && first[i] && e.right[i];
        }
    }
    double pairs = 0;
    for (int k = 0; k < QUERIES; k++) {
        explain(t, "%-5s of a given %-8s: both answers right for %3.0f of %3.0f pictures",
                word_text(WORD_ATTRIBUTE + (int)query_kinds[k].asked),
                query_kinds[k].given == QUADRANT ? "quadrant"
                                                 : word_text(WORD_ATTRIBUTE + query_kinds[k].given),
                both[k], asked[k]);
        pairs += asked[k];
        all += both[k];
    }
    picture_gpt_end(&m);
    return all / pairs;
}

const Claim claim_answers = {
    .row = 51,
    .statement = "the same question about two objects of one picture: both answers are right",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share of pictures with both right, where the answers differ",
    AT_LEAST(0.98),
    .why =
        "0.999 of 5,700 others: 6 wrong of 285 are rarer than 1e-5; one answer to both questions "
        "gives 0",
    .faults = {{"same-question", "the first question is asked twice"},
               {"other-picture", "the questions are asked of other pictures"},
               {"untrained", "the weights it began with"}},
    .measure = pairs_right,
};

/* ---- the model must look ------------------------------------------------------------------------------------------------ */

static double looks(Trial *t)
{
    static Exam e;
    PictureGpt m;
    double right = 0, expected = 0, variance = 0, best = 0;
    bool ok = picture_gpt_begin(&m, t->seed);
    if (ok)
        album_draw(&e.album, &m, SCENES, false);
    for (int i = 0; i < SCENES; i++) {
        e.query[i] = query_kinds[i % QUERIES];
        e.query[i].object = i / QUERIES % 2;
    }
    ok = ok && exam_ask(&m, &e, broken(t, "own-picture") ? WHOLE : SWAPPED);
    for (int i = 0; ok && i < SCENES; i++) {
        double p[LARGEST_COUNT];
        const Query *q = &e.query[i];
        prior_answers(q, &e.album.scene[i].object[q->object], p);
        double same = prior_agreement(p);
        right += e.right[i];
        expected += same;
        variance += same * (1 - same);
        best += prior_likeliest(p);
    }
    explain(t, "another picture with an object of the given form or shade: right in %.4f",
            right / SCENES);
    explain(t, "two pictures drawn alike agree with probability sum_a p(a | question)^2: %.4f",
            expected / SCENES);
    explain(t, "the best guess from the question alone, max_a p(a | question): %.4f",
            best / SCENES);
    picture_gpt_end(&m);
    return ok ? fabs(right - expected) / sqrt(variance) : (double)NAN;
}

const Claim claim_other_picture = {
    .row = 51,
    .statement = "asked about another picture, the GPT is right as often as the answers to two "
                 "pictures agree",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "|right - sum_a p(a | question)^2| in standard errors, 400 questions",
    AT_MOST(4),
    .why = "beyond 4 standard errors once in 16,000 draws",
    .faults = {{"own-picture", "the pictures are not swapped"}},
    .measure = looks,
};

/* ---- where it must look ------------------------------------------------------------------------------------------------- */

/* What can be said of a hidden object when the other one is seen, at best: its row (or column) differs from the other's in
 * two of the three quadrants that are left; its size is a guess; its form (or shade) is any that the other has not. */
static double best_without(const Query *q, const Scene *s)
{
    const Object *there = &s->object[q->object], *other = &s->object[1 - q->object];
    double p[LARGEST_COUNT] = {0}, sum = 0;
    if (q->asked == SIZE)
        return 1.0 / SIZES;
    if (q->asked == ROW || q->asked == COLUMN)
        return 2.0 / 3;
    for (int v = 0; v < value_count[q->asked]; v++) {
        int form = q->asked == FORM ? v : there->value[FORM];
        int shade = q->asked == SHADE ? v : there->value[SHADE];
        p[v] = v != other->value[q->asked] && !pair_held_out(form, shade);
        sum += p[v];
    }
    return 1 / sum;
}

static double hidden_quadrant(Trial *t)
{
    static Exam e;
    PictureGpt m;
    double best = 0, asked_hidden = (double)NAN, other_hidden = (double)NAN;
    bool ok = picture_gpt_begin(&m, t->seed);
    if (ok)
        album_draw(&e.album, &m, SCENES, false);
    for (int i = 0; ok && i < SCENES; i++) {
        e.query[i] = query_kinds[i % QUERIES];
        e.query[i].object = i / QUERIES % 2;
        best += best_without(&e.query[i], &e.album.scene[i]) / SCENES;
    }
    if (ok && exam_ask(&m, &e, broken(t, "nothing-hidden") ? WHOLE : HIDE_ASKED))
        asked_hidden = exam_right(&e);
    if (ok && exam_ask(&m, &e, broken(t, "both-hidden") ? HIDE_ASKED : HIDE_OTHER))
        other_hidden = exam_right(&e);
    explain(t, "the quadrant of the object that is asked about is black: right in %.4f",
            asked_hidden);
    explain(t, "the best guess from the other object, which is seen: %.4f", best);
    explain(t, "the quadrant of the other object is black: right in %.4f", other_hidden);
    picture_gpt_end(&m);
    return other_hidden - asked_hidden;
}

const Claim claim_hidden_quadrant = {
    .row = 51,
    .statement =
        "an answer needs the patches of the object it is about, and not those of the other",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share right with the other object black, less that with the asked object black",
    AT_LEAST(0.36),
    .why =
        "0.98 or more, less the best guess from the other object, 0.49, and five errors of 0.025",
    .faults = {{"nothing-hidden", "the asked object stays"},
               {"both-hidden", "the asked object is black both times"}},
    .measure = hidden_quadrant,
};
