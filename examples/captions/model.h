/* model.h: one GPT that reads and writes pictures and words.
 *
 *   X (N, C)  picture c_1 .. c_32 caption w_1 .. w_11      a picture to a text
 *             picture c_1 .. c_32 ask shade the ring grey  a picture and a text to an answer
 *             caption w_1 .. w_11 picture c_1 .. c_32      a text to a picture
 *
 * It is the GPT of nn.h; nothing in it knows which ids are patches. Z "Vision and language
 * transformers" */
#ifndef CAPTIONS_MODEL_H
#define CAPTIONS_MODEL_H

#include "examples/captions/words.h"
#include "gradus.h"

enum { WIDTH = 32, HEADS = 4, LAYERS = 2 };

typedef struct {
    Gpt gpt;
    Codebook book;
    Tape *tape;
    Rng rng; /* of new pictures */
} PictureGpt;

/* Makes the model with its weights in p, and a tape. Call picture_gpt_end also after an error. */
bool picture_gpt_init(PictureGpt *m, Params *p, uint64_t seed);
void picture_gpt_end(PictureGpt *m);

/* New scenes and their codes. */
enum { SCENES = 400 };
typedef struct {
    Scene scene[SCENES];
    int codes[SCENES][PICTURE_CODES];
} Album;
void album_draw(Album *a, PictureGpt *m, int count, bool held_out);

/* The most probable ids that the model writes for n inputs, at most SCENES, all by nn_generate.
 * False after an error. words: a caption of each picture; answer: after each sequence_query; codes:
 * a picture for each caption. */
bool picture_gpt_captions(PictureGpt *m, int (*codes)[PICTURE_CODES], int n,
                          int (*words)[CAPTION_WORDS]);
bool picture_gpt_answers(PictureGpt *m, int (*queries)[ASKED], int n, int *answer);
bool picture_gpt_pictures(PictureGpt *m, int (*words)[CAPTION_WORDS], int n,
                          int (*codes)[PICTURE_CODES]);

#endif
