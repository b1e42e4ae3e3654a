/* tests.c: the tests of homework 11. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw11.h"

enum { PAD, CLS, SEP, MASK, SPECIALS };

static void pack_case(Case *c)
{
    int na = case_choice(c, "na", 0, 5), nb = case_choice(c, "nb", 0, 5);
    int longest = case_turn(c, "longest", 3, 14);
    const int *a = case_integers(c, "a", 10, 19, 1, na + 1); /* arrays are not empty */
    const int *b = case_integers(c, "b", 20, 29, 1, nb + 1);
    int *ids = case_output_integers(c, "ids", 1, longest);
    int *segments = case_output_integers(c, "segments", 1, longest);
    int length = pack(ids, segments, a, na, b, nb, longest, CLS, SEP);
    *case_output_integers(c, "length", 0) = length;
}

/* Lengths from 0 to t; t is at least 1. */
static int *lengths(Case *c, int batch, int t)
{
    int *length = case_given_integers(c, "length", 1, batch);
    for (int i = 0; i < batch; i++)
        length[i] = (int)(case_random(c) * (t + 1));
    return length;
}

static void pad_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 4), t = case_size(c, "t", 1, 5);
    const int *length = lengths(c, batch, t);
    const int *tokens = case_integers(c, "tokens", SPECIALS, 19, 1, batch * t);
    pad_batch(case_output_integers(c, "ids", 2, batch, t), tokens, length, batch, t, PAD);
}

static void softmax_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 3), t = case_size(c, "t", 1, 4);
    const int *length = lengths(c, batch, t);
    const real *scores = case_input(c, "scores", 3, batch, t, t);
    padded_softmax(case_output(c, "y", 3, batch, t, t), scores, length, batch, t);
}

/* The first score is far below its row in one case and far above all other rows in the next one,
 * and the scores of padding are far above those of tokens: the largest of each row is looked for in
 * that row, in all of it, and in no padding. */
static void softmax_large_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 3), t = case_size(c, "t", 2, 4);
    int above = case_turn(c, "first_is_largest", 0, 1);
    int *length = lengths(c, batch, t);
    length[0] = t - above;
    real *scores = case_given(c, "scores", 3, batch, t, t);
    for (int i = 0; i < batch * t * t; i++)
        scores[i] = i % t < length[i / t / t]
                        ? (real)(1024 * (int)(2 * case_normal(c)) - (i < t ? 0 : 16384))
                        : 16384;
    scores[0] = above ? 16384 : -16384;
    padded_softmax(case_output(c, "y", 3, batch, t, t), scores, length, batch, t);
}

/* In every fourth case all draws are the share itself: no token is chosen. */
static void mask_case(Case *c)
{
    int n = case_size(c, "n", 4, 12), v = SPECIALS + case_choice(c, "words", 4, 10);
    int none = case_turn(c, "none", 0, 3) == 3;
    const int *tokens = case_integers(c, "tokens", none ? SPECIALS : 0, v - 1, 1, n);
    real *share = case_given(c, "share", 0), *choose = case_given(c, "choose", 1, n);
    real *change = case_given(c, "change", 1, n), *word = case_given(c, "word", 1, n);
    *share = (real)(0.125 + 0.5 * case_random(c));
    for (int i = 0; i < n; i++) {
        choose[i] = none ? *share : (real)(case_random(c) * 0.999);
        change[i] = (real)(0.6 + 0.399 * case_random(c)); /* each of the three often */
        word[i] = (real)(case_random(c) * 0.999);
    }
    int *ids = case_output_integers(c, "ids", 1, n);
    int *labels = case_output_integers(c, "labels", 1, n);
    mask_tokens(ids, labels, tokens, n, v, SPECIALS, MASK, *share, choose, change, word);
}

typedef struct {
    int n, c, v;
    const real *hidden, *embedding, *bias;
    int *labels;
} Loss;

