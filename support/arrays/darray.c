#include "support/arrays/darray.h"

#include "support/base/agree.h"
#include "support/base/memory.h"
#include "support/base/node.h"

#include <assert.h>
#include <ga.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Global Arrays counts the bytes of a transfer in an int. */
enum { MAX_TRANSFER = 1 << 27 };

/* A one-dimensional global array of which each process holds one piece: its
 * blocks one after another and an unused last element, because Global
 * Arrays allows no process an empty piece. */
struct darray {
    int handle;
    enum darray_type type;
    int64_t n_blocks;
    int64_t *size;  /* of each block, elements */
    int64_t *start; /* of each block in the global array, elements */
    int n_processes, rank;
    char *piece; /* of this process, which begins with its lowest block */
};

enum { ELEMENT_BYTES = 8 };
static_assert(sizeof(double) == ELEMENT_BYTES && sizeof(long) == ELEMENT_BYTES,
              "both element types are 8 bytes long");

enum status darray_start(void)
{
    /* Only accumulations need to be atomic: ARMCI-MPI would make every get and
     * put so, at more than twice the price where memory is not shared. */
    setenv("ARMCI_RMA_ATOMICITY", "0", false);
    GA_Initialize();
    return STATUS_OK;
}

void darray_stop(void)
{
    GA_Terminate();
}

/* Fills size and start, and first (n_processes entries, counted from 0) with
 * where the piece of each process begins. Returns the length of the whole. */
static int64_t lay_out_blocks(struct darray *array, const int64_t *size, int64_t *first)
{
    int64_t position = 0;
    for (int process = 0; process < array->n_processes; process++) {
        first[process] = position;
        for (int64_t block = process; block < array->n_blocks; block += array->n_processes) {
            assert(size[block] >= 0);
            array->size[block] = size[block];
            array->start[block] = position;
            position += size[block];
        }
        position++;
    }
    return position;
}

/* Global Arrays ends the program when there is not enough memory: so ask first. */
static enum status check_array_memory(const char *name, int64_t local_bytes)
{
    MPI_Comm node = node_comm(MPI_COMM_WORLD);
    int n_sharing;
    MPI_Comm_size(node, &n_sharing);
    MPI_Allreduce(MPI_IN_PLACE, &local_bytes, 1, MPI_INT64_T, MPI_SUM, node);
    MPI_Comm_free(&node);

    struct memory_limits limits = memory_limits();
    struct memory_budget budget = memory_divide(&limits, n_sharing);
    struct memory_need need = {.shared_bytes = (double)local_bytes / n_sharing};
    char subject[256];
    snprintf(subject, sizeof subject, "array %s", name);
    return status_agree(MPI_COMM_WORLD,
                        memory_check(subject, &need, &budget, "use more processes on more nodes"));
}

/* Global Arrays' own memory, which stays where it is. */
static void find_piece(struct darray *array)
{
    int64_t low, high, stride;
    void *piece;
    NGA_Distribution64(array->handle, array->rank, &low, &high);
    NGA_Access64(array->handle, &low, &high, &piece, &stride);
    NGA_Release64(array->handle, &low, &high);
    array->piece = piece;
}

static bool allocate_array(struct darray *array, const char *name, int64_t length, int64_t *first)
{
    array->handle = GA_Create_handle();
    GA_Set_data64(array->handle, 1, &length, array->type == DARRAY_DOUBLE ? C_DBL : C_LONG);
    GA_Set_array_name(array->handle, (char *)name);
    int64_t n_pieces = array->n_processes;
    GA_Set_irreg_distr64(array->handle, first, &n_pieces);
    return GA_Allocate(array->handle) != 0;
}

