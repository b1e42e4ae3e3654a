/* law.c: a long sentence, read by one block (row 17).                               Z "Attention"
 *
 *   The Law will never be perfect, but its application should be just - this is what we are missing, in my opinion,
 *
 * What follows a word that stands there once is told by the word; what follows a comma is told by
 * the words before it. Under a causal mask these are three different sets, so that even equal
 * weights, a plain mean, tell the commas apart. */
#include "lectures/04-attention/attention.h"

#include <string.h>

static const char *const law[] = {
    "The",         "Law",     "will", "never", "be", "perfect", ",",  "but",   "its",
    "application", "should",  "be",   "just",  "-",  "this",    "is", "what",  "we",
    "are",         "missing", ",",    "in",    "my", "opinion", ",",  "<EOS>",
};
enum { LAW = sizeof law / sizeof *law, LAW_C = 32, LAW_STEPS = 300, LAW_HEADS = 2 };

/* One block that learns the sentence: from each word and those before it, the next. It has no
 * positional encoding, so that a word that stands there twice, or a comma, tells what follows only
 * by the words before it. */
typedef struct {
    Params *params;
    Tape *tape;
    Embedding words;
    TransformerBlock block;
    Linear out;
    int ids[LAW], n; /* n: different words */
} Lawyer;

/* equal: W_q = W_k = 0, and so their gradients are 0 too: all weights stay equal, and no head looks
 * anywhere. */
static void lawyer_begin(Lawyer *w, uint64_t seed, bool equal)
{
    *w = (Lawyer){.params = params_new(seed), .tape = tape_new(seed)};
    for (int i = 0; i < LAW; i++) {
        int j = 0;
        while (strcmp(law[j], law[i]) != 0)
            j++;
        w->ids[i] = j < i ? w->ids[j] : w->n++;
    }
    nn_embedding_init(&w->words, w->params, "words", w->n, LAW_C);
    nn_transformer_block_init(&w->block, w->params, "block",
                              (BlockConfig){.channels = LAW_C, .heads = LAW_HEADS});
    nn_linear_init(&w->out, w->params, "out", LAW_C, w->n, true);
    for (int i = 0; equal && i < 2 * LAW_C * LAW_C; i++)
        w->block.attn.in_proj_weight->data[i] = 0;
    w->tape->keep_maps = true;
}

/* Logits (T, words) of what follows each word but the last. */
static Tensor *next_words(Lawyer *w, bool only_itself)
{
    tape_reset(w->tape);
    Tensor *x = nn_embedding(&w->words, tape_ids(w->tape, w->ids, shape2(1, LAW - 1)));
    real self[(LAW - 1) * (LAW - 1)] = {0};
    for (int i = 0; i < LAW - 1; i++)
        self[i * LAW] = 1;
    Mask mask = {.causal = true};
    if (only_itself)
        mask.keep = tape_input(w->tape, self, shape2(LAW - 1, LAW - 1));
    Tensor *y = nn_transformer_block(&w->block, x, mask);
    return ag_reshape(nn_linear(&w->out, y), shape2(LAW - 1, w->n));
}

static void lawyer_learn(Lawyer *w, bool only_itself)
{
    Adam adam;
    adam_init(&adam, w->params, 0.01);
    for (int step = 0; step < LAW_STEPS; step++) {
        adam.rate = nn_warmup_cosine(step, 20, LAW_STEPS, 0.01, 0);
        Tensor *logits = next_words(w, only_itself);
        ag_backward(ag_cross_entropy(logits, tape_ids(w->tape, w->ids + 1, shape1(LAW - 1))));
        adam_step(&adam, w->params);
    }
    adam_free(&adam);
}

static void lawyer_end(Lawyer *w)
{
    tape_free(w->tape);
    params_free(w->params);
}

/* The commas, of three, after which the learned block names the wrong word. */
static double commas_wrong(Trial *t, bool equal)
{
    Lawyer w;
    bool only_itself = broken(t, "only-itself");
    int wrong = 0, all = 0;
    lawyer_begin(&w, t->seed, equal);
    lawyer_learn(&w, only_itself);
    Tensor *logits = next_words(&w, only_itself);
    for (int i = 0; i < LAW - 1; i++) {
        int best = 0;
        for (int k = 1; k < w.n; k++)
            if (logits->data[i * w.n + k] > logits->data[i * w.n + best])
                best = k;
        all += best != w.ids[i + 1];
        wrong += best != w.ids[i + 1] && strcmp(law[i], ",") == 0;
    }
    double reads = values_largest(logits);
    explain(t, "%s: %d of 3 commas, %d of %d words are followed by the wrong word",
            equal ? "all weights equal" : "learned weights", wrong, all, LAW - 1);
    lawyer_end(&w);
    return reads > 0 ? wrong : (double)NAN;
}

static double words_wrong(Trial *t)
{
    return values_worst(commas_wrong(t, false), commas_wrong(t, true));
}

const Claim law_claims[] = {
    {17, words_wrong,
     "a causal block learns from the words before each of three commas what follows, and so does "
     "one whose attention weights are all equal",
     .slides = {"Z: Attention"},
     .quantity = "commas, of 3, after which it is wrong: learned or equal weights, the worse",
     EXACTLY(0, "the words before the three commas are different sets, so that 300 steps learn 25 "
                "words by heart; a comma that sees only itself has one answer: 2 wrong"),
     .faults = {{"only-itself", "each word sees itself and no other"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* Row `query` of the head whose largest weight in it is largest, without weights below 0.1: (T, T),
 * else 0. */
static Tensor *strongest_row(Tape *tape, const Tensor *map, int query)
{
    int n = LAW - 1, best = 0;
    double most = 0;
    for (int i = 0; i < LAW_HEADS * n; i++) {
        double a = (double)tensor_get(map, (int64_t[]){0, i / n, query, i % n});
        best = a > most ? i / n : best;
        most = values_worst(most, a);
    }
    Tensor *row = tape_full(tape, 0, shape2(n, n));
    for (int j = 0; j < n; j++) {
        double a = (double)tensor_get(map, (int64_t[]){0, best, query, j});
        row->data[query * n + j] = a >= 0.1 ? (real)a : 0;
    }
    return row;
}

static bool draw_law(const Sketch *s)
{
    Lawyer w;
    PlotArcs arcs[3];
    static const int commas[] = {6, 20, 24};
    static const char *const titles[] = {("\xe2\x80\x9c"
                                          "but\xe2\x80\x9d follows"),
                                         "\xe2\x80\x9cin\xe2\x80\x9d follows", "the end follows"};
    lawyer_begin(&w, s->seed, false);
    lawyer_learn(&w, false);
    next_words(&w, false);
    Tensor *map = tape_find(w.tape, "block.attn.A");
    for (int k = 0; k < 3; k++)
        arcs[k] = (PlotArcs){.words = law,
                             .map = strongest_row(w.tape, map, commas[k]),
                             .word_count = LAW - 1,
                             .from = commas[k],
                             .title = titles[k]};
    bool ok = plot_arcs(
        s->stem, arcs, 3,
        sketch_title(s, "Three commas, and where one head looks (equal weights answer as well)"),
        s->formats);
    lawyer_end(&w);
    return ok;
}

const Figure law_figures[] = {
    {17, "law", draw_law,
     .what = "a long sentence: where each of its three commas looks to know the next word"},
    {0},
};
