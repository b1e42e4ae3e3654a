/* ablate.c: ablations. The same model without positional encoding, and without cross-attention.
 *
 * Without positions the encoder sees a set of words and cannot know which adjective belongs to
 * which noun, or who does what to whom. The decoder's causal mask still lets it count positions.
 * Without cross-attention the decoder has no information about the source and writes correct
 * English with another meaning. */
#include "examples/translate/settings.h"

enum { MODELS = 3 };

static bool train_one(const Settings *s, const Corpus *d, int model)
{
    static const char *const what[MODELS] = {"full model", "no positions", "no cross-attention"};
    Settings changed = *s;
    Params *p = params_new((uint64_t)s->common.seed);
    Translator t;
    Score result;
    if (model == 1)
        changed.transformer.position = POSITION_NONE;
    changed.transformer.blind = model == 2;
    bool ok = p && translator_init(&t, p, &changed, TRANSFORMER, d) &&
              train(&changed, &t, p, d, what[model]) && score(&t, d, TESTS, &result);
    params_free(p);
    if (!ok)
        return false;
    printf("%-20s", what[model]);
    for (int i = 0; i < LENGTHS; i++)
        printf(" %10.1f", 100 * result.by_length[i].exact);
    printf(" %10.1f %10.3f\n", 100 * result.all.exact, result.loss);
    fflush(stdout);
    return true;
}

bool ablate(const Settings *s, const Corpus *d)
{
    printf("%d steps, seed %d; %% exact of %d sentences with combinations never seen, by Spanish "
           "words\n\n%-20s",
           s->common.steps, s->common.seed, TESTS, "");
    for (int i = 0; i < LENGTHS; i++)
        printf(" %10s", length_names[i]);
    printf(" %10s %10s\n", "all", "nats a word");
    bool ok = true;
    for (int model = 0; ok && model < MODELS; model++)
        ok = train_one(s, d, model);
    return ok;
}
