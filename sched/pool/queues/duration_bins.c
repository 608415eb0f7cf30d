/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/duration_bins.h"

#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_MANTISSA_BITS = 10, FLOAT_MANTISSA_BITS = 23 };
_Static_assert(DURATION_BINS_N_HINTS == 32, "a hint for each value of five bits");

static uint32_t key_of(double time_s)
{
    float time = time_s > 0 ? (float)time_s : 0;
    uint32_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits >> (FLOAT_MANTISSA_BITS - KEY_MANTISSA_BITS);
}

/* The first bin whose key is not below this one. */
static int64_t lower_bound(const struct duration_bins *bins, uint32_t key)
{
    int64_t first = 0;
    for (int64_t n = bins->n_bins, half; n > 0; n -= half) {
        half = (n + 1) / 2;
        first += bins->bins[first + half - 1].key < key ? half : 0;
    }
    return first;
}

static enum status insert_bin(struct duration_bins *self, int64_t bin, uint32_t key)
{
    TRY(array_reserve(&self->bins, self->n_bins + 1, &self->bins_capacity, sizeof *self->bins));
    struct duration_bin *place = &self->bins[bin];
    memmove(place + 1, place, (size_t)(self->n_bins - bin) * sizeof *place);
    *place = (struct duration_bin){.first = -1, .key = key};
    self->n_bins++;
    return STATUS_OK;
}

/* Where the bin of a key was. Knuth's multiplicative hash; the top five bits. */
static int32_t *hint_of(struct duration_bins *self, uint32_t key)
{
    return &self->hints[(key * UINT32_C(2654435769)) >> 27];
}

/* Sets last_bin to the bin of a duration; adds the bin if needed. */
static enum status find_bin(struct duration_bins *self, double time_s)
{
    uint32_t key = key_of(time_s);
    int32_t *hint = hint_of(self, key);
    int64_t bin = *hint;
    if (bin >= self->n_bins || self->bins[bin].key != key) {
        bin = lower_bound(self, key);
        if (bin == self->n_bins || self->bins[bin].key != key)
            TRY(insert_bin(self, bin, key));
        *hint = (int32_t)bin; /* there are 2^19 keys */
    }
    self->last_bin = bin;
    return STATUS_OK;
}

static void link_entry(struct duration_bins *self, int64_t entry, double time_s)
{
    struct duration_bin *bin = &self->bins[self->last_bin];
    self->entries[entry].next = bin->first;
    bin->first = entry;
    bin->n_tasks++;
    bin->sum_s += time_s;
    self->load_s += time_s;
    self->n_tasks++;
    if (self->last_bin < self->first_filled)
        self->first_filled = self->last_bin;
}

enum status duration_bins_add(struct duration_bins *self, int64_t task, double time_s)
{
    if (time_s < 0)
        time_s = self->n_tasks > 0 ? self->load_s / (double)self->n_tasks : 0;
    TRY(find_bin(self, time_s));
    if (self->bins[self->last_bin].n_tasks == UINT32_MAX)
        return FAIL(STATUS_LIMIT, "2^32 tasks of one duration ran on one worker");
    TRY(array_reserve(&self->entries, self->n_entries + 1, &self->entries_capacity,
                      sizeof *self->entries));
    int64_t entry = self->n_entries++;
    self->entries[entry].task = task;
    link_entry(self, entry, time_s);
    return STATUS_OK;
}

void duration_bins_remove(struct duration_bins *self, int64_t number, int64_t *entry, float *time_s)
{
    struct duration_bin *bin = &self->bins[number];
    double mean_s = bin->sum_s / bin->n_tasks;
    *entry = bin->first;
    *time_s = (float)mean_s;
    bin->first = self->entries[*entry].next;
    self->entries[*entry].task = ~self->entries[*entry].task;
    bin->sum_s = --bin->n_tasks > 0 ? bin->sum_s - mean_s : 0;
    self->load_s = --self->n_tasks > 0 ? self->load_s - mean_s : 0;
}

bool duration_bins_remove_smallest(struct duration_bins *self, int64_t *entry, float *time_s)
{
    if (self->n_tasks == 0)
        return false;
    while (self->bins[self->first_filled].n_tasks == 0)
        self->first_filled++;
    duration_bins_remove(self, self->first_filled, entry, time_s);
    return true;
}

double duration_bins_longest_s(const struct duration_bins *self)
{
    for (int64_t i = self->n_bins - 1; i >= 0; i--)
        if (self->bins[i].n_tasks > 0)
            return self->bins[i].sum_s / self->bins[i].n_tasks;
    return 0;
}

enum status duration_bins_put_back(struct duration_bins *self, int64_t entry, float time_s)
{
    TRY(find_bin(self, time_s));
    self->entries[entry].task = ~self->entries[entry].task;
    link_entry(self, entry, time_s);
    return STATUS_OK;
}

int64_t duration_bins_removed_task(const struct duration_bins *self, int64_t entry)
{
    return ~self->entries[entry].task;
}

enum status duration_bins_list(const struct duration_bins *self, struct task_ranges *ranges)
{
    for (int64_t i = 0; i < self->n_entries; i++)
        if (self->entries[i].task >= 0)
            TRY(task_ranges_add(ranges, self->entries[i].task));
    return STATUS_OK;
}

/* The powers of two that a float may hold, the largest first. */
enum { N_OCTAVES = 256 };

/* Fills in the octave of each entry that has a task, and the number of tasks in
 * the octaves before each. */
static void note_octaves(const struct duration_bins *self, uint8_t *octaves, int64_t *n_before)
{
    for (int64_t i = 0; i < self->n_bins; i++) {
        const struct duration_bin *bin = &self->bins[i];
        uint32_t octave = N_OCTAVES - 1 - (bin->key >> KEY_MANTISSA_BITS);
        n_before[octave + 1] += bin->n_tasks;
        for (int64_t entry = bin->first; entry >= 0; entry = self->entries[entry].next)
            octaves[entry] = (uint8_t)octave;
    }
    for (int octave = 0; octave < N_OCTAVES; octave++)
        n_before[octave + 1] += n_before[octave];
}

enum status duration_bins_list_longest_first(const struct duration_bins *self,
                                             struct task_ranges *ranges)
{
    int64_t n_before[N_OCTAVES + 1] = {0};
    uint8_t *octaves = malloc((size_t)self->n_entries + 1);
    int64_t *tasks = malloc(((size_t)self->n_tasks + 1) * sizeof *tasks);
    enum status status =
        CHECK_MEMORY(octaves && tasks, "no memory to order %lld tasks", (long long)self->n_tasks);
    if (status != STATUS_OK)
        goto done;
    note_octaves(self, octaves, n_before);
    for (int64_t i = 0; i < self->n_entries; i++)
        if (self->entries[i].task >= 0)
            tasks[n_before[octaves[i]]++] = self->entries[i].task;
    for (int64_t i = 0; i < self->n_tasks && status == STATUS_OK; i++)
        status = task_ranges_add(ranges, tasks[i]);
done:
    free(octaves);
    free(tasks);
    return status;
}

void duration_bins_clear(struct duration_bins *self)
{
    self->n_entries = self->n_bins = self->n_tasks = 0;
    self->last_bin = self->first_filled = 0;
    self->load_s = 0;
}

void duration_bins_fini(struct duration_bins *self)
{
    free(self->entries);
    free(self->bins);
    *self = (struct duration_bins){0};
}
