#include "sched/pool/core/history.h"

#include "support/base/array.h"

#include <stdlib.h>

enum status history_add(struct history *history, int64_t task, double time_s, int worker)
{
    TRY(array_reserve(&history->entries, history->n_entries + 1, &history->capacity,
                      sizeof *history->entries));
    history->entries[history->n_entries++] =
        (struct history_entry){.task = task, .time_s = (float)time_s, .worker = worker};
    return STATUS_OK;
}

void history_clear(struct history *history)
{
    history->n_entries = 0;
}

void history_fini(struct history *history)
{
    free(history->entries);
    *history = (struct history){0};
}
