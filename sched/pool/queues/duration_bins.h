/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's tasks by measured duration: Theta(n) task IDs and one bin for each
 * duration that occurs, to the precision of a bin.
 *
 * A bin is named by the sign, the exponent and the top ten bits of the mantissa
 * of a float, so that bins are 0.05 to 0.1 % wide, which is less than two runs of
 * one task differ and three times finer than the 0.3 % that balancing tolerates,
 * and so that the order of the bits is the order of the durations. Every task counts with the
 * mean of its bin: the sum of all is then the measured load, without a systematic error.
 *
 * Source: Lifflander, Krishnamoorthy, Kale, HPDC 2012, section 5. */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct duration_entry {
    int64_t task; /* ~task after its removal */
    int64_t next; /* entry of the same bin, -1 at the end */
};

/* Scratch memory of duration_bins_list_longest_first for each task, in bytes. */
enum { DURATION_BINS_ORDER_BYTES = sizeof(uint8_t) + sizeof(int64_t) };

struct duration_bin {
    double sum_s;  /* of its tasks */
    int64_t first; /* entry, the last that was added; -1 for none */
    uint32_t n_tasks;
    uint32_t key;
};

enum { DURATION_BINS_N_HINTS = 32 };

/* Zero-initialised is empty. */
struct duration_bins {
    struct duration_entry *entries; /* n_entries, in the order of adding */
    int64_t n_entries, entries_capacity;
    struct duration_bin *bins; /* n_bins, shorter ones first */
    int64_t n_bins, bins_capacity;
    int64_t last_bin;                     /* of the last addition */
    int32_t hints[DURATION_BINS_N_HINTS]; /* by hashed key: where its bin was */
    int64_t first_filled;                 /* the bins before are empty */
    int64_t n_tasks;
    double load_s; /* of all tasks */
};

/* Adds a task; one of unknown duration, below 0, counts as much as the others on average. The bin
 * is found by a cached hint, else by a binary search.
 * Errors: STATUS_NO_MEMORY, nothing is then changed; STATUS_LIMIT. */
enum status duration_bins_add(struct duration_bins *bins, int64_t task, double time_s);

/* Removes a task of a bin that has one: the one added last. Its entry stays, so that the task
 * can be put back where it was.
 * bin            in [0, n_bins)
 * entry, time_s  out */
void duration_bins_remove(struct duration_bins *bins, int64_t bin, int64_t *entry, float *time_s);

/* Removes a task from the shortest bin with tasks. False without tasks. */
bool duration_bins_remove_smallest(struct duration_bins *bins, int64_t *entry, float *time_s);

/* The mean of the longest bin with tasks; 0 without tasks. */
double duration_bins_longest_s(const struct duration_bins *bins);

/* Puts a removed task back, with the duration that it was removed with.
 * Errors: STATUS_NO_MEMORY. */
enum status duration_bins_put_back(struct duration_bins *bins, int64_t entry, float time_s);

/* The task of an entry that was removed. */
int64_t duration_bins_removed_task(const struct duration_bins *bins, int64_t entry);

/* Appends all tasks to a list: in the order of adding; or the longest first, by
 * powers of two of the duration, and in the order of adding where that is the same,
 * so that tasks that share data are not separated for a few percent of duration.
 * Errors: STATUS_NO_MEMORY. */
enum status duration_bins_list(const struct duration_bins *bins, struct task_ranges *ranges);
enum status duration_bins_list_longest_first(const struct duration_bins *bins,
                                             struct task_ranges *ranges);

/* Removes all tasks and keeps the memory. */
void duration_bins_clear(struct duration_bins *bins);

void duration_bins_fini(struct duration_bins *bins);
