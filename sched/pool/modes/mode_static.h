/* SPDX-License-Identifier: BSD-3-Clause */
/* Each worker runs the tasks that it was seeded with: mode static (mode_static.c), and mode lpt,
 * whose seeding knows all durations. */
#pragma once

#include "taskpool/mode.h"

struct static_state {
    const struct taskpool_seeding *seeding;
    int worker;
    int64_t next_range; /* of the worker's seeding */
    int64_t n_tasks;    /* of the worker */
};

/* Entries of struct taskpool_mode. */
int static_init(void *state, const struct taskpool_mode_setup *setup, struct taskpool_comm *comm);
int static_seed(void *state);
enum taskpool_mode_step static_next(void *state, struct taskpool_mode_work *work);
enum taskpool_mode_step static_restore(void *state);
double static_progress(const void *state, int64_t n_run);
void static_describe(const void *state, char *text, size_t size);
