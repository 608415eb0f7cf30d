#include "sched/history.h"

#include <stdlib.h>

static enum status grow(struct history *history)
{
    int64_t capacity = history->capacity ? 2 * history->capacity : 1024;
    struct history_entry *entries =
        realloc(history->entries, (size_t)capacity * sizeof *history->entries);
    if (!entries)
        return FAIL(STATUS_NO_MEMORY, "no memory for the history of %lld tasks",
                    (long long)capacity);
    history->entries = entries;
    history->capacity = capacity;
    return STATUS_OK;
}

enum status history_add(struct history *history, int64_t task, double time_s, int worker)
{
    if (history->n_entries == history->capacity)
        TRY(grow(history));
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
