/* tile_emulation.h: the tile unit and VDPBF16PS in software, so that their kernels run on any
 * processor with AVX-512.
 *
 * The build compiles the files of kernels/amx a second time with this header included before all
 * others, for a unit of another name (UNIT): the intrinsics that they use are replaced by functions
 * of tile_emulation.c. Tests only: an
 * instruction of the unit takes some hundred of the processor's.
 *
 * Source: Intel, "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2:
 * LDTILECFG, TILELOADD, TILESTORED, TILEZERO, TILERELEASE, TDPBF16PS. Where the unit would raise an
 * exception (a register that is not configured, shapes that do not fit, reserved bytes that are not
 * 0), the program is aborted with a message. */
#ifndef GRADUS_TESTS_TILE_EMULATION_H
#define GRADUS_TESTS_TILE_EMULATION_H

#include <immintrin.h>
#include <stddef.h>

void emulated_loadconfig(const void *config);
void emulated_release(void);
void emulated_loadd(int to, const void *from, ptrdiff_t stride);
void emulated_stored(int from, void *to, ptrdiff_t stride);
void emulated_zero(int to);
void emulated_dpbf16ps(int c, int a, int b);
/* VDPBF16PS: the products of the odd bfloat16 are added to each sum, then those of the even. */
__m512 emulated_dot(__m512 sum, __m512bh a, __m512bh b);

/* How many products of tiles the calling thread has computed: tests see by it that the unit was
 * used. */
long emulated_products(void);

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#define _tile_loadconfig               emulated_loadconfig
#define _tile_release                  emulated_release
#define _tile_loadd(to, from, stride)  emulated_loadd(to, from, (ptrdiff_t)(stride))
#define _tile_stored(from, to, stride) emulated_stored(from, to, (ptrdiff_t)(stride))
#define _tile_zero                     emulated_zero
#define _tile_dpbf16ps                 emulated_dpbf16ps
#define _mm512_dpbf16_ps               emulated_dot

#endif
