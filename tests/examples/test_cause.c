/* test_cause.c: what examples/common/cause.h says of a small model, against sums by hand: two
 * layers of attention, without feed-forward layers and without norms in between,
 *
 *   x_{l+1} = x_l + sum_h (A_h v_h) W_o,h^T + b,   logits = W (norm(x_2) at the last token)
 *
 * so that what a head adds is known, and which numbers a path carries. */
#include "examples/common/cause.h"
#include "tests/harness/test.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 7, CHANNELS = 8, HEADS = 2, LAYERS = 2, T = 5, HEAD = CHANNELS / HEADS };

typedef struct {
    Params *params;
    Embedding words;
    MultiHeadAttention attn[LAYERS];
    Norm norm;
    Linear head;
} Model;

static const int32_t ids[2][T] = {{0, 1, 2, 3, 4}, {5, 1, 6, 3, 4}};

static Tensor *logits_of(void *model, Tape *tape, int which)
{
    const Model *m = model;
    Tensor *x = nn_embedding(&m->words, tape_ids(tape, ids[which], shape2(1, T)));
    for (int l = 0; l < LAYERS; l++) {
        x = ag_add(x, nn_attention(&m->attn[l], x, (Mask){.causal = true}));
        x = ag_name(x, "blocks.%d.out", l);
    }
    return nn_linear(&m->head, nn_norm(&m->norm, ag_slice(x, 1, T - 1, T)));
}

static Tensor *read_stream(void *model, Tensor *x)
{
    const Model *m = model;
    return nn_linear(&m->head, nn_norm(&m->norm, ag_slice(x, 1, T - 1, T)));
}

static const char *name_of(void *model, int answer)
{
    static const char *const names[WORDS] = {"a", "b", "c", "d", "e", "f", "g"};
    (void)model;
    return names[answer];
}

static void open_model(Model *m)
{
    m->params = params_new(3);
    nn_embedding_init(&m->words, m->params, "words", WORDS, CHANNELS);
    for (int l = 0; l < LAYERS; l++)
        nn_attention_init(&m->attn[l], m->params, l ? "blocks.1.attn" : "blocks.0.attn", CHANNELS,
                          HEADS, 0);
    nn_layernorm_init(&m->norm, m->params, "norm", CHANNELS);
    nn_linear_init(&m->head, m->params, "head", CHANNELS, WORDS, true);
    for (int l = 0; l < LAYERS; l++) /* so that changes are seen in three decimals */
        for (int64_t i = 0; i < tensor_size(m->attn[l].in_proj_weight); i++)
            m->attn[l].in_proj_weight->data[i] *= 3;
}

static Cause cause_of(Model *m)
{
    static const char *const labels[T] = {"a", "b", "c", "d", "e"};
    return (Cause){.layers = LAYERS,
                   .heads = HEADS,
                   .labels = labels,
                   .count = T,
                   .position = T - 1,
                   .right = 2,
                   .name = name_of,
                   .logits = logits_of,
                   .read = read_stream,
                   .norm = &m->norm,
                   .head = &m->head,
                   .params = m->params,
                   .model = m};
}

/* ---- by hand --------------------------------------------------------------------------------- */

typedef double Stream[T][CHANNELS];

/* Queries (part 0), keys (1) or values (2) of a head. */
static void project(const MultiHeadAttention *a, Stream x, int part, int h, double y[T][HEAD])
{
    for (int t = 0; t < T; t++)
        for (int i = 0; i < HEAD; i++) {
            int row = part * CHANNELS + h * HEAD + i;
            y[t][i] = (double)a->in_proj_bias->data[row];
            for (int c = 0; c < CHANNELS; c++)
                y[t][i] += (double)a->in_proj_weight->data[row * CHANNELS + c] * x[t][c];
        }
}

