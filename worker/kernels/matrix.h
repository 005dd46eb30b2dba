#ifndef PAGESIDE_MATRIX_H
#define PAGESIDE_MATRIX_H

#include <stdint.h>

#include "dot.h"

// Weights of `rows` x `columns`, repacked: groups of four rows at `tiles`; where the rows are no
// multiple of four, the last one to three lie at `tail`, filled up with zeros.
typedef struct {
    uint32_t type, rows, columns;
    const uint8_t *tiles, *tail;
} Matrix;

typedef enum { SET, ADD } Into;

// Rows `first` to `last - 1` of the product with `count` inputs; `first` is a multiple of four, and
// so is `last` unless it is the last row of all. Row r of the product with input i is set or added
// to at out[i * stride + r].
void multiply(const Matrix *matrix, const Input *inputs, uint32_t count, uint32_t first,
              uint32_t last, float *out, uint32_t stride, Into into);

#endif
