/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/darray_window.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/die.h"
#include "support/base/integers.h"
#include "support/base/memory.h"
#include "support/base/node.h"
#include "support/mpi/window.h"

#include <ga.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements of the smallest window, 4 MiB: all the arrays of a small run fit into one. */
enum { LEAST_N = 1 << 19 };

enum use { FREE, RELEASED, TAKEN };

struct extent {
    int64_t first, n;
    enum use use;
};

/* A window and the uses of its parts from the beginning to the end, without gaps. */
struct managed_window {
    struct darray_window window; /* first */
    struct extent *extents;
    int64_t n_extents, capacity;
    struct managed_window *next;
};

/* In the order of their making, the same on every process: Global Arrays too has one set of arrays
 * per program. */
static struct managed_window *windows;

/* As darray_window_start has found. */
static bool windows_are_shared;

static void insert_extent(struct managed_window *window, int64_t at, struct extent extent)
{
    if (array_reserve(&window->extents, window->n_extents + 1, &window->capacity, sizeof extent) !=
        STATUS_OK)
        die_no_memory("no memory for the list of distributed arrays");
    memmove(&window->extents[at + 1], &window->extents[at],
            (size_t)(window->n_extents - at) * sizeof extent);
    window->extents[at] = extent;
    window->n_extents++;
}

static void remove_extent(struct managed_window *window, int64_t at)
{
    window->n_extents--;
    memmove(&window->extents[at], &window->extents[at + 1],
            (size_t)(window->n_extents - at) * sizeof *window->extents);
}

/* The first free extent that is long enough; whether there is one. */
static bool take_extent(struct managed_window *window, int64_t n, struct darray_place *place)
{
    int64_t at = 0;
    while (at < window->n_extents && (window->extents[at].use != FREE || window->extents[at].n < n))
        at++;
    if (at == window->n_extents)
        return false;
    struct extent *extent = &window->extents[at];
    struct extent rest = {extent->first + n, extent->n - n, FREE};
    *place = (struct darray_place){&window->window, extent->first, n};
    extent->n = n;
    extent->use = TAKEN;
    if (rest.n > 0)
        insert_extent(window, at + 1, rest);
    return true;
}

static bool take_from_windows(int64_t n, struct darray_place *place)
{
    for (struct managed_window *window = windows; window; window = window->next)
        if (take_extent(window, n, place))
            return true;
    return false;
}

void darray_window_release(const struct darray_place *place)
{
    struct managed_window *window = (struct managed_window *)place->window;
    int64_t at = 0;
    while (window->extents[at].first != place->first)
        at++;
    window->extents[at].use = RELEASED;
}

static void settle_window(struct managed_window *window)
{
    for (int64_t at = 0; at < window->n_extents; at++) {
        struct extent *extent = &window->extents[at];
        if (extent->use == RELEASED)
            extent->use = FREE;
        if (at == 0 || extent->use != FREE || extent[-1].use != FREE)
            continue;
        extent[-1].n += extent->n;
        remove_extent(window, at--);
    }
}

void darray_window_settle(void)
{
    for (struct managed_window *window = windows; window; window = window->next)
        settle_window(window);
}

int64_t darray_window_unused(void)
{
    int64_t n = 0;
    for (const struct managed_window *window = windows; window; window = window->next)
        for (int64_t at = 0; at < window->n_extents; at++)
            n += window->extents[at].use == TAKEN ? 0 : window->extents[at].n;
    return n;
}

bool darray_window_start(void)
{
    const char *choice = getenv("BERYL_NEAR_MEMORY");
    int n;
    void *memory;
    MPI_Win window;
    MPI_Comm_size(darray_comm(), &n);
    windows_are_shared =
        node_count(darray_comm()) == n && !(choice && strcmp(choice, "never") == 0) &&
        window_allocate_shared(darray_comm(), ELEMENT_BYTES, &memory, &window) == STATUS_OK;
    if (windows_are_shared)
        MPI_Win_free(&window);
    return windows_are_shared;
}

static void destroy_window(struct managed_window *managed)
{
    struct darray_window *window = &managed->window;
    if (window->shared == MPI_WIN_NULL)
        GA_Destroy(window->handle);
    else {
        MPI_Win_unlock_all(window->shared);
        MPI_Win_free(&window->shared);
    }
    free(window->parts);
    free(managed->extents);
    free(managed);
}

/* Returns the memory of windows without arrays. Collective. */
static void destroy_unused_windows(void)
{
    struct managed_window **link = &windows;
    while (*link) {
        struct managed_window *window = *link;
        if (window->n_extents > 1 || window->extents[0].use != FREE) {
            link = &window->next;
            continue;
        }
        *link = window->next;
        destroy_window(window);
    }
}

/* Global Arrays ends the program when there is not enough memory: so ask first. Collective. */
static enum status check_window_memory(const char *name, int64_t n)
{
    int n_sharing = node_count(darray_comm());
    double node_bytes = window_node_bytes(n_sharing, (double)n * ELEMENT_BYTES);
    struct memory_need need = {.shared_bytes = node_bytes / n_sharing};
    char subject[256];
    snprintf(subject, sizeof subject, "array %s", name);
    return status_agree(darray_comm(), memory_check_now(subject, &need, n_sharing,
                                                        "use more processes on more nodes"));
}

