/* several.c: one batch on several processes (row 41).
 *    B "Training Transformer-based LM": "average batch", "can be extensively parallelized"
 *
 *   1  dL/dw = sum_k share_k dL_k/dw      over the slices of the batch, wherever they are computed
 *   2  an exchange over P processes sends 2 (P - 1) / P numbers for each weight
 *   3  (a + b) + c is not a + (b + c): the bits are those of one process if the order is
 *
 * The processes of lines 2 and 3 are simulated: each has a row of a tensor. That the library's own
 * exchange (nn/exchange.c) does the same is tested in tests/nn/test_batch_slices.c. */
#include "lectures/06-language/language.h"
#include "nn/slices.h"

enum { SENTENCES = 12, LENGTH_EACH = 16, SLICES = 8, PROCESSES = 64 };

/* ---- the gradient of a batch, and of its slices ---------------------------------------------- */

typedef struct {
    bool equal;   /* every slice has the same share, however many sentences it has             */
    bool in_turn; /* slices are added one after another, as backward does, and not as a tree   */
    bool mixed;   /* an op mixes the sentences: their mean is taken from the logits            */
} Manners;

/* The mean loss of sentences from .. to - 1, which follow one another in a text. */
static Tensor *loss_of(Trial *t, const Talker *k, int from, int to, bool mixed)
{
    int ids[SENTENCES * LENGTH_EACH + 1], *first = ids + from * LENGTH_EACH;
    const Shape shape = shape2(to - from, LENGTH_EACH);
    Tape *tape = trial_tape(t);
    tape_reset(tape);
    talker_tokens(t->seed, ids, SENTENCES * LENGTH_EACH + 1);
    Tensor *logits = nn_gpt(&k->gpt, tape_ids(tape, first, shape));
    if (mixed)
        logits = ag_sub(logits, ag_mean_axis(logits, 0, true));
    return ag_cross_entropy(logits, tape_ids(tape, first + 1, shape));
}

/* Slices first .. of so many of the batch. */
typedef struct {
    Trial *t;
    const Talker *k;
    int first, slices;
    Manners m;
} Part;

/* What slice i of the part contributes to the loss of the batch. */
static Tensor *slice_loss(void *context, int i)
{
    const Part *p = context;
    const int slice = p->first + i, from = slice * SENTENCES / p->slices,
              end = (slice + 1) * SENTENCES / p->slices;
    const double share = p->m.equal ? 1.0 / p->slices : (double)(end - from) / SENTENCES;
    return ag_scale(loss_of(p->t, p->k, from, end, p->m.mixed), (real)share);
}

/* What slices first .. first + count - 1 of so many contribute to the gradient of the batch: the
 * numbers of all weights, one after the other. */
static void gradient_of(Trial *t, const Talker *k, int first, int count, int slices, Manners m,
                        real *to)
{
    Slices s;
    Part part = {t, k, first, slices, m};
    bool ok = nn_slices_init(&s, k->params, NULL, count);
    for (int i = 0; ok && m.in_turn && i < count; i++)
        ok = ag_backward(slice_loss(&part, i));
    if (ok && !m.in_turn)
        nn_slices_gradient(&s, slice_loss, &part);
    nn_slices_free(&s);
    for (int i = 0; i < k->params->count; i++) {
        const Tensor *w = k->params->weight[i];
        for (int64_t j = 0; j < tensor_size(w); j++)
            *to++ = w->grad ? w->grad[j] : 0;
    }
    params_zero_grad(k->params);
}

/* max |gradient of the batch - sum over its slices| / max |gradient|. */
static double mean_of_slices(Trial *t)
{
    const bool mixed = broken(t, "mixes"), equal = broken(t, "equal-shares");
    double off = (double)NAN;
    Talker k;
    if (talker_begin(&k, t->seed)) {
        Tensor *whole = tensor_new(shape1(params_size(k.params))), *sum = tensor_clone(whole);
        gradient_of(t, &k, 0, 1, 1, (Manners){.in_turn = true, .mixed = mixed}, whole->data);
        gradient_of(t, &k, 0, SLICES, SLICES, (Manners){.equal = equal, .mixed = mixed}, sum->data);
        off = values_difference(whole, sum) / values_largest(whole);
        explain(t, "%d sentences in %d slices of 1 or 2: %lld numbers, off by %.2g of the largest",
                SENTENCES, SLICES, (long long)tensor_size(sum), off);
        tensor_free(whole);
        tensor_free(sum);
    }
    talker_end(&k);
    return off;
}

/* ---- the exchange ---------------------------------------------------------------------------- */

/* Sums numbers from .. to - 1 of the rows of x (P, n), each that of a process, into the rows of all
 * processes whose number, modulo `bit`, is `first`: of two whose numbers differ in `bit` alone each
 * sends the half that the other will have, adds, and gets the other half's sums at the end, as in
 * nn/exchange.c. Not halved: one of the two will have all. The most numbers that a process sent. */
