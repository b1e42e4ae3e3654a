/* lengths.c: trained on sequences of up to 16 tokens, asked about longer ones (row 13).
 *
 *   V "What about the order?": an encoding should generalise to longer sentences without any efforts.
 *
 * The task is about order alone: at each position, name the symbol that stands three positions
 * before. One head of attention learns it with five encodings. Each has a code for every position;
 * what is measured is whether the model that was trained with it still answers at positions 17 to
 * 32, in sequences of 32 symbols. */
#include "lectures/03-position/position.h"

enum {
    SYMBOLS = 8,
    LAG = 3,
    FAR = 8,      /* the relative bias has one number for all distances from 8 on */
    TRAINED = 16, /* the longest sequence of training                             */
    TWICE = 32,
    LONGEST = 64, /* of the tests                                                 */
};
enum { CHANNELS = 32, BATCH = 32, STEPS = 600, LENGTHS = 8 };
static const int lengths[LENGTHS] = {8, 12, 16, 20, 24, 32, 48, 64};

typedef enum { NONE, SINUSOIDAL, LEARNED, ROTARY, RELATIVE, ENCODINGS } Encoding;
static const char *const names[ENCODINGS] = {"none", "sinusoidal", "learned", "rotary",
                                             "relative bias"};

/* ---- one head of attention ------------------------------------------------------------------- */

typedef struct {
    Encoding encoding;
    Embedding symbols;
    PositionalEncoding position; /* none, sinusoidal, learned */
    Rotary rotary;
    Tensor *bias; /* relative: (2 FAR + 1, 1), of the distances -8 .. 8 */
    Linear q, k, v, out;
} Reader;

static bool reader_init(Reader *r, Params *p, Encoding encoding)
{
    PositionKind kind = encoding == SINUSOIDAL ? POSITION_SINUSOIDAL
                        : encoding == LEARNED  ? POSITION_LEARNED
                                               : POSITION_NONE;
    *r = (Reader){.encoding = encoding};
    r->bias = params_add(p, "bias", shape2(2 * FAR + 1, 1), nn_constant(0));
    return r->bias && nn_embedding_init(&r->symbols, p, "symbols", SYMBOLS, CHANNELS) &&
           nn_position_init(&r->position, p, "position", kind, LONGEST, CHANNELS) &&
           nn_rotary_init(&r->rotary, p, LONGEST, CHANNELS, 10000) &&
           nn_linear_init(&r->q, p, "q", CHANNELS, CHANNELS, true) &&
           nn_linear_init(&r->k, p, "k", CHANNELS, CHANNELS, true) &&
           nn_linear_init(&r->v, p, "v", CHANNELS, CHANNELS, true) &&
           nn_linear_init(&r->out, p, "out", CHANNELS, SYMBOLS, true);
}

/* The bias b_(j-i) of query i and key j, (T, T), from the table of distances; from FAR on all have
 * one number. */
static Tensor *relative_bias(Tape *tape, Tensor *table, int T)
{
    static int distance[LONGEST * LONGEST];
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            int away = j - i > FAR ? FAR : j - i < -FAR ? -FAR : j - i;
            distance[i * T + j] = away + FAR;
        }
    Tensor *b = ag_embedding(table, tape_ids(tape, distance, shape2(T, T))); /* (T, T, 1) */
    return ag_reshape(b, shape2(T, T));
}

/* ids (B, T) -> logits (B, T, SYMBOLS) of softmax(q k^T / sqrt(C) + b) v. */
static Tensor *read_sequences(const Reader *r, Tensor *ids)
{
    Tensor *x = nn_position(&r->position, nn_embedding(&r->symbols, ids));
    Tensor *q = nn_linear(&r->q, x), *k = nn_linear(&r->k, x), *v = nn_linear(&r->v, x);
    if (r->encoding == ROTARY) {
        q = ag_rotary(q, r->rotary.table, NULL);
        k = ag_rotary(k, r->rotary.table, NULL);
    }
    Tensor *scores = ag_scale(ag_matmul(q, ag_transpose(k, 1, 2)), (real)(1 / sqrt(CHANNELS)));
    if (r->encoding == RELATIVE)
        scores = ag_add(scores, relative_bias(ids->tape, r->bias, (int)ids->shape.dim[1]));
    return nn_linear(&r->out, ag_matmul(ag_softmax(scores), v));
}

/* ---- training and testing -------------------------------------------------------------------- */

/* Symbols at random; asked for at each position is the one three positions before, and at the first
 * three nothing (-1). */
static void draw_sequences(Rng *rng, int T, int *x, int *y)
{
    for (int i = 0; i < BATCH * T; i++) {
        x[i] = (int)rng_below(rng, SYMBOLS);
        y[i] = i % T < LAG ? -1 : x[i - LAG];
    }
}

static void learn(Reader *r, Params *p, Tape *tape, Rng *rng)
{
    static int x[BATCH * TRAINED], y[BATCH * TRAINED];
    Adam adam;
    adam_init(&adam, p, 0.01);
    for (int step = 0; step < STEPS; step++) {
        int T = LAG + 1 + (int)rng_below(rng, TRAINED - LAG); /* 4 .. 16 */
        adam.rate = nn_warmup_cosine(step, 20, STEPS, 0.01, 0);
        draw_sequences(rng, T, x, y);
        tape_reset(tape);
        Tensor *logits = read_sequences(r, tape_ids(tape, x, shape2(BATCH, T)));
        ag_backward(ag_cross_entropy_ignore(logits, tape_ids(tape, y, shape2(BATCH, T)), -1));
        adam_step(&adam, p);
    }
    adam_free(&adam);
}