static Loss loss_of(Case *c)
{
    Loss l = {.n = case_size(c, "n", 1, 4), .c = case_size(c, "c", 1, 4)};
    l.v = case_size(c, "v", 2, 6);
    l.hidden = case_input(c, "hidden", 2, l.n, l.c);
    l.embedding = case_input(c, "embedding", 2, l.v, l.c);
    l.bias = case_input(c, "bias", 1, l.v);
    l.labels = case_given_integers(c, "labels", 1, l.n);
    for (int i = 0; i < l.n; i++)
        l.labels[i] = case_random(c) < 0.4 ? -1 : (int)(case_random(c) * l.v);
    return l;
}

static void loss_case(Case *c)
{
    Loss l = loss_of(c);
    *case_output(c, "loss", 0) =
        masked_loss(l.hidden, l.embedding, l.bias, l.labels, l.n, l.c, l.v);
}

static void loss_backward_case(Case *c)
{
    Loss l = loss_of(c);
    const real *dloss = case_input(c, "dloss", 0);
    real *dhidden = case_sum(c, "dhidden", 2, l.n, l.c);
    real *dembedding = case_sum(c, "dembedding", 2, l.v, l.c);
    masked_loss_backward(dhidden, dembedding, case_sum(c, "dbias", 1, l.v), *dloss, l.hidden,
                         l.embedding, l.bias, l.labels, l.n, l.c, l.v);
}

typedef struct {
    int batch, t, c, classes;
    const real *hidden, *w, *b, *u, *d;
} Classifier;

static Classifier classifier_of(Case *c)
{
    Classifier l = {.batch = case_size(c, "batch", 1, 3), .t = case_size(c, "t", 1, 4)};
    l.c = case_size(c, "c", 1, 4);
    l.classes = case_size(c, "classes", 1, 3);
    l.hidden = case_input(c, "hidden", 3, l.batch, l.t, l.c);
    l.w = case_input(c, "w", 2, l.c, l.c);
    l.b = case_input(c, "b", 1, l.c);
    l.u = case_input(c, "u", 2, l.classes, l.c);
    l.d = case_input(c, "d", 1, l.classes);
    return l;
}

static void classify_case(Case *c)
{
    Classifier l = classifier_of(c);
    classify(case_output(c, "logits", 2, l.batch, l.classes), l.hidden, l.w, l.b, l.u, l.d, l.batch,
             l.t, l.c, l.classes);
}

static void classify_backward_case(Case *c)
{
    Classifier l = classifier_of(c);
    const real *dlogits = case_input(c, "dlogits", 2, l.batch, l.classes);
    real *dhidden = case_sum(c, "dhidden", 3, l.batch, l.t, l.c);
    real *dw = case_sum(c, "dw", 2, l.c, l.c), *db = case_sum(c, "db", 1, l.c);
    real *du = case_sum(c, "du", 2, l.classes, l.c);
    classify_backward(dhidden, dw, db, du, case_sum(c, "dd", 1, l.classes), dlogits, l.hidden, l.w,
                      l.b, l.u, l.batch, l.t, l.c, l.classes);
}

const Test tests[] = {
    {"pack", "pack", "two sentences as one sequence", POINTS(14), pack_case, .cases = 48},
    {"pad", "pad_batch", "a padded batch", POINTS(8), pad_case, .cases = 24},
    {"softmax", "padded_softmax", "softmax beside padding", POINTS(10), softmax_case, .cases = 24},
    {"softmax_large", "padded_softmax", "large scores", POINTS(3), softmax_large_case,
     .needs = "softmax", .cases = 24},
    {"mask", "mask_tokens", "choose and change tokens", POINTS(17), mask_case, .cases = 45},
    {"loss", "masked_loss", "loss of the chosen tokens", POINTS(12), loss_case, .cases = 24},
    {"loss_backward", "masked_loss_backward", "its gradients", POINTS(14), loss_backward_case,
     .forward = loss_case, .gradients = "dhidden:hidden dembedding:embedding dbias:bias",
     .upstream = "dloss:loss"},
    {"classify", "classify", "a sentence's class", POINTS(9), classify_case},
    {"classify_backward", "classify_backward", "its gradients", POINTS(13), classify_backward_case,
     .forward = classify_case, .gradients = "dhidden:hidden dw:w db:b du:u dd:d",
     .upstream = "dlogits:logits"},
    {0},
};
