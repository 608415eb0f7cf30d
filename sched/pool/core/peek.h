/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads another thread's data, for reports about a run that hangs: without a lock, because the
 * other thread may hold it forever. */
#pragma once

#include <stddef.h>

/* Copies memory that another thread may be changing: the copy may be half old, half new, and the
 * thread sanitizer does not see it. For plain data; no pointer in it is to be followed unless it
 * stays as it is. */
__attribute__((no_sanitize("thread"))) static inline void peek_bytes(void *to, const void *from,
                                                                     size_t size)
{
    /* Volatile, or the compiler would call memcpy, which the sanitizer watches. */
    const volatile char *source = from;
    char *target = to;
    for (size_t i = 0; i < size; i++)
        target[i] = source[i];
}
