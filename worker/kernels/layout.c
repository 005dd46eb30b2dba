// Where everything lies that is neither weights nor code. The engine has written the model's sizes
// and says from where memory is free; the end of what is taken is the answer, so that it can be
// asked before there is so much memory.

#include "buffers.h"
#include "cache.h"
#include "model.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { ALIGNMENT = 64 }; // a cache line

Buffers buffers;

// 64 bits: what does not fit into an address is to be seen, not to begin again at 0.
static uint64_t next;

static void *take(uint64_t bytes) {
    uint64_t at = (next + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    next = at + bytes;
    return (void *)(uintptr_t)at;
}

static float *take_rows(uint32_t count, uint32_t columns) {
    return take((uint64_t)count * columns * sizeof(float));
}

static Room take_room(uint32_t count) {
    uint64_t blocks = (uint64_t)count * (buffers.widest / COLUMNS);
    return (Room){
        .values = take_rows(count, buffers.widest),
        .scores = take_rows(1, model.context + ROWS),
        .blocks = take(blocks * sizeof(Block)),
        .inputs = take(count * sizeof(Input)),
    };
}

static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

// Gives the buffers and the cache their places from `at` on, for `threads` threads; returns where
// they end, which may be beyond all memory. Nothing is written there.
double EXPORT(lay_out)(uintptr_t at, Layer *layers, uint32_t threads) {
    next = at;
    uint32_t count = model.batch, query_width = model.heads * model.head;
    uint32_t key_width = model.key_heads * model.head;
    buffers.widest = most(most(model.width, model.feed_width), query_width);
    buffers.stream = take_rows(count, model.width);
    buffers.product = take_rows(count, model.width);
    buffers.queries = take_rows(count, query_width);
    buffers.keys = take_rows(count, key_width);
    buffers.values = take_rows(count, key_width);
    buffers.attended = take_rows(count, query_width);
    buffers.gate = take_rows(count, model.feed_width);
    buffers.up = take_rows(count, model.feed_width);
    buffers.shared = take_room(count);
    for (uint32_t t = 0; t < threads; t++) buffers.own[t] = take_room(1);
    model.tokens = take(count * sizeof(uint32_t));
    model.logits = take_rows(1, model.vocabulary + ROWS);
    uint64_t positions = (uint64_t)model.key_heads * model.context;
    for (uint32_t i = 0; i < model.layers_count; i++) {
        layers[i].keys = take(positions * cache_row_bytes(model.key_type, model.head));
        layers[i].values = take(positions * cache_row_bytes(model.value_type, model.head));
    }
    return (double)next;
}

Model *EXPORT(model_at)(void) { return &model; }
uint32_t EXPORT(model_bytes)(void) { return sizeof(Model); }
uint32_t EXPORT(layer_bytes)(void) { return sizeof(Layer); }
