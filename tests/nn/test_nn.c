/* test_nn.c: the modules. Attention is compared with a plain loop over heads in double, the block
 * with its steps written out. Gradients of whole modules: test_modules.c. Positions:
 * test_position.c. Weights and files: test_params.c. Optimisers: test_optim.c. */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include "autograd/tape.h"
#include "nn/nn.h"

#include <math.h>
#include <string.h>

enum { B = 2, T = 5, S = 4, C = 6, H = 3, D = C / H };

/* ---- multi-head attention by loops ----------------------------------------------------------- */

typedef struct {
    const MultiHeadAttention *a;
    int T, S;
    const real *x, *memory; /* (B, T, C) and (B, S, C)         */
    bool causal;
    const int *lengths; /* keys kept of each sequence      */
    double A[B][H][T][T], v[B][H][T][D], y[B][T][C];
} Loops;

/* One row of a layer: w . x + b. */
static double row_of(const Tensor *w, const Tensor *b, int row, const real *x)
{
    double sum = b->data[row];
    for (int c = 0; c < C; c++)
        sum += (double)w->data[row * C + c] * x[c];
    return sum;
}

static bool sees(const Loops *l, int b, int i, int j)
{
    return !(l->causal && j > i) && !(l->lengths && j >= l->lengths[b]);
}

/* One query of one head: its weights A, and the mean of the values under them. */
static void one_query(Loops *l, int b, int h, int i, double *head)
{
    const Tensor *w = l->a->in_proj_weight, *bias = l->a->in_proj_bias;
    double e[T] = {0}, total = 0;
    for (int j = 0; j < l->S; j++) {
        double score = 0;
        for (int c = h * D; c < (h + 1) * D; c++)
            score += row_of(w, bias, c, l->x + (b * l->T + i) * C) *
                     row_of(w, bias, C + c, l->memory + (b * l->S + j) * C);
        e[j] = sees(l, b, i, j) ? exp(score / sqrt(D)) : 0;
        total += e[j];
    }
    for (int c = 0; c < D; c++)
        head[c] = 0;
    for (int j = 0; j < l->S; j++) {
        l->A[b][h][i][j] = e[j] / total;
        for (int c = 0; c < D; c++) {
            double v = row_of(w, bias, 2 * C + h * D + c, l->memory + (b * l->S + j) * C);
            l->v[b][h][j][c] = v;
            head[c] += l->A[b][h][i][j] * v;
        }
    }
}

static void attention_by_loops(Loops *l)
{
    const Linear *out = &l->a->out_proj;
    for (int b = 0; b < B; b++)
        for (int i = 0; i < l->T; i++) {
            double joined[C];
            for (int h = 0; h < H; h++)
                one_query(l, b, h, i, joined + h * D);
            for (int row = 0; row < C; row++) {
                double sum = out->bias->data[row];
                for (int c = 0; c < C; c++)
                    sum += out->weight->data[row * C + c] * joined[c];
                l->y[b][i][row] = sum;
            }
        }
}

static void equals_loops(const Tensor *y, const Loops *l)
{
    REQUIRE(!tensor_is_poison(y), "%s", tensor_error());
    CHECK(shape_equal(y->shape, shape3(B, l->T, C)), "y is %s", shape_str(y->shape));
    for (int b = 0; b < B; b++)
        for (int i = 0; i < l->T; i++)
            for (int c = 0; c < C; c++)
                CHECK_CLOSE(tensor_get(y, (int64_t[]){b, i, c}), l->y[b][i][c], SEQUENCE_CLOSE);
}

typedef struct {
    Params *params;
    MultiHeadAttention a;
    Tape *tape;
} Setting;

static bool setting_open(Setting *s, double dropout)
{
    *s = (Setting){.params = params_new(1), .tape = tape_new(1)};
    bool ok = nn_attention_init(&s->a, s->params, "attn", C, H, dropout);
    sequence_weights(s->params);
    return CHECK(ok, "%s", tensor_error());
}

static void setting_close(Setting *s)
{
    CHECK_NO_ERROR();
    tape_free(s->tape);
    params_free(s->params);
}

static void attention_is_a_loop_over_heads(void)
{
    Setting s;
    if (!setting_open(&s, 0))
        return;
    for (int kind = 0; kind < 8; kind++) {
        int lengths[B] = {3, 4};
        bool cross = kind & 1, causal = kind & 2 && !cross, padded = kind & 4;
        tape_reset(s.tape);
        Tensor *x = sequence_leaf(s.tape, B, T, C, 0);
        Tensor *memory = cross ? sequence_leaf(s.tape, B, S, C, 1) : x;
        Mask mask = {.causal = causal,
                     .lengths = padded ? tape_ids(s.tape, lengths, shape1(B)) : NULL};
        Loops l = {.a = &s.a, .T = T, .S = cross ? S : T, .x = x->data, .memory = memory->data};
        l.causal = causal;
        l.lengths = padded ? lengths : NULL;
        attention_by_loops(&l);
        equals_loops(cross ? nn_cross_attention(&s.a, x, memory, mask)
                           : nn_attention(&s.a, x, mask),
                     &l);
    }
    setting_close(&s);
}

