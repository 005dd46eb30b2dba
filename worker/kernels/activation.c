#include "activation.h"

#include "simd.h"

#define LARGEST 32767.0f

static float largest_of(const float *values) {
    V largest = wasm_f32x4_splat(0);
    UNROLL for (int i = 0; i < COLUMNS; i += 4)
        largest = wasm_f32x4_pmax(largest, wasm_f32x4_abs(wasm_v128_load(values + i)));
    return max_of(largest);
}

INLINE V rounded(const float *values, V factor) {
    V product = mul(wasm_v128_load(values), factor);
    return wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(product));
}

static int32_t round_half(const float *values, V factor, int16_t *quants) {
    V sum = wasm_i32x4_splat(0), ones = wasm_i16x8_splat(1);
    UNROLL for (int i = 0; i < 16; i += 8) {
        V eight = wasm_i16x8_narrow_i32x4(rounded(values + i, factor),
                                          rounded(values + i + 4, factor));
        sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(eight, ones));
        wasm_v128_store(quants + i, wasm_i16x8_shuffle(eight, eight, 0, 2, 1, 3, 4, 6, 5, 7));
    }
    sum = wasm_i32x4_add(sum, wasm_i32x4_shuffle(sum, sum, 2, 3, 0, 1));
    return wasm_i32x4_extract_lane(sum, 0) + wasm_i32x4_extract_lane(sum, 1);
}

void round_activation(const float *values, uint32_t columns, Block *blocks) {
    for (uint32_t at = 0; at < columns; at += COLUMNS, blocks++) {
        float largest = largest_of(values + at);
        int is_zero = largest < 0x1p-100f; // its inverse might be no number
        float scale = is_zero ? 0 : largest / LARGEST;
        V factor = wasm_f32x4_splat(is_zero ? 0 : LARGEST / largest);
        blocks->sums[0] = round_half(values + at, factor, blocks->quants);
        blocks->sums[1] = round_half(values + at + 16, factor, blocks->quants + 16);
        blocks->scale = scale * F16_LIFT;
        blocks->total = scale * (blocks->sums[0] + blocks->sums[1]);
    }
}
