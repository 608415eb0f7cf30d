/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills the history of an iteration (taskpool/taskpool.h). Zero-initialised is empty. */
#pragma once

#include "support/base/status.h"
#include "taskpool/taskpool.h"

/* Appends an entry. Errors: STATUS_NO_MEMORY, the history is then unchanged. */
enum status history_add(struct taskpool_history *history, int64_t task, double time_s, int worker);

/* Forgets the entries and keeps the memory. */
void history_clear(struct taskpool_history *history);

void history_fini(struct taskpool_history *history);