/* What a head adds to the stream, with queries, keys and values of three streams. */
static void head_adds(const MultiHeadAttention *a, double (*const x[3])[CHANNELS], int h, Stream y)
{
    double q[3][T][HEAD], mixed[HEAD];
    for (int part = 0; part < 3; part++)
        project(a, x[part], part, h, q[part]);
    for (int t = 0; t < T; t++) {
        double sum = 0;
        memset(mixed, 0, sizeof mixed);
        for (int k = 0; k <= t; k++) {
            double score = 0;
            for (int i = 0; i < HEAD; i++)
                score += q[0][t][i] * q[1][k][i] / sqrt(HEAD);
            sum += exp(score);
            for (int i = 0; i < HEAD; i++)
                mixed[i] += exp(score) * q[2][k][i];
        }
        for (int c = 0; c < CHANNELS; c++) {
            y[t][c] = 0;
            for (int i = 0; i < HEAD; i++)
                y[t][c] +=
                    mixed[i] / sum * (double)a->out_proj.weight->data[c * CHANNELS + h * HEAD + i];
        }
    }
}

/* y = x + what the heads add + b. part: queries, keys or values that head `receiver` reads from
 * `heard` instead of x; -1: none. */
static void layer(const MultiHeadAttention *a, Stream x, Stream heard, int part, int receiver,
                  Stream adds[HEADS], Stream y)
{
    for (int h = 0; h < HEADS; h++) {
        double(*from[3])[CHANNELS] = {x, x, x};
        if (h == receiver && part >= 0)
            from[part] = heard;
        head_adds(a, from, h, adds[h]);
    }
    for (int t = 0; t < T; t++)
        for (int c = 0; c < CHANNELS; c++)
            y[t][c] = x[t][c] + adds[0][t][c] + adds[1][t][c] + (double)a->out_proj.bias->data[c];
}

/* (x - mean) / deviation of the last token, by the deviation of `of`; times W. */
static void read_out(const Model *m, const double *x, const double *of, bool biased,
                     double y[WORDS])
{
    double mean[2] = {0}, variance = 0;
    for (int c = 0; c < CHANNELS; c++)
        mean[0] += x[c] / CHANNELS, mean[1] += of[c] / CHANNELS;
    for (int c = 0; c < CHANNELS; c++)
        variance += (of[c] - mean[1]) * (of[c] - mean[1]) / CHANNELS;
    for (int w = 0; w < WORDS; w++) {
        y[w] = biased ? (double)m->head.bias->data[w] : 0;
        for (int c = 0; c < CHANNELS; c++)
            y[w] += (x[c] - mean[0]) / sqrt(variance + 1e-5) *
                    (double)m->head.weight->data[w * CHANNELS + c];
    }
}

static double log_p(const double y[WORDS], int right)
{
    double sum = 0;
    for (int w = 0; w < WORDS; w++)
        sum += exp(y[w]);
    return y[right] - log(sum);
}

/* ---- what the program says ------------------------------------------------------------------- */

static const char *said(const Cause *c, const CauseOptions *o)
{
    const Common common = {.out = scratch_path("out")};
    const char *path = scratch_path("said.txt");
    fflush(stdout);
    int kept = dup(1), file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(file, 1);
    bool ok = cause_run(c, o, &common);
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    close(file);
    CHECK(ok, "%s", tensor_error());
    return scratch_text(path);
}

/* The number after a text; NaN where it is not said. */
static double after(const char *said, const char *text, char before)
{
    const char *at = strstr(said, text);
    at = at && before ? strchr(at, before) : at;
    return at ? strtod(at + (before ? 1 : strlen(text)), NULL) : (double)NAN;
}

static void embed(const Model *m, int which, Stream x)
{
    for (int t = 0; t < T; t++)
        for (int c = 0; c < CHANNELS; c++)
            x[t][c] = (double)m->words.weight->data[ids[which][t] * CHANNELS + c];
}

