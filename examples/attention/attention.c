/* attention.c: trains a small encoder and draws what it attends to.
 *
 *   The animal didn't cross the street because it was too tired.      "it" is the animal
 *   The animal didn't cross the street because it was too wide.       "it" is the street
 *   I swam across the river to get to the other bank.                 "bank" is a river's
 *   I walked across the road to get cash from the bank.               "bank" is for money
 *
 * (V and J "Self-attention", Z "Attention".) Sentences in this manner come from a grammar; the model is asked
 * what one word of each means, and is tested on pairs of noun and adjective that it never saw together.
 * The first layer sees only a few words to each side (J "Sparse Attention in Transformer"): it reads phrases,
 * such as "it was too tired", and leaves it to the second to look for what they speak of.
 * Then it draws: all heads of all layers, the head that looks from the word to its meaning, and arcs. */
#include "examples/attention/settings.h"

int main(int argc, char **argv)
{
    Settings s = {.common = {.seed = 1, .rate = 3e-3, .out = "out/attention"},
                  .window = 4,
                  .channels = CHANNELS};
    const Option own[] = {
        {"text", OPTION_TEXTS, &s.text, "SENTENCE",
         "draw this; up to four times (the lecture's pair)", 0, 0},
        {"gradients", OPTION_FLAG, &s.gradients, NULL, "draw dL/dA too", 0, 0},
        {"ablate", OPTION_FLAG, &s.ablate, NULL, "without the cue, without positions: three seeds",
         0, 0},
        {"data", OPTION_TEXT, &s.data, "FILE", "train on the characters of this text instead", 0,
         0},
        {"window", OPTION_INT, &s.window, "N", "words that layer 1 sees to each side; 0: all", 0,
         32},
        {"channels", OPTION_INT, &s.channels, "C", "of a token; a multiple of the 4 heads", HEADS,
         1024},
        {0},
    };
    example_begin(argc, argv, "Trains a small transformer encoder and draws what it attends to.",
                  &s.common, own);
    if (s.ablate && (s.common.load || s.common.resume || s.data))
        options_refuse(
            "--ablate trains on its own sentences; leave out --load, --resume and --data");
    Params *p = params_new((uint64_t)s.common.seed);
    bool ok = p && (s.ablate ? run_ablation(&s) : s.data ? run_text(&s, p) : run_sentences(&s, p));
    params_free(p);
    return ok ? 0 : 1;
}
