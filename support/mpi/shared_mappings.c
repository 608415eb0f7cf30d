/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi/shared_mappings.h"

#include "support/base/array.h"
#include "support/base/die.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_file(const struct file_place *a, const struct file_place *b)
{
    return a->device == b->device && a->inode == b->inode;
}

/* Whether `next` follows `last` in its file, too: advice about a part of a mapping divides it. */
static bool continues_mapping(const struct shared_mapping *last, const struct shared_mapping *next)
{
    return last->end == next->begin && is_same_file(&last->place, &next->place) &&
           next->place.offset - last->place.offset == (uint64_t)(next->begin - last->begin);
}

static void append_mapping(struct shared_mappings *mappings, const struct shared_mapping *mapping)
{
    struct shared_mapping *last = mappings->n > 0 ? &mappings->list[mappings->n - 1] : NULL;
    if (last && continues_mapping(last, mapping)) {
        last->end = mapping->end;
        return;
    }
    if (array_reserve(&mappings->list, mappings->n + 1, &mappings->capacity, sizeof *mapping) !=
        STATUS_OK)
        die_no_memory("no memory for the list of mappings");
    mappings->list[mappings->n++] = *mapping;
}

/* A line of /proc/self/maps; false: of a mapping that is not shared, or is not to be written. */
static bool parse_mapping(const char *line, struct shared_mapping *mapping)
{
    unsigned long long begin, end, offset, inode;
    unsigned major, minor;
    char access[5];
    if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu", &begin, &end, access, &offset, &major, &minor,
               &inode) != 7)
        return false;
    *mapping = (struct shared_mapping){.begin = (char *)(uintptr_t)begin,
                                       .end = (char *)(uintptr_t)end,
                                       .place = {(uint64_t)major << 32 | minor, inode, offset}};
    return strcmp(access, "rw-s") == 0;
}

void shared_mappings_init(struct shared_mappings *mappings)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char *line = NULL;
    size_t capacity = 0;
    struct shared_mapping mapping;
    *mappings = (struct shared_mappings){0};
    while (maps && getline(&line, &capacity, maps) >= 0)
        if (parse_mapping(line, &mapping))
            append_mapping(mappings, &mapping);
    free(line);
    if (maps)
        fclose(maps);
}

void shared_mappings_fini(struct shared_mappings *mappings)
{
    free(mappings->list);
    *mappings = (struct shared_mappings){0};
}

struct shared_mapping *shared_mappings_at(const struct shared_mappings *mappings,
                                          const void *address, size_t size_bytes)
{
    const char *first = address;
    for (int64_t i = 0; i < mappings->n; i++) {
        struct shared_mapping *mapping = &mappings->list[i];
        if (first >= mapping->begin && first < mapping->end &&
            size_bytes <= (size_t)(mapping->end - first))
            return mapping;
    }
    return NULL;
}

char *shared_mappings_address(const struct shared_mappings *mappings,
                              const struct file_place *place, size_t size_bytes)
{
    for (int64_t i = 0; place->inode != 0 && i < mappings->n; i++) {
        const struct shared_mapping *mapping = &mappings->list[i];
        uint64_t first = mapping->place.offset, length = (uint64_t)(mapping->end - mapping->begin);
        if (is_same_file(place, &mapping->place) && place->offset >= first &&
            place->offset - first + size_bytes <= length)
            return mapping->begin + (place->offset - first);
    }
    return NULL;
}