static void one_sequence_without_batch(void)
{
    Setting s;
    if (!setting_open(&s, 0))
        return;
    Tensor *x = sequence_leaf(s.tape, 1, T, C, 0), *flat = ag_reshape(x, shape2(T, C));
    Tensor *y = nn_attention(&s.a, flat, (Mask){.causal = true});
    Tensor *want = ag_reshape(nn_attention(&s.a, x, (Mask){.causal = true}), shape2(T, C));
    CHECK(sequence_difference(y, want) == 0, "(T, C) and (1, T, C) differ");
    setting_close(&s);
}

/* ---- maps ------------------------------------------------------------------------------------ */

static void maps_change_nothing(void)
{
    Setting s;
    if (!setting_open(&s, 0.3))
        return;
    for (int training = 0; training < 2; training++) {
        Tensor *y[2];
        s.tape->training = training;
        for (int maps = 0; maps < 2; maps++) {
            tape_reset(s.tape);
            s.tape->step = 7; /* the same dropout both times */
            s.tape->keep_maps = maps;
            Tensor *x = sequence_leaf(s.tape, B, T, C, 0);
            y[maps] = tensor_clone(nn_attention(&s.a, x, (Mask){.causal = true}));
        }
        CHECK_TENSOR(y[1], y[0], 0, SEQUENCE_CLOSE);
        tensor_free(y[0]);
        tensor_free(y[1]);
    }
    setting_close(&s);
}

/* Of L = sum of g y: dL/dhead = W_o^T g, and dL/dA_ij = dL/dhead_i . v_j */
static void map_gradients(const Setting *s, const Loops *l, const real *g)
{
    const Tensor *A = tape_find(s->tape, "attn.A");
    REQUIRE(A->grad && shape_equal(A->shape, shape4(B, H, T, T)), "dL/dA is missing");
    for (int k = 0; k < B * H * T * T; k++) {
        int b = k / (H * T * T), h = k / (T * T) % H, i = k / T % T, j = k % T;
        double want = 0;
        for (int c = 0; c < D; c++)
            for (int row = 0; row < C; row++)
                want += (double)g[(b * T + i) * C + row] *
                        s->a.out_proj.weight->data[row * C + h * D + c] * l->v[b][h][j][c];
        CHECK_CLOSE(A->data[k], l->A[b][h][i][j], SEQUENCE_CLOSE);
        CHECK_CLOSE(A->grad[k], want, SEQUENCE_CLOSE);
    }
}

/* The scores are those of the queries and keys that the tape names: s_ij = q_i . k_j / sqrt(d). */
static void queries_and_keys_have_names(void)
{
    Setting s;
    if (!setting_open(&s, 0))
        return;
    s.tape->keep_maps = true;
    Tensor *x = sequence_leaf(s.tape, B, T, C, 0);
    nn_attention(&s.a, x, (Mask){0});
    const Tensor *q = tape_find(s.tape, "attn.q"), *k = tape_find(s.tape, "attn.k"),
                 *scores = tape_find(s.tape, "attn.scores");
    for (int n = 0; n < B * H * T * T; n++) {
        int64_t at[4] = {n / (H * T * T), n / (T * T) % H, n / T % T, n % T};
        double want = 0;
        for (int64_t c = 0; c < D; c++)
            want += (double)tensor_get(q, (int64_t[]){at[0], at[1], at[2], c}) *
                    (double)tensor_get(k, (int64_t[]){at[0], at[1], at[3], c}) / sqrt(D);
        CHECK_CLOSE(tensor_get(scores, at), want, SEQUENCE_CLOSE);
    }
    setting_close(&s);
}

static void maps_have_names_and_gradients(void)
{
    Setting s;
    if (!setting_open(&s, 0))
        return;
    real g[B * T * C];
    for (int i = 0; i < B * T * C; i++)
        g[i] = sequence_number(i, 4);
    s.tape->keep_maps = true;
    Tensor *x = sequence_leaf(s.tape, B, T, C, 0);
    Loops l = {.a = &s.a, .T = T, .S = T, .x = x->data, .memory = x->data, .causal = true};
    attention_by_loops(&l);
    CHECK(ag_backward_from(nn_attention(&s.a, x, (Mask){.causal = true}), g), "%s", tensor_error());
    map_gradients(&s, &l, g);
    CHECK(tape_find(s.tape, "attn.scores")->grad != NULL, "the scores have no gradient");
    const Tensor *A = tape_find(s.tape, "attn.A");
    for (int row = 0; row < B * H * T; row++) {
        double sum = 0;
        for (int j = 0; j < T; j++)
            sum += A->data[row * T + j];
        CHECK_CLOSE(sum, 1, SEQUENCE_CLOSE);
    }
    tape_reset(s.tape);
    x = sequence_leaf(s.tape, B, T, C, 0);
    nn_attention(&s.a, nn_attention(&s.a, x, (Mask){0}), (Mask){0});
    CHECK(tape_find(s.tape, "attn.A#2") != tape_find(s.tape, "attn.A"), "the second call is lost");
    setting_close(&s);
}

