/* milestones_words.c: what the milestones head, tired and writes read: sentences as ids, and what
 * the library computes for them. See milestones.h. */
#include "lectures/steps/milestones.h"

#include "lectures/04-attention/reader.h"

#include <stdlib.h>
#include <string.h>

#define READER_WEIGHTS LECTURES_FOLDER "/04-attention/trained_model.safetensors"

/* ---- names and numbers ----------------------------------------------------------------------- */

void put_numbers(FILE *out, const char *name, const real *x, int64_t n)
{
    fprintf(out, "%s %d\n", name, (int)n);
    for (int64_t i = 0; i < n; i++)
        fprintf(out, "%.9g ", (double)x[i]);
    fputc('\n', out);
}

void put_ints(FILE *out, const char *name, const int *x, int n)
{
    fprintf(out, "%s %d\n", name, n);
    for (int i = 0; i < n; i++)
        fprintf(out, "%d ", x[i]);
    fputc('\n', out);
}

void put_tensor(FILE *out, const char *name, const Tensor *t)
{
    put_numbers(out, name, t->data, tensor_size(t));
}

bool put_weights(FILE *out, const char *path)
{
    Safetensors file;
    if (!safetensors_read(&file, path))
        return false;
    for (int i = 0; i < file.count; i++)
        put_tensor(out, file.tensors[i]->name, file.tensors[i]);
    safetensors_free(&file);
    return true;
}

/* The characters of a text, under the name and a number. */
static void put_text(FILE *out, const char *name, int number, const char *text)
{
    fprintf(out, "%s%d %d\n", name, number, (int)strlen(text));
    for (; *text; text++)
        fprintf(out, "%d ", *text);
    fputc('\n', out);
}

/* ---- the attention example ------------------------------------------------------------------- */

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
    (void)weights;
    reader_begin(&r, true, 1);
    Tape *tape = tape_new(1);
    read_sentence(&r, tape, it_sentences[0], false, &reading);
    int T = reading.sentence.length;
    put_ints(out, "tokens", &T, 1);
    put_ints(out, "query", &reading.sentence.query, 1);
    for (int i = 0; i < T; i++)
        put_text(out, "word", i, reading.words[i]);
    put_tensor(out, "x", second_input(&r.model, tape, &reading.sentence));
    put_tensor(out, "maps", reading.maps[1]);
    tape_free(tape);
    reader_end(&r);
    return put_weights(out, READER_WEIGHTS);
}

bool milestone_tired(FILE *out, const char *weights)
{
    Reader r;
    Sentence s[2];
    char name[32];
    (void)weights;
    reader_begin(&r, true, 1);
    Tape *tape = tape_new(1);
    for (int k = 0; k < 2; k++) {
        data_grammar_parse(r.grammar, it_sentences[k], &s[k]);
        put_text(out, "sentence", k, it_sentences[k]);
        snprintf(name, sizeof name, "ids%d", k);
        put_ints(out, name, s[k].ids, s[k].length);
        snprintf(name, sizeof name, "logits%d", k);
        put_tensor(out, name,
                   model_answer(&r.model, tape_ids(tape, s[k].ids, shape2(1, s[k].length)), NULL,
                                tape_ids(tape, &s[k].query, shape1(1))));
    }
    put_ints(out, "tokens", (int[]){s[0].length, s[1].length}, 2);
    put_ints(out, "query", (int[]){s[0].query, s[1].query}, 2);
    const Vocab *labels = data_grammar_labels(r.grammar);
    put_ints(out, "answers", &labels->count, 1);
    for (int i = 0; i < labels->count; i++)
        put_text(out, "answer", i, data_vocab_word(labels, i));
    tape_free(tape);
    reader_end(&r);
    return put_weights(out, READER_WEIGHTS);
}

/* ---- the gpt example ------------------------------------------------------------------------- */

enum { BYTES = 256 };

/* The characters of the file's list, such as "a 20 61 62", in hexadecimal; returns how many. */
static int characters_of(const Safetensors *file, int byte[BYTES])
{
    int count = 0;
    const char *list = "";
    for (int i = 0; i < file->metadata_count; i++)
        if (strstr(file->metadata[2 * i], "characters"))
            list = file->metadata[2 * i + 1];
    for (char *end; count < BYTES; list = end) {
        long value = strtol(list, &end, 16);
        if (end == list)
            break;
        byte[count++] = (int)value;
    }
    return count;
}

bool milestone_writes(FILE *out, const char *weights)
{
    static const char prompt[] = "The ";
    Safetensors file;
    int byte[BYTES], ids[sizeof prompt], t = 0;
    if (!safetensors_read(&file, weights))
        return false;
    int words = characters_of(&file, byte);
    safetensors_free(&file);
    for (const char *c = prompt; *c; c++)
        for (int i = 0; i < words; i++)
            if (byte[i] == *c)
                ids[t++] = i;
    Gpt m;
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    const GptConfig config = {words, 128, 64, 4, 3, POSITION_LEARNED, 0}; /* the example's own */
    bool ok =
        nn_gpt_init(&m, p, "", config) && params_load(p, weights) && put_weights(out, weights);
    if (ok) {
        put_ints(out, "words", &words, 1);
        put_ints(out, "bytes", byte, words);
        put_ints(out, "tokens", &t, 1);
        put_ints(out, "prompt", ids, t);
        const Tensor *logits = nn_gpt(&m, tape_ids(tape, ids, shape2(1, t)));
        put_numbers(out, "logits", logits->data + (t - 1) * words, words);
    }
    tape_free(tape);
    params_free(p);
    return ok;
}
