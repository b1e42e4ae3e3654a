/* generation_pages.c: writes the pages that generation.py opens, and what the C decoder makes of
 * the same logits:
 *
 *     generation-pages FOLDER
 *
 *   small.html         20 words, 8 steps drawn by nn_sample, and a beam whose best hypothesis depends on alpha
 *   large.html         40 steps of 50,257 words, in 16 bits; large.npy: their logits
 *   distributions.tsv  step, T, k, p, then the tokens that are kept and their probabilities
 *   draws.tsv          seed, step, T, k, p, then 100 tokens of nn_draw
 *   others.tsv         T, k, p, then the first step at which the run's random numbers draw another
 *                      token, and it; -1: none
 *   beam.tsv           alpha, the node of the best hypothesis, its score */
#include "gradus.h"
#include "nn/decode/internal.h"
#include "plot/pages.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 20, STEPS = 8, LARGE = 50257, LARGE_STEPS = 40, END = 3 };

static const char *folder;

static FILE *open_table(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    if (!out)
        exit(1);
    return out;
}

/* Random logits; words 4, 5 and 6 have equal ones, and the last step is nearly sure of one word. */
static Tensor *logits_of(int64_t steps, int64_t words)
{
    Tensor *t = tensor_new(shape2(steps, words));
    Rng rng = {.seed = 7};
    for (int64_t i = 0; t && i < steps * words; i++)
        t->data[i] = (real)(1.7 * rng_normal(&rng));
    for (int64_t i = 0; t && i < steps; i++)
        t->data[i * words + 5] = t->data[i * words + 6] = t->data[i * words + 4];
    if (t)
        t->data[(steps - 1) * words + 2] = 40;
    return t;
}

