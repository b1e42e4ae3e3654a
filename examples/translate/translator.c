/* translator.c: see translator.h. */
#include "examples/translate/translator.h"

#include "examples/common/example.h"

#include <stdlib.h>

/* ---- batches --------------------------------------------------------------------------------- */

bool pairs_init(PairBatch *b, int most)
{
    const size_t places = (size_t)most * LONGEST;
    *b = (PairBatch){.from = example_alloc(3 * places * sizeof *b->from)};
    b->in = b->from + (b->from ? places : 0);
    b->out = b->in + (b->from ? places : 0);
    return b->from != NULL;
}

void pairs_free(PairBatch *b)
{
    free(b->from);
}

void pairs_fill(PairBatch *b, const SentencePair *pairs, int B)
{
    b->B = B;
    b->S = b->T = 1;
    for (int i = 0; i < B; i++) {
        b->from_length[i] = pairs[i].spanish_length;
        b->to_length[i] = pairs[i].english_length + 1;
        b->S = b->from_length[i] > b->S ? b->from_length[i] : b->S;
        b->T = b->to_length[i] > b->T ? b->to_length[i] : b->T;
    }
    for (int i = 0; i < B; i++) {
        int32_t *from = b->from + i * b->S, *in = b->in + i * b->T, *out = b->out + i * b->T;
        for (int k = 0; k < b->S; k++)
            from[k] = k < b->from_length[i] ? pairs[i].spanish[k] : DATA_PAD;
        for (int k = 0, n = b->to_length[i]; k < b->T; k++) {
            in[k] = k == 0 ? DATA_BOS : k < n ? pairs[i].english[k - 1] : DATA_PAD;
            out[k] = k < n - 1 ? pairs[i].english[k] : k == n - 1 ? DATA_EOS : DATA_IGNORE;
        }
    }
}

/* ---- either model ---------------------------------------------------------------------------- */

bool translator_init(Translator *t, Params *p, ModelKind kind, TranslatorConfig config)
{
    *t = (Translator){.kind = kind};
    return kind == ALIGNER ? aligner_init(&t->aligner, p, config)
                           : transformer_init(&t->transformer, p, config);
}

static Tensor *encode(const Translator *t, Tensor *ids, Tensor *lengths)
{
    return t->kind == TRANSFORMER ? transformer_encode(&t->transformer, ids, lengths)
                                  : aligner_encode(&t->aligner, ids, lengths);
}

Tensor *translator_encode(const Translator *t, Tape *tape, const PairBatch *b)
{
    return encode(t, tape_ids(tape, b->from, shape2(b->B, b->S)),
                  tape_ids(tape, b->from_length, shape1(b->B)));
}

Tensor *translator_logits(const Translator *t, Tape *tape, const PairBatch *b)
{
    Tensor *lengths = tape_ids(tape, b->from_length, shape1(b->B));
    Tensor *memory = encode(t, tape_ids(tape, b->from, shape2(b->B, b->S)), lengths);
    Tensor *in = tape_ids(tape, b->in, shape2(b->B, b->T));
    if (t->kind == ALIGNER)
        return aligner_decode(&t->aligner, memory, lengths, in);
    return transformer_decode(&t->transformer, memory, lengths, in,
                              tape_ids(tape, b->to_length, shape1(b->B)));
}

/* ---- generation ------------------------------------------------------------------------------ */

bool writer_init(Writer *w, const Translator *t, int sequences)
{
    const TranslatorConfig *c = &t->transformer.config;
    const bool rnn = t->kind == ALIGNER;
    const int layers = rnn ? 1 : c->layers, heads = rnn ? 1 : c->heads;
    const int channels = rnn ? t->aligner.config.hidden : c->channels;
    *w = (Writer){.t = t};
    return nn_cache_init(&w->written, layers, sequences, LONGEST, heads, channels) &&
           nn_cache_init(&w->source, layers, sequences, LONGEST, heads, channels) &&
           pairs_init(&w->batch, sequences);
}

