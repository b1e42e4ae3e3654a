/* warmup.c: what the position of the norm means for training (row 35).
 * J "On the LayerNorm in Transformer"
 *
 * Blocks one on another learn to write a sequence of symbols backwards, by Adam at one learning
 * rate, which is there from the first step on, or after it was raised along a line. Everything
 * else is the same. What is true at one rate, or after one number of steps, need not be so at
 * another: three rates are tried, and four times as many steps. */
#include "lectures/05-block/block.h"

enum {
    DEPTH = 12,
    WIDTH = 32,
    HEADS = 4,
    SYMBOLS = 8,
    LENGTH = 5,
    BATCH = 16,
    STEPS = 400,
    LONG = 1600,
    MARKS = 16,
    WARMUP = 100
};
typedef enum { LOWEST, LOW, HIGH, RATES } Rate;
static const double rates[RATES] = {5e-4, 1e-3, 3e-3};

/* What six pre-norm layers can be without. WHOLE: the twelve layers of the claims, whole. */
typedef enum { WHOLE, ALL_SIX, NO_DROPOUT, NO_FEEDFORWARD, NO_NORM, NO_PATH } Part;

/* How a model is trained, and its loss at the first step, over the last 20, and over the 20 before
 * each sixteenth of the steps. */
typedef struct {
    bool post, warm;
    Rate rate;
    int steps; /* STEPS or LONG */
    Part part;
} Setting;

typedef struct {
    double first, last, at[MARKS];
} Course;

typedef struct {
    Embedding embedding;
    PositionalEncoding position;
    Stack stack;
    Linear head;
} Writer;

static bool writer_init(Writer *w, Params *p, Setting s)
{
    return nn_embedding_init(&w->embedding, p, "embedding", SYMBOLS, WIDTH) &&
           nn_position_init(&w->position, p, "position", POSITION_SINUSOIDAL, LENGTH, WIDTH) &&
           stack_init(&w->stack, p, s.part ? DEPTH / 2 : DEPTH, WIDTH, HEADS, s.post) &&
           nn_linear_init(&w->head, p, "head", WIDTH, SYMBOLS, true);
}

/* Symbols at random; what is asked for is the same from the other end. */
static void draw_batch(Rng *rng, int *x, int *y)
{
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < LENGTH; i++) {
            int symbol = (int)rng_below(rng, SYMBOLS);
            x[b * LENGTH + i] = symbol;
            y[b * LENGTH + LENGTH - 1 - i] = symbol;
        }
}

/* The mean of -log p(right symbol), from the logits, added up here: a loss that was never computed
 * would be 0. */
static double nats(const Tensor *logits, const int *y)
{
    double sum = 0;
    for (int i = 0; i < BATCH * LENGTH; i++) {
        const real *s = logits->data + i * SYMBOLS;
        double total = 0;
        for (int k = 0; k < SYMBOLS; k++)
            total += exp((double)s[k] - (double)s[y[i]]);
        sum += log(total) / (BATCH * LENGTH);
    }
    return sum;
}

/* x + f(norm(x)), without the norm or without the path. */
static Tensor *branch(Tensor *x, Tensor *f, Part part)
{
    f = ag_dropout(f, part == NO_DROPOUT ? 0 : (real)0.1);
    return part == NO_PATH ? f : ag_add(x, f);
}

static Tensor *six_layers(const Stack *s, Tensor *x, Part part)
{
    for (int l = 0; l < s->depth; l++) {
        const TransformerBlock *b = &s->block[l];
        Tensor *in = part == NO_NORM ? x : nn_norm(&b->norm1, x);
        x = branch(x, nn_attention(&b->attn, in, (Mask){0}), part);
        if (part == NO_FEEDFORWARD)
            continue;
        in = part == NO_NORM ? x : nn_norm(&b->norm2, x);
        x = branch(x, nn_feedforward(&b->ff, in), part);
    }
    return part == NO_NORM ? x : nn_norm(&s->final, x);
}

static bool train(const Writer *w, Params *p, Tape *tape, Setting s, Rng *rng, Course *c)
{
    int x[BATCH * LENGTH], y[BATCH * LENGTH];
    Adam adam = {0};
    double rate = rates[s.rate];
    int every = s.steps / MARKS;
    tape->training = true;
    bool ok = adam_init(&adam, p, rate);
    *c = (Course){0};
    for (int step = 0; ok && step < s.steps; step++) {
        adam.rate = s.warm && step < WARMUP ? rate * (step + 1) / WARMUP : rate;
        draw_batch(rng, x, y);
        tape_reset(tape);
        Tensor *h = nn_embedding(&w->embedding, tape_ids(tape, x, shape2(BATCH, LENGTH)));
        h = nn_position(&w->position, h);
        h = s.part ? six_layers(&w->stack, h, s.part) : stack_forward(&w->stack, h, (Mask){0});
        Tensor *logits = nn_linear(&w->head, h);
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, y, shape2(BATCH, LENGTH)));
        ok = ag_backward(loss) && adam_step(&adam, p);
        c->first = step == 0 ? nats(logits, y) : c->first;
        if (step % every >= every - 20)
            c->at[step / every] += nats(logits, y) / 20;
    }
    c->last = c->at[MARKS - 1];
    adam_free(&adam);
    return ok;
}

