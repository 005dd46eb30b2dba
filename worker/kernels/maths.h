// Functions that freestanding C lacks, four lanes at a time.

#ifndef PAGESIDE_MATHS_H
#define PAGESIDE_MATHS_H

#include "simd.h"

// e^v, to 2e-7 of it; 0 and infinity's neighbours beyond -87 and 88. Cephes' way: a power of two
// by the exponent's bits, the rest by a polynomial over ±ln(2)/2. ln(2) in two parts, of which the
// first has so few bits that its product with the power is exact.
INLINE V exp_of(V v) {
    v = wasm_f32x4_max(wasm_f32x4_min(v, wasm_f32x4_splat(88.0f)), wasm_f32x4_splat(-87.0f));
    V power = wasm_f32x4_nearest(mul(v, wasm_f32x4_splat(1.44269504f)));
    V rest = wasm_f32x4_sub(v, mul(power, wasm_f32x4_splat(0.693359375f)));
    rest = mul_add(power, wasm_f32x4_splat(2.12194440e-4f), rest);
    V sum = wasm_f32x4_splat(1.0f / 720);
    sum = mul_add(sum, rest, wasm_f32x4_splat(1.0f / 120));
    sum = mul_add(sum, rest, wasm_f32x4_splat(1.0f / 24));
    sum = mul_add(sum, rest, wasm_f32x4_splat(1.0f / 6));
    sum = mul_add(sum, rest, wasm_f32x4_splat(0.5f));
    sum = mul_add(sum, rest, wasm_f32x4_splat(1.0f));
    sum = mul_add(sum, rest, wasm_f32x4_splat(1.0f));
    V exponent = wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(power), wasm_i32x4_splat(127));
    return mul(sum, wasm_i32x4_shl(exponent, 23));
}

INLINE V sigmoid_of(V v) {
    V one = wasm_f32x4_splat(1);
    return wasm_f32x4_div(one, add(one, exp_of(wasm_f32x4_neg(v))));
}

// tanh(v) = 2 sigmoid(2v) - 1; near 0, where that would cancel, it is v to within 1e-7 anyway.
INLINE V tanh_of(V v) {
    V two = wasm_f32x4_splat(2);
    return wasm_f32x4_sub(mul(two, sigmoid_of(mul(two, v))), wasm_f32x4_splat(1));
}

#endif
