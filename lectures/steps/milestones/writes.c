/* writes.c: your decoder (homeworks 2, 3, 3b, 4, 4b, 7) with the weights of the gpt example writes,
 * and your sampling (homework 8) chooses. */
#include "library.h"
#include "transformer.h"

#include "hw4.h"
#include "hw8.h"

#include "examples/gpt/tokens.h"

#include <string.h>

enum { WORDS = 256, LENGTH = 120, C = 64 };

/* As in hw7.h, whose other types have names of the library's. */
void add_learned(float *y, const float *x, const float *table, int batch, int t, int positions,
                 int d);

/* The logits of the token after ids[0] .. ids[t - 1]; the embedding is the last layer, too. */
static void next_logits(float *logits, const int *ids, int t, int words)
{
    static const Transformer m = {.channels = C, .heads = 4, .layers = 3, .causal = 1};
    static float tokens[ALL], x[ALL];
    embed(tokens, given("embedding.weight"), ids, t, C);
    add_learned(x, tokens, given("position.weight"), 1, t, TOKENS_MOST, C);
    transformer_run(&m, x, t);
    transformer_linear(logits, x + (t - 1) * C, given("embedding.weight"), NULL, 1, C, words);
}

/* Opens the example's file: its characters and its weights. */
static void open_gpt(const char *path, TokenisedText *text, Gpt *gpt, Params *p)
{
    Safetensors file;
    library_begin(p);
    safetensors_read(&file, path);
    for (int i = 0; i < file.metadata_count; i++)
        if (strstr(file.metadata[2 * i], "characters"))
            tokens_from_list(text, file.metadata[2 * i + 1]);
    nn_gpt_init(gpt, p, "", (GptConfig){text->words, TOKENS_MOST, C, 4, 3, POSITION_LEARNED, 0});
    params_load_from(p, &file, path);
    safetensors_free(&file);
}

int main(int argc, char **argv)
{
    static float logits[WORDS], prob[WORDS], kept[WORDS];
    char said[4 * LENGTH];
    int ids[TOKENS_MOST];
    TokenisedText text;
    Gpt gpt;
    Rng rng = {.seed = 1};
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    open_gpt(argc > 1 ? argv[1] : "", &text, &gpt, p);
    int t = (int)tokens_encode(&text, "The ", ids, LENGTH), words = text.words;
    next_logits(logits, ids, t, words);
    const Tensor *right = nn_gpt(&gpt, tape_ids(tape, ids, shape2(1, t)));
    bool ok = agrees(logits, right->data + (t - 1) * words, words, 1e-3);
    for (; t < LENGTH; next_logits(logits, ids, t, words)) {
        temperature(prob, logits, words, 0.7f);
        top_p(kept, prob, words, 0.9f);
        ids[t++] = draw(kept, words, (float)rng_uniform(&rng));
    }
    tokens_decode(&text, ids, t, said, sizeof said);
    printf("%s\n", said);
    tape_free(tape);
    tokens_free(&text);
    params_free(p);
    return !ok;
}
