/* jobs.c: what each head of a trained model does, by cutting it (row 25; the model: reader.h).
 *
 *   MSA(x) = sum_h H_h W_o^h  a head is cut by W_o^h = 0: what it says reaches nobody
 *                             V "Attention: Attention from Different Heads", "Multi-Head Self-Attention (MSA)"
 *
 * The map of a head shows where it looks; that an answer depends on it is shown by what fails
 * without it. */
#include "lectures/04-attention/reader.h"

static const char *const kind_names[DATA_KINDS] = {"it, by what suits", "it, by the order", "bank"};
enum { ALL = LAYERS * HEADS, SENTENCES = 400 };

/* The columns of layer l's W_o that are head h's, times `factor`. */
static void scale_head(Reader *r, int head, real factor)
{
    Tensor *w =
        r->model.encoder.blocks[head / HEADS].attn.out_proj.weight; /* (C, C), rows are outputs */
    int64_t C = w->shape.dim[1], width = C / HEADS, from = head % HEADS * width;
    for (int64_t o = 0; o < C; o++)
        for (int64_t c = from; c < from + width; c++)
            w->data[o * C + c] *= factor;
}

/* The share of held-out sentences of a kind that the model answers rightly with these heads cut:
 * bit l * HEADS + h. */
static double accuracy_without(uint64_t seed, bool trained, unsigned cut, int kind)
{
    Reader r;
    reader_begin(&r, trained, seed);
    for (int h = 0; h < ALL; h++)
        if (cut >> h & 1)
            scale_head(&r, h, 0);
    double share =
        sentences_accuracy(&r.model, r.grammar,
                           (Quiz){.split = DATA_HELD_OUT, .kind = kind, .sentences = SENTENCES});
    reader_end(&r);
    return share;
}

/* Row h: what is lost of each kind without head h. No numbers where the whole model does not know
 * the answers: what it loses then says nothing. */
static void losses(uint64_t seed, bool trained, double lost[ALL][DATA_KINDS])
{
    for (int kind = 0; kind < DATA_KINDS; kind++) {
        double whole = accuracy_without(seed, trained, 0, kind);
        for (int h = 0; h < ALL; h++)
            lost[h][kind] =
                whole >= 0.9 ? whole - accuracy_without(seed, trained, 1u << h, kind) : (double)NAN;
    }
}

/* Of the head that matters most to one kind of question: what that kind loses without it, less what
 * the kind that needs it least loses. */
static double head_has_a_job(Trial *t)
{
    double lost[ALL][DATA_KINDS], most = -INFINITY;
    losses(t->seed, !broken(t, "untrained"), lost);
    for (int h = 0; h < ALL; h++) {
        double high = -INFINITY, low = INFINITY;
        for (int kind = 0; kind < DATA_KINDS; kind++) {
            high = values_worst(high, lost[h][kind]);
            low = values_least(low, lost[h][kind]);
        }
        explain(t, "without layer %d, head %d, are lost: %s %.3f, %s %.3f, %s %.3f", h / HEADS + 1,
                h % HEADS + 1, kind_names[0], lost[h][0], kind_names[1], lost[h][1], kind_names[2],
                lost[h][2]);
        most = values_worst(most, high - low);
    }
    return most;
}

