/* vision.h: what the files of this chapter share. */
#ifndef LECTURES_VISION_H
#define LECTURES_VISION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* row 49, for a question: the sum of the products of a network whose mask is shifted by one, over
 * all 512 pictures of nine.c. */
double nine_shifted_mask(Trial *t);

/* row 50: windows.c, reach.c, hierarchy.c */

/* Attention within square windows of a picture of side x side tokens, its rows one after another.
 * The borders of the windows lie at shift, shift + window, ...: Swin's layers have shift 0 and
 * window / 2 in turn. */
typedef struct {
    int side, window, shift;
} Windows;

/* The number of the window, along one axis, in which row or column i lies; from 0, or from 1 where
 * the shift is 0. */
int windows_band(Windows w, int i);

/* Tokens (B, side^2, C) -> (B windows, window^2, C), the windows row by row. No shift. */
Tensor *windows_cut(Tensor *x, Windows w);

/* An attention within windows: tokens (B, side^2, C) -> the same shape. */
Tensor *swin_attention(const MultiHeadAttention *a, Tensor *x, Windows w);

/* PVT: the keys and values of R x R neighbouring tokens are one, LN(linear(all R^2 C numbers)). */
typedef struct {
    MultiHeadAttention attn;
    Linear reduce; /* R^2 C -> C */
    Norm norm;
    int side, ratio;
} ReducedAttention;
Tensor *pvt_attention(const ReducedAttention *a, Tensor *x);

/* row 51: sound.c, speaking.c, captions.c, exercises.c */
/* For a question: how many times fewer pairs of tokens a second of sound has as frames than as
 * samples. */
double sound_pairs(Trial *t);

/* Fills the weights that were registered from a file of this chapter. */
bool media_load(Params *p, const char *file);
/* Replaces the weights below this path by small random numbers: a fault. */
void media_forget(Params *p, const char *path);

#endif
