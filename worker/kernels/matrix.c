#include "matrix.h"

typedef void Kernel(const uint8_t *tiles, uint32_t columns, const Input *x, V *out);

// Two kernels a type: for one input, as in decode, and for four, as in prefill, where what is
// unpacked of a tile is used four times.
#define KERNELS(TYPE)                                                                             \
    static void one_##TYPE(const uint8_t *tiles, uint32_t columns, const Input *x, V *out) {      \
        dot(TYPE, 1, tiles, columns, x, out);                                                     \
    }                                                                                             \
    static void four_##TYPE(const uint8_t *tiles, uint32_t columns, const Input *x, V *out) {     \
        dot(TYPE, MOST_INPUTS, tiles, columns, x, out);                                           \
    }

#define EACH_TYPE(DO)                                                                             \
    DO(F32) DO(F16) DO(BF16) DO(Q4_0) DO(Q4_1) DO(Q5_0) DO(Q5_1) DO(Q8_0) DO(Q4_K) DO(Q5_K) DO(Q6_K)

EACH_TYPE(KERNELS)

static Kernel *kernel_of(uint32_t type, int inputs) {
    switch (type) {
#define CASE(TYPE) case TYPE: return inputs == 1 ? one_##TYPE : four_##TYPE;
        EACH_TYPE(CASE)
    default: __builtin_trap(); // layout.c lets no other type in
    }
}

static void store(V rows, float *out, uint32_t count, Into into) {
    if (count == ROWS) {
        wasm_v128_store(out, into == ADD ? add(rows, wasm_v128_load(out)) : rows);
        return;
    }
    float four[ROWS];
    wasm_v128_store(four, rows);
    for (uint32_t r = 0; r < count; r++) out[r] = into == ADD ? out[r] + four[r] : four[r];
}

void multiply(const Matrix *matrix, const Input *inputs, uint32_t count, uint32_t first,
              uint32_t last, float *out, uint32_t stride, Into into) {
    uint32_t group_bytes = ROWS * row_bytes(matrix->type, matrix->columns);
    int at_once = count == 1 ? 1 : MOST_INPUTS;
    Kernel *kernel = kernel_of(matrix->type, at_once);
    for (uint32_t row = first; row < last; row += ROWS) {
        uint32_t rows = last - row < ROWS ? last - row : ROWS;
        const uint8_t *tiles =
            rows < ROWS ? matrix->tail : matrix->tiles + (uintptr_t)(row / ROWS) * group_bytes;
        for (uint32_t i = 0; i < count; i += at_once) {
            Input x[MOST_INPUTS];
            V products[MOST_INPUTS];
            // The last few are filled up with the last one, whose extra products are dropped.
            for (int k = 0; k < at_once; k++) x[k] = inputs[i + k < count ? i + k : count - 1];
            kernel(tiles, matrix->columns, x, products);
            for (int k = 0; k < at_once && i + k < count; k++)
                store(products[k], out + (i + k) * stride + row, rows, into);
        }
    }
}
