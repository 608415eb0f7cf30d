/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi/near_memory.h"

#include "support/base/die.h"
#include "support/base/node.h"
#include "support/mpi/shared_mappings.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* A page of 2 MiB is one where addresses and places in the file are the same multiple of it. */
enum { HUGE_BYTES = 2 << 20 };

bool near_memory_is_refused(void)
{
    const char *choice = getenv("BERYL_NEAR_MEMORY");
    return choice && strcmp(choice, "never") == 0;
}

bool near_memory_space_is_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* The first address in [start, start + HUGE_BYTES) for a place in a file. */
static char *align_to_place(char *start, uint64_t offset)
{
    return start + (offset - (uint64_t)(uintptr_t)start) % HUGE_BYTES;
}

/* The mapping once more, which takes its place in the list; unchanged if that is impossible. */
static void map_view(struct shared_mapping *mapping, struct near_memory *near)
{
    size_t size_bytes = (size_t)(mapping->end - mapping->begin);
    char *room = mmap(NULL, size_bytes + HUGE_BYTES, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return;
    char *first = align_to_place(room, mapping->place.offset);
    /* An old size of 0 copies a shared mapping; it replaces a part of the room. */
    char *view = mremap(mapping->begin, 0, size_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, first);
    if (view == MAP_FAILED) {
        munmap(room, size_bytes + HUGE_BYTES);
        return;
    }
    near->view = room;
    near->view_bytes = size_bytes + HUGE_BYTES;
    mapping->begin = view;
    mapping->end = view + size_bytes;
}

/* The mark that a process writes at the start of its memory, by which others verify that they see it. */
static uint64_t mark_of(int process)
{
    return (uint64_t)process + 1;
}

static uint64_t read_mark(void *memory)
{
    return atomic_load_explicit((_Atomic uint64_t *)memory, memory_order_acquire);
}

/* Drops addresses where there is not the mark of their process: files of two systems may have one
 * number. Loads that acquire stay before the barrier. */
static void verify_addresses(MPI_Comm comm, int n, char *seen[])
{
    for (int process = 0; process < n; process++)
        if (seen[process] && read_mark(seen[process]) != mark_of(process))
            seen[process] = NULL;
    MPI_Barrier(comm);
}

/* own: the place of this process's memory, which has its mark: after the exchange those of all have. */
static void find_others(MPI_Comm comm, const struct shared_mappings *mappings,
                        const struct file_place *own, size_t size_bytes, char *seen[])
{
    int n, n_near;
    MPI_Comm_size(comm, &n);
    const int *near = node_ranks(comm, &n_near);
    struct file_place *places = calloc((size_t)n, sizeof *places);
    if (!places)
        die_no_memory("no memory for the places of windows");
    MPI_Allgather(own, sizeof *own, MPI_BYTE, places, sizeof *places, MPI_BYTE, comm);
    for (int i = 0; i < n_near; i++)
        seen[near[i]] = shared_mappings_address(mappings, &places[near[i]], size_bytes);
    free(places);
}

void near_memory_init(MPI_Comm comm, void *own, size_t size_bytes, struct near_memory *near)
{
    int n, rank;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &rank);
    *near = (struct near_memory){.seen = calloc((size_t)n, sizeof *near->seen)};
    if (!near->seen)
        die_no_memory("no memory for the addresses of windows");
    bool may_share = node_count(comm) > 1 && !near_memory_is_refused();
    struct shared_mappings mappings;
    struct file_place place = {0};
    shared_mappings_init(&mappings);
    struct shared_mapping *mapping = shared_mappings_at(&mappings, own, size_bytes);
    if (mapping && may_share) {
        place = mapping->place;
        place.offset += (uint64_t)((char *)own - mapping->begin);
        if (!near_memory_space_is_limited())
            map_view(mapping, near);
    }
    atomic_store_explicit((_Atomic uint64_t *)own, mark_of(rank), memory_order_release);
    find_others(comm, &mappings, &place, size_bytes, near->seen);
    shared_mappings_fini(&mappings);
    verify_addresses(comm, n, near->seen);
    if (!near->seen[rank])
        near->seen[rank] = own;
}

void near_memory_fini(struct near_memory *near)
{
    if (near->view)
        munmap(near->view, near->view_bytes);
    free(near->seen);
    *near = (struct near_memory){0};
}
