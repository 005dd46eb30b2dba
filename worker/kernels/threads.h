#ifndef PAGESIDE_THREADS_H
#define PAGESIDE_THREADS_H

#include <stdint.h>

enum { MOST_THREADS = 16 };

// One thread of those that run a call together.
typedef struct {
    uint32_t index, count;
} Thread;

// The part of `units` that is this thread's, in whole steps.
typedef struct {
    uint32_t first, last;
} Share;
Share share_of(uint32_t units, uint32_t step, Thread thread);

// Returns once all threads of the call are here. What one wrote before, all may read after.
void barrier(Thread thread);

// Runs `part` on `count` threads, this one among them, and returns when all have come to its last
// barrier. The others wait in `serve`.
void run_together(void (*part)(Thread), uint32_t count);

#endif
