/* translating.c: loads the trained translators. See translating.h. */
#include "lectures/01-recurrence/translating.h"

void translating_begin(Translating *m, Which which, uint64_t seed)
{
    static const char *const files[] = {LECTURES_FOLDER "/01-recurrence/with_attention.safetensors",
                                        LECTURES_FOLDER "/01-recurrence/last_state.safetensors"};
    m->corpus.all = data_translations_new();
    m->params = params_new(seed);
    load_translator(&m->model, m->params, &m->corpus, files[which == LAST_STATE]);
    if (which != UNTRAINED)
        return;
    TranslatorConfig sizes = m->model.aligner.config;
    params_free(m->params);
    m->params = params_new(seed);
    aligner_init(&m->model.aligner, m->params, sizes);
}

void translating_end(Translating *m)
{
    params_free(m->params);
    data_translations_free(m->corpus.all);
}

void translating_draw(const Translating *m, Rng *rng, SentencePair *pair, SentenceAlignment *gold)
{
    data_translations_draw(m->corpus.all, rng, DATA_HELD_OUT, pair, gold);
}

bool translating_weights(const Translating *m, Tape *tape, const SentencePair *pair, Gamma gamma)
{
    PairBatch batch;
    if (!pairs_init(&batch, 1))
        return false;
    pairs_fill(&batch, pair, 1);
    tape_reset(tape);
    tape->keep_maps = true;
    bool ok = !tensor_is_poison(translator_logits(&m->model, tape, &batch));
    for (int t = 0; ok && t < batch.T; t++) {
        char name[TENSOR_NAME_MAX];
        snprintf(name, sizeof name, t ? "align.A#%d" : "align.A", t + 1);
        Tensor *A = tape_find(tape, name); /* (1, 1, S) */
        for (int i = 0; i < batch.S; i++)
            gamma[t][i] = (double)A->data[i];
    }
    pairs_free(&batch);
    return ok;
}
