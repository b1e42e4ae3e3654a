/* recorder.h: a text that a GPT draws, with the distribution of each step, and a beam search from
 * the same prompt: for a page on generated text. */
#ifndef GPT_RECORDER_H
#define GPT_RECORDER_H

#include "examples/common/generated.h"
#include "examples/gpt/tokens.h"

typedef struct {
    double temperature, top_p;
    int64_t top_k;
    Rng rng;
    int count;    /* the tokens to draw             */
    int beam;     /* hypotheses of the beam search  */
    double alpha; /* of the beam search: nn_beam    */
} RecorderSettings;

typedef struct {
    Generated generated;
    char *prompt;       /* its text */
    GeneratedText text; /* what a page says beside the numbers */
} Recorder;

/* Without an end, which a GPT has none of. */
Decoder gpt_decoder(const Gpt *m, KVCache *cache);

/* Draws at most so many tokens after the `have` of `text`, which has space for 2 T + 1 of them, as
 * many as one context takes; then searches. The vocabulary must stay until recorder_free. False
 * after an error. */
bool recorder_run(Recorder *r, const Gpt *m, const TokenisedText *t, Tape *tape,
                  const RecorderSettings *s, int32_t *text, int have);
void recorder_free(Recorder *r);

#endif
