/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/data/id_counts.h"

#include "support/base/die.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CAPACITY = 64 };

/* Slots are marked as never used by an ID of -1. */
#define NEVER_USED (-1)

/* The slot of an ID, or the one where it belongs. Knuth's multiplicative hash; linear probing. */
static int64_t find_slot(const struct id_counts *self, int64_t id)
{
    uint64_t hash = (uint64_t)id * UINT64_C(11400714819323198485);
    int64_t slot = (int64_t)(hash >> 20) & (self->capacity - 1);
    while (self->slots[slot].id != id && self->slots[slot].id != NEVER_USED)
        slot = (slot + 1) & (self->capacity - 1);
    return slot;
}

int64_t id_counts_of(const struct id_counts *self, int64_t id)
{
    return self->capacity > 0 ? self->slots[find_slot(self, id)].n : 0;
}

static void allocate_slots(struct id_counts *self, int64_t capacity)
{
    self->slots = malloc((size_t)capacity * sizeof *self->slots);
    if (!self->slots)
        die_no_memory("no memory for the blocks of the tasks of a worker");
    self->capacity = capacity;
    id_counts_clear(self);
}

/* Twice the room, without the IDs that occur no more. */
static void grow_id_counts(struct id_counts *self)
{
    struct id_counts old = *self;
    allocate_slots(self, old.capacity > 0 ? 2 * old.capacity : LEAST_CAPACITY);
    for (int64_t i = 0; i < old.capacity; i++)
        if (old.slots[i].n > 0)
            id_counts_add(self, old.slots[i].id, old.slots[i].n);
    free(old.slots);
}

int64_t id_counts_add(struct id_counts *self, int64_t id, int64_t n)
{
    if (2 * self->n_used >= self->capacity)
        grow_id_counts(self);
    struct id_count *slot = &self->slots[find_slot(self, id)];
    int64_t before = slot->n;
    if (slot->id == NEVER_USED)
        self->n_used++;
    slot->id = id;
    slot->n += n;
    self->n_ids += (slot->n > 0) - (before > 0);
    return slot->n;
}

void id_counts_clear(struct id_counts *self)
{
    for (int64_t i = 0; i < self->capacity; i++)
        self->slots[i] = (struct id_count){.id = NEVER_USED};
    self->n_used = self->n_ids = 0;
}

void id_counts_fini(struct id_counts *self)
{
    free(self->slots);
    *self = (struct id_counts){0};
}
