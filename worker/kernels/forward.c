// One pass of the network, a call a layer: the engine looks for a Stop between two of them.
//
//   embed → layer 0 … layer n-1 → finish
//
// Each call is run by all threads together. A thread computes some rows of each product for all
// tokens of the batch; a barrier stands wherever the next step needs other threads' rows. How rows
// are shared out changes no sum, so the text is the same for any number of threads.

#include "buffers.h"
#include "attention.h"
#include "cache.h"
#include "model.h"
#include "norm.h"
#include "repack.h"
#include "threads.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

Model model;

// What the threads of a call are told.
static struct {
    uint32_t count, position, layer, threads; // tokens, the first one's position, ...
    uint32_t token;                           // of `finish`: whose logits
} call;

// The rows that a product takes, normed if there is a norm, and rounded. One token each thread
// prepares for itself, which takes less time than waiting for another; of several, its share.
static const Input *prepared(Thread thread, const float *rows, uint32_t columns,
                             const float *norm) {
    int alone = call.count == 1;
    Share share = alone ? (Share){0, 1} : share_of(call.count, 1, thread);
    Room *room = alone ? &buffers.own[thread.index] : &buffers.shared;
    for (uint32_t t = share.first; t < share.last; t++) {
        const float *row = rows + (uintptr_t)t * columns;
        float *values = room->values + (uintptr_t)t * buffers.widest;
        Block *blocks = room->blocks + (uintptr_t)t * (buffers.widest / COLUMNS);
        if (norm) rms_norm(row, norm, columns, model.epsilon, values);
        room->inputs[t] = (Input){blocks, norm ? values : row};
        round_activation(room->inputs[t].values, columns, blocks);
    }
    if (!alone) barrier(thread);
    return room->inputs;
}

static void add_bias(float *head, const float *bias) {
    if (!bias) return;
    for (uint32_t i = 0; i < model.head; i += 4)
        wasm_v128_store(head + i, add(wasm_v128_load(head + i), wasm_v128_load(bias + i)));
}

// A head of queries or keys, made ready to be compared: bias, norm, turn.
static void place(float *head, const Layer *layer, const float *bias, const float *norm,
                  uint32_t position) {
    add_bias(head, bias);
    if (norm) rms_norm(head, norm, model.head, model.epsilon, head);
    turn(head, layer->turns + (uintptr_t)position * model.turned, model.turned,
         (Pairs)model.pairs);
}

static const float *bias_of(const float *biases, uint32_t head) {
    return biases ? biases + head * model.head : 0;
}

static void query_head(const Layer *layer, const Input *inputs, uint32_t head) {
    uint32_t first = head * model.head, stride = model.heads * model.head;
    multiply(&layer->query, inputs, call.count, first, first + model.head, buffers.queries, stride,
             SET);
    for (uint32_t t = 0; t < call.count; t++)
        place(buffers.queries + (uintptr_t)t * stride + first, layer,
              bias_of(layer->query_bias, head), layer->query_norm, call.position + t);
}

static uint8_t *cache_row(uint8_t *cache, uint32_t type, uint32_t head, uint32_t position) {
    uintptr_t row = (uintptr_t)head * model.context + position;
    return cache + row * cache_row_bytes(type, model.head);
}

static void key_head(const Layer *layer, const Input *inputs, uint32_t head) {
    uint32_t first = head * model.head, stride = model.key_heads * model.head;
    multiply(&layer->key, inputs, call.count, first, first + model.head, buffers.keys, stride, SET);
    for (uint32_t t = 0; t < call.count; t++) {
        float *row = buffers.keys + (uintptr_t)t * stride + first;
        place(row, layer, bias_of(layer->key_bias, head), layer->key_norm, call.position + t);
        store_row(model.key_type, row, model.head,
                  cache_row(layer->keys, model.key_type, head, call.position + t));
    }
}

static void value_head(const Layer *layer, const Input *inputs, uint32_t head) {
    uint32_t first = head * model.head, stride = model.key_heads * model.head;
    multiply(&layer->value, inputs, call.count, first, first + model.head, buffers.values, stride,
             SET);
    for (uint32_t t = 0; t < call.count; t++) {
        float *row = buffers.values + (uintptr_t)t * stride + first;
        add_bias(row, bias_of(layer->value_bias, head));
        store_row(model.value_type, row, model.head,
                  cache_row(layer->values, model.value_type, head, call.position + t));
    }
}

static void project(Thread thread, const Layer *layer, const Input *inputs) {
    Share share = share_of(model.heads + 2 * model.key_heads, 1, thread);
    for (uint32_t unit = share.first; unit < share.last; unit++) {
        if (unit < model.heads) query_head(layer, inputs, unit);
        else if (unit < model.heads + model.key_heads) key_head(layer, inputs, unit - model.heads);
        else value_head(layer, inputs, unit - model.heads - model.key_heads);
    }
}

