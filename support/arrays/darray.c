/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/darray.h"

#include "support/arrays/darray_window.h"
#include "support/base/agree.h"
#include "support/base/integers.h"
#include "support/base/memory.h"
#include "support/base/node.h"
#include "support/mpi/wall_time.h"
#include "support/mpi/window.h"

#include <armci.h>
#include <assert.h>
#include <ga.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Global Arrays counts the bytes of a transfer in an int. */
enum { MAX_TRANSFER = 1 << 27 };

struct darray {
    struct darray_place place;
    enum darray_type type;
    int64_t n_blocks;
    int64_t *size;  /* of each block, elements */
    int64_t *start; /* of each block in the part of its owner, elements */
    int n_processes, rank;
};

static_assert(sizeof(double) == ELEMENT_BYTES && sizeof(long) == ELEMENT_BYTES,
              "both element types are 8 bytes long");

/* Whether this process has put or accumulated since the last synchronisation: only then has it
 * anything to complete. */
static bool has_written;

/* Whether Global Arrays was started here, and not by the program. */
static bool has_started;

enum status darray_start(void)
{
    if (darray_window_start() || GA_Initialized())
        return STATUS_OK;
    /* Only accumulations need to be atomic: ARMCI-MPI would make every get and
     * put so, at more than twice the price where memory is not shared. It has no call for that,
     * only this variable, in which the user's choice stays. */
    setenv("ARMCI_RMA_ATOMICITY", "0", false);
    TRY(window_check(MPI_COMM_WORLD));
    GA_Initialize();
    has_started = true;
    return STATUS_OK;
}

void darray_stop(void)
{
    darray_window_fini();
    if (has_started)
        GA_Terminate();
    has_started = false;
}

/* GA_Sync would flush every window on every process. The fence is for stores to memory of other processes, which
 * must not be moved behind the message that says that they are done. */
void darray_complete(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (has_written)
        ARMCI_AllFence();
    has_written = false;
}

void darray_sync(void)
{
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    darray_complete();
    MPI_Barrier(darray_comm());
    wall_time_end(use);
    darray_window_settle();
}

/* No process leaves an agreement before all have come. */
enum status darray_sync_and_agree(enum status own)
{
    darray_complete();
    enum status status = status_agree(darray_comm(), own);
    darray_window_settle();
    return status;
}

/* Lays out the blocks of a process in its part: start gets where each of them begins. Returns their
 * elements. */
static int64_t lay_out_blocks(const struct darray_shape *shape, int process, int n_processes,
                              int64_t *start)
{
    int64_t position = 0;
    for (int64_t block = process; block < shape->n_blocks; block += n_processes) {
        assert(shape->size[block] >= 0);
        if (shape->size[block] >= DARRAY_LEAST_IN_LINES)
            position = round_up_int64(position, LINE_ELEMENTS);
        start[block] = position;
        position += shape->size[block];
    }
    return position;
}

static void destroy_index(struct darray *array)
{
    if (!array)
        return;
    free(array->size);
    free(array->start);
    free(array);
}

/* The index of an array, with the length of its longest part in place.n; NULL when out of
 * memory. */
static struct darray *create_index(const struct darray_shape *shape)
{
    int64_t n_blocks = shape->n_blocks;
    struct darray *new = calloc(1, sizeof *new);
    if (!new)
        return NULL;
    MPI_Comm_size(darray_comm(), &new->n_processes);
    MPI_Comm_rank(darray_comm(), &new->rank);
    new->type = shape->type;
    new->n_blocks = n_blocks;
    new->size = calloc((size_t)n_blocks + 1, sizeof *new->size);
    new->start = calloc((size_t)n_blocks + 1, sizeof *new->start);
    if (!new->size || !new->start) {
        destroy_index(new);
        return NULL;
    }
    memcpy(new->size, shape->size, (size_t)n_blocks * sizeof *new->size);
    new->place.n = 1;
    for (int process = 0; process < new->n_processes; process++) {
        int64_t length = lay_out_blocks(shape, process, new->n_processes, new->start);
        new->place.n = length > new->place.n ? length : new->place.n;
    }
    return new;
}

struct memory_need darray_bytes(int64_t n_blocks, double n_elements)
{
    const struct darray *array = NULL;
    return (struct memory_need){
        .shared_bytes = n_elements * ELEMENT_BYTES,
        .own_bytes = (double)sizeof *array +
                     (double)(n_blocks + 1) * (double)(sizeof *array->size + sizeof *array->start),
        .n_shared = 1};
}

