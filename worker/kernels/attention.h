#ifndef PAGESIDE_ATTENTION_H
#define PAGESIDE_ATTENTION_H

#include <stdint.h>

// What one head of queries looks at, in one layer.
typedef struct {
    const uint8_t *keys, *values; // the rows of its head of keys, by position
    uint32_t key_type, value_type; // of the cache (cache.h)
    uint32_t head;                // columns, a multiple of four
    uint32_t from, to;            // positions `from` to `to - 1` are seen
    float scale;                  // of the scores
    float soft_cap;               // scores become cap * tanh(score / cap); 0 for none
} Sight;

// softmax(query x keys * scale) x values, into `out`. `scores` takes `to - from` numbers and three
// more. A. Vaswani et al., "Attention is all you need" (2017).
void attend(const float *query, const Sight *sight, float *scores, float *out);

#endif
