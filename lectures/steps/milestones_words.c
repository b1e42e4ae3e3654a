/* milestones_words.c: what the milestones head, tired and writes read: sentences as ids, and what
 * the library computes for them. See milestones.h. */
#include "lectures/steps/milestones.h"

#include "lectures/04-attention/reader.h"

#include "examples/common/store.h"

#include <string.h>

static void put_numbers(FILE *out, const Tensor *t)
{
    for (int64_t i = 0; i < tensor_size(t); i++)
        fprintf(out, "%.9g ", (double)t->data[i]);
    fputc('\n', out);
}

/* ---- the attention example ------------------------------------------------------------------- */

/* The head of the second layer that gives most of its weight to what is meant. */
static int clearest_head(const Reading *r)
{
    int best = 0;
    double most = -1;
    for (int h = 0; h < HEADS; h++) {
        double weight = (double)tensor_get(r->maps[1], (int64_t[]){0, h, r->sentence.query,
                                                                   r->sentence.referent});
        if (weight > most) {
            most = weight;
            best = h;
        }
    }
    return best;
}

/* What the second block's attention reads: the first block's result, normalised. */
static Tensor *second_input(const Model *m, Tape *tape, const Sentence *s)
{
    Tensor *ids = tape_ids(tape, s->ids, shape2(1, s->length));
    Tensor *x = nn_position(&m->encoder.position, nn_embedding(&m->encoder.embedding, ids));
    x = nn_transformer_block(&m->encoder.blocks[0], x, (Mask){.window = m->config.window});
    return nn_norm(&m->encoder.blocks[1].norm1, x);
}

bool milestone_head(FILE *out, const char *weights)
{
    Reader r;
    Reading reading;
    (void)weights; /* reader_begin knows them */
    reader_begin(&r, true, 1);
    Tape *tape = tape_new(1);
    read_sentence(&r, tape, it_sentences[0], false, &reading);
    int T = reading.sentence.length, head = clearest_head(&reading);
    fprintf(out, "%d %d %d 1 %d %d\n", T, r.model.config.channels, HEADS, head,
            reading.sentence.query);
    for (int i = 0; i < T; i++)
        fprintf(out, "%s ", reading.words[i]);
    put_numbers(out, second_input(&r.model, tape, &reading.sentence));
    put_numbers(out, ag_copy(ag_slice(ag_reshape(reading.maps[1], shape3(HEADS, T, T)), 0, head,
                                      head + 1)));
    tape_free(tape);
    reader_end(&r);
    return true;
}

/* In one piece: "bank:_of_a_river". */
static void put_word(FILE *out, const char *word)
{
    for (; *word; word++)
        fputc(*word == ' ' ? '_' : *word, out);
    fputc('\n', out);
}

static void put_sentence(FILE *out, const Reader *r, Tape *tape, const char *text)
{
    Sentence s;
    const char *adjective = strrchr(text, ' ') + 1;
    const Vocab *labels = data_grammar_labels(r->grammar);
    data_grammar_parse(r->grammar, text, &s);
    tape_reset(tape);
    Tensor *logits = model_answer(&r->model, tape_ids(tape, s.ids, shape2(1, s.length)), NULL,
                                  tape_ids(tape, &s.query, shape1(1)));
    fprintf(out, "%d\n", s.length);
    for (int i = 0; i < s.length; i++)
        fprintf(out, "%d ", s.ids[i]);
    fprintf(out, "%d %.*s %d\n", s.query, (int)strcspn(adjective, "."), adjective, labels->count);
    for (int i = 0; i < labels->count; i++)
        put_word(out, data_vocab_word(labels, i));
    put_numbers(out, logits);
}

bool milestone_tired(FILE *out, const char *weights)
{
    Reader r;
    (void)weights;
    reader_begin(&r, true, 1);
    Tape *tape = tape_new(1);
    fprintf(out, "2\n");
    for (int k = 0; k < 2; k++)
        put_sentence(out, &r, tape, it_sentences[k]);
    tape_free(tape);
    reader_end(&r);
    return true;
}
