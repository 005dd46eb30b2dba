// The product of one tile with one or four inputs, for each type of weights. `type` and `inputs`
// are constants wherever these are used, so each combination becomes straight code of its own.

#ifndef PAGESIDE_DOT_H
#define PAGESIDE_DOT_H

#include "activation.h"
#include "simd.h"
#include "types.h"

enum { MOST_INPUTS = 4 };

// One input, both as it is and rounded: float weights take the values, the others the blocks.
typedef struct {
    const Block *blocks;
    const float *values;
} Input;

// A constant that stays in a register over a loop: engines load it anew otherwise.
INLINE V kept(V v) {
    __asm__("" : "+r"(v));
    return v;
}

// Where the input is not lifted: times 2^112 its totals might be no numbers, and the product with
// an f16 that is not lifted might lose bits.
INLINE V load_lifted(const uint8_t *at) {
    return mul(load_f16(at), kept(wasm_f32x4_splat(F16_LIFT)));
}

// Bit `from` of each 16-bit lane, and the next `width - 1`, moved to bit 4.
INLINE V bits_at_4(V words, int from, int width) {
    V moved = from < 4   ? wasm_i16x8_shl(words, 4 - from)
              : from > 4 ? wasm_u16x8_shr(words, from - 4)
                         : words;
    return wasm_v128_and(moved, wasm_i16x8_splat(width == 2 ? 0x30 : 0x10));
}

// Columns 4g..4g+3 of four rows, as 16-bit numbers: `even` has columns 0 and 2, `odd` 1 and 3.
INLINE void load_four(Type type, const uint8_t *tile, int g, V *even, V *odd) {
    if (type == Q8_0) {
        V bytes = wasm_v128_load(tile + 16 * g);
        *even = wasm_i16x8_shr(wasm_i16x8_shl(bytes, 8), 8);
        *odd = wasm_i16x8_shr(bytes, 8);
        return;
    }
    V nibbles = wasm_v128_load(tile + g % 4 * 16), mask = kept(wasm_i16x8_splat(15));
    *even = wasm_v128_and(g < 4 ? nibbles : wasm_u16x8_shr(nibbles, 4), mask);
    *odd = g < 4 ? wasm_v128_and(wasm_u16x8_shr(nibbles, 8), mask) : wasm_u16x8_shr(nibbles, 12);
    if (type == Q5_0 || type == Q5_1 || type == Q5_K) {
        V fifth = wasm_v128_load(tile + 64);
        *even = wasm_v128_or(*even, bits_at_4(fifth, 2 * g, 1));
        *odd = wasm_v128_or(*odd, bits_at_4(fifth, 2 * g + 1, 1));
    } else if (type == Q6_K) {
        V top = wasm_v128_load(tile + 64 + g / 4 * 16);
        *even = wasm_v128_or(*even, bits_at_4(top, g % 4 * 4, 2));
        *odd = wasm_v128_or(*odd, bits_at_4(top, g % 4 * 4 + 2, 2));
    }
}

// The sums of quant * quant over columns 0..15 (half 0) or 16..31 of a tile, a lane a row.
INLINE void sum_half(Type type, int inputs, const uint8_t *tile, const Input *x, uint32_t at,
                     int half, V *sums) {
    UNROLL for (int j = 0; j < 4; j++) {
        int g = 4 * half + j;
        V even, odd;
        load_four(type, tile, g, &even, &odd);
        UNROLL for (int i = 0; i < inputs; i++) {
            const int16_t *quants = x[i].blocks[at].quants + 4 * g;
            V two = wasm_i32x4_add(wasm_i32x4_dot_i16x8(splat32(quants), even),
                                   wasm_i32x4_dot_i16x8(splat32(quants + 2), odd));
            sums[i] = j ? wasm_i32x4_add(sums[i], two) : two;
        }
    }
}

INLINE V converted(V integers) { return wasm_f32x4_convert_i32x4(integers); }

// What the types without a minimum take from each quant, to make it signed.
INLINE int offset_of(Type type) {
    return type == Q4_0 ? 8 : type == Q5_0 ? 16 : type == Q6_K ? 32 : 0;
}

INLINE V lowered(Type type, V sum, int32_t quants_sum) {
    int offset = offset_of(type);
    return offset ? wasm_i32x4_sub(sum, wasm_i32x4_splat(offset * quants_sum)) : sum;
}

// Adds the product of block `at` to `out`, for the types with a scale a block.
INLINE void add_small(Type type, int inputs, const uint8_t *tile, const Input *x, uint32_t at,
                      V *out) {
    V low[MOST_INPUTS], high[MOST_INPUTS];
    sum_half(type, inputs, tile, x, at, 0, low);
    sum_half(type, inputs, tile, x, at, 1, high);
    const uint8_t *scales = tile + ROWS * block_bytes(type) - 8;
    int has_minimum = type == Q4_1 || type == Q5_1;
    V minimum, scale = load_f16(has_minimum ? scales - 8 : scales);
    if (has_minimum) minimum = load_lifted(scales);
    UNROLL for (int i = 0; i < inputs; i++) {
        const Block *block = x[i].blocks + at;
        V sum = wasm_i32x4_add(low[i], high[i]);
        sum = converted(lowered(type, sum, block->sums[0] + block->sums[1]));
        out[i] = mul_add(sum, mul(scale, splat32(&block->scale)), out[i]);
        if (has_minimum) out[i] = mul_add(minimum, splat32(&block->total), out[i]);
    }
}