void writer_free(Writer *w)
{
    nn_cache_free(&w->written);
    nn_cache_free(&w->source);
    pairs_free(&w->batch);
}

static Tensor *writer_logits(void *writer, Tensor *ids, KVCache *written)
{
    Writer *w = writer;
    return w->t->kind == TRANSFORMER
               ? transformer_write(&w->t->transformer, ids, written, &w->source)
               : aligner_write(&w->t->aligner, ids, written, &w->source);
}

static Decoder writer_decoder(Writer *w)
{
    return (Decoder){.logits = writer_logits, .model = w, .cache = &w->written, .end = DATA_EOS};
}

/* Fills the sources' part of the cache, which is used until the next call. */
static bool read_sources(Writer *w, Tape *tape, const SentencePair *pairs)
{
    tape_reset(tape);
    tape->no_grad = true;
    pairs_fill(&w->batch, pairs, (int)w->source.batch);
    Tensor *memory = translator_encode(w->t, tape, &w->batch);
    return w->t->kind == TRANSFORMER
               ? transformer_read(&w->t->transformer, memory, w->batch.from_length, &w->source)
               : aligner_read(&w->t->aligner, memory, w->batch.from_length, &w->source);
}

/* Copies the tokens up to <eos>, or as many as fit. */
static void put_english(SentencePair *pair, const int *tokens, int count)
{
    int n = 0;
    while (n < count && n < DATA_WORDS_MAX && tokens[n] != DATA_EOS) {
        pair->english[n] = tokens[n];
        n++;
    }
    pair->english_length = n;
}

bool translate_greedily(Writer *w, Tape *tape, SentencePair *pairs, int count)
{
    const int B = (int)w->source.batch;
    SentencePair *all = example_alloc((size_t)B * sizeof *all);
    int *prompt = example_alloc((size_t)B * (LONGEST + 1) * sizeof *prompt), *out = prompt + B;
    bool ok = all && prompt;
    const Decoder d = writer_decoder(w);
    for (int first = 0; ok && first < count; first += B) {
        int n = count - first < B ? count - first : B;
        for (int b = 0; b < B; b++) { /* the last source is repeated to fill the batch */
            all[b] = pairs[first + (b < n ? b : n - 1)];
            prompt[b] = DATA_BOS;
        }
        ok = read_sources(w, tape, all) &&
             nn_generate(tape, &d, prompt, NULL, 1, out, DATA_WORDS_MAX);
        for (int b = 0; ok && b < n; b++)
            put_english(&pairs[first + b], out + b * DATA_WORDS_MAX, DATA_WORDS_MAX);
    }
    free(all);
    free(prompt);
    return ok;
}

bool translate_by_beam(Writer *w, Tape *tape, SentencePair *pair, double alpha, BeamTree *tree)
{
    const int B = (int)w->source.batch, prompt = DATA_BOS;
    SentencePair *all = example_alloc((size_t)B * sizeof *all);
    int out[DATA_WORDS_MAX];
    *tree = (BeamTree){0};
    if (!all)
        return false;
    for (int b = 0; b < B; b++) /* all hypotheses share one source */
        all[b] = *pair;
    const Decoder d = writer_decoder(w);
    bool ok = read_sources(w, tape, all) &&
              nn_beam(tape, &d, &prompt, 1, out, DATA_WORDS_MAX, alpha, tree);
    if (ok)
        put_english(pair, out, DATA_WORDS_MAX);
    free(all);
    return ok;
}

bool translate_by_sampling(Writer *w, Tape *tape, const SentencePair *pair, Generated *g)
{
    const int prompt = DATA_BOS;
    int out[DATA_WORDS_MAX];
    Decoder d = writer_decoder(w);
    d.pick = generated_pick;
    d.picker = g;
    return read_sources(w, tape, pair) &&
           nn_generate(tape, &d, &prompt, NULL, 1, out, DATA_WORDS_MAX);
}
