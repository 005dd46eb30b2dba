// Four or eight numbers at a time: the few idioms that all kernels share.

#ifndef PAGESIDE_SIMD_H
#define PAGESIDE_SIMD_H

#include <stdint.h>
#include <wasm_simd128.h>

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")

typedef v128_t V;

// 2^112. An f16's bits, moved up by 13, are an f32 that is too small by just this factor, also
// where the f16 is denormal: the two exponents' biases are 15 and 127.
#define F16_LIFT 0x1p112f

INLINE V splat32(const void *at) { return wasm_v128_load32_splat(at); }
INLINE V add(V a, V b) { return wasm_f32x4_add(a, b); }
INLINE V mul(V a, V b) { return wasm_f32x4_mul(a, b); }
INLINE V mul_add(V a, V b, V c) { return add(mul(a, b), c); }

INLINE float sum_of(V v) {
    v = add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    v = add(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
    return wasm_f32x4_extract_lane(v, 0);
}

INLINE float max_of(V v) {
    v = wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    v = wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
    return wasm_f32x4_extract_lane(v, 0);
}

// Four f16, each too small by F16_LIFT. Shifting the sign-extended halves leaves copies of the
// sign where the exponent's upper bits are; the mask takes them away.
INLINE V load_f16(const void *at) {
    V halves = wasm_i32x4_shl(wasm_i32x4_load16x4(at), 13);
    return wasm_v128_and(halves, wasm_i32x4_splat((int32_t)0x8fffffff));
}

INLINE V load_bf16(const void *at) { return wasm_i32x4_shl(wasm_u32x4_load16x4(at), 16); }

#endif
