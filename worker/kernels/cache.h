// Keys and values of the tokens so far: a row a position, of one head, in one of three types.
//
//   F32    4 bytes a number
//   F16    2 bytes
//   Q8_0   a byte, and an f32 scale at the row's end

#ifndef PAGESIDE_CACHE_H
#define PAGESIDE_CACHE_H

#include "simd.h"
#include "types.h"

static inline uint32_t cache_row_bytes(uint32_t type, uint32_t head) {
    return type == F32 ? 4 * head : type == F16 ? 2 * head : head + 4;
}

// Four f32 to f16's bits, to the nearest, ties to even; what is too large becomes 65504. After
// F. Giesen's float_to_half_fast3_rtne: adding a half moves a denormal's bits to where they belong.
INLINE V halves_of(V v) {
    V size = wasm_f32x4_pmin(wasm_f32x4_splat(65504.0f), wasm_f32x4_abs(v));
    V even = wasm_v128_and(wasm_u32x4_shr(size, 13), wasm_i32x4_splat(1));
    V nudge = wasm_i32x4_add(even, wasm_i32x4_splat(0xfff - (112 << 23)));
    V normal = wasm_u32x4_shr(wasm_i32x4_add(size, nudge), 13);
    V half = wasm_f32x4_splat(0.5f);
    V denormal = wasm_i32x4_sub(add(size, half), half);
    V is_small = wasm_f32x4_lt(size, wasm_f32x4_splat(0x1p-14f));
    V sign = wasm_v128_and(wasm_u32x4_shr(v, 16), wasm_i32x4_splat(0x8000));
    return wasm_v128_or(wasm_v128_bitselect(denormal, normal, is_small), sign);
}

INLINE void store_bytes(const float *values, uint32_t head, uint8_t *row) {
    V largest = wasm_f32x4_splat(0);
    for (uint32_t i = 0; i < head; i += 4)
        largest = wasm_f32x4_pmax(largest, wasm_f32x4_abs(wasm_v128_load(values + i)));
    float most = max_of(largest), scale = most / 127;
    V factor = wasm_f32x4_splat(most < 0x1p-100f ? 0 : 127 / most);
    for (uint32_t i = 0; i < head; i += 4) {
        V four = wasm_f32x4_nearest(mul(wasm_v128_load(values + i), factor));
        V words = wasm_i32x4_trunc_sat_f32x4(four);
        V halves = wasm_i16x8_narrow_i32x4(words, words);
        wasm_v128_store32_lane(row + i, wasm_i8x16_narrow_i16x8(halves, halves), 0);
    }
    __builtin_memcpy(row + head, &scale, 4);
}

static inline void store_row(uint32_t type, const float *values, uint32_t head, uint8_t *row) {
    if (type == F32) {
        __builtin_memcpy(row, values, 4 * head);
    } else if (type == F16) {
        for (uint32_t i = 0; i < head; i += 4) {
            V halves = halves_of(wasm_v128_load(values + i));
            wasm_v128_store64_lane(row + 2 * i, wasm_u16x8_narrow_i32x4(halves, halves), 0);
        }
    } else {
        store_bytes(values, head, row);
    }
}

// Columns `i` to `i + 3` of a row, before its scale.
INLINE V load_cached(Type type, const uint8_t *row, uint32_t i) {
    if (type == F32) return wasm_v128_load(row + 4 * i);
    if (type == F16) return load_f16(row + 2 * i);
    V bytes = wasm_v128_load32_zero(row + i);
    V words = wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(bytes));
    return wasm_f32x4_convert_i32x4(words);
}

INLINE float cached_scale(Type type, const uint8_t *row, uint32_t head) {
    if (type == F32) return 1;
    if (type == F16) return F16_LIFT;
    float scale;
    __builtin_memcpy(&scale, row + head, 4);
    return scale;
}

#endif