// Four lanes of 6 bits, as f32: those of tile `k` of a block of eight.
INLINE V six_bits(V low, V top, int k, int top_at) {
    V four = wasm_v128_and(wasm_u32x4_shr(low, 4 * k), wasm_i32x4_splat(15));
    V two = wasm_v128_and(wasm_u32x4_shr(top, top_at + 2 * k), wasm_i32x4_splat(3));
    return converted(wasm_v128_or(four, wasm_i32x4_shl(two, 4)));
}

// Blocks `at` to `at + 7`: eight tiles with 6-bit scales and minima.
INLINE void add_q4_or_q5_k(Type type, int inputs, const uint8_t *tiles, const Input *x,
                           uint32_t at, V *out) {
    int tile_bytes = type == Q5_K ? 80 : 64;
    const uint8_t *scales = tiles + K_TILES * tile_bytes;
    V low_scales = wasm_v128_load(scales), low_minima = wasm_v128_load(scales + 16);
    V top = wasm_v128_load(scales + 32);
    V d = load_f16(scales + 48), dmin = load_lifted(scales + 56);
    for (int k = 0; k < K_TILES; k++) {
        V low[MOST_INPUTS], high[MOST_INPUTS];
        sum_half(type, inputs, tiles + k * tile_bytes, x, at + k, 0, low);
        sum_half(type, inputs, tiles + k * tile_bytes, x, at + k, 1, high);
        V scale = mul(d, six_bits(low_scales, top, k, 0));
        V minimum = mul(dmin, six_bits(low_minima, top, k, 16));
        UNROLL for (int i = 0; i < inputs; i++) {
            const Block *block = x[i].blocks + at + k;
            V sum = converted(wasm_i32x4_add(low[i], high[i]));
            out[i] = mul_add(sum, mul(scale, splat32(&block->scale)), out[i]);
            out[i] = wasm_f32x4_sub(out[i], mul(minimum, splat32(&block->total)));
        }
    }
}

// Four 8-bit scales, as f32.
INLINE V load_scales(const uint8_t *at) {
    V bytes = wasm_v128_load32_zero(at);
    return converted(wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(bytes)));
}

// Blocks `at` to `at + 7`: eight tiles with an 8-bit scale for each 16 columns.
INLINE void add_q6_k(int inputs, const uint8_t *tiles, const Input *x, uint32_t at, V *out) {
    const uint8_t *scales = tiles + 96 * K_TILES;
    V d = load_f16(scales + 64);
    for (int k = 0; k < K_TILES; k++)
        UNROLL for (int half = 0; half < 2; half++) {
            V sums[MOST_INPUTS], scale = mul(d, load_scales(scales + 8 * k + 4 * half));
            sum_half(Q6_K, inputs, tiles + 96 * k, x, at + k, half, sums);
            UNROLL for (int i = 0; i < inputs; i++) {
                const Block *block = x[i].blocks + at + k;
                V sum = converted(lowered(Q6_K, sums[i], block->sums[half]));
                out[i] = mul_add(sum, mul(scale, splat32(&block->scale)), out[i]);
            }
        }
}

INLINE V load_float(Type type, const uint8_t *tile, int column) {
    if (type == F32) return wasm_v128_load(tile + 16 * column);
    return type == BF16 ? load_bf16(tile + 8 * column) : load_lifted(tile + 8 * column);
}

INLINE void add_floats(Type type, int inputs, const uint8_t *tile, const Input *x, uint32_t at,
                       V *out) {
    UNROLL for (int column = 0; column < COLUMNS; column += 2) {
        V first = load_float(type, tile, column), second = load_float(type, tile, column + 1);
        UNROLL for (int i = 0; i < inputs; i++) {
            const float *values = x[i].values + COLUMNS * at + column;
            V two = mul_add(first, splat32(values), mul(second, splat32(values + 1)));
            out[i] = add(out[i], two);
        }
    }
}

// All columns of a group of four rows: `out[i]` is their product with input `i`.
INLINE void dot(Type type, int inputs, const uint8_t *tiles, uint32_t columns, const Input *x,
                V *out) {
    UNROLL for (int i = 0; i < inputs; i++) out[i] = wasm_f32x4_splat(0);
    uint32_t step = is_k(type) ? K_TILES : 1;
    for (uint32_t at = 0; at < columns / COLUMNS; at += step, tiles += ROWS * block_bytes(type)) {
        if (is_float(type)) add_floats(type, inputs, tiles, x, at, out);
        else if (type == Q6_K) add_q6_k(inputs, tiles, x, at, out);
        else if (is_k(type)) add_q4_or_q5_k(type, inputs, tiles, x, at, out);
        else add_small(type, inputs, tiles, x, at, out);
    }
}

#endif