/* A run, trained once: the claims and the figure share it. */
static Course course_of(uint64_t seed, Setting s)
{
    static struct {
        Made made;
        Course course;
    } known[2][2][RATES][2][NO_PATH + 1];
    __typeof__(&known[0][0][0][0][0]) k = &known[s.post][s.warm][s.rate][s.steps == LONG][s.part];
    if (made_for(&k->made, seed))
        return k->course;
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 352};
    static Writer w;
    k->made.is = p && tape && writer_init(&w, p, s) && train(&w, p, tape, s, &rng, &k->course);
    tape_free(tape);
    params_free(p);
    return k->made.is ? k->course : (Course){(double)NAN, (double)NAN, {0}};
}

/* The loss over the last 20 steps. No number where the first is log 8 exactly: then no logit was
 * ever computed. */
static double loss_after(Trial *t, int steps, bool post, bool warm, Rate rate)
{
    Course c = course_of(t->seed, (Setting){post, warm, rate, steps, WHOLE});
    explain(t, "%s, %s, rate %g: loss %.3f at first, %.3f over the last 20 of %d steps",
            post ? "post-norm" : "pre-norm", warm ? "warm-up" : "no warm-up", rates[rate], c.first,
            c.last, steps);
    return fabs(c.first - log(SYMBOLS)) > 1e-6 ? c.last : (double)NAN;
}

static double post_without(Trial *t)
{
    bool warm = broken(t, "warm-up");
    return loss_after(t, STEPS, true, warm, HIGH) - loss_after(t, STEPS, true, warm, LOW);
}

/* Post-norm is slower: what it has not after 400 steps it has after 1,600. */
static double post_later(Trial *t)
{
    int steps = broken(t, "400-steps") ? STEPS : LONG;
    return loss_after(t, steps, true, false, broken(t, "high-rate") ? HIGH : LOWEST);
}

static double pre_without(Trial *t)
{
    bool post = broken(t, "post-norm");
    return values_worst(loss_after(t, STEPS, post, false, LOW),
                        loss_after(t, STEPS, post, false, HIGH));
}

/* What six layers lose without their residual path. */
static double path_lost(Trial *t)
{
    const Part with = broken(t, "no-path") ? NO_PATH : NO_DROPOUT;
    const Course there = course_of(t->seed, (Setting){false, false, LOW, STEPS, with});
    const Course gone = course_of(t->seed, (Setting){false, false, LOW, STEPS, NO_PATH});
    explain(t, "six layers, %d steps: loss %.3f with the path, %.3f without it", STEPS, there.last,
            gone.last);
    return fabs(there.first - log(SYMBOLS)) > 1e-6 ? gone.last - there.last : (double)NAN;
}

/* ---- what knowing the symbols is worth ------------------------------------------------------- */

/* Whoever knows which symbols occur, and how often, but nothing of their order, says p_k = n_k / 5
 * of each position:
 *   1  the loss of one sequence is -sum_k (n_k / 5) log (n_k / 5) = log 5 - (1 / 5) sum_k n_k log n_k
 *   2  its mean over sequences is log 5 - (8 / 5) E[n log n], with n ~ Bin(5, 1 / 8): 8 symbols, all alike
 *   3  which is 1.2885. (Five different symbols would leave log 5 = 1.61; but they are drawn with repetition.) */
static double symbols_only(void)
{
    double mean = 0, binomial = 1, p = 1.0 / SYMBOLS;
    for (int n = 1; n <= LENGTH; n++) {
        binomial *= (double)(LENGTH - n + 1) / n;
        mean += binomial * pow(p, n) * pow(1 - p, LENGTH - n) * n * log(n);
    }
    return log(LENGTH) - (double)SYMBOLS / LENGTH * mean;
}

/* ---- two rates ------------------------------------------------------------------------------- */

