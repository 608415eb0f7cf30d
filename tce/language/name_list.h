/* SPDX-License-Identifier: BSD-3-Clause */
/* The names that a program declares, sorted, so that a look-up is a binary search. */
#ifndef BERYL_TCE_NAME_LIST_H
#define BERYL_TCE_NAME_LIST_H

#include "support/base/status.h"
#include "tce/language/source_place.h"

#include <stddef.h>
#include <stdint.h>

struct name_entry {
    const char *begin; /* borrowed; not NUL-terminated */
    size_t length;
    int number;
    struct source_place place; /* of the declaration */
};

/* Begins as zeros. */
struct name_list {
    int64_t n, capacity;
    struct name_entry *entries; /* sorted */
};

/* The entry of a name, NULL if it is not there; valid until the next addition. */
const struct name_entry *name_list_find(const struct name_list *list, const char *begin,
                                        size_t length);

/* Adds a name that is not there. Errors: STATUS_NO_MEMORY. */
enum status name_list_add(struct name_list *list, struct name_entry entry);

void name_list_fini(struct name_list *list);

#endif
