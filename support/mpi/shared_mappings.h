/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that this process has mapped to share, as Linux lists them: the place in a file of an address, and the
 * address of a place. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A place in a file; of an inode 0, memory that no file is behind. */
struct file_place {
    uint64_t device, inode, offset;
};

/* Addresses [begin, end) are a file from the place on. */
struct shared_mapping {
    char *begin, *end;
    struct file_place place;
};

struct shared_mappings {
    int64_t n, capacity;
    struct shared_mapping *list;
};

/* Lists the shared mappings that this process may read and write. Ends the program when out of memory; empty
 * where the system has no such list. */
void shared_mappings_init(struct shared_mappings *mappings);
void shared_mappings_fini(struct shared_mappings *mappings);

/* The mapping that size_bytes at an address lie in as a whole; NULL if there is none. Borrowed. */
struct shared_mapping *shared_mappings_at(const struct shared_mappings *mappings,
                                          const void *address, size_t size_bytes);

/* Where this process has mapped size_bytes from a place on; NULL if it has not. */
char *shared_mappings_address(const struct shared_mappings *mappings,
                              const struct file_place *place, size_t size_bytes);