static int64_t exchange(Tensor *x, int64_t first, int64_t bit, int64_t from, int64_t to,
                        bool halved)
{
    const int64_t P = x->shape.dim[0], n = x->shape.dim[1], middle = halved ? (from + to) / 2 : to;
    int64_t low = 0, high = 0;
    for (int half = 0; bit < P && half < 2; half++) {
        for (int64_t i = first; i < P; i += 2 * bit)
            for (int64_t k = from; k < to; k++) {
                real *own = &x->data[(k < middle ? i : i + bit) * n + k];
                real *other = &x->data[(k < middle ? i + bit : i) * n + k];
                *(half ? other : own) = half ? *own : *own + *other;
            }
        if (half == 0) {
            low = exchange(x, first, 2 * bit, from, middle, halved);
            high = exchange(x, first + bit, 2 * bit, middle, to, halved);
        }
    }
    return bit < P ? to - from + (low > high ? low : high) : 0;
}

/* NaN unless all processes then have the sum. */
static double numbers_sent(Trial *t)
{
    enum { WEIGHTS = 1 << 10 };
    double worst = 0;
    for (int P = 2; P <= PROCESSES; P *= 2) {
        Tensor *x = tensor_new(shape2(P, WEIGHTS));
        for (int64_t i = 0; i < P * WEIGHTS; i++)
            x->data[i] = (real)(i / WEIGHTS);
        double sent = (double)exchange(x, 0, 1, 0, WEIGHTS, !broken(t, "one-sums")) / WEIGHTS;
        for (int64_t i = 0; i < P * WEIGHTS; i++)
            sent = x->data[i] == P * (P - 1) / 2 ? sent : (double)NAN;
        worst = values_worst(worst, fabs(sent - 2.0 * (P - 1) / P));
        explain(t, "%2d processes: each sends %.5f numbers for each weight", P, sent);
        tensor_free(x);
    }
    return worst;
}

/* ---- the same bits --------------------------------------------------------------------------- */

/* Of a gradient on several processes; NaN where all numbers of it are 0. */
static double same_bits(Trial *t)
{
    const Manners m = {.in_turn = broken(t, "in-turn")};
    double most = (double)NAN;
    Talker k;
    if (talker_begin(&k, t->seed)) {
        const int64_t n = params_size(k.params);
        Tensor *one = tensor_new(shape1(n));
        gradient_of(t, &k, 0, SLICES, SLICES, m, one->data);
        most = values_largest(one) > 0 ? 0 : (double)NAN;
        for (int P = 2; P <= SLICES; P *= 2) {
            Tensor *x = tensor_new(shape2(P, n));
            double other = 0;
            for (int i = 0; i < P; i++)
                gradient_of(t, &k, i * SLICES / P, SLICES / P, SLICES, m, x->data + i * n);
            exchange(x, 0, 1, 0, n, true);
            for (int64_t i = 0; i < P * n; i++)
                other += x->data[i] != one->data[i % n];
            most = values_worst(most, other / P);
            explain(t, "%d processes, of %lld numbers: %.0f differ from one process's", P,
                    (long long)n, other / P);
            tensor_free(x);
        }
        tensor_free(one);
    }
    talker_end(&k);
    return most;
}

const Claim several_claims[] = {
    {41, mean_of_slices,
     "the gradient of a batch is the mean of its slices' gradients, each with its share of the "
     "sentences",
     .slides = {"B: Training Transformer-based LM"},
     .quantity = "max |gradient of 12 sentences - sum over 8 slices| / max |gradient|",
     AT_MOST(1e-5, "the same numbers in another order: some 100 roundings of 6e-8; equal shares "
                   "are off by 0.3"),
     .faults = {{"equal-shares", "slices of one sentence and of two count the same"},
                {"mixes", "an op mixes the sentences of a pass, as batch normalisation does"}}},
    {41, numbers_sent,
     "to sum gradients over P processes each sends 2 (P - 1) / P numbers for each weight: fewer "
     "than two, however many there are",
     .slides = {"B: Training Transformer-based LM"},
     .quantity = "largest |numbers sent / weights - 2 (P - 1) / P|, P = 2 .. 64, 1,024 weights",
     EXACTLY(0, "(P - 1) / P for partial sums, as many for the sums; 1,024 is divided by all P"),
     .faults = {{"one-sums", "one of two processes sums all numbers, and not each a half"}},
     HOLDS_POISONED("the processes are simulated, in plain C; no kernel is run")},
    {41, same_bits,
     "added along a binary tree over 8 slices, the gradient has the same bits on 1, 2, 4 and 8 "
     "processes",
     .slides = {"B: Training Transformer-based LM"},
     .quantity = "most numbers of a gradient that differ from one process's, P = 2, 4, 8",
     EXACTLY(0, "every process adds the same two numbers at the same node of the tree"),
     .faults = {{"in-turn", "each process adds its slices one after another"}}},
    {0},
};
