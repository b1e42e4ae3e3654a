/* attention.c: trains a small encoder and draws its attention weights.
 *
 *   The animal didn't cross the street because it was too tired.      "it" is the animal
 *   The animal didn't cross the street because it was too wide.       "it" is the street
 *   I swam across the river to get to the other bank.                 "bank" is a river's
 *   I walked across the road to get cash from the bank.               "bank" is for money
 *
 * (Lectures V and J "Self-attention", Z "Attention".) A grammar generates such sentences. The model
 * predicts what one word of each sentence means, and is tested on pairs of noun and adjective that
 * it never saw together. The first layer sees only a few words to each side (J "Sparse Attention in
 * Transformer"): it can read phrases such as "it was too tired", and the second layer has to find
 * the noun that they describe. The program then draws all heads of all layers, the head that
 * attends from the word to its meaning, and arcs. */
#include "examples/attention/settings.h"

int main(int argc, char **argv)
{
    static const char *const positions[] = {"sinusoidal", "learned", "none", NULL};
    const char *position = "sinusoidal";
    Settings s = {.common = {.seed = 1,
                             .steps = WORD_STEPS,
                             .rate = SENTENCE_RATE,
                             .out = "out/attention",
                             .pages = "attention.html, tape.html"},
                  .window = SENTENCE_WINDOW,
                  .channels = CHANNELS};
    const Option own[] = {
        {"text", OPTION_TEXTS, &s.text, "SENTENCE",
         "a sentence to draw; up to four (default: the lecture's pair)", 0, 0},
        {"gradients", OPTION_FLAG, &s.gradients, NULL, "also draw dL/dA", 0, 0},
        {"position", OPTION_TEXT, &position, "WHICH",
         "positional encoding: sinusoidal, learned or none", 0, 0},
        {"live", OPTION_FLAG, &s.live, NULL,
         "as --html, with the library in attention.html, and train.html: pages that compute", 0, 0},
        {"window", OPTION_INT, &s.window, "N",
         "number of words that layer 1 sees to each side; 0: all", 0, 32},
        {"channels", OPTION_INT, &s.channels, "C", "model width; a multiple of the 4 heads", HEADS,
         1024},
        CAUSE_OPTIONS(s.cause),
        {0},
    };
    example_begin(argc, argv, "Trains a small transformer encoder and draws its attention weights.",
                  &s.common, own);
    s.common.html = s.common.html || s.live;
    s.position = options_one_of("position", position, positions);
    cause_check(&s.cause);
    Params *p = params_new((uint64_t)s.common.seed);
    bool ok = p && run_sentences(&s, p);
    params_free(p);
    return ok ? 0 : 1;
}
