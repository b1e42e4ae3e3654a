/* tile_emulation.h: the tile unit in software, so that the AMX kernels run on any processor with AVX-512.
 *
 * The build compiles the files of kernels/amx a second time with this header included before all others: the
 * intrinsics that they use are replaced by functions of tile_emulation.c, and their global names change, so that both
 * copies can be linked into one program. Tests only: an instruction of the unit takes some hundred of the processor's.
 *
 * Source: Intel, "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2: LDTILECFG, TILELOADD,
 * TILESTORED, TILEZERO, TILERELEASE, TDPBSSD, TDPBF16PS. Where the unit would raise an exception (a register that is not
 * configured, shapes that do not fit, reserved bytes that are not 0), the program is aborted with a message. */
#ifndef GRADUS_TESTS_TILE_EMULATION_H
#define GRADUS_TESTS_TILE_EMULATION_H

#include <immintrin.h>
#include <stddef.h>

void emulated_loadconfig(const void *config);
void emulated_release(void);
void emulated_loadd(int to, const void *from, ptrdiff_t stride);
void emulated_stored(int from, void *to, ptrdiff_t stride);
void emulated_zero(int to);
void emulated_dpbssd(int c, int a, int b);
void emulated_dpbf16ps(int c, int a, int b);

/* How many products of tiles the calling thread has computed: tests see by it that the unit was used. */
long emulated_products(void);

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbssd
#undef _tile_dpbf16ps
#define _tile_loadconfig               emulated_loadconfig
#define _tile_release                  emulated_release
#define _tile_loadd(to, from, stride)  emulated_loadd(to, from, (ptrdiff_t)(stride))
#define _tile_stored(from, to, stride) emulated_stored(from, to, (ptrdiff_t)(stride))
#define _tile_zero                     emulated_zero
#define _tile_dpbssd                   emulated_dpbssd
#define _tile_dpbf16ps                 emulated_dpbf16ps

/* The global names of kernels/amx. */
#define kernels_fill_amx             kernels_fill_amx_emulated
#define amx_configure                emulated_amx_configure
#define amx_release                  emulated_amx_release
#define amx_pack_bf16                emulated_amx_pack_bf16
#define amx_copy_block               emulated_amx_copy_block
#define amx_multiply_bf16            emulated_amx_multiply_bf16
#define amx_multiply_int8            emulated_amx_multiply_int8
#define amx_bf16_rectangle           emulated_amx_bf16_rectangle
#define amx_bf16_product             emulated_amx_bf16_product
#define amx_int8_rectangle           emulated_amx_int8_rectangle
#define amx_int8_packing_begin       emulated_int8_packing_begin
#define amx_int8_packing_advance     emulated_int8_packing_advance
#define amx_int8_find_statistics     emulated_int8_find_statistics
#define amx_int8_granular            emulated_int8_granular
#define amx_int8_count_nonzero       emulated_int8_count_nonzero
#define amx_int8_add_left_out        emulated_int8_add_left_out
#define amx_int8_add_out_of_range    emulated_int8_add_out_of_range
#define amx_int8_leave_out           emulated_int8_leave_out
#define amx_int8_packing_parts       emulated_int8_packing_parts
#define amx_int8_mode                emulated_int8_mode
#define amx_attention_pays           emulated_amx_attention_pays
#define amx_attention_begin          emulated_amx_attention_begin
#define amx_attention_transposes_out emulated_amx_attention_transposes_out
#define amx_attention_set_queries    emulated_amx_attention_set_queries
#define amx_attention_set_keys       emulated_amx_attention_set_keys
#define amx_attention_dots           emulated_amx_attention_dots
#define amx_attention_to_queries     emulated_amx_attention_to_queries
#define amx_attention_to_keys        emulated_amx_attention_to_keys

#endif
