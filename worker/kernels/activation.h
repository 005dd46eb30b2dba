// The input of a product, rounded to 16 bits in blocks of 32 columns.
//
// Weights are small integers with a scale a block; with integers on both sides, SIMD128's
// `i32x4.dot_i16x8` multiplies and adds eight pairs at once. 15 bits of each block's largest value
// are kept, which leaves a model's greedy text as it is in f32; 8 bits do not, and cost the same.

#ifndef PAGESIDE_ACTIVATION_H
#define PAGESIDE_ACTIVATION_H

#include <stdint.h>

#include "types.h"

// A weight d * q + m adds d * q * x + m * x. With the same rounded x in both, its error is that of
// the weight; with an exact sum for m's part it would be that of d * q, twice as large.
typedef struct {
    int16_t quants[COLUMNS]; // of each four columns: 0, 2, 1, 3, as the tiles' lanes want them
    float scale;             // value = quant * scale; times F16_LIFT, for weights' f16 scales
    float total;             // the sum of the 32 values as rounded
    int32_t sums[2];         // of the quants of columns 0..15 and of 16..31
} Block;

// `columns` values, a multiple of 32, into as many blocks. Where the largest of a block is below
// 2^-100 the block counts as zeros; beyond 2^30 a value times F16_LIFT is no f32 any more.
void round_activation(const float *values, uint32_t columns, Block *blocks);

#endif
