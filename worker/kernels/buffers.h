#ifndef PAGESIDE_BUFFERS_H
#define PAGESIDE_BUFFERS_H

#include "dot.h"
#include "threads.h"

// Where inputs are prepared, a row of `widest` columns a token.
typedef struct {
    float *values, *scores;
    Block *blocks;
    Input *inputs;
} Room;

// What a batch needs between its products: rows of a token each.
typedef struct {
    uint32_t widest; // columns of any product
    float *stream, *product, *queries, *keys, *values, *attended, *gate, *up;
    Room shared, own[MOST_THREADS];
} Buffers;

extern Buffers buffers;

#endif
