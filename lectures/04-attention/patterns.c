/* patterns.c: what one head cannot do (row 24).                       Z "Multi-Head Attention"
 *
 * Of T tokens, one is marked A and one B; the task is x_A - x_B. One head yields W sum_j a_j x_j
 * with weights of one sign, so it can follow A or B or a mean, never their difference. Two heads
 * follow one each. With weights a, b >= 0 on the two tokens one head can say w (a x_A + b x_B):
 *   1  E |x_A - x_B - w (a x_A + b x_B)|^2 = (1 - w a)^2 + (1 + w b)^2
 *   2  its derivative is 0 at w = (a - b) / (a^2 + b^2)
 *   3  there it is 2 - (a - b)^2 / (a^2 + b^2)
 *   4  which is 1 at b = 0 or a = 0, and more between: (a - b)^2 <= a^2 + b^2 */
#include "lectures/04-attention/attention.h"

enum { BATCH = 128, T = 6, CONTENT = 8, C = 24, STEPS = 500, TESTS = 20 };

typedef struct {
    Params *params;
    Tape *tape;
    Adam adam;
    MultiHeadAttention attention;
    Rng rng;
} Task;

/* Tokens (B, T, C): content in the first channels, then the marks of A and B, then nothing. */
static Tensor *draw_tokens(Task *task, real *difference)
{
    static real x[BATCH * T * C];
    for (int b = 0; b < BATCH; b++) {
        int first = (int)rng_below(&task->rng, T), second = (int)rng_below(&task->rng, T - 1);
        second += second >= first;
        for (int i = 0; i < T * C; i++)
            x[b * T * C + i] = i % C < CONTENT ? (real)rng_normal(&task->rng) : 0;
        x[(b * T + first) * C + CONTENT] = 4;
        x[(b * T + second) * C + CONTENT + 1] = 4;
        for (int c = 0; c < CONTENT; c++)
            difference[b * CONTENT + c] = x[(b * T + first) * C + c] - x[(b * T + second) * C + c];
    }
    return tape_input(task->tape, x, shape3(BATCH, T, C));
}

/* The layer's answer (BATCH, CONTENT) to one and the same question, and what is right. */
static Tensor *answer(Task *task, Tensor **right)
{
    static real difference[BATCH * CONTENT];
    tape_reset(task->tape);
    Tensor *tokens = draw_tokens(task, difference);
    Tensor *question = tape_full(task->tape, 1, shape3(BATCH, 1, C));
    Tensor *y = nn_cross_attention(&task->attention, question, tokens, (Mask){0});
    *right = tape_input(task->tape, difference, shape2(BATCH, CONTENT));
    return ag_reshape(ag_copy(ag_slice(y, 2, 0, CONTENT)), shape2(BATCH, CONTENT));
}

/* The mean square by which it misses, added up here: a loss that was never computed would be 0. */
static double missed(Task *task)
{
    Tensor *right, *y = answer(task, &right);
    double sum = 0;
    for (int i = 0; i < BATCH * CONTENT; i++)
        sum += ((double)y->data[i] - (double)right->data[i]) *
               ((double)y->data[i] - (double)right->data[i]) / (BATCH * CONTENT);
    return sum;
}

/* Trains a layer of so many heads; how much it misses on tokens it never saw. */
static double train_and_test(int heads, uint64_t seed, double *curve)
{
    Task task = {.params = params_new(seed), .tape = tape_new(seed)};
    task.rng = (Rng){.seed = seed, .stream = 240};
    nn_attention_init(&task.attention, task.params, "attention", C, heads, 0);
    adam_init(&task.adam, task.params, 0.01);
    double left = 0;
    for (int step = 0; step < STEPS; step++) {
        task.adam.rate = nn_warmup_cosine(step, 20, STEPS, 0.01, 0);
        Tensor *right, *y = answer(&task, &right), *loss = ag_mse(y, right);
        ag_backward(loss);
        adam_step(&task.adam, task.params);
        if (curve)
            curve[step] = (double)tensor_item(loss);
    }
    task.tape->no_grad = true;
    for (int i = 0; i < TESTS; i++)
        left += missed(&task) / TESTS;
    adam_free(&task.adam);
    tape_free(task.tape);
    params_free(task.params);
    return left;
}

static double one_head(Trial *t)
{
    int heads = broken(t, "two-heads") ? 2 : 1;
    double left = train_and_test(heads, t->seed, NULL);
    explain(t, "%d head: the difference is missed by %.3f in the mean square, of 2", heads, left);
    return left;
}

/* The best of up to five starts: about one in five does not get there. */
static double two_heads(Trial *t)
{
    int heads = broken(t, "one-head") ? 1 : 2;
    double best = INFINITY;
    for (uint64_t start = 0; start < 5 && !(best < 0.05); start++) {
        double left = train_and_test(heads, t->seed + 1000 * start, NULL);
        explain(t, "%d head%s, start %d: the difference is missed by %.5f in the mean square, of 2",
                heads, heads > 1 ? "s" : "", (int)start + 1, left);
        best = start ? values_least(best, left) : left;
    }
    return best;
}

const Claim patterns_claims[] = {
    {24, one_head, "one head averages: it cannot give the difference of two tokens",
     .slides = {"Z: Multi-Head Attention"},
     .quantity = "mean square missed, of a target of variance 2",
     BETWEEN(0.85, 1.2,
             "the floor is 1, or 7/8 where weights follow the content in one of 8 "
             "directions; saying 0 misses by 2"),
     .faults = {{"two-heads", "the same training with two heads"}}},
    {24, two_heads, "two heads learn the difference of two tokens",
     .slides = {"Z: Multi-Head Attention"},
     .quantity = "mean square missed, of a target of variance 2, best of up to 5 starts",
     AT_MOST(0.05, "W_o subtracts what the second head brings: nothing need be missed; a fortieth "
                   "is left to the training"),
     .faults = {{"one-head", "the same training with one head"}}},
    {0},
};

static bool draw_patterns(const Sketch *s)
{
    static double one[STEPS], two[STEPS];
    train_and_test(1, s->seed, one);
    train_and_test(2, s->seed, two);
    static double ends[] = {0, STEPS}, same[] = {1, 1},
                  free_one[] = {1 - 1.0 / CONTENT, 1 - 1.0 / CONTENT};
    const PlotSeries series[] = {{"one head", NULL, one, STEPS},
                                 {"two heads", NULL, two, STEPS},
                                 {"floor: weights told by the marks", ends, same, 2},
                                 {"floor: and by the content", ends, free_one, 2}};
    const PlotCurves curves = {
        .series = series,
        .count = 4,
        .title =
            sketch_title(s, "A task with two patterns: subtract one marked token from another"),
        .x_name = "step",
        .y_name = "mean square missed"};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure patterns_figures[] = {
    {24, "patterns", draw_patterns,
     .what = "learning the difference of two marked tokens with one head and with two"},
    {0},
};
