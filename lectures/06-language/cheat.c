/* cheat.c: the entropy is a floor for the loss; who falls below it has seen the answer (row 38).
 *
 *   E[-log q(x)] = H + KL(p || q) >= H  V "Training the Transformer", J "Masked self-attention layer":
 *                                       "otherwise, the model can simply cheat" */
#include "lectures/06-language/language.h"

static const char *const manner_names[MANNERS] = {"mask and shift", "no mask", "no shift"};

/* The loss of whoever knows only that the letters are equally frequent. */
static double order_unknown(void)
{
    return LENGTH * log(LETTERS);
}

static void explain_losses(Trial *t, const Writer *w)
{
    for (int i = 0; i < CHECKS; i += 2)
        explain(t, "%s, after %3d steps: loss of a sequence %.4f, minus the entropy %+.4f",
                manner_names[w->manner], i * WRITER_STEPS / (CHECKS - 1), w->loss[i],
                w->loss[i] - source_entropy());
}

/* The lowest loss of the whole training, minus the entropy. */
static double entropy_floor(Trial *t)
{
    Manner manner = broken(t, "no-mask") ? NO_MASK : broken(t, "no-shift") ? NO_SHIFT : HONEST;
    const Writer *w = writer_of(t->seed, manner);
    if (!w)
        return (double)NAN;
    double lowest = w->loss[0];
    for (int i = 1; i < CHECKS; i++)
        lowest = values_least(lowest, w->loss[i]);
    explain(t, "entropy: log 3 + 5 h(1/4) = %.4f nats; equally frequent letters: 6 log 3 = %.4f",
            source_entropy(), order_unknown());
    explain_losses(t, w);
    return lowest - source_entropy();
}

/* ---- what each of them writes ---------------------------------------------------------------- */

/* q(next letter | the n letters before it), as in generation: only these letters exist. Without the
 * shift there is no <bos>: the first letter is drawn from the source. prefixes: (count, n). p:
 * (count, LETTERS). */
static bool next_letter(const Writer *w, Tape *tape, const int *prefixes, int count, int n,
                        double *p)
{
    static int in[SEQUENCES * LENGTH];
    bool shifted = w->manner != NO_SHIFT;
    int T = shifted ? n + 1 : n;
    for (int i = 0; i < count * T; i++)
        in[i] = shifted && i % T == 0 ? BOS : prefixes[i / T * n + i % T - shifted];
    for (int k = 0; T == 0 && k < LETTERS; k++)
        p[k] = source_step(BOS, k);
    if (T == 0)
        return true;
    Gpt model = w->model;
    model.encoder.causal = w->manner != NO_MASK;
    tape_reset(tape);
    Tensor *logits = nn_gpt(&model, tape_ids(tape, in, shape2(count, T)));
    Tensor *last = ag_slice(ag_slice(logits, 1, T - 1, T), 2, 0, LETTERS);
    Tensor *q = ag_softmax(ag_copy(last));
    for (int i = 0; !tensor_is_poison(q) && i < count * LETTERS; i++)
        p[i] = (double)q->data[i];
    return !tensor_is_poison(q);
}

/* The probability of each sequence that a model writes, letter by letter: over all prefixes of 0, 1
 * ... letters. */
static bool written(const Writer *w, Tape *tape, double *g)
{
    static int prefix[SEQUENCES * LENGTH];
    static double p[SEQUENCES * LETTERS];
    double sum = 0;
    int count = 1;
    g[0] = 1;
    for (int n = 0; n < LENGTH; n++, count *= LETTERS) {
        for (int i = 0; i < count; i++)
            for (int k = n - 1, left = i; k >= 0; k--, left /= LETTERS)
                prefix[i * n + k] = left % LETTERS;
        if (!next_letter(w, tape, prefix, count, n, p))
            return false;
        for (int i = count * LETTERS - 1; i >= 0;
             i--) /* from the last on: g[i / LETTERS] is still that of the prefix */
            g[i] = g[i / LETTERS] * p[i];
    }
    for (int i = 0; i < SEQUENCES; i++)
        sum += g[i];
    return fabs(sum - 1) < 1e-3; /* no distribution: nothing was computed */
}

/* One sequence drawn from what a model writes. */
static void write_one(const Writer *w, Tape *tape, Rng *rng, char text[LENGTH + 1])
{
    int x[LENGTH];
    double p[LETTERS];
    for (int n = 0; n < LENGTH && next_letter(w, tape, x, 1, n, p); n++) {
        double u = rng_uniform(rng);
        for (x[n] = 0; x[n] < LETTERS - 1 && u >= p[x[n]]; x[n]++)
            u -= p[x[n]];
        text[n] = (char)('a' + x[n]);
        text[n + 1] = '\0';
    }
}

/* How far from the language a model writes, with four examples. */
static double writes(Trial *t, const Writer *w, Tape *tape)
{
    static double g[SEQUENCES];
    Rng rng = {.seed = t->seed, .stream = 601};
    char text[4][LENGTH + 1] = {"", "", "", ""};
    if (!w || !written(w, tape, g))
        return (double)NAN;
    for (int i = 0; i < 4; i++)
        write_one(w, tape, &rng, text[i]);
    explain(t, "%-14s  writes %s %s %s %s; distance %.3f", manner_names[w->manner], text[0],
            text[1], text[2], text[3], source_distance(g));
    return source_distance(g);
}