enum status darray_create(const char *name, enum darray_type type, int64_t n_blocks,
                          const int64_t *size, struct darray **array)
{
    *array = NULL;
    int n_processes, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct darray *new = calloc(1, sizeof *new);
    int64_t *first = calloc((size_t)n_processes + 1, sizeof *first);
    if (new) {
        *new = (struct darray){
            .type = type, .n_blocks = n_blocks, .n_processes = n_processes, .rank = rank};
        new->size = calloc((size_t)n_blocks + 1, sizeof *new->size);
        new->start = calloc((size_t)n_blocks + 1, sizeof *new->start);
    }
    enum status status = STATUS_OK;
    if (!first || !new || !new->size || !new->start)
        status = FAIL(STATUS_NO_MEMORY, "no memory for the index of array %s", name);
    status = status_agree(MPI_COMM_WORLD, status);
    if (status != STATUS_OK)
        goto done;

    first[n_processes] = lay_out_blocks(new, size, first);
    status = check_array_memory(name, (first[rank + 1] - first[rank]) * ELEMENT_BYTES);
    if (status != STATUS_OK)
        goto done;
    if (!allocate_array(new, name, first[n_processes], first)) {
        status = FAIL(STATUS_NO_MEMORY, "Global Arrays has no room for array %s", name);
        goto done;
    }
    GA_Zero(new->handle);
    find_piece(new);
    *array = new;
    new = NULL;
done:
    free(first);
    if (new) {
        free(new->size);
        free(new->start);
        free(new);
    }
    return status;
}

void darray_destroy(struct darray *array)
{
    if (!array)
        return;
    GA_Destroy(array->handle);
    free(array->size);
    free(array->start);
    free(array);
}

void darray_zero(struct darray *array)
{
    GA_Zero(array->handle);
}

void darray_sync(void)
{
    GA_Sync();
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

void *darray_local(const struct darray *array, int64_t block)
{
    if (darray_owner(array, block) != array->rank)
        return NULL;
    /* The lowest block of a process has its rank as number. */
    return array->piece + (array->start[block] - array->start[array->rank]) * ELEMENT_BYTES;
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
    *low = array->start[block] + *position;
    *high = *low + n - 1;
    *position += n;
    return n;
}

enum transfer { GET, PUT, ACCUMULATE };

/* Moves a block, from its element `position` on, between the array and bytes. */
static void transfer_block(const struct darray *array, enum transfer transfer, int64_t block,
                           int64_t position, char *bytes)
{
    double one_double = 1;
    long one_long = 1;
    void *one = array->type == DARRAY_DOUBLE ? (void *)&one_double : (void *)&one_long;
    int64_t low, high, n;
    while ((n = next_piece(array, block, &position, &low, &high)) > 0) {
        if (transfer == GET)
            NGA_Get64(array->handle, &low, &high, bytes, &n);
        else if (transfer == PUT)
            NGA_Put64(array->handle, &low, &high, bytes, &n);
        else
            NGA_Acc64(array->handle, &low, &high, bytes, &n, one);
        bytes += n * ELEMENT_BYTES;
    }
}

void darray_get(const struct darray *array, int64_t block, void *buffer)
{
    transfer_block(array, GET, block, 0, buffer);
}

void darray_put(struct darray *array, int64_t block, const void *buffer)
{
    transfer_block(array, PUT, block, 0, (char *)buffer);
}

void darray_acc(struct darray *array, int64_t block, const void *buffer)
{
    transfer_block(array, ACCUMULATE, block, 0, (char *)buffer);
}

/* A block that takes more than one transfer begins with the first of them. */
void darray_get_begin(const struct darray *array, int64_t block, void *buffer,
                      struct darray_request *request)
{
    static_assert(sizeof(ga_nbhdl_t) == sizeof request->handle, "a handle is kept as 64 bits");
    *request = (struct darray_request){.array = array, .block = block, .buffer = buffer};
    int64_t position = 0, low, high;
    int64_t n = next_piece(array, block, &position, &low, &high);
    if (n > 0)
        NGA_NbGet64(array->handle, &low, &high, buffer, &n, (ga_nbhdl_t *)&request->handle);
}

void darray_get_end(struct darray_request *request)
{
    int64_t size = request->array->size[request->block];
    int64_t first = size < MAX_TRANSFER ? size : MAX_TRANSFER;
    if (first > 0)
        NGA_NbWait((ga_nbhdl_t *)&request->handle);
    transfer_block(request->array, GET, request->block, first,
                   request->buffer + first * ELEMENT_BYTES);
}
