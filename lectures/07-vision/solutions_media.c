/* solutions_media.c: solutions of the exercises of row 51, and mistakes that students make; try the
 * exercises first. */
#include "lectures/07-vision/exercises_media.h"

#include "examples/common/kmeans.h"

#include <string.h>

/* ---- row 51: from frames to a wave ----------------------------------------------------------- */

/* Adds frame f to the wave; if `set`, writes it over the wave. */
static void add_frame(const real *frames, int F, int f, bool set, real *wave)
{
    for (int i = 0; i < WINDOW; i++) {
        int n = f * HOP - (WINDOW - HOP) / 2 + i;
        if (n >= 0 && n < F * HOP)
            wave[n] = frames[f * WINDOW + i] + (set ? 0 : wave[n]);
    }
}

void overlap_solved(const real *frames, int F, real *wave)
{
    memset(wave, 0, (size_t)(F * HOP) * sizeof *wave);
    for (int f = 0; f < F; f++)
        add_frame(frames, F, f, false, wave);
}

void overlap_wrong_kept(const real *frames, int F, real *wave)
{
    for (int f = 0; f < F; f++)
        add_frame(frames, F, f, false, wave);
}

void overlap_wrong_set(const real *frames, int F, real *wave)
{
    for (int f = 0; f < F; f++)
        add_frame(frames, F, f, true, wave);
}

/* ---- row 51: residual codes ------------------------------------------------------------------ */

/* The residual codes with this sign of the centres, and the centres of one stage in all or of each
 * in each. */
static void codes_with(const Codec *c, const real v[NUMBERS], int codes[STAGES], int sign,
                       bool one_book)
{
    real rest[NUMBERS];
    memcpy(rest, v, sizeof rest);
    for (int s = 0; s < STAGES; s++) {
        const real *centres = c->centres[one_book ? 0 : s]->data;
        codes[s] = kmeans_nearest(centres, CENTRES, rest, NUMBERS);
        for (int d = 0; d < NUMBERS; d++)
            rest[d] -= (real)sign * centres[codes[s] * NUMBERS + d];
    }
}

void codes_of_solved(const Codec *c, const real v[NUMBERS], int codes[STAGES])
{
    codes_with(c, v, codes, 1, false);
}

void codes_of_wrong_one_book(const Codec *c, const real v[NUMBERS], int codes[STAGES])
{
    codes_with(c, v, codes, 1, true);
}

void codes_of_wrong_sum(const Codec *c, const real v[NUMBERS], int codes[STAGES])
{
    codes_with(c, v, codes, -1, false);
}
