// From GGUF's rows to tiles (types.h draws both). Plain C without SIMD: it is also built natively,
// under AddressSanitizer, by the fuzzer.

#include "repack.h"

#include "types.h"

// What is read and written here has no alignment of its own.
static uint32_t word_at(const uint8_t *at) {
    uint32_t word;
    __builtin_memcpy(&word, at, 4);
    return word;
}

static void put_word(uint8_t *at, uint32_t word) { __builtin_memcpy(at, &word, 4); }

// `count` words of a row go to where a tile has that row's.
static void spread_words(uint8_t *tile, const uint8_t *words, uint32_t row, int count) {
    for (int j = 0; j < count; j++) put_word(tile + 16 * j + 4 * row, word_at(words + 4 * j));
}

// An element of `size` bytes a column.
static void spread_elements(uint8_t *tile, const uint8_t *elements, uint32_t row, int size) {
    for (int column = 0; column < COLUMNS; column++)
        __builtin_memcpy(tile + size * (ROWS * column + row), elements + size * column, size);
}

static void put_half(uint8_t *scales, uint32_t row, const uint8_t *half) {
    __builtin_memcpy(scales + 2 * row, half, 2);
}

// A bit a column becomes the fifth bits' order: pairs of bits are dealt out to the two halves.
static uint32_t dealt(uint32_t bits) {
    uint32_t swap;
    swap = (bits ^ (bits >> 2)) & 0x0c0c0c0c, bits ^= swap ^ (swap << 2);
    swap = (bits ^ (bits >> 4)) & 0x00f000f0, bits ^= swap ^ (swap << 4);
    swap = (bits ^ (bits >> 8)) & 0x0000ff00, bits ^= swap ^ (swap << 8);
    return bits;
}

static void pack_small(uint32_t type, uint8_t *tile, const uint8_t *block, uint32_t row) {
    switch (type) {
    case F32: spread_elements(tile, block, row, 4); break;
    case F16:
    case BF16: spread_elements(tile, block, row, 2); break;
    case Q4_0: // d, nibbles
        spread_words(tile, block + 2, row, 4);
        put_half(tile + 64, row, block);
        break;
    case Q4_1: // d, m, nibbles
        spread_words(tile, block + 4, row, 4);
        put_half(tile + 64, row, block);
        put_half(tile + 72, row, block + 2);
        break;
    case Q5_0: // d, fifth bits, nibbles
        spread_words(tile, block + 6, row, 4);
        put_word(tile + 64 + 4 * row, dealt(word_at(block + 2)));
        put_half(tile + 80, row, block);
        break;
    case Q5_1: // d, m, fifth bits, nibbles
        spread_words(tile, block + 8, row, 4);
        put_word(tile + 64 + 4 * row, dealt(word_at(block + 4)));
        put_half(tile + 80, row, block);
        put_half(tile + 88, row, block + 2);
        break;
    case Q8_0: // d, bytes
        spread_words(tile, block + 2, row, 8);
        put_half(tile + 128, row, block);
        break;
    }
}

// The K types' nibbles: 32 bytes hold 32 columns in their low halves and 32 others in their high
// ones. A tile of 32 columns has the first 16 low and the second 16 high.
static void pack_k_nibbles(uint8_t *tile, const uint8_t *bytes, int high, uint32_t row) {
    int shift = high ? 4 : 0;
    for (int j = 0; j < 4; j++) {
        uint32_t first = word_at(bytes + 4 * j) >> shift & 0x0f0f0f0f;
        uint32_t second = word_at(bytes + 16 + 4 * j) >> shift & 0x0f0f0f0f;
        put_word(tile + 16 * j + 4 * row, first | second << 4);
    }
}

