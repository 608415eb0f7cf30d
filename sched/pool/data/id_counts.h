/* SPDX-License-Identifier: BSD-3-Clause */
/* How often each of some IDs occurs: a hash table with open addressing. */
#pragma once

#include <stdint.h>

struct id_count {
    int64_t id;
    int64_t n; /* 0: the slot is free, or its ID occurs no more */
};

/* Zero-initialised is empty. */
struct id_counts {
    struct id_count *slots; /* capacity, a power of two */
    int64_t capacity, n_used;
    int64_t n_ids; /* that occur */
};

int64_t id_counts_of(const struct id_counts *counts, int64_t id);

/* Adds n, which may be below 0, to the count of an ID >= 0, which stays 0 or more. Ends the program
 * when out of memory. Returns the new count. */
int64_t id_counts_add(struct id_counts *counts, int64_t id, int64_t n);

/* Forgets all IDs and keeps the memory. */
void id_counts_clear(struct id_counts *counts);
void id_counts_fini(struct id_counts *counts);
