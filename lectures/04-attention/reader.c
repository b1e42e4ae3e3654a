/* reader.c: see reader.h. The weights were made by
 *   ./gradus example attention --channels 32 --save lectures/04-attention/trained_model.safetensors */
#include "lectures/04-attention/reader.h"

/* Loads the trained model, or begins one with random weights. */
void reader_begin(Reader *r, bool trained, uint64_t seed)
{
    const Settings settings = {.window = 4, .channels = 32};
    *r = (Reader){.grammar = data_grammar_new(), .params = params_new(seed)};
    ModelConfig config = sentence_config(&settings, r->grammar);
    if (trained)
        load_model(&r->model, r->params, LECTURES_FOLDER "/04-attention/trained_model.safetensors",
                   config);
    else
        begin_model(&r->model, r->params, config);
}

void reader_end(Reader *r)
{
    params_free(r->params);
    data_grammar_free(r->grammar);
}

void read_again(const Reader *r, Tape *tape, Reading *reading)
{
    Sentence *s = &reading->sentence;
    for (int i = 0; i < s->length; i++)
        reading->words[i] = data_vocab_word(data_grammar_words(r->grammar), s->ids[i]);
    tape_reset(tape);
    tape->keep_maps = true;
    Tensor *ids = tape_ids(tape, s->ids, shape2(1, s->length));
    Tensor *logits = model_answer(&r->model, ids, NULL, tape_ids(tape, &s->query, shape1(1)));
    reading->right = (double)tensor_get(ag_softmax(logits), (int64_t[]){0, s->label});
    for (int l = 0; l < LAYERS; l++) {
        char name[TENSOR_NAME_MAX];
        snprintf(name, sizeof name, "blocks.%d.attn.A", l);
        reading->maps[l] = tape_find(tape, name);
    }
}

void read_sentence(const Reader *r, Tape *tape, const char *text, bool mask_cue, Reading *reading)
{
    data_grammar_parse(r->grammar, text, &reading->sentence);
    if (mask_cue)
        data_sentence_mask_cue(&reading->sentence);
    read_again(r, tape, reading);
}

const char *const it_sentences[2] = {
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
};
const char *const bank_sentences[2] = {
    "I swam across the river to get to the other bank.",
    "I walked across the road to get cash from the bank.",
};