// The sixteen 6-bit numbers of Q4_K and Q5_K lie in 12 bytes: the first four scales and minima in
// the low six bits of bytes 0..7, the others' low four in bytes 8..11, their top two where the
// first ones leave two bits.
static void pack_k_scales(uint8_t *scales, const uint8_t *twelve, uint32_t row) {
    uint32_t low_scales = 0, low_minima = 0, tops = 0;
    for (int k = 0; k < K_TILES; k++) {
        uint32_t scale = twelve[k % 4] & 63, minimum = twelve[k % 4 + 4] & 63;
        if (k >= 4) {
            scale = (twelve[k + 4] & 15) | twelve[k - 4] >> 6 << 4;
            minimum = twelve[k + 4] >> 4 | twelve[k] >> 6 << 4;
        }
        low_scales |= (scale & 15) << 4 * k;
        low_minima |= (minimum & 15) << 4 * k;
        tops |= scale >> 4 << 2 * k | minimum >> 4 << (16 + 2 * k);
    }
    put_word(scales + 4 * row, low_scales);
    put_word(scales + 16 + 4 * row, low_minima);
    put_word(scales + 32 + 4 * row, tops);
}

// d, dmin, 12 bytes of scales, [a fifth bit a column and tile,] nibbles
static void pack_q4_or_q5_k(int fifth, uint8_t *tiles, const uint8_t *block, uint32_t row) {
    const uint8_t *nibbles = block + (fifth ? 48 : 16);
    int tile_bytes = fifth ? 80 : 64;
    for (int k = 0; k < K_TILES; k++) {
        uint8_t *tile = tiles + k * tile_bytes;
        pack_k_nibbles(tile, nibbles + k / 2 * 32, k % 2, row);
        if (!fifth) continue;
        uint32_t bits = 0;
        for (int column = 0; column < COLUMNS; column++)
            bits |= (uint32_t)(block[16 + column] >> k & 1) << column;
        put_word(tile + 64 + 4 * row, dealt(bits));
    }
    uint8_t *scales = tiles + K_TILES * tile_bytes;
    pack_k_scales(scales, block + 4, row);
    put_half(scales + 48, row, block);
    put_half(scales + 56, row, block + 2);
}

// nibbles, two bits a column, 16 scales, d. 128 columns share 64 bytes of nibbles and 32 of bits:
// tile k of the four has the nibbles of half k % 2, low or high by k / 2, and the bits at 2k.
static void pack_q6_k(uint8_t *tiles, const uint8_t *block, uint32_t row) {
    for (int k = 0; k < K_TILES; k++) {
        uint8_t *tile = tiles + 96 * k;
        const uint8_t *bits = block + 128 + k / 4 * 32;
        pack_k_nibbles(tile, block + k / 4 * 64 + k % 2 * 32, k % 4 / 2, row);
        for (int half = 0; half < 2; half++) {
            uint32_t word = 0;
            for (int column = 0; column < 16; column++) {
                uint32_t two = bits[16 * half + column] >> k % 4 * 2 & 3;
                word |= two << (column % 4 / 2 * 16 + 2 * (column / 4 * 2 + column % 2));
            }
            put_word(tile + 64 + 16 * half + 4 * row, word);
        }
    }
    uint8_t *scales = tiles + 96 * K_TILES;
    for (int k = 0; k < 16; k++) scales[4 * k + row] = block[192 + k];
    put_half(scales + 64, row, block + 208);
}

static void pack_block(uint32_t type, uint8_t *tile, const uint8_t *block, uint32_t row) {
    if (type == Q6_K) pack_q6_k(tile, block, row);
    else if (is_k(type)) pack_q4_or_q5_k(type == Q5_K, tile, block, row);
    else pack_small(type, tile, block, row);
}

static void pack_rows(uint32_t type, const uint8_t *rows, uint32_t columns, uint8_t *tiles) {
    uint32_t block = block_bytes(type), row = row_bytes(type, columns);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t at = 0; at < row; at += block)
            pack_block(type, tiles + ROWS * at, rows + r * row + at, r);
}

#ifdef __wasm__
__attribute__((export_name("repack")))
#endif
void repack(uint32_t type, uint8_t *data, uint32_t rows, uint32_t columns, uint8_t *tail,
            uint8_t *scratch) {
    uintptr_t group = ROWS * (uintptr_t)row_bytes(type, columns);
    uint32_t rest = rows % ROWS;
    for (uint32_t row = 0; row + ROWS <= rows; row += ROWS, data += group) {
        __builtin_memcpy(scratch, data, group);
        pack_rows(type, scratch, columns, data);
    }
    if (!rest) return;
    // A block of zero bytes is a block of zeros in every type: its scales are 0.
    __builtin_memset(scratch, 0, group);
    __builtin_memcpy(scratch, data, rest * (group / ROWS));
    pack_rows(type, scratch, columns, tail);
}

