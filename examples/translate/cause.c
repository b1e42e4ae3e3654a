/* cause.c: what a word of the translation depends on: --cut, --patch, --lens, --sweep of the
 * decoder's cross-attention (examples/common/cause.h). --asked says which word. */
#include "examples/translate/settings.h"

#include <string.h>

typedef struct {
    const Settings *s;
    const Translator *t;
    const Corpus *d;
    SentencePair pair[2]; /* of --text, and of --from */
    int asked;            /* the row of the decoder whose next word is asked */
} Asked;

static Tensor *word_asked(const Asked *a, Tensor *x)
{
    return tensor_is_poison(x) ? x : ag_slice(x, 1, a->asked, a->asked + 1);
}

/* The words before the asked one are those of the first text's translation. */
static Tensor *logits_of(void *model, Tape *tape, int which)
{
    const Asked *a = model;
    SentencePair pair = a->pair[which];
    PairBatch batch;
    memcpy(pair.english, a->pair[0].english, sizeof pair.english);
    pair.english_length = a->pair[0].english_length;
    if (!pairs_init(&batch, 1))
        return tensor_poison();
    pairs_fill(&batch, &pair, 1);
    Tensor *logits = translator_logits(a->t, tape, &batch);
    pairs_free(&batch);
    return word_asked(a, logits);
}

static Tensor *read_stream(void *model, Tensor *x)
{
    const Asked *a = model;
    const Transformer *m = &a->t->transformer;
    x = word_asked(a, x);
    return nn_linear(&m->head, m->config.pre_norm ? nn_norm(&m->decoder_norm, x) : x);
}

static const char *name_of(void *model, int answer)
{
    const Asked *a = model;
    return data_vocab_word(data_translations_english(a->d->all), answer);
}

bool show_cause(const Settings *s, const Translator *t, const Corpus *d, const SentencePair *pair)
{
    Asked a = {.s = s, .t = t, .d = d, .pair = {*pair}, .asked = s->asked - 1};
    const char *rows[DATA_WORDS_MAX + 1] = {"<bos>"}, *columns[DATA_WORDS_MAX];
    if (!cause_wanted(&s->cause))
        return true;
    if (t->kind == ALIGNER || s->asked > pair->english_length)
        options_refuse("--asked: found word %d of a translation of %d; expected one of a "
                       "transformer's words",
                       s->asked, pair->english_length);
    if (s->cause.from)
        a.pair[1].spanish_length =
            data_translations_read(d->all, s->cause.from, a.pair[1].spanish, DATA_WORDS_MAX);
    if (s->cause.from && a.pair[1].spanish_length != pair->spanish_length)
        options_refuse("--from: found %d words; expected %d", a.pair[1].spanish_length,
                       pair->spanish_length);
    for (int i = 0; i < pair->english_length; i++)
        rows[i + 1] = data_vocab_word(data_translations_english(d->all), pair->english[i]);
    for (int i = 0; i < pair->spanish_length; i++)
        columns[i] = data_vocab_word(data_translations_spanish(d->all), pair->spanish[i]);
    const Cause c = {.block = "decoder.%d",
                     .attn = "decoder.%d.cross_attn",
                     .layers = t->transformer.config.layers,
                     .heads = t->transformer.config.heads,
                     .rows = rows,
                     .columns = columns,
                     .row_count = pair->english_length + 1,
                     .column_count = pair->spanish_length,
                     .position = a.asked,
                     .right = -1,
                     .name = name_of,
                     .logits = logits_of,
                     .read = read_stream,
                     .model = &a};
    return cause_run(&c, &s->cause, &s->common);
}
