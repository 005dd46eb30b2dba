#include "attention.h"

#include "cache.h"
#include "maths.h"

// As many columns as there are registers to hold while the values of all positions go by.
enum { STRIP = 32 };

INLINE float product(Type type, const float *query, const uint8_t *row, uint32_t head) {
    V even = wasm_f32x4_splat(0), odd = even;
    uint32_t i = 0;
    for (; i + 8 <= head; i += 8) {
        even = mul_add(wasm_v128_load(query + i), load_cached(type, row, i), even);
        odd = mul_add(wasm_v128_load(query + i + 4), load_cached(type, row, i + 4), odd);
    }
    if (i < head) even = mul_add(wasm_v128_load(query + i), load_cached(type, row, i), even);
    return sum_of(add(even, odd)) * cached_scale(type, row, head);
}

INLINE void score_all(Type type, const float *query, const Sight *sight, float *scores) {
    uint32_t bytes = cache_row_bytes(type, sight->head);
    const uint8_t *row = sight->keys + (uintptr_t)sight->from * bytes;
    for (uint32_t p = 0; p < sight->to - sight->from; p++, row += bytes)
        scores[p] = product(type, query, row, sight->head) * sight->scale;
}

static void cap(float *scores, uint32_t count, float most) {
    V many = wasm_f32x4_splat(most), inverse = wasm_f32x4_splat(1 / most);
    for (uint32_t p = 0; p < count; p += 4) {
        V four = mul(wasm_v128_load(scores + p), inverse);
        wasm_v128_store(scores + p, mul(tanh_of(four), many));
    }
}

// Scores become e^(score - largest); returns their sum.
static float exponentiate(float *scores, uint32_t count) {
    float most = scores[0], sum = 0;
    for (uint32_t p = 1; p < count; p++)
        if (scores[p] > most) most = scores[p];
    V largest = wasm_f32x4_splat(most), sums = wasm_f32x4_splat(0);
    uint32_t p = 0;
    for (; p < count; p += 4) {
        V four = exp_of(wasm_f32x4_sub(wasm_v128_load(scores + p), largest));
        wasm_v128_store(scores + p, four);
        if (p + 4 <= count) sums = add(sums, four);
    }
    sum = sum_of(sums);
    for (p = count / 4 * 4; p < count; p++) sum += scores[p];
    return sum;
}

// Columns `column` to `column + 4 * vectors - 1` of the weighted sum of all rows.
INLINE void sum_strip(Type type, int vectors, const Sight *sight, const float *weights,
                      uint32_t column, V factor, float *out) {
    uint32_t bytes = cache_row_bytes(type, sight->head);
    const uint8_t *row = sight->values + (uintptr_t)sight->from * bytes;
    V sums[STRIP / 4];
    UNROLL for (int i = 0; i < vectors; i++) sums[i] = wasm_f32x4_splat(0);
    for (uint32_t p = 0; p < sight->to - sight->from; p++, row += bytes) {
        V weight = splat32(weights + p);
        if (type != F32)
            weight = mul(weight, wasm_f32x4_splat(cached_scale(type, row, sight->head)));
        UNROLL for (int i = 0; i < vectors; i++)
            sums[i] = mul_add(weight, load_cached(type, row, column + 4 * i), sums[i]);
    }
    UNROLL for (int i = 0; i < vectors; i++)
        wasm_v128_store(out + column + 4 * i, mul(sums[i], factor));
}

static void score(const float *query, const Sight *sight, float *scores) {
    if (sight->key_type == F32) score_all(F32, query, sight, scores);
    else if (sight->key_type == F16) score_all(F16, query, sight, scores);
    else score_all(Q8_0, query, sight, scores);
}

INLINE void sum_all(Type type, const Sight *sight, const float *weights, V factor, float *out) {
    uint32_t column = 0;
    for (; column + STRIP <= sight->head; column += STRIP)
        sum_strip(type, STRIP / 4, sight, weights, column, factor, out);
    for (; column < sight->head; column += 4)
        sum_strip(type, 1, sight, weights, column, factor, out);
}

void attend(const float *query, const Sight *sight, float *scores, float *out) {
    uint32_t count = sight->to - sight->from;
    score(query, sight, scores);
    for (uint32_t p = count; p % 4; p++) scores[p] = 0; // read four at a time, and not counted
    if (sight->soft_cap > 0) cap(scores, count, sight->soft_cap);
    V factor = wasm_f32x4_splat(1 / exponentiate(scores, count));
    if (sight->value_type == F32) sum_all(F32, sight, scores, factor, out);
    else if (sight->value_type == F16) sum_all(F16, sight, scores, factor, out);
    else sum_all(Q8_0, sight, scores, factor, out);
}
