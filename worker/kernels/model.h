// A model as the kernels see it. The engine writes Model and its Layers word by word, in the order
// of the fields here (worker/engines/gguf/model.js has the same order); every field is 32 bits.

#ifndef PAGESIDE_MODEL_H
#define PAGESIDE_MODEL_H

#include <stdint.h>

#include "matrix.h"

// One block of the network. A norm or bias that the family lacks is 0.
typedef struct {
    const float *attention_norm, *query_norm, *key_norm, *attended_norm, *feed_norm, *fed_norm;
    const float *query_bias, *key_bias, *value_bias;
    Matrix query, key, value, attended, gate, up, down;
    const float *turns; // a cosine and a sine for each position and pair (norm.h, turn)
    uint32_t window;    // how many positions are seen, the token's own among them; 0 for all
    uint8_t *keys, *values; // the cache: for each head of keys `context` rows (cache.h)
} Layer;

typedef struct {
    uint32_t width, feed_width, vocabulary;
    uint32_t layers_count, heads, key_heads, head, turned; // `head` columns, of which `turned` turn
    uint32_t context, batch;     // positions of the cache; most tokens of one call
    uint32_t pairs, gate;        // Pairs and Gate of norm.h
    uint32_t key_type, value_type; // of the cache
    float epsilon, embedding_scale, score_scale, score_cap, logit_cap; // a cap of 0 is none
    Matrix embedding, output;    // `output` is the embedding once more where they are tied
    const float *output_norm;
    const Layer *layers;
    uint32_t *tokens;            // `batch` of them
    float *logits;               // `vocabulary`
} Model;

extern Model model;

#endif