/* The first line in memory that begins with this element. */
static struct window_part find_line(char *memory, int64_t first)
{
    int64_t address = (int64_t)(uintptr_t)memory;
    int64_t gap_bytes = round_up_int64(address, LINE_BYTES) - address;
    char *line = memory + gap_bytes;
    return (struct window_part){.address = line, .first = first + gap_bytes / ELEMENT_BYTES};
}

static enum status allocate_shared(struct darray_window *window, int n_parts)
{
    void *memory;
    MPI_Aint size_bytes = (window->n + LINE_ELEMENTS) * ELEMENT_BYTES;
    TRY(window_allocate_shared(darray_comm(), size_bytes, &memory, &window->shared));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window->shared);
    for (int part = 0; part < n_parts; part++) {
        int unit;
        MPI_Win_shared_query(window->shared, part, &size_bytes, &unit, &memory);
        window->parts[part] = find_line(memory, 0);
        window->parts[part].near = window->parts[part].address;
    }
    return STATUS_OK;
}

static enum status allocate_global(struct darray_window *window, int n_parts, int rank)
{
    int64_t room = window->n + LINE_ELEMENTS, length = n_parts * room, low, high, stride;
    int64_t *first = calloc((size_t)n_parts, sizeof *first), n = n_parts;
    void *memory;
    if (!first)
        die_no_memory("no memory for the index of distributed arrays");
    for (int part = 0; part < n_parts; part++)
        first[part] = part * room;
    window->handle = GA_Create_handle();
    GA_Set_data64(window->handle, 1, &length, C_DBL);
    GA_Set_array_name(window->handle, "window");
    GA_Set_irreg_distr64(window->handle, first, &n);
    bool allocated = GA_Allocate(window->handle);
    free(first);
    if (!allocated)
        return FAIL(STATUS_NO_MEMORY, "Global Arrays has no room for a distributed array");
    NGA_Distribution64(window->handle, rank, &low, &high);
    NGA_Access64(window->handle, &low, &high, &memory, &stride);
    NGA_Release64(window->handle, &low, &high);
    struct window_part own = find_line(memory, low);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, window->parts, sizeof own, MPI_BYTE, darray_comm());
    window->parts[rank].near = own.address;
    return STATUS_OK;
}

/* A window of n elements per process, after all others. Collective. */
static enum status make_window(int64_t n)
{
    int n_parts, rank;
    MPI_Comm_size(darray_comm(), &n_parts);
    MPI_Comm_rank(darray_comm(), &rank);
    struct managed_window *made = calloc(1, sizeof *made);
    struct window_part *parts = calloc((size_t)n_parts, sizeof *parts);
    if (!made || !parts)
        die_no_memory("no memory for the index of distributed arrays");
    struct darray_window *window = &made->window;
    *window = (struct darray_window){.n = n, .shared = MPI_WIN_NULL, .parts = parts};
    enum status status = windows_are_shared ? allocate_shared(window, n_parts)
                                            : allocate_global(window, n_parts, rank);
    if (status != STATUS_OK) {
        free(parts);
        free(made);
        return status;
    }
    /* Touched, or the memory would count as free. */
    memset(parts[rank].near, 0, (size_t)n * ELEMENT_BYTES);
    insert_extent(made, 0, (struct extent){0, n, FREE});
    struct managed_window **end = &windows;
    while (*end)
        end = &(*end)->next;
    *end = made;
    return STATUS_OK;
}

/* Adds a window with room for n elements: a larger one for small arrays to come, where memory
 * allows. */
static enum status add_window(const char *name, int64_t n)
{
    if (n < LEAST_N && check_window_memory(name, LEAST_N) == STATUS_OK)
        return make_window(LEAST_N);
    enum status status = check_window_memory(name, n);
    if (status == STATUS_NO_MEMORY) {
        destroy_unused_windows();
        status = check_window_memory(name, n);
    }
    TRY(status);
    return make_window(n);
}

enum status darray_window_take(const char *name, int64_t n_wanted, struct darray_place *place)
{
    int64_t n = round_up_int64(n_wanted, LINE_ELEMENTS);
    if (take_from_windows(n, place))
        return STATUS_OK;
    darray_sync();
    if (take_from_windows(n, place))
        return STATUS_OK;
    TRY(add_window(name, n));
    take_from_windows(n, place);
    return STATUS_OK;
}

void darray_window_reserve(int64_t n_wanted)
{
    int64_t n = round_up_int64(n_wanted, LINE_ELEMENTS);
    if (n > darray_window_unused() && check_window_memory("", 2 * n) == STATUS_OK)
        make_window(n);
}

void darray_window_fini(void)
{
    while (windows) {
        struct managed_window *window = windows;
        windows = window->next;
        destroy_window(window);
    }
}