void darray_zero(struct darray *array)
{
    const struct darray_place *place = &array->place;
    char *part = place->window->parts[array->rank].near;
    memset(part + place->first * ELEMENT_BYTES, 0, (size_t)place->n * ELEMENT_BYTES);
}

/* Not collective. */
static enum status create_indexes(int n, const struct darray_shape shapes[],
                                  struct darray *arrays[])
{
    memset(arrays, 0, (size_t)n * sizeof *arrays);
    for (int i = 0; i < n; i++) {
        arrays[i] = create_index(&shapes[i]);
        TRY(CHECK_MEMORY(arrays[i], "no memory for the index of array %s", shapes[i].name));
    }
    return STATUS_OK;
}

/* Creates all with a place of zeros. Collective. Errors, agreed: as darray_create_several; the
 * caller destroys all arrays that exist. */
static enum status create_and_place(int n, const struct darray_shape shapes[],
                                    struct darray *arrays[])
{
    TRY(status_agree(darray_comm(), create_indexes(n, shapes, arrays)));
    for (int i = 0; i < n; i++) {
        struct darray_place *place = &arrays[i]->place;
        TRY(darray_window_take(shapes[i].name, place->n, place));
        darray_zero(arrays[i]);
    }
    return STATUS_OK;
}

enum status darray_create_several(int n, const struct darray_shape shapes[],
                                  struct darray *arrays[])
{
    enum status status = create_and_place(n, shapes, arrays);
    darray_sync();
    for (int i = 0; i < n && status != STATUS_OK; i++) {
        darray_destroy(arrays[i]);
        arrays[i] = NULL;
    }
    return status;
}

enum status darray_create(const char *name, enum darray_type type, int64_t n_blocks,
                          const int64_t *size, struct darray **array)
{
    const struct darray_shape shape = {name, type, n_blocks, size};
    return darray_create_several(1, &shape, array);
}

void darray_destroy(struct darray *array)
{
    if (!array)
        return;
    if (array->place.window)
        darray_window_release(&array->place);
    destroy_index(array);
}

void darray_reserve(double bytes)
{
    int n_processes;
    MPI_Comm_size(darray_comm(), &n_processes);
    double n = bytes / n_processes / ELEMENT_BYTES;
    double gaps = n * LINE_ELEMENTS / DARRAY_LEAST_IN_LINES;
    if (n < 1e18)
        darray_window_reserve((int64_t)(n + gaps));
}

int64_t darray_unused_bytes(void)
{
    return darray_window_unused() * ELEMENT_BYTES;
}

double darray_overhead_bytes(int64_t n_arrays)
{
    const int n_others = 3; /* of Global Arrays, a shared counter and a watchdog */
    int n_sharing = node_count(darray_comm());
    return (double)(n_arrays + n_others) * window_overhead_bytes(n_sharing) / n_sharing;
}

int64_t darray_block_size(const struct darray *array, int64_t block)
{
    assert(block >= 0 && block < array->n_blocks);
    return array->size[block];
}

int darray_owner(const struct darray *array, int64_t block)
{
    assert(block >= 0 && block < array->n_blocks);
    return (int)(block % array->n_processes);
}

/* The fence pairs with the one in darray_complete: loads of a block that another process stored to
 * must not be moved before the message that says so. MPI orders only its own transfers. Free on
 * x86, which moves no loads. */
void *darray_near(const struct darray *array, int64_t block)
{
    char *part = array->place.window->parts[darray_owner(array, block)].near;
    atomic_thread_fence(memory_order_acquire);
    return part ? part + (array->place.first + array->start[block]) * ELEMENT_BYTES : NULL;
}

void *darray_local(const struct darray *array, int64_t block)
{
    return darray_owner(array, block) == array->rank ? darray_near(array, block) : NULL;
}

/* Elements [*position, *position + n) of the block as Global Arrays' inclusive
 * bounds, n being what one transfer can carry; moves position on. Returns n, 0
 * at the end. */
static int64_t next_piece(const struct darray *array, int64_t block, int64_t *position,
                          int64_t *low, int64_t *high)
{
    assert(block >= 0 && block < array->n_blocks);
    int64_t left = array->size[block] - *position;
    int64_t n = left < MAX_TRANSFER ? left : MAX_TRANSFER;
    *low = array->place.window->parts[darray_owner(array, block)].first + array->place.first +
           array->start[block] + *position;
    *high = *low + n - 1;
    *position += n;
    return n;
}

