/* The history of an iteration: task, worker and seconds, one entry per task that ran without
 * failure. A pool of 2e10 tasks where few run costs only those few. */
#ifndef BERYL_SCHED_HISTORY_H
#define BERYL_SCHED_HISTORY_H

#include "support/base/status.h"

#include <stdint.h>

struct taskpool_history_entry {
    int64_t task;
    float time_s; /* seven digits: more than two runs of a task have in common */
    int32_t worker;
};

/* Zero-initialised is empty. */
struct taskpool_history {
    struct taskpool_history_entry *entries; /* n_entries, in the order in which they ended */
    int64_t n_entries;
    int64_t capacity;
};

/* Appends an entry. Errors: STATUS_NO_MEMORY, the history is then unchanged. */
enum status history_add(struct taskpool_history *history, int64_t task, double time_s, int worker);

/* Forgets the entries and keeps the memory. */
void history_clear(struct taskpool_history *history);

void history_fini(struct taskpool_history *history);

#endif