const Claim jobs_claims[] = {
    {25, head_has_a_job,
     "a head can have a job: without it one kind of question fails and another does not (one "
     "training)",
     .slides = {"V: Attention: Attention from Different Heads",
                "V: Multi-Head Self-Attention (MSA)"},
     .quantity = "accuracy lost by one kind of question less that by another, largest over heads",
     AT_LEAST(0.2, "400 sentences: a difference of two losses has an error below 0.05; 0.2 is "
                   "four of them"),
     .faults = {{"untrained", "the weights it began with"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_heads(const Sketch *s)
{
    Reader r;
    Reading reading;
    Tape *tape = tape_new(1);
    reader_begin(&r, true, 1);
    read_sentence(&r, tape, it_sentences[0], false, &reading);
    const Tensor *maps[LAYERS];
    for (int l = 0; l < LAYERS; l++)
        maps[l] = reading.maps[l];
    const PlotGrid grid = {
        .layers = maps,
        .layer_count = LAYERS,
        .rows = reading.words,
        .columns = reading.words,
        .title =
            sketch_title(s, "All heads of a trained model; layer 1 sees 4 words to each side")};
    bool ok = plot_grid(s->stem, &grid, s->formats);
    tape_free(tape);
    reader_end(&r);
    return ok;
}

static bool draw_jobs(const Sketch *s)
{
    static const char *const heads[ALL] = {"L1 H1", "L1 H2", "L1 H3", "L1 H4",
                                           "L2 H1", "L2 H2", "L2 H3", "L2 H4"};
    double lost[ALL][DATA_KINDS], column[DATA_KINDS][ALL];
    PlotBars groups[DATA_KINDS];
    losses(s->seed, true, lost);
    for (int kind = 0; kind < DATA_KINDS; kind++) {
        for (int h = 0; h < ALL; h++)
            column[kind][h] = lost[h][kind] > 0 ? lost[h][kind] : 0;
        groups[kind] = (PlotBars){.names = heads,
                                  .values = column[kind],
                                  .count = ALL,
                                  .title = kind_names[kind]};
    }
    return plot_bars(
        s->stem, groups, DATA_KINDS,
        sketch_title(s, "Share of answers that are lost when one head (L: layer, H: head) is cut"),
        s->formats);
}

/* The share of right answers with every set of heads cut: (256, 3), bit h for head h. */
enum { RIGHT = (1 << ALL) * DATA_KINDS };

static bool give_jobs(uint64_t seed)
{
    real *right = computed_give("jobs/right", RIGHT);
    for (unsigned cut = 0; right && cut < 1u << ALL; cut++)
        for (int kind = 0; kind < DATA_KINDS; kind++)
            right[cut * DATA_KINDS + (unsigned)kind] =
                (real)accuracy_without(seed, true, cut, kind);
    return right != NULL;
}

static bool compute_jobs(const double *value, const char *text)
{
    const real *right = computed_given("jobs/right", RIGHT);
    unsigned cut = 0;
    int heads = 0;
    double share[2][DATA_KINDS];
    (void)text;
    for (int h = 0; h < ALL; h++)
        if (value[h] > 0)
            cut |= 1u << h, heads++;
    if (!right)
        return false;
    computed_fact("%d of %d heads are cut. Right answers:", heads, ALL);
    for (int kind = 0; kind < DATA_KINDS; kind++) {
        share[0][kind] = (double)right[kind];
        share[1][kind] = (double)right[cut * DATA_KINDS + (unsigned)kind];
        computed_fact("%s %s %.3f", kind ? ";" : "", kind_names[kind], share[1][kind]);
    }
    computed_axes(NULL, "share of right answers", false);
    computed_bars("all heads", DATA_KINDS, kind_names, share[0]);
    computed_bars("without those that are cut", DATA_KINDS, kind_names, share[1]);
    return true;
}

const ComputedFigure jobs_computed = {
    .name = "jobs",
    .title = "Cut the heads",
    .about = "The trained model of this chapter has two layers of four heads. Cut any of them (W_o "
             "of that head becomes 0) and see how many of 400 held-out questions of each kind it "
             "still answers: the program has tried all 256 sets.",
    .control = {{"cut L1 H1", 0, 1, 1, 0},
                {"cut L1 H2", 0, 1, 1, 0},
                {"cut L1 H3", 0, 1, 1, 0},
                {"cut L1 H4", 0, 1, 1, 0},
                {"cut L2 H1", 0, 1, 1, 0},
                {"cut L2 H2", 0, 1, 1, 0},
                {"cut L2 H3", 0, 1, 1, 0},
                {"cut L2 H4", 0, 1, 1, 0}},
    .compute = compute_jobs};

const Figure jobs_figures[] = {
    {25, "heads", draw_heads,
     .what = "all heads of both layers of a trained model, for one sentence"},
    {25, "jobs", draw_jobs,
     .what = "what each head is for: the answers that are lost without it, by kind of question",
     .computed = &jobs_computed, .give = give_jobs},
    {0},
};
