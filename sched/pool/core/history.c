/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/history.h"

#include "support/base/array.h"

#include <stdlib.h>

enum status history_add(struct taskpool_history *history, int64_t task, double time_s, int worker)
{
    TRY(array_reserve(&history->entries, history->n_entries + 1, &history->capacity,
                      sizeof *history->entries));
    history->entries[history->n_entries++] =
        (struct taskpool_history_entry){.task = task, .time_s = (float)time_s, .worker = worker};
    return STATUS_OK;
}

void history_clear(struct taskpool_history *history)
{
    history->n_entries = 0;
}

void history_fini(struct taskpool_history *history)
{
    free(history->entries);
    *history = (struct taskpool_history){0};
}
