/* model.h: speech from text as language modelling, in the manner of VALL-E (Wang et al. 2023).
 *
 *   p(codes | letters) = prod_f p(first_f | letters, codes_1 .. codes_(f-1)) p(second_f | the same, first_f)
 *
 *   letters | edge | codes_1 ... codes_p |  codes_(p+1) ...                    Z "Text-to-speech"
 *                    a prompt: one word     what the GPT writes: the other words, in the voice of the prompt
 *
 * VALL-E has eight codes a frame and two models: one writes the first codes frame by frame, as
 * here; the other writes the second codes of all frames at once, then the third ones given these,
 * and so on. Here one GPT writes both codes. */
#ifndef SPEECH_MODEL_H
#define SPEECH_MODEL_H

#include "examples/speech/codec.h"
#include "examples/speech/recogniser.h"

enum { SPEECH_CHANNELS = 32, SPEECH_LAYERS = 2, SPEECH_HEADS = 4 };
/* The first code of what stands before the first frame, and of what ends a sentence. */
enum { EDGE = CENTRES };

typedef struct {
    Codec codec;
    Recogniser recogniser;           /* which reads what the GPT says             */
    Embedding letters, code[STAGES]; /* the codes' are the output layers, too     */
    PositionalEncoding position;
    TransformerBlock blocks[SPEECH_LAYERS];
    Norm norm;
    Linear second; /* reads the state and the embedding of the first code */
} Speech;

bool speech_init(Speech *s, Params *p);

/* Sentences as ids: letters (B, LETTERS_MAX) and codes (B, T, STAGES), flat, B at most 64; after
 * its end a sentence has codes -1. Returns the loss: mean -log p of the first codes, the end among
 * them, plus that of the second codes. */
Tensor *speech_loss(const Speech *s, Tape *tape, const int *letters, const int *codes, int B,
                    int T);

/* Draws codes from the nucleus (top-p 0.95) after those of a prompt, one frame at a time, until the
 * end or `most` frames. Returns how many frames there are with the prompt's; -1 after an error. */
int speech_write(const Speech *s, Tape *tape, const int letters[LETTERS_MAX], int (*codes)[STAGES],
                 int prompt, int most, Rng *rng);

#endif
