/* grids.c: the lecture's two grids for "Soy un estudiante": at each step, the target among six
 * words, and the distribution of a trained model. (V "Target Model Outputs", V "Trained Model
 * Outputs".) The remaining probability belongs to the other words of the vocabulary. */
#include "examples/translate/settings.h"

#include <string.h>

enum { WORDS = 6, STEPS = 5 };

static const char *const words[WORDS] = {"a", "am", "I", "thanks", "student", "<eos>"};
static const char *const steps[STEPS] = {"step 1", "step 2", "step 3", "step 4", "step 5"};

/* "Soy un estudiante" -> "I am a student", and the six words' ids. */
static bool lecture_pair(const Corpus *d, SentencePair *pair, int ids[WORDS])
{
    static const char *const english[STEPS - 1] = {"I", "am", "a", "student"};
    const Vocab *v = data_translations_english(d->all);
    *pair = (SentencePair){.english_length = STEPS - 1};
    pair->spanish_length =
        data_translations_read(d->all, "soy un estudiante", pair->spanish, DATA_WORDS_MAX);
    bool ok = pair->spanish_length > 0;
    for (int i = 0; ok && i < STEPS - 1; i++)
        ok = (pair->english[i] = data_vocab_need(v, english[i])) >= 0;
    for (int i = 0; ok && i < WORDS; i++)
        ok = (ids[i] = data_vocab_need(v, words[i])) >= 0;
    return ok;
}

/* Computes both grids (STEPS, WORDS): the target, and the softmax of the model's logits with the
 * correct words so far as input. */
static bool fill(const Translator *t, const SentencePair *pair, const int ids[WORDS],
                 Tensor *target, Tensor *said)
{
    PairBatch batch;
    Tape *tape = tape_new(1);
    bool ok = tape && pairs_init(&batch, 1);
    if (!ok)
        return false;
    tape->no_grad = true;
    pairs_fill(&batch, pair, 1);
    Tensor *p = ag_softmax(translator_logits(t, tape, &batch));
    ok = !tensor_is_poison(p);
    for (int i = 0; ok && i < STEPS * WORDS; i++) {
        int step = i / WORDS, id = ids[i % WORDS];
        target->data[i] = batch.out[step] == id;
        said->data[i] = p->data[step * shape_last(p->shape) + id];
    }
    pairs_free(&batch);
    tape_free(tape);
    return ok;
}

bool draw_grids(const Settings *s, const Translator *t, const Corpus *d)
{
    char path[EXAMPLE_PATH];
    int ids[WORDS];
    SentencePair pair;
    Tensor *grid[2] = {tensor_new(shape2(STEPS, WORDS)), tensor_new(shape2(STEPS, WORDS))};
    bool ok =
        grid[0] && grid[1] && lecture_pair(d, &pair, ids) && fill(t, &pair, ids, grid[0], grid[1]);
    PlotHeatmap maps[2];
    for (int i = 0; i < 2; i++)
        maps[i] = (PlotHeatmap){.map = grid[i],
                                .rows = steps,
                                .columns = words,
                                .row_name = "",
                                .column_name = "word",
                                .title = i == 0 ? "target" : "trained model",
                                .scale = {.low = 0, .high = 1, .name = "probability"},
                                .values = true};
    if (ok) {
        printf("\nsoy un estudiante: the next word, as it should be and as the model says\n");
        ok = plot_terminal_heatmaps(stdout, maps, 2, PLOT_AUTO) &&
             plot_heatmaps(example_path(&s->common, "grids", path), maps, 2,
                           "\"Soy un estudiante\": the next word at each step",
                           PLOT_PNG | PLOT_SVG | PLOT_PDF);
    }
    tensor_free(grid[0]);
    tensor_free(grid[1]);
    return ok;
}
