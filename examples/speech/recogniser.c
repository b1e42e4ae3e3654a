/* recogniser.c: the words of a wave. See recogniser.h. */
#include "examples/speech/recogniser.h"

#include <math.h>

enum { CHANNELS = 20, HEADS = 4, REACH = 10 };

bool recogniser_init(Recogniser *r, Params *p)
{
    const EncoderConfig encoder = {.longest = FRAMES,
                                   .layers = RECOGNISER_LAYERS,
                                   .block = {.channels = CHANNELS, .heads = HEADS}};
    return nn_linear_init(&r->in, p, "recogniser.in", BANDS, CHANNELS, true) &&
           nn_encoder_init(&r->encoder, p, "recogniser", encoder) &&
           nn_linear_init(&r->out, p, "recogniser.out", CHANNELS, DIGITS + 1, true);
}

Tensor *recogniser_logits(const Recogniser *r, Tensor *tokens)
{
    Tensor *x = nn_linear(&r->in, tokens);
    return nn_linear(&r->out, nn_encoder(&r->encoder, x, (Mask){.window = REACH}));
}

int recogniser_words(const Recogniser *r, Tape *tape, const real *wave, int frames,
                     int words[HEARD_MAX])
{
    enum { LABELS = DIGITS + 1, SHORTEST = 3 }; /* a shorter run is a passage between two sounds */
    int count = 0, label[FRAMES];
    tape_reset(tape);
    tape->no_grad = true;
    Tensor *tokens = mel_tokens(tape, wave, frames);
    const Tensor *logits = recogniser_logits(r, ag_reshape(tokens, shape3(1, frames, BANDS)));
    if (tensor_is_poison(logits))
        return -1;
    for (int f = 0; f < frames; f++) {
        label[f] = nn_greedy(logits->data + f * LABELS, LABELS);
        if (!isfinite((double)logits->data[f * LABELS + label[f]]))
            return -1;
    }
    for (int f = 0, end; f < frames; f = end) {
        for (end = f + 1; end < frames && label[end] == label[f];)
            end++;
        if (label[f] != SILENCE && end - f >= SHORTEST && count < HEARD_MAX)
            words[count++] = label[f];
    }
    return count;
}

int words_wrong(const int *read, int count, const int *truth, int words)
{
    int least[HEARD_MAX + 1]
             [HEARD_MAX + 1]; /* of the first i words read and the first j true ones */
    for (int i = 0; i <= count; i++)
        for (int j = 0; j <= words; j++) {
            least[i][j] = i + j; /* one of them is 0: all are left out or put in */
            if (i == 0 || j == 0)
                continue;
            int same = least[i - 1][j - 1] + (read[i - 1] != truth[j - 1]);
            int one = 1 + (least[i - 1][j] < least[i][j - 1] ? least[i - 1][j] : least[i][j - 1]);
            least[i][j] = same < one ? same : one;
        }
    return least[count][words];
}