/* ---- the block ------------------------------------------------------------------------------- */

static Tensor *norm(const Norm *l, Tensor *x)
{
    return ag_layernorm(x, l->weight, l->bias, (real)1e-5);
}

static Tensor *by_hand(const TransformerBlock *b, Tensor *x, Activation activation)
{
    Tensor *attended = nn_attention(&b->attn, b->post_norm ? x : norm(&b->norm1, x), (Mask){0});
    x = ag_add(x, attended);
    if (b->post_norm)
        x = norm(&b->norm1, x);
    Tensor *h = ag_linear(b->post_norm ? x : norm(&b->norm2, x), b->ff.up.weight, b->ff.up.bias);
    h = activation == ACTIVATION_RELU   ? ag_relu(h)
        : activation == ACTIVATION_TANH ? ag_tanh(h)
                                        : ag_gelu(h);
    x = ag_add(x, ag_linear(h, b->ff.down.weight, b->ff.down.bias));
    return b->post_norm ? norm(&b->norm2, x) : x;
}

static void block_is_its_steps(void)
{
    for (int i = 0; i < 6; i++) {
        BlockConfig c = {.channels = C, .heads = H, .hidden = 10};
        c.post_norm = i >= 3;
        c.activation = (Activation)(i % 3);
        Params *p = params_new(1);
        Tape *tape = tape_new(1);
        TransformerBlock b;
        CHECK(nn_transformer_block_init(&b, p, "block", c), "%s", tensor_error());
        sequence_weights(p);
        Tensor *x = sequence_leaf(tape, B, T, C, 0);
        Tensor *y = nn_transformer_block(&b, x, (Mask){0}), *want = by_hand(&b, x, c.activation);
        CHECK(sequence_difference(y, want) == 0, "post-norm %d, activation %d", i / 3, i % 3);
        tape_free(tape);
        params_free(p);
    }
}

/* Dropout falls on the attention's weights and on both branches: at this step, in this order. */
static void block_has_three_dropouts(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    TransformerBlock b;
    BlockConfig c = {.channels = C, .heads = H, .dropout = 0.5};
    CHECK(nn_transformer_block_init(&b, p, "block", c), "%s", tensor_error());
    Tensor *still = nn_transformer_block(&b, sequence_leaf(tape, B, T, C, 0), (Mask){0});
    CHECK(tape->inside->dropouts == 0, "outside of training, dropout fell %d times",
          (int)tape->inside->dropouts);
    tape->training = true;
    Tensor *y = nn_transformer_block(&b, sequence_leaf(tape, B, T, C, 0), (Mask){0});
    CHECK(tape->inside->dropouts == 3, "dropout fell %d times", (int)tape->inside->dropouts);
    CHECK(sequence_difference(y, still) > 0.01, "training changed nothing");
    tape_free(tape);
    params_free(p);
}

/* Padding: a short sequence among longer ones has the outputs that it has alone. */
static void padding_is_not_seen(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    TransformerBlock b;
    CHECK(nn_transformer_block_init(&b, p, "block", (BlockConfig){.channels = C, .heads = H}), "%s",
          tensor_error());
    Tensor *x = sequence_leaf(tape, B, T, C, 0),
           *lengths = tape_ids(tape, (int[]){T, 3}, shape1(B));
    Tensor *y = nn_transformer_block(&b, x, (Mask){.lengths = lengths});
    Tensor *alone = ag_slice(ag_slice(x, 0, 1, 2), 1, 0, 3);
    alone = nn_transformer_block(&b, alone, (Mask){0});
    CHECK(sequence_difference(ag_slice(ag_slice(y, 0, 1, 2), 1, 0, 3), alone) <= SEQUENCE_CLOSE,
          "padding changes what stands before it");
    CHECK_NO_ERROR();
    tape_free(tape);
    params_free(p);
}

static const TestCase cases[] = {
    {"attention is a loop over heads", attention_is_a_loop_over_heads},
    {"attention on one sequence without a batch", one_sequence_without_batch},
    {"keeping maps changes no result", maps_change_nothing},
    {"queries and keys have names", queries_and_keys_have_names},
    {"maps have names and gradients", maps_have_names_and_gradients},
    {"a block is its steps", block_is_its_steps},
    {"a block has three dropouts", block_has_three_dropouts},
    {"padding is not seen", padding_is_not_seen},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("nn", cases, argc, argv);
}
