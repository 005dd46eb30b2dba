// The types of weights, and how each lies in memory once it is repacked.
//
// Kernels compute four rows at once: a vector holds the same columns of four rows, and a value of
// the input is broadcast to all of them, so nothing is ever summed across a vector. For that, four
// rows of a matrix are interleaved into *tiles* of 4 rows x 32 columns, which follow each other in
// one sequential stream. A tile takes the bytes that its four blocks took in the file: a matrix is
// repacked where it lies.
//
//   nibbles, 64 bytes    byte 16j + 4r + c (j, r, c in 0..3) has of row r
//                        column 4j + c in its low four bits, column 16 + 4j + c in its high ones
//   fifth bits, 16       a 32-bit word a row; column 4g + c (g in 0..7) at bit 16(c/2) + 2g + c%2
//   top bits, 32         two bits a column, for Q6_K: four words for columns 0..15, four for
//                        16..31; column 4g + c at bits 16(c/2) + 2(2(g%4) + c%2) and the next
//   bytes, 128           byte 16g + 4r + c is column 4g + c of row r
//   scales, 8            an f16 a row
//
//   F32    512 bytes     16c + 4r: column c of row r
//   F16, BF16   256      8c + 2r
//   Q4_0    72           nibbles, d
//   Q4_1    80           nibbles, d, m
//   Q5_0    88           nibbles, fifth bits, d
//   Q5_1    96           nibbles, fifth bits, d, m
//   Q8_0   136           bytes, d
//
// The K types have blocks of 256 columns, so their tiles come in eights:
//
//   Q4_K   576           8 x nibbles, then 6-bit scales and minima, d, dmin
//   Q5_K   704           8 x (nibbles, fifth bits), then the same
//   Q6_K   840           8 x (nibbles, top bits), then 16 x (an 8-bit scale a row), d
//
//   6-bit scales and minima, 48 bytes, a word a row in each third:
//     low four bits of the eight scales | of the eight minima | top two bits of these sixteen
//
// The two columns of a 16-bit lane's bytes are neighbours, so a mask gives columns 0 and 2 of each
// four ("even") and a shift columns 1 and 3 ("odd"), as 16-bit numbers ready to be multiplied.

#ifndef PAGESIDE_TYPES_H
#define PAGESIDE_TYPES_H

#include <stdint.h>

// The numbers are GGUF's own.
typedef enum {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q4_K = 12,
    Q5_K = 13,
    Q6_K = 14,
    BF16 = 30,
} Type;

enum { ROWS = 4, COLUMNS = 32, K_TILES = 8 };

static inline int is_float(uint32_t type) { return type == F32 || type == F16 || type == BF16; }
static inline int is_k(uint32_t type) { return type >= Q4_K && type <= Q6_K; }

// Columns of one block; a row is a whole number of blocks.
static inline uint32_t block_columns(uint32_t type) {
    return is_k(type) ? COLUMNS * K_TILES : COLUMNS;
}

// Bytes of one row of one block; 0 for a type that is not covered.
static inline uint32_t block_bytes(uint32_t type) {
    switch (type) {
    case F32: return 128;
    case F16: return 64;
    case BF16: return 64;
    case Q4_0: return 18;
    case Q4_1: return 20;
    case Q5_0: return 22;
    case Q5_1: return 24;
    case Q8_0: return 34;
    case Q4_K: return 144;
    case Q5_K: return 176;
    case Q6_K: return 210;
    default: return 0;
    }
}

static inline uint32_t row_bytes(uint32_t type, uint32_t columns) {
    return columns / block_columns(type) * block_bytes(type);
}

#endif
