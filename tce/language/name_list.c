/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/name_list.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

static int compare_name(const struct name_entry *entry, const char *begin, size_t length)
{
    int order = memcmp(entry->begin, begin, entry->length < length ? entry->length : length);
    if (order != 0)
        return order;
    return (entry->length > length) - (entry->length < length);
}

/* The first entry that is not before the name. */
static int64_t find_first_not_before(const struct name_list *list, const char *begin, size_t length)
{
    int64_t first = 0, last = list->n;
    while (first < last) {
        int64_t middle = first + (last - first) / 2;
        if (compare_name(&list->entries[middle], begin, length) < 0)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

const struct name_entry *name_list_find(const struct name_list *list, const char *begin,
                                        size_t length)
{
    int64_t at = find_first_not_before(list, begin, length);
    if (at == list->n || compare_name(&list->entries[at], begin, length) != 0)
        return NULL;
    return &list->entries[at];
}

enum status name_list_add(struct name_list *list, struct name_entry entry)
{
    TRY(array_reserve(&list->entries, list->n + 1, &list->capacity, sizeof *list->entries));
    int64_t at = find_first_not_before(list, entry.begin, entry.length);
    memmove(list->entries + at + 1, list->entries + at,
            (size_t)(list->n - at) * sizeof *list->entries);
    list->entries[at] = entry;
    list->n++;
    return STATUS_OK;
}

void name_list_fini(struct name_list *list)
{
    free(list->entries);
    *list = (struct name_list){0};
}