static float float_of(uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

static float half_at(const uint8_t *at) {
    uint32_t half = at[0] | at[1] << 8, exponent = half >> 10 & 31, fraction = half & 1023;
    float size = float_of((exponent ? exponent + 112 : 113) << 23 | fraction << 13);
    if (!exponent) size -= 0x1p-14f;
    return half >> 15 ? -size : size;
}

static int nibble_at(const uint8_t *tile, uint32_t row, int column) {
    uint8_t two = tile[column % 16 / 4 * 16 + 4 * row + column % 4];
    return column < 16 ? two & 15 : two >> 4;
}

static int fifth_at(const uint8_t *bits, uint32_t row, int column) {
    int at = column % 4 / 2 * 16 + column / 4 * 2 + column % 2;
    return (word_at(bits + 4 * row) >> at & 1) << 4;
}

static int top_at(const uint8_t *bits, uint32_t row, int column) {
    int at = column % 4 / 2 * 16 + 2 * (column % 16 / 4 * 2 + column % 2);
    return (word_at(bits + column / 16 * 16 + 4 * row) >> at & 3) << 4;
}

static float small_value(uint32_t type, const uint8_t *tile, uint32_t row, int column) {
    const uint8_t *d = tile + 64 + 2 * row, *after_fifth = tile + 80 + 2 * row;
    switch (type) {
    case F32: return float_of(word_at(tile + 16 * column + 4 * row));
    case F16: return half_at(tile + 8 * column + 2 * row);
    case BF16: {
        const uint8_t *at = tile + 8 * column + 2 * row;
        return float_of((uint32_t)at[0] << 16 | (uint32_t)at[1] << 24);
    }
    case Q4_0: return (nibble_at(tile, row, column) - 8) * half_at(d);
    case Q4_1: return nibble_at(tile, row, column) * half_at(d) + half_at(d + 8);
    case Q5_0:
        return (nibble_at(tile, row, column) + fifth_at(tile + 64, row, column) - 16) *
               half_at(after_fifth);
    case Q5_1:
        return (nibble_at(tile, row, column) + fifth_at(tile + 64, row, column)) *
                   half_at(after_fifth) +
               half_at(after_fifth + 8);
    case Q8_0:
        return (int8_t)tile[column / 4 * 16 + 4 * row + column % 4] *
               half_at(tile + 128 + 2 * row);
    default: return 0;
    }
}

static int six_bits(const uint8_t *scales, uint32_t row, int k, int is_minimum) {
    int low = word_at(scales + 16 * is_minimum + 4 * row) >> 4 * k & 15;
    int top = word_at(scales + 32 + 4 * row) >> (16 * is_minimum + 2 * k) & 3;
    return low | top << 4;
}

static float k_value(uint32_t type, const uint8_t *tiles, uint32_t row, int k, int column) {
    if (type == Q6_K) {
        const uint8_t *tile = tiles + 96 * k, *scales = tiles + 96 * K_TILES;
        int quant = nibble_at(tile, row, column) + top_at(tile + 64, row, column) - 32;
        int scale = (int8_t)scales[4 * (2 * k + column / 16) + row];
        return half_at(scales + 64 + 2 * row) * scale * quant;
    }
    int tile_bytes = type == Q5_K ? 80 : 64;
    const uint8_t *tile = tiles + tile_bytes * k, *scales = tiles + tile_bytes * K_TILES;
    int quant = nibble_at(tile, row, column);
    if (type == Q5_K) quant += fifth_at(tile + 64, row, column);
    float d = half_at(scales + 48 + 2 * row), dmin = half_at(scales + 56 + 2 * row);
    return d * six_bits(scales, row, k, 0) * quant - dmin * six_bits(scales, row, k, 1);
}

void unpack_row(uint32_t type, const uint8_t *tiles, uint32_t row, uint32_t columns, float *out) {
    uint32_t group = ROWS * block_bytes(type), wide = block_columns(type);
    for (uint32_t at = 0; at < columns; at++) {
        const uint8_t *tile = tiles + at / wide * group;
        int column = at % COLUMNS, k = at % wide / COLUMNS;
        out[at] = is_k(type) ? k_value(type, tile, row, k, column)
                             : small_value(type, tile, row, column);
    }
}
