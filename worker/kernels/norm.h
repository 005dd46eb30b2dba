// What stands between the products: norms, gates, and the turning of queries and keys.

#ifndef PAGESIDE_NORM_H
#define PAGESIDE_NORM_H

#include "maths.h"

// values / sqrt(mean of their squares + epsilon) * weight, `count` a multiple of four.
// B. Zhang and R. Sennrich, "Root mean square layer normalization" (2019). `out` may be `values`.
static inline void rms_norm(const float *values, const float *weight, uint32_t count,
                            float epsilon, float *out) {
    V squares = wasm_f32x4_splat(0);
    for (uint32_t i = 0; i < count; i += 4) {
        V four = wasm_v128_load(values + i);
        squares = mul_add(four, four, squares);
    }
    float mean = sum_of(squares) / count + epsilon;
    V factor = wasm_f32x4_splat(1 / __builtin_sqrtf(mean));
    for (uint32_t i = 0; i < count; i += 4) {
        V four = mul(wasm_v128_load(values + i), factor);
        wasm_v128_store(out + i, mul(four, wasm_v128_load(weight + i)));
    }
}

typedef enum { SILU, GELU } Gate;

// GELU by tanh, as the families that use it were trained with: D. Hendrycks and K. Gimpel,
// "Gaussian error linear units" (2016).
INLINE V gelu_of(V v) {
    V cubic = mul_add(mul(mul(v, v), v), wasm_f32x4_splat(0.044715f), v);
    V half = mul(v, wasm_f32x4_splat(0.5f));
    return mul_add(half, tanh_of(mul(cubic, wasm_f32x4_splat(0.7978845608f))), half);
}

// up = gate(values) * up, for `first` to `last - 1`, both multiples of four.
static inline void apply_gate(Gate gate, const float *values, float *up, uint32_t first,
                              uint32_t last) {
    for (uint32_t i = first; i < last; i += 4) {
        V four = wasm_v128_load(values + i);
        V opened = gate == GELU ? gelu_of(four) : mul(four, sigmoid_of(four));
        wasm_v128_store(up + i, mul(opened, wasm_v128_load(up + i)));
    }
}

// Which two values of a head are turned as one: llama's files have them side by side, the others
// half a turned part apart.
typedef enum { ADJACENT, APART } Pairs;

// RoPE: J. Su et al., "RoFormer" (2021). `turns` holds a cosine and a sine a pair; a head's values
// beyond the turned ones stay as they are.
static inline void turn(float *head, const float *turns, uint32_t turned, Pairs pairs) {
    uint32_t half = turned / 2;
    for (uint32_t i = 0; i < half; i++) {
        float *first = pairs == ADJACENT ? head + 2 * i : head + i;
        float *second = pairs == ADJACENT ? first + 1 : head + i + half;
        float a = *first, b = *second, cosine = turns[2 * i], sine = turns[2 * i + 1];
        *first = a * cosine - b * sine;
        *second = a * sine + b * cosine;
    }
}

#endif