/* The share of right answers from position `from` on, in BATCH sequences of T symbols; NaN where no
 * logit was computed. */
static double test(const Reader *r, Tape *tape, Rng *rng, int T, int from)
{
    static int x[BATCH * LONGEST], y[BATCH * LONGEST];
    int right = 0;
    draw_sequences(rng, T, x, y);
    tape_reset(tape);
    tape->no_grad = true;
    Tensor *logits = read_sequences(r, tape_ids(tape, x, shape2(BATCH, T)));
    tape->no_grad = false;
    if (!(values_largest(logits) > 0))
        return (double)NAN;
    from = from > LAG ? from : LAG;
    for (int i = 0; i < BATCH * T; i++)
        right += i % T >= from && nn_greedy(logits->data + (int64_t)i * SYMBOLS, SYMBOLS) == y[i];
    return right / (double)(BATCH * (T - from));
}

/* What is kept of one trained model: its share of right answers. */
typedef struct {
    double length[LENGTHS]; /* at all positions of sequences of these lengths       */
    double later;           /* at positions 17 .. 32 (counted from 1) of 32 symbols */
} Course;

/* Trained once for each seed and encoding: the claims and the figure share it. */
static const Course *course_of(uint64_t seed, Encoding encoding)
{
    static Course course[ENCODINGS];
    static Made done[ENCODINGS];
    Course *c = &course[encoding];
    if (made_for(&done[encoding], seed))
        return c;
    Reader r;
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 130};
    done[encoding].is = p && tape && reader_init(&r, p, encoding);
    if (!done[encoding].is)
        return NULL;
    learn(&r, p, tape, &rng);
    for (int i = 0; i < LENGTHS; i++)
        c->length[i] = test(&r, tape, &rng, lengths[i], 0);
    c->later = test(&r, tape, &rng, TWICE, TRAINED);
    tape_free(tape);
    params_free(p);
    return c;
}

static void explain_course(const Trial *t, Encoding encoding)
{
    const Course *c = course_of(t->seed, encoding);
    if (c)
        explain(t, "%-13s 16 symbols: %.3f right; of 32, 17 to 32: %.3f; 64: %.3f", names[encoding],
                c->length[2], c->later, c->length[7]);
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* No number where it has not learned the lengths that it was trained on; of 16 symbols 12/13 are
 * right without position 16, which ends one training sequence of 13. */
static double new_positions(Trial *t)
{
    Encoding e = broken(t, "rotary") ? ROTARY : SINUSOIDAL;
    const Course *c = course_of(t->seed, e);
    explain_course(t, NONE);
    explain_course(t, e);
    explain_course(t, LEARNED);
    return c && c->length[2] >= 0.85 ? c->later : (double)NAN;
}

static double by_distance(Trial *t)
{
    double least = INFINITY;
    for (Encoding e = ROTARY; e <= RELATIVE; e++) {
        const Course *c = course_of(t->seed, broken(t, "absolute") ? LEARNED : e);
        explain_course(t, e);
        least = values_least(least, c ? c->later : (double)NAN);
    }
    return least;
}

const Claim lengths_claims[] = {
    {13, new_positions,
     "a head with sinusoids that was trained at positions 1 to 16 loses most answers at 17 to 32",
     .slides = {"V: What about the order?"},
     .quantity = "share right at positions 17 to 32 of 32 symbols, 512 answers",
     AT_MOST(0.6, "1 at trained lengths, and 0.2 without an encoding: less than half of what is "
                  "between"),
     .faults = {{"rotary", "queries and keys are rotated instead"}}},
    {13, by_distance,
     "for a distance that training has seen, rotary positions and a bias b_(j-i) work at twice the "
     "trained length",
     .slides = {"V: What about the order?"},
     .quantity = "the lesser share right of the two, positions 17 to 32, 512 answers",
     AT_LEAST(0.85, "a distance of three is the same anywhere; 0.15 is left for weight that more "
                    "keys take"),
     .faults = {{"absolute", "a learned code of absolute positions"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_lengths(const Sketch *s)
{
    static const Encoding order[ENCODINGS] = {ROTARY, RELATIVE, SINUSOIDAL, LEARNED, NONE};
    static double x[LENGTHS], y[ENCODINGS][LENGTHS], mark[2] = {TRAINED, TRAINED}, ends[2] = {0, 1};
    PlotSeries series[ENCODINGS + 1];
    for (int k = 0; k < ENCODINGS; k++) {
        const Course *c = course_of(s->seed, order[k]);
        if (!c)
            return false;
        for (int i = 0; i < LENGTHS; i++) {
            x[i] = lengths[i];
            y[k][i] = c->length[i];
        }
        series[k] = (PlotSeries){names[order[k]], x, y[k], LENGTHS};
    }
    series[ENCODINGS] = (PlotSeries){"longest of training", mark, ends, 2};
    const PlotCurves curves = {.series = series,
                               .count = ENCODINGS + 1,
                               .title =
                                   sketch_title(s, "Trained on up to 16 symbols, asked about more"),
                               .x_name = "symbols in the sequence",
                               .y_name = "share of right answers",
                               .y_low = 0,
                               .y_high = 1.02};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure lengths_figures[] = {
    {13, "lengths", draw_lengths,
     .what = "right answers by length: past 16 sinusoids and learned codes fail; distances hold"},
    {0},
};
