// Threads that wait for a call and run it together.
//
// Each waits by looking for a short while and then sleeping: a call is short, 30 layers with some
// five barriers each in a few milliseconds, and waking a thread takes longer than most of these
// waits; but a thread that looks on while another has lost its core takes that core's time away.

#include "threads.h"

#include <stdatomic.h>

// Some 200 microseconds: more than one thread's share of a product is longer than another's. With a
// tenth of it two threads slept within layers, and 2 of them decoded no faster than 1.
#define LOOKS 200000

// How many calls there were, times CALL, plus the threads of the last one: a thread that sat some
// out would otherwise take part in a later call as if it were an earlier one.
static _Atomic uint32_t calls;
static _Atomic uint32_t arrived, generation, sleepers;
static void (*call_part)(Thread);

enum { CALL = 2 * MOST_THREADS };

static void wait_while(_Atomic uint32_t *word, uint32_t old) {
    for (int look = 0; look < LOOKS; look++)
        if (atomic_load_explicit(word, memory_order_acquire) != old) return;
    atomic_fetch_add(&sleepers, 1);
    while (atomic_load(word) == old)
        __builtin_wasm_memory_atomic_wait32((int *)word, (int)old, -1);
    atomic_fetch_sub(&sleepers, 1);
}

// A sleeper counts itself before it looks at the word for the last time, and the word is changed
// before the sleepers are counted here: one of the two sees the other.
static void wake(_Atomic uint32_t *word) {
    if (atomic_load(&sleepers)) __builtin_wasm_memory_atomic_notify((int *)word, MOST_THREADS);
}

Share share_of(uint32_t units, uint32_t step, Thread thread) {
    uint32_t steps = (units + step - 1) / step;
    Share share = {(uint32_t)((uint64_t)steps * thread.index / thread.count) * step,
                   (uint32_t)((uint64_t)steps * (thread.index + 1) / thread.count) * step};
    if (share.last > units) share.last = units;
    return share;
}

void barrier(Thread thread) {
    if (thread.count == 1) return;
    uint32_t mine = atomic_load(&generation);
    if (atomic_fetch_add(&arrived, 1) == thread.count - 1) {
        atomic_store(&arrived, 0);
        atomic_store(&generation, mine + 1);
        wake(&generation);
    } else {
        wait_while(&generation, mine);
    }
}

void run_together(void (*part)(Thread), uint32_t count) {
    call_part = part;
    if (count > 1) {
        atomic_store(&calls, (atomic_load(&calls) / CALL + 1) * CALL + count);
        wake(&calls);
    }
    part((Thread){0, count});
}

// What a thread other than the first does; never returns. `seen` is what `last_call` said before
// this thread was made. A thread whose index is beyond a call's count sits it out.
__attribute__((export_name("serve"))) void serve(uint32_t index, uint32_t seen) {
    for (;;) {
        wait_while(&calls, seen);
        seen = atomic_load(&calls);
        if (index < seen % CALL) call_part((Thread){index, seen % CALL});
    }
}

__attribute__((export_name("last_call"))) uint32_t last_call(void) { return atomic_load(&calls); }
