// The kernels by themselves, for the tests.

#include "attention.h"
#include "cache.h"
#include "matrix.h"
#include "norm.h"
#include "repack.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

void EXPORT(test_repack)(uint32_t type, uint8_t *data, uint32_t rows, uint32_t columns,
                         uint8_t *tail, uint8_t *scratch) {
    repack(type, data, rows, columns, tail, scratch);
}

void EXPORT(test_row)(uint32_t type, const uint8_t *tiles, uint32_t row, uint32_t columns,
                      float *out) {
    unpack_row(type, tiles, row, columns, out);
}

// `blocks` takes what `count` inputs become.
void EXPORT(test_product)(uint32_t type, const uint8_t *tiles, const uint8_t *tail, uint32_t rows,
                          uint32_t columns, const float *x, uint32_t count, uint32_t first,
                          uint32_t last, Block *blocks, float *out, uint32_t into) {
    Input inputs[16];
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = (Input){blocks + i * (columns / COLUMNS), x + i * columns};
        round_activation(inputs[i].values, columns, blocks + i * (columns / COLUMNS));
    }
    Matrix matrix = {type, rows, columns, tiles, tail};
    multiply(&matrix, inputs, count, first, last, out, rows, (Into)into);
}

void EXPORT(test_round)(const float *values, uint32_t columns, Block *blocks) {
    round_activation(values, columns, blocks);
}

void EXPORT(test_attend)(const float *query, const float *keys, const float *values,
                         uint32_t key_type, uint32_t value_type, uint32_t head, uint32_t from,
                         uint32_t to, float scale, float cap, uint8_t *key_rows,
                         uint8_t *value_rows, float *scores, float *out) {
    for (uint32_t p = 0; p < to; p++) {
        store_row(key_type, keys + p * head, head,
                  key_rows + p * cache_row_bytes(key_type, head));
        store_row(value_type, values + p * head, head,
                  value_rows + p * cache_row_bytes(value_type, head));
    }
    Sight sight = {key_rows, value_rows, key_type, value_type, head, from, to, scale, cap};
    attend(query, &sight, scores, out);
}

void EXPORT(test_norm)(const float *values, const float *weight, uint32_t count, float epsilon,
                       float *out) {
    rms_norm(values, weight, count, epsilon, out);
}

void EXPORT(test_gate)(uint32_t gate, const float *values, float *up, uint32_t count) {
    apply_gate((Gate)gate, values, up, 0, count);
}

void EXPORT(test_turn)(float *head, const float *turns, uint32_t turned, uint32_t pairs) {
    turn(head, turns, turned, (Pairs)pairs);
}

void EXPORT(hash_begin)(void);
void EXPORT(hash_take)(const uint8_t *bytes, uint32_t size);
void EXPORT(hash_end)(uint8_t *digest);

// In pieces of `piece` bytes.
void EXPORT(test_hash)(const uint8_t *bytes, uint32_t size, uint32_t piece, uint8_t *digest) {
    hash_begin();
    for (uint32_t at = 0; at < size; at += piece)
        hash_take(bytes + at, size - at < piece ? size - at : piece);
    hash_end(digest);
}