static double cheat_writes(Trial *t)
{
    Tape *tape = trial_tape(t);
    bool honest = broken(t, "honest");
    tape->no_grad = true;
    writes(t, writer_of(t->seed, HONEST), tape); /* to compare */
    return values_least(writes(t, writer_of(t->seed, honest ? HONEST : NO_MASK), tape),
                        writes(t, writer_of(t->seed, honest ? HONEST : NO_SHIFT), tape));
}

const Claim cheat_claims[] = {
    {38, entropy_floor, "the loss falls to the entropy of the language, and never below it",
     .slides = {"V: Training the Transformer", "B: Training Transformer-based LM",
                "Z: Decoder transformers"},
     .quantity = "lowest expected loss - H over the training, nats a sequence",
     BETWEEN(-1e-4, 0.27,
             "H + KL(p||q) >= H, floats round by 1e-5; 0.27 is a tenth of 6 log 3 - "
             "H"),
     .faults = {{"no-mask", "trained without the causal mask"},
                {"no-shift", "each position is given the letter that it is to name"}}},
    {38, cheat_writes,
     "models that were trained without mask or shift write texts far from the language",
     .slides = {"J: Masked self-attention layer", "V: Decoder Block: Attention Layers"},
     .quantity = "total variation between what is written and the language, the nearer cheat",
     AT_LEAST(0.37, "Pinsker: a KL of 0.27, a tenth of 6 log 3 - H, allows sqrt(0.27 / 2) = 0.37 "
                    "at most"),
     .faults = {{"honest", "with mask and shift"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

/* The expected loss in the course of training, and the three levels that theory gives. */
static bool draw_floor(const Sketch *s)
{
    static double x[CHECKS], level[3][CHECKS];
    static const char *const names[] = {"mask and shift", "trained without the mask",
                                        "trained without the shift"};
    PlotSeries series[6];
    const double h = -0.75 * log(0.75) - 0.25 * log(0.25);
    for (int i = 0; i < CHECKS; i++) {
        x[i] = (double)(i * WRITER_STEPS) / (CHECKS - 1);
        level[0][i] = order_unknown();
        level[1][i] = source_entropy();
        level[2][i] = h; /* without the mask all letters but the last one are seen */
    }
    for (Manner m = HONEST; m < MANNERS; m++) {
        const Writer *w = writer_of(s->seed, m);
        if (!w)
            return false;
        series[m] = (PlotSeries){names[m], x, w->loss, CHECKS};
    }
    series[3] = (PlotSeries){"6 log 3: all letters alike", x, level[0], CHECKS};
    series[4] = (PlotSeries){"H: the entropy of the language", x, level[1], CHECKS};
    series[5] = (PlotSeries){"h(1/4): only the last letter unseen", x, level[2], CHECKS};
    return SKETCH_CURVES(s, "No honest model is below the entropy", series,
                         .x_name = "training steps",
                         .y_name = "expected loss of a sequence (nats)");
}

/* Which letter follows which in what has the probabilities g: row a, column b is the share of ab
 * among all pairs that begin with a. */
static Tensor *followers(Tape *tape, const double *g)
{
    const int *x = all_sequences();
    double pair[LETTERS][LETTERS] = {{0}};
    Tensor *map = tape_full(tape, 0, shape2(LETTERS, LETTERS));
    for (int i = 0; i < SEQUENCES; i++)
        for (int n = 1; n < LENGTH; n++)
            pair[x[i * LENGTH + n - 1]][x[i * LENGTH + n]] += g[i];
    for (int a = 0; a < LETTERS; a++)
        for (int b = 0; b < LETTERS; b++)
            map->data[a * LETTERS + b] =
                (real)(pair[a][b] / (pair[a][0] + pair[a][1] + pair[a][2]));
    return map;
}

static bool draw_written(const Sketch *s)
{
    static const char *const letters[] = {"a", "b", "c", NULL};
    static double g[SEQUENCES];
    Tape *tape = tape_new(s->seed), *maps_tape = tape_new(s->seed);
    PlotHeatmap map = {.row_name = "letter",
                       .column_name = "next letter",
                       .rows = letters,
                       .columns = letters,
                       .values = true,
                       .scale = {.low = 0, .high = 1, .name = "probability"}};
    PlotHeatmap maps[1 + MANNERS] = {map, map, map, map};
    const int *x = all_sequences();
    bool ok = true;
    tape->no_grad = true;
    for (int i = 0; i < SEQUENCES; i++)
        g[i] = source_p(x + i * LENGTH, LENGTH);
    for (int m = 0; ok && m <= MANNERS; m++) {
        const Writer *w = m ? writer_of(s->seed, (Manner)(m - 1)) : NULL;
        ok = !m || (w && written(w, tape, g));
        maps[m].map = followers(maps_tape, g);
        maps[m].title = m ? manner_names[m - 1] : "the language";
    }
    ok = ok && plot_heatmaps(s->stem, maps, 1 + MANNERS,
                             sketch_title(s, "Which letter follows which in what they write"),
                             s->formats);
    tape_free(tape);
    tape_free(maps_tape);
    return ok;
}

const Figure cheat_figures[] = {
    {38, "floor", draw_floor,
     .what = "the loss of an honest model ends at the entropy, that of two cheats far below it"},
    {38, "written", draw_written,
     .what = "which letter follows which in the language, and in what three models write"},
    {0},
};
