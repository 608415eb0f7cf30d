/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a dynamic pool, one after another. */
#pragma once

#include "support/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised but for record_size is empty. */
struct record_list {
    size_t record_size;
    char *records; /* n x record_size */
    int64_t n;
    int64_t capacity;
};

/* Appends a copy. Errors: STATUS_NO_MEMORY, the list is then unchanged. */
enum status record_list_add(struct record_list *list, const void *record);

/* Valid until the list changes. */
const void *record_list_at(const struct record_list *list, int64_t i);

void record_list_fini(struct record_list *list);
