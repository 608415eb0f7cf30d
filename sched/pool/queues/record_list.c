/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/record_list.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

enum status record_list_add(struct record_list *list, const void *record)
{
    TRY(array_reserve(&list->records, list->n + 1, &list->capacity, list->record_size));
    memcpy(list->records + (size_t)list->n++ * list->record_size, record, list->record_size);
    return STATUS_OK;
}

const void *record_list_at(const struct record_list *list, int64_t i)
{
    return list->records + (size_t)i * list->record_size;
}

void record_list_fini(struct record_list *list)
{
    free(list->records);
    *list = (struct record_list){0};
}