/* Three decimals are said. */
#define NEAR(x, want, what) \
    CHECK(fabs((x) - (want)) < 6e-4, "%s: %.3f; expected %.4f", what, (double)(x), want)

TEST(heads_add_to_the_logits)
{
    Model m;
    Stream x[LAYERS + 1], adds[LAYERS][HEADS];
    double y[WORDS], one[WORDS];
    open_model(&m);
    const Cause c = cause_of(&m);
    const char *text = said(&c, &(CauseOptions){.lens = true});
    embed(&m, 0, x[0]);
    for (int l = 0; l < LAYERS; l++)
        layer(&m.attn[l], x[l], x[l], -1, 0, adds[l], x[l + 1]);
    read_out(&m, x[LAYERS][T - 1], x[LAYERS][T - 1], true, y);
    NEAR(after(text, "as it is", '-'), -log_p(y, c.right), "log p");
    int second = c.right == 0;
    for (int w = 0; w < WORDS; w++)
        second = w != c.right && y[w] > y[second] ? w : second;
    for (int l = 0; l < LAYERS; l++)
        for (int h = 0; h < HEADS; h++) {
            char line[24];
            snprintf(line, sizeof line, "\n  layer %d", l + 1);
            const char *at = strstr(text, line);
            read_out(&m, adds[l][h][T - 1], x[LAYERS][T - 1], false, one);
            char *end = NULL;
            double found = at ? strtod(at + strlen(line), &end) : (double)NAN;
            NEAR(h && at ? strtod(end, NULL) : found, one[c.right] - one[second], line + 3);
        }
    params_free(m.params);
}

TEST(a_path_carries_one_head_to_another)
{
    Model m;
    Stream x[2], adds[2][HEADS], first[2], heard, second[HEADS], last;
    double y[WORDS];
    open_model(&m);
    const Cause c = cause_of(&m);
    CauseOptions o = {.from = "another"};
    static const char *const patches[] = {"1.2-2.1.q", "1.2-2.1.k", "1.2-2.1.v"};
    for (int i = 0; i < 3; i++)
        o.patch.text[o.patch.count++] = patches[i];
    const char *text = said(&c, &o);
    for (int which = 0; which < 2; which++) {
        embed(&m, which, x[which]);
        layer(&m.attn[0], x[which], x[which], -1, 0, adds[which], first[which]);
    }
    for (int t = 0; t < T; t++)
        for (int k = 0; k < CHANNELS; k++)
            heard[t][k] = first[0][t][k] + adds[1][1][t][k] - adds[0][1][t][k];
    layer(&m.attn[1], first[0], heard, -1, 0, second, last);
    read_out(&m, last[T - 1], last[T - 1], true, y);
    double whole = log_p(y, c.right);
    for (int part = 0; part < 3; part++) {
        layer(&m.attn[1], first[0], heard, part, 0, second, last);
        read_out(&m, last[T - 1], last[T - 1], true, y);
        CHECK(fabs(log_p(y, c.right) - whole) > 2e-3, "%s changes nothing", patches[part]);
        NEAR(after(text, patches[part], '('), log_p(y, c.right) - whole, patches[part]);
    }
    params_free(m.params);
}

/* a b c a b: the second a gives 0.5 to the first b, the second b 0.25 to c. */
TEST(what_followed_before)
{
    const int text[] = {0, 1, 2, 0, 1}, none[] = {0, 1, 2, 3, 4};
    Tensor *A = tensor_new(shape4(1, 1, T, T));
    for (int i = 0; i < T * T; i++)
        A->data[i] = (real)0.01;
    A->data[3 * T + 1] = (real)0.5;
    A->data[4 * T + 2] = (real)0.25;
    double score = cause_prefix_matching(A, 0, 0, text);
    CHECK(fabs(score - 0.375) < 1e-7, "%g; expected 0.375", score);
    CHECK(isnan(cause_prefix_matching(A, 0, 0, none)), "no token occurs twice");
    tensor_free(A);
}