typedef struct {
    double temperature, top_p;
    int top_k;
} Setting;
static const Setting settings[] = {{1, 1, WORDS},   {0, 1, WORDS},    {0.5, 1, WORDS},
                                   {2.5, 1, WORDS}, {1, 1, 1},        {1, 1, 6},
                                   {1, 0.5, WORDS}, {1, 0.01, WORDS}, {1, 0.99, WORDS},
                                   {0.7, 0.9, 9},   {1.5, 0.6, 4},    {3, 0.95, 19}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void must(bool ok)
{
    if (!ok) {
        fprintf(stderr, "%s\n", tensor_error());
        exit(1);
    }
}

static void truncate(Candidates *c, const real *logits, Setting s)
{
    must(nn_temperature(c, logits, s.temperature) && nn_top_k(c, s.top_k) && nn_top_p(c, s.top_p));
}

static void write_distributions(const Tensor *logits, Candidates *c)
{
    FILE *out = open_table("distributions.tsv"), *draws = open_table("draws.tsv");
    for (int step = 0; step < STEPS; step++)
        for (int k = 0; k < SETTINGS; k++) {
            Rng rng = {.seed = 5000000000u + (uint64_t)k}; /* above 32 bits */
            truncate(c, logits->data + step * WORDS, settings[k]);
            fprintf(out, "%d\t%g\t%d\t%g", step, settings[k].temperature, settings[k].top_k,
                    settings[k].top_p);
            for (int i = 0; i < c->count; i++)
                fprintf(out, "\t%d\t%.17g", c->list[i].token, c->list[i].p);
            fprintf(draws, "%llu\t%d\t%g\t%d\t%g", (unsigned long long)rng.seed, step,
                    settings[k].temperature, settings[k].top_k, settings[k].top_p);
            for (int i = 0; i < 100; i++)
                fprintf(draws, "\t%d", nn_draw(c, &rng));
            fputs("\n", out);
            fputs("\n", draws);
        }
    fclose(out);
    fclose(draws);
}

/* The tokens of the run, or of other settings with the same random numbers. */
static void sample(const Tensor *logits, Candidates *c, Setting s, Rng rng, int *tokens)
{
    for (int64_t step = 0; step < logits->shape.dim[0]; step++) {
        truncate(c, logits->data + step * c->vocabulary, s);
        tokens[step] = nn_draw(c, &rng);
    }
}

static void write_others(const Tensor *logits, Candidates *c, Rng rng, const int *run)
{
    FILE *out = open_table("others.tsv");
    for (int k = 0; k < SETTINGS; k++) {
        int tokens[STEPS], step = 0;
        sample(logits, c, settings[k], rng, tokens);
        while (step < STEPS && tokens[step] == run[step])
            step++;
        fprintf(out, "%g\t%d\t%g\t%d\t%d\n", settings[k].temperature, settings[k].top_k,
                settings[k].top_p, step < STEPS ? step : -1, step < STEPS ? tokens[step] : -1);
    }
    fclose(out);
}

/* Three hypotheses: one ends at once, one after two words, one does not end. */
static BeamNode nodes[] = {{-1, 8, 1, -0.5},  {-1, END, 1, -1.3}, {-1, 2, 1, -1.6}, {0, 9, 2, -1.6},
                           {0, END, 2, -1.9}, {3, 10, 3, -2.3},   {3, 11, 3, -2.9}};

static double score_of(const BeamTree *t, int node)
{
    return decode_score(t->node[node].log_p, t->node[node].length, t->alpha);
}

static void write_beam(BeamTree *tree)
{
    static const double alphas[] = {0, 0.5, 1, 2};
    FILE *out = open_table("beam.tsv");
    for (int a = 0; a < 4; a++) {
        int best = -1;
        tree->alpha = alphas[a];
        for (int i = 0; i < tree->nodes; i++)
            if ((nodes[i].token == END || nodes[i].length == 3) &&
                (best < 0 || score_of(tree, i) > score_of(tree, best)))
                best = i;
        fprintf(out, "%g\t%d\t%.17g\n", alphas[a], best, score_of(tree, best));
    }
    fclose(out);
    tree->alpha = 1;
}

static const char *const vocabulary[WORDS] = {"</script><script>window.attacked = 1</script>",
                                              "<img src=x onerror='window.attacked=1'>",
                                              " the",
                                              "<eos>",
                                              "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
                                              "\xe7\x8c\xab",
                                              "gro\xc3\x9f",
                                              "\n",
                                              " cat",
                                              " sat",
                                              " on",
                                              " a",
                                              " mat",
                                              "\"",
                                              "'",
                                              "&amp;",
                                              " ",
                                              "\xff",
                                              " Fu\xc3\x9f",
                                              "!"};

static void small_page(void)
{
    Tensor *logits = logits_of(STEPS, WORDS);
    const Setting run = {0.8, 0.95, 15};
    const Rng rng = {.seed = 0xfedcba9876543210u, .stream = 2, .position = 6};
    Candidates c;
    int tokens[STEPS];
    char path[1024];
    BeamTree tree = {.nodes = sizeof nodes / sizeof *nodes, .node = nodes, .alpha = 1};
    must(logits && nn_candidates_init(&c, WORDS));
    sample(logits, &c, run, rng, tokens);
    write_distributions(logits, &c);
    write_others(logits, &c, rng, tokens);
    write_beam(&tree);
    snprintf(path, sizeof path, "%s/small.html", folder);
    must(plot_page_generation(path, &(PlotPageGeneration){.title = "<i>Generation</i>",
                                                          .vocabulary = vocabulary,
                                                          .words = WORDS,
                                                          .prompt = "One <b>morning</b>, ",
                                                          .logits = logits,
                                                          .tokens = tokens,
                                                          .temperature = run.temperature,
                                                          .top_k = run.top_k,
                                                          .top_p = run.top_p,
                                                          .drawn = true,
                                                          .rng = rng,
                                                          .beam = &tree,
                                                          .end = END}));
    nn_candidates_free(&c);
    tensor_free(logits);
}

/* As many words as GPT-2 has. */
static void large_page(void)
{
    static const char *words[LARGE];
    static char text[LARGE][8];
    static int tokens[LARGE_STEPS];
    char path[1024];
    Candidates c;
    Tensor *logits = logits_of(LARGE_STEPS, LARGE);
    must(logits && nn_candidates_init(&c, LARGE));
    for (int i = 0; i < LARGE; i++) {
        snprintf(text[i], sizeof text[i], " w%d", i);
        words[i] = text[i];
    }
    sample(logits, &c, (Setting){1, 0.9, 40}, (Rng){.seed = 1}, tokens);
    snprintf(path, sizeof path, "%s/large.npy", folder);
    must(tensor_npy_write(path, logits));
    snprintf(path, sizeof path, "%s/large.html", folder);
    must(plot_page_generation(path, &(PlotPageGeneration){.vocabulary = words,
                                                          .words = LARGE,
                                                          .prompt = "Once",
                                                          .logits = logits,
                                                          .tokens = tokens,
                                                          .temperature = 1,
                                                          .top_k = 40,
                                                          .top_p = 0.9,
                                                          .drawn = true,
                                                          .rng = {.seed = 1},
                                                          .end = -1}));
    nn_candidates_free(&c);
    tensor_free(logits);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    small_page();
    large_page();
    return 0;
}
