#ifndef PAGESIDE_REPACK_H
#define PAGESIDE_REPACK_H

#include <stdint.h>

// A matrix of GGUF's blocks becomes tiles in the same bytes. Where its rows are no multiple of
// four, the last one to three become a group of their own at `tail`, filled up with zeros. `tail`
// and `scratch` take four rows each.
void repack(uint32_t type, uint8_t *data, uint32_t rows, uint32_t columns, uint8_t *tail,
            uint8_t *scratch);

// Row `row` (0..3) of a group of tiles, as it was in the file.
void unpack_row(uint32_t type, const uint8_t *tiles, uint32_t row, uint32_t columns, float *out);

#endif
