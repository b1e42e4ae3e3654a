/* stepping_token.c: one token of a GPT, a line for each step, to be walked through in a debugger:
 * stepping-token.md.
 *
 *   ids -> embedding + position -> x + attention(LN(x)) -> x + ff(LN(x)) -> LN -> logits -> temperature, top-k -> next id
 *                                  Z "Decoder transformers: GPT model", B "Generation via Transformer-based LMs"
 *
 * The numbers are chosen so that each step can be done by hand: tokens have mean 0 and deviation 1
 * or 5, scores differ by log 2, and the logits are 0, 1, 2 and 3 times log 2. */
#include "examples/common/options.h"
#include "gradus.h"

#include <math.h>

enum { TOKENS = 2, WIDTH = 4, HIDDEN = 2, WORDS = 4 };
static const char *const words[WORDS] = {"the", "cat", ".", "sat"};

/* The weights of a model with one block and one head of one channel. */
typedef struct {
    Tensor *E, *P;             /* (WORDS, WIDTH), (TOKENS, WIDTH)        */
    Tensor *Wq, *Wk, *Wv, *Wo; /* (WIDTH, 1) three times, (1, WIDTH)      */
    Tensor *W1, *W2;           /* (WIDTH, HIDDEN), (HIDDEN, WIDTH)        */
    Tensor *head;              /* (WIDTH, WORDS)                          */
    Tensor *ones, *zeros;      /* (WIDTH): gain and bias of all LayerNorms */
} Weights;

static Tensor *matrix(Tape *tape, int rows, int columns, double scale, const real *numbers)
{
    return ag_scale(tape_input(tape, numbers, shape2(rows, columns)), (real)scale);
}

static Weights weights(Tape *tape)
{
    static const real word[] = {1, -1, 0, 0, -1, 1, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0};
    static const real position[] = {0, 0, 1, -1, 0, 0, -1, 1};
    static const real third[] = {0, 0, 1, 0}, first[] = {1, 0, 0, 0}, pair[] = {0, 0, 1, -1};
    static const real up[] = {0, 1, 1, 0, 1, 0, 0, 1}, down[] = {1, -1, 0, 0, 0, 0, 1, 1};
    static const real out[] = {0, 1, 1, 1, 0, 0, -1, -1, 0, 0, 0, 1, 0, 0, 0, 0};
    return (Weights){.E = matrix(tape, WORDS, WIDTH, 1, word),
                     .P = matrix(tape, TOKENS, WIDTH, 1, position),
                     .Wq = matrix(tape, WIDTH, 1, -log(2) / 2, third),
                     .Wk = matrix(tape, WIDTH, 1, 1, third),
                     .Wv = matrix(tape, WIDTH, 1, 3, first),
                     .Wo = matrix(tape, 1, WIDTH, 2, pair),
                     .W1 = matrix(tape, WIDTH, HIDDEN, 1, up),
                     .W2 = matrix(tape, HIDDEN, WIDTH, 1, down),
                     .head = matrix(tape, WIDTH, WORDS, log(2), out),
                     .ones = tape_full(tape, 1, shape1(WIDTH)),
                     .zeros = tape_full(tape, 0, shape1(WIDTH))};
}

static Tensor *norm(const Weights *w, Tensor *x)
{
    return ag_layernorm(x, w->ones, w->zeros, (real)1e-9);
}

/* From the ids of two words to the logits of the third. */
static Tensor *next_logits(Tape *tape, const Weights *w, const int *ids)
{
    Tensor *embedded = ag_embedding(w->E, tape_ids(tape, ids, shape1(TOKENS)));
    Tensor *X = ag_add(embedded, w->P);
    Tensor *N1 = norm(w, X);
    Tensor *Q = ag_matmul(N1, w->Wq);
    Tensor *K = ag_matmul(N1, w->Wk);
    Tensor *V = ag_matmul(N1, w->Wv);
    Tensor *scores = ag_matmul(Q, ag_transpose(K, 0, 1));
    Tensor *A = ag_masked_softmax(scores, (Mask){.causal = true});
    Tensor *C = ag_matmul(A, V);
    Tensor *X1 = ag_add(X, ag_matmul(C, w->Wo));
    Tensor *N2 = norm(w, X1);
    Tensor *H = ag_relu(ag_matmul(N2, w->W1));
    Tensor *X2 = ag_add(X1, ag_matmul(H, w->W2));
    Tensor *last = norm(w, ag_slice(X2, 0, TOKENS - 1, TOKENS));
    return ag_matmul(last, w->head);
}

/* From the logits to the next id. */
static int choose(const Tensor *logits, Candidates *c, Rng *rng)
{
    Rng same = *rng;
    double u = rng_uniform(&same);
    nn_temperature(c, logits->data, 1);
    nn_temperature(c, logits->data, 0.5);
    nn_top_k(c, 2);
    int next = nn_draw(c, rng);
    printf("u = %.4f: %s\n", u, next < 0 ? "?" : words[next]);
    return next;
}

int main(int argc, char **argv)
{
    static const int ids[TOKENS] = {0, 1};
    int seed = 1;
    const Option table[] = {
        {"seed", OPTION_INT, &seed, "N", "of the draw", 0, 1e9},
        {0},
    };
    options_parse(argc, argv, "One token of a GPT, to be stepped through.", table);
    example_exit_on_error();

    Tape *tape = tape_new(1);
    Rng rng = {.seed = (uint64_t)seed};
    Candidates candidates;
    Weights w = weights(tape);
    Tensor *logits = next_logits(tape, &w, ids);
    bool ok = nn_candidates_init(&candidates, WORDS) && choose(logits, &candidates, &rng) >= 0;
    nn_candidates_free(&candidates);
    tape_free(tape);
    return ok ? 0 : 1;
}
