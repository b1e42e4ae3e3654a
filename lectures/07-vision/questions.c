/* questions.c: what chapter 7 asks its reader (runner/questions.h), in the order of its sections. */
#include "lectures/07-vision/vision.h"

const Question vision_questions[] = {
    /* row 48 */
    /* row 49 */
    /* row 50 */
    /* row 51 */
    {.row = 51,
     .claim = &claim_reads_words,
     .question = "Attention computes a score for each pair of tokens. A second of sound is 16,000 "
                 "samples, or frames of 20 ms: how many times fewer pairs have the frames?",
     .measure = sound_pairs,
     .quantity = "(samples / frames)^2",
     .within = 0.02,
     .answer = "102,400: 320 samples become one token, and pairs go with the square.",
     .misconception = "320 is the ratio of the tokens; scores are counted in pairs."},
    {.row = 51,
     .claim = &claim_overlap_add,
     .question = "Can a wave be computed back from its spectrogram |X|^2?",
     .choices = {{"yes, to rounding: the Fourier transform can be undone",
                  "X can be undone; |X|^2 has lost where in the frame each wave begins."},
                 {"no: the phases of X are missing",
                  "with |X| instead of X the inverse transform gives another wave."},
                 {"no: the window sets samples to 0",
                  "windows that overlap by half sum to 1, so no sample is lost."}},
     .right = 2,
     .answer = "Not by the inverse transform: the phases are missing. Speech from a spectrogram "
               "needs a source of its own: here pulses or noise, which the bands filter."},
    {.row = 51,
     .claim = &claim_residual,
     .question = "A codec writes two codes a frame: one of 64 centres, and one of 64 centres for "
                 "what the first leaves. How many different frames can it write?",
     .measure = codec_frames,
     .quantity = "different sums of two centres",
     .within = 0.01,
     .answer = "4,096 = 64 x 64, with 128 vectors stored: each first code goes with each second.",
     .misconception = "128 = 64 + 64 is what is stored, not what can be written."},
    {.row = 51,
     .claim = &claim_prompt_pitch,
     .question = "How does VALL-E learn in whose voice it has to speak?",
     .choices = {{"from the speaker's number, an extra token",
                  "then only speakers of the training could be named; these were never heard."},
                 {"from the letters of the text", "the same text is spoken by everybody."},
                 {"from the codes of a recording with which the sequence begins",
                  "a language model goes on as it began."},
                 {"by training on the new speaker", "no weight is changed: the prompt is enough."}},
     .right = 3,
     .answer = "From the prompt: codes of a few words of the speaker come first, and a language "
               "model continues in their manner. Nothing was trained on this speaker."},
    {.row = 0},
};