static void look(Thread thread, const Layer *layer) {
    Share share = share_of(call.count * model.heads, 1, thread);
    for (uint32_t unit = share.first; unit < share.last; unit++) {
        uint32_t token = unit / model.heads, head = unit % model.heads;
        uint32_t key_head = head / (model.heads / model.key_heads);
        uint32_t to = call.position + token + 1;
        Sight sight = {
            .keys = cache_row(layer->keys, model.key_type, key_head, 0),
            .values = cache_row(layer->values, model.value_type, key_head, 0),
            .key_type = model.key_type,
            .value_type = model.value_type,
            .head = model.head,
            .from = layer->window && to > layer->window ? to - layer->window : 0,
            .to = to,
            .scale = model.score_scale,
            .soft_cap = model.score_cap,
        };
        uintptr_t at = (uintptr_t)unit * model.head;
        attend(buffers.queries + at, &sight, buffers.own[thread.index].scores,
               buffers.attended + at);
    }
}

// Adds the product to the stream of each token; where the family norms it first, it is all there
// before it is added.
static void add_product(Thread thread, const Matrix *matrix, const Input *inputs,
                        const float *norm) {
    uint32_t width = model.width;
    Share rows = share_of(width, ROWS, thread);
    float *out = norm ? buffers.product : buffers.stream;
    multiply(matrix, inputs, call.count, rows.first, rows.last, out, width, norm ? SET : ADD);
    barrier(thread);
    if (!norm) return;
    Share tokens = share_of(call.count, 1, thread);
    for (uint32_t t = tokens.first; t < tokens.last; t++) {
        float *row = out + (uintptr_t)t * width, *stream = buffers.stream + (uintptr_t)t * width;
        rms_norm(row, norm, width, model.epsilon, row);
        for (uint32_t i = 0; i < width; i += 4)
            wasm_v128_store(stream + i, add(wasm_v128_load(stream + i), wasm_v128_load(row + i)));
    }
    barrier(thread);
}

static void feed(Thread thread, const Layer *layer, const Input *inputs) {
    Share rows = share_of(model.feed_width, ROWS, thread);
    uint32_t stride = model.feed_width;
    multiply(&layer->gate, inputs, call.count, rows.first, rows.last, buffers.gate, stride, SET);
    multiply(&layer->up, inputs, call.count, rows.first, rows.last, buffers.up, stride, SET);
    for (uint32_t t = 0; t < call.count; t++) {
        uintptr_t at = (uintptr_t)t * stride;
        apply_gate((Gate)model.gate, buffers.gate + at, buffers.up + at, rows.first, rows.last);
    }
    barrier(thread);
}

static void run_layer(Thread thread) {
    const Layer *layer = model.layers + call.layer;
    const Input *inputs = prepared(thread, buffers.stream, model.width, layer->attention_norm);
    project(thread, layer, inputs);
    barrier(thread);
    look(thread, layer);
    barrier(thread);
    inputs = prepared(thread, buffers.attended, model.heads * model.head, 0);
    add_product(thread, &layer->attended, inputs, layer->attended_norm);
    inputs = prepared(thread, buffers.stream, model.width, layer->feed_norm);
    feed(thread, layer, inputs);
    inputs = prepared(thread, buffers.up, model.feed_width, 0);
    add_product(thread, &layer->down, inputs, layer->fed_norm);
}

static void run_finish(Thread thread) {
    const float *stream = buffers.stream + (uintptr_t)call.token * model.width;
    const Input *inputs = prepared(thread, stream, model.width, model.output_norm);
    Share rows = share_of(model.vocabulary, ROWS, thread);
    multiply(&model.output, inputs, 1, rows.first, rows.last, model.logits, 0, SET);
    if (model.logit_cap > 0)
        for (uint32_t i = rows.first; i < rows.last; i++) {
            V capped = tanh_of(wasm_f32x4_splat(model.logits[i] / model.logit_cap));
            model.logits[i] = model.logit_cap * wasm_f32x4_extract_lane(capped, 0);
        }
    barrier(thread);
}

static const uint8_t *group_of(const Matrix *matrix, uint32_t row) {
    if (row / ROWS == matrix->rows / ROWS) return matrix->tail;
    uint32_t group = ROWS * row_bytes(matrix->type, matrix->columns);
    return matrix->tiles + (uintptr_t)(row / ROWS) * group;
}

// `count` tokens, 1 to `model.batch`, of model.tokens, each below the vocabulary, stand at
// `position` and after; position + count is at most the context.
void EXPORT(embed)(uint32_t count, uint32_t position, uint32_t threads) {
    call.count = count, call.position = position, call.threads = threads;
    for (uint32_t t = 0; t < count; t++) {
        uint32_t token = model.tokens[t];
        float *row = buffers.stream + (uintptr_t)t * model.width;
        unpack_row(model.embedding.type, group_of(&model.embedding, token), token % ROWS,
                   model.width, row);
        for (uint32_t i = 0; i < model.width; i++) row[i] *= model.embedding_scale;
    }
}

void EXPORT(layer)(uint32_t index) {
    call.layer = index;
    run_together(run_layer, call.threads);
}

// The logits of token `token` of this batch, into model.logits.
void EXPORT(finish)(uint32_t token) {
    call.token = token;
    call.count = 1;
    run_together(run_finish, call.threads);
}