const Claim warmup_claims[] = {
    {31, path_lost,
     "six layers without a residual path do not learn in 400 steps what they learn with it",
     .slides = {"V: Residual Connection & Layer Normalization", "H: Transformer Encoder",
                "J: Residual Connections, Dropout, and Normalization"},
     .quantity = "loss after 400 steps of Adam at 1e-3 without the path, less that with it",
     AT_LEAST(0.64, "half of 1.2885, which is what knowing the order is worth"),
     .faults = {{"no-path", "the layers have no path in either training"}}},
    {35, post_without,
     "12 post-norm layers without warm-up learn the symbols at a rate of 1e-3, not at 3e-3",
     .slides = {"J: On the LayerNorm in Transformer"},
     .quantity = "loss after 400 steps of Adam at 3e-3 less that at 1e-3, 5 of 8 symbols backwards",
     AT_LEAST(0.15, "1.29 knows the symbols, log 8 = 2.08 nothing; a mean of 20 batches scatters "
                    "by 0.02, two differ by 0.03: five of these"),
     .faults = {{"warm-up", "both rates are raised over 100 steps"}}},
    {35, post_later,
     "12 post-norm layers without warm-up learn the order as well, at 5e-4 and in 1,600 steps",
     .slides = {"J: On the LayerNorm in Transformer"},
     .quantity = "loss after 1,600 steps of Adam at 5e-4, writing 5 of 8 symbols backwards",
     AT_MOST(0.64, "half of 1.2885: most of the order is known"),
     .faults = {{"400-steps", "400 steps, as in the other claims"},
                {"high-rate", "1,600 steps at 3e-3"}}},
    {35, pre_without,
     "12 pre-norm layers without warm-up learn symbols and order, at 1e-3 and at 3e-3",
     .slides = {"J: On the LayerNorm in Transformer"},
     .quantity = "loss after 400 steps of Adam, the worse of both rates",
     AT_MOST(0.64, "half of 1.2885: most of the order is known"),
     .faults = {{"post-norm", "the blocks are post-norm"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_warmup(const Sketch *s)
{
    enum { LINES = 5 };
    static const struct {
        const char *name;
        Setting setting;
    } line[LINES] = {{"pre-norm, rate 0.001", {false, false, LOW, LONG, WHOLE}},
                     {"post-norm, rate 0.0005", {true, false, LOWEST, LONG, WHOLE}},
                     {"post-norm, rate 0.001", {true, false, LOW, LONG, WHOLE}},
                     {"post-norm, 0.003, warm-up", {true, true, HIGH, LONG, WHOLE}},
                     {"post-norm, 0.003", {true, false, HIGH, LONG, WHOLE}}};
    static double x[MARKS], y[LINES][MARKS];
    double ends[] = {LONG / MARKS, LONG}, nothing[] = {log(SYMBOLS), log(SYMBOLS)},
           symbols[] = {symbols_only(), symbols_only()};
    PlotSeries series[LINES + 2];
    for (int k = 0; k < LINES; k++) {
        Course c = course_of(s->seed, line[k].setting);
        for (int i = 0; i < MARKS; i++) {
            x[i] = (i + 1) * LONG / MARKS;
            y[k][i] = c.at[i];
        }
        series[k] = (PlotSeries){line[k].name, x, y[k], MARKS};
    }
    series[LINES] = (PlotSeries){"knows nothing: log 8", ends, nothing, 2};
    series[LINES + 1] = (PlotSeries){"knows the symbols, no order", ends, symbols, 2};
    return SKETCH_CURVES(s, "12 layers learn to write backwards", series, .x_name = "steps of Adam",
                         .y_name = "loss, mean of 20 batches", .y_low = 0, .y_high = 2.5);
}

static bool draw_parts(const Sketch *s)
{
    static const char *const names[] = {"all parts, dropout 0.1", "no dropout", "no feed-forward",
                                        "no norm", "no residual path"};
    static double x[MARKS], y[NO_PATH][MARKS];
    PlotSeries series[NO_PATH];
    for (int k = 0; k < NO_PATH; k++) {
        Course c = course_of(s->seed, (Setting){false, false, LOW, LONG, (Part)(k + 1)});
        for (int i = 0; i < MARKS; i++) {
            x[i] = (i + 1) * LONG / MARKS;
            y[k][i] = c.at[i];
        }
        series[k] = (PlotSeries){names[k], x, y[k], MARKS};
    }
    return SKETCH_CURVES(s, "Six layers, each time without one part", series,
                         .x_name = "steps of Adam", .y_name = "loss, mean of 20 batches",
                         .y_low = 0, .y_high = 2.5);
}

const Figure warmup_figures[] = {
    {31, "parts", draw_parts,
     .what = "the loss by step of six layers, and of the same six without their residual path, "
             "norm, feed-forward layer or dropout"},
    {35, "warmup", draw_warmup,
     .what =
         "the loss by step at three rates: pre-norm has the order first, post-norm later at the "
         "lower rates"},
    {0},
};
