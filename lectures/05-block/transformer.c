/* transformer.c: the whole Transformer of "Attention is all you need", fig. 1, on a few sentences
 * (row 37). See transformer.h. */
#include "lectures/05-block/transformer.h"

#include <string.h>

enum { WIDTH = 32, HEADS = 4, WARMUP = 30 };
static const double rate = 3e-3;

const char *const spanish_words[] = {"soy",      "un",    "estudiante", "gracias",
                                     "profesor", "amigo", "vecino",     NULL};
const char *const english_words[] = {"a",     "am",      "I",      "thanks",    "student",
                                     "<eos>", "teacher", "friend", "neighbour", NULL};

bool small_transformer_init(Transformer *m, Params *p, const Lesson *lesson, Variant variant)
{
    BlockConfig c = {.channels = WIDTH,
                     .heads = HEADS,
                     .post_norm = true,
                     .activation = ACTIVATION_RELU};
    m->lesson = lesson;
    m->variant = variant;
    bool ok = nn_embedding_init(&m->spanish, p, "spanish", lesson->spanish, WIDTH) &&
              nn_embedding_init(&m->english, p, "english", lesson->english + 1, WIDTH) &&
              nn_position_init(&m->position, p, "position", POSITION_SINUSOIDAL, TARGET, WIDTH) &&
              nn_linear_init(&m->head, p, "head", WIDTH, lesson->english, true);
    for (int l = 0; ok && l < TRANSFORMER_LAYERS; l++)
        ok = nn_transformer_block_init(&m->encoder[l], p, params_path(p, "encoder.%d", l), c) &&
             nn_decoder_block_init(&m->decoder[l], p, params_path(p, "decoder.%d", l), c);
    return ok;
}

/* source (B, S) -> memory (B, S, C) */
static Tensor *encode(const Transformer *m, Tensor *source, Mask real_words)
{
    Tensor *memory = nn_position(&m->position, nn_embedding(&m->spanish, source));
    for (int l = 0; l < TRANSFORMER_LAYERS; l++)
        memory = nn_transformer_block(&m->encoder[l], memory, real_words);
    return m->variant == NO_CROSS ? ag_scale(memory, 0) : memory;
}

/* words so far (B, T) -> logits (B, T, words) for the word after each */
static Tensor *decode(const Transformer *m, Tensor *memory, Tensor *words, Mask real_words)
{
    Tensor *y = nn_position(&m->position, nn_embedding(&m->english, words));
    for (int l = 0; l < TRANSFORMER_LAYERS; l++)
        y = nn_decoder_block(&m->decoder[l], y, memory, (Mask){0}, real_words);
    return nn_linear(&m->head, y);
}

/* lengths (B) of the sources */
static Tensor *transformer(const Transformer *m, Tensor *source, Tensor *lengths, Tensor *words)
{
    Mask real_words = {.lengths = lengths};
    return decode(m, encode(m, source, real_words), words, real_words);
}

/* ---- training -------------------------------------------------------------------------------- */

void small_transformer_shift(const Transformer *m, const Pair *pair, int in[TARGET],
                             int out[TARGET])
{
    for (int i = 0; i < TARGET; i++) {
        bool there = i < pair->words;
        out[i] = there ? pair->target[i] : IGNORED;
        in[i] = i == 0 ? m->lesson->english : i <= pair->words ? pair->target[i - 1] : EOS;
        if (m->variant == NOT_SHIFTED)
            in[i] = there ? pair->target[i] : EOS;
    }
}

static Tensor *loss_of_all(const Transformer *m, Tape *tape)
{
    const Pair *pairs = m->lesson->pairs;
    int source[PAIRS_MAX * SOURCE], lengths[PAIRS_MAX], in[PAIRS_MAX * TARGET];
    int out[PAIRS_MAX * TARGET], count = m->lesson->count;
    for (int i = 0; i < count; i++) {
        memcpy(source + i * SOURCE, pairs[i].source, sizeof pairs[i].source);
        lengths[i] = pairs[i].length;
        small_transformer_shift(m, &pairs[i], in + i * TARGET, out + i * TARGET);
    }
    Tensor *logits = transformer(m, tape_ids(tape, source, shape2(count, SOURCE)),
                                 tape_ids(tape, lengths, shape1(count)),
                                 tape_ids(tape, in, shape2(count, TARGET)));
    return ag_cross_entropy_ignore(logits, tape_ids(tape, out, shape2(count, TARGET)), IGNORED);
}

bool small_transformer_train(const Transformer *m, Params *p, Tape *tape)
{
    Adam adam = {0};
    bool ok = adam_init(&adam, p, rate);
    for (int step = 0; ok && step < m->lesson->steps && m->variant != UNTRAINED; step++) {
        adam.rate = nn_warmup_linear(step, WARMUP, m->lesson->steps, rate, 0);
        tape_reset(tape);
        ok = ag_backward(loss_of_all(m, tape)) && adam_step(&adam, p);
    }
    adam_free(&adam);
    return ok;
}

/* ---- what a model says ----------------------------------------------------------------------- */

Tensor *small_transformer_logits(const Transformer *m, Tape *tape, const Pair *pair,
                                 const int *words)
{
    return transformer(m, tape_ids(tape, pair->source, shape2(1, SOURCE)),
                       tape_ids(tape, &pair->length, shape1(1)),
                       tape_ids(tape, words, shape2(1, TARGET)));
}

void small_transformer_write(const Transformer *m, Tape *tape, const Pair *pair, int greedy[TARGET])
{
    int words[TARGET] = {m->lesson->english, EOS, EOS, EOS, EOS};
    for (int i = 0; i < TARGET; i++) {
        tape_reset(tape);
        const real *logits =
            small_transformer_logits(m, tape, pair, words)->data + i * m->lesson->english;
        greedy[i] = 0;
        for (int w = 1; w < m->lesson->english; w++)
            greedy[i] = logits[w] > logits[greedy[i]] ? w : greedy[i];
        if (i + 1 < TARGET)
            words[i + 1] = greedy[i];
    }
}

bool small_transformer_right(const Pair *pair, const int *said, char text[TRANSLATION_TEXT])
{
    bool right = true;
    size_t length = 0;
    for (int k = 0; k < pair->length; k++)
        length += (size_t)snprintf(text + length, TRANSLATION_TEXT - length, "%s ",
                                   spanish_words[pair->source[k]]);
    length += (size_t)snprintf(text + length, TRANSLATION_TEXT - length, "->");
    for (int k = 0; k < pair->words; k++) {
        right &= said[k] == pair->target[k];
        length += (size_t)snprintf(text + length, TRANSLATION_TEXT - length, " %s",
                                   english_words[said[k]]);
    }
    snprintf(text + length, TRANSLATION_TEXT - length, "%s", right ? "" : "   (wrong)");
    return right;
}