enum transfer { GET, PUT };

/* Moves a block, from its element `position` on, between the array and bytes. */
static void transfer_block(const struct darray *array, enum transfer transfer, int64_t block,
                           int64_t position, char *bytes)
{
    int handle = array->place.window->handle;
    int64_t low, high, n;
    while ((n = next_piece(array, block, &position, &low, &high)) > 0) {
        if (transfer == GET)
            NGA_Get64(handle, &low, &high, bytes, &n);
        else
            NGA_Put64(handle, &low, &high, bytes, &n);
        bytes += n * ELEMENT_BYTES;
    }
}

/* Where this process sees it, without a transfer. */
static bool copy_near_block(const struct darray *array, enum transfer transfer, int64_t block,
                            void *bytes)
{
    void *near = darray_near(array, block);
    size_t n = (size_t)darray_block_size(array, block) * ELEMENT_BYTES;
    if (near)
        memcpy(transfer == GET ? bytes : near, transfer == GET ? near : bytes, n);
    return near != NULL;
}

void darray_get(const struct darray *array, int64_t block, void *buffer)
{
    if (copy_near_block(array, GET, block, buffer))
        return;
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    transfer_block(array, GET, block, 0, buffer);
    wall_time_end(use);
}

void darray_put(struct darray *array, int64_t block, const void *buffer)
{
    if (copy_near_block(array, PUT, block, (char *)buffer))
        return;
    has_written = true;
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    transfer_block(array, PUT, block, 0, (char *)buffer);
    wall_time_end(use);
}

/* MPI makes each sum atomic. ARMCI adds in a global array, whose type is the window's. */
static void add_piece(const struct darray *array, int owner, int64_t first, int n,
                      const char *piece)
{
    const struct darray_window *window = array->place.window;
    const struct window_part *part = &window->parts[owner];
    bool is_double = array->type == DARRAY_DOUBLE;
    MPI_Datatype type = is_double ? MPI_DOUBLE : MPI_INT64_T;
    double one_double = 1;
    long one_long = 1;
    if (window->shared != MPI_WIN_NULL)
        MPI_Accumulate(piece, n, type, owner, first * ELEMENT_BYTES, n, type, MPI_SUM,
                       window->shared);
    else
        ARMCI_Acc(is_double ? ARMCI_ACC_DBL : ARMCI_ACC_LNG,
                  is_double ? (void *)&one_double : (void *)&one_long, (char *)piece,
                  part->address + (first - part->first) * ELEMENT_BYTES, n * ELEMENT_BYTES, owner);
}

void darray_acc(struct darray *array, int64_t block, const void *buffer)
{
    const struct darray_window *window = array->place.window;
    const char *piece = buffer;
    int owner = darray_owner(array, block);
    int64_t position = 0, low, high, n;
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    for (; (n = next_piece(array, block, &position, &low, &high)) > 0; piece += n * ELEMENT_BYTES)
        add_piece(array, owner, low, (int)n, piece);
    if (window->shared != MPI_WIN_NULL)
        MPI_Win_flush(owner, window->shared);
    else
        has_written = true;
    wall_time_end(use);
}

/* A block that takes more than one transfer begins with the first of them. */
void darray_get_begin(const struct darray *array, int64_t block, void *buffer,
                      struct darray_request *request)
{
    static_assert(sizeof(ga_nbhdl_t) == sizeof request->handle, "a handle is kept as 64 bits");
    *request = (struct darray_request){.array = array, .block = block, .buffer = buffer};
    request->arrived = copy_near_block(array, GET, block, buffer);
    if (request->arrived)
        return;
    int64_t position = 0, low, high;
    int64_t n = next_piece(array, block, &position, &low, &high);
    if (n > 0)
        NGA_NbGet64(array->place.window->handle, &low, &high, buffer, &n,
                    (ga_nbhdl_t *)&request->handle);
}

void darray_get_end(struct darray_request *request)
{
    if (request->arrived)
        return;
    int64_t size = request->array->size[request->block];
    int64_t first = size < MAX_TRANSFER ? size : MAX_TRANSFER;
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    if (first > 0)
        NGA_NbWait((ga_nbhdl_t *)&request->handle);
    transfer_block(request->array, GET, request->block, first,
                   request->buffer + first * ELEMENT_BYTES);
    wall_time_end(use);
}
