/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/amplitude_file.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "support/base/agree.h"
#include "support/mpi/wall_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Moves the attributes of the group, which is created when writing. */
static enum status move_attributes(const struct checkpoint_stream *stream,
                                   struct amplitude_origin *origin,
                                   struct amplitude_progress *progress, bool *found)
{
    const struct checkpoint_number numbers[] = {
        {"method", .text = origin->method, .n = sizeof origin->method},
        {"n_core", .integer = &origin->frozen.n_core},
        {"n_frozen_virtual", .integer = &origin->frozen.n_virtual},
        {"n_occupied", .integer = &origin->n_occupied},
        {"n_virtual", .integer = &origin->n_virtual},
        {"iteration", .integer = &progress->iteration},
        {"n_steps", .integer = &progress->n_steps},
        {"energy", .real = &progress->energy},
        {"is_solution", .integer = &progress->is_solution},
        {"change", .real = &progress->change},
        {"energy_change", .real = &progress->energy_change},
        {"scf_energy", .real = &progress->scf_energy},
    };
    return checkpoint_stream_numbers(stream, CHECKPOINT_AMPLITUDES,
                                     sizeof numbers / sizeof numbers[0], numbers, found);
}

enum status amplitude_file_find(const struct checkpoint_stream *stream, bool *found,
                                struct amplitude_origin *origin,
                                struct amplitude_progress *progress)
{
    *origin = (struct amplitude_origin){0};
    *progress = (struct amplitude_progress){0};
    TRY(move_attributes(stream, origin, progress, found));
    if (progress->n_steps < 0)
        return checkpoint_stream_fail(stream, CHECKPOINT_AMPLITUDES);
    return STATUS_OK;
}

/* --- rows of a tensor --- */

/* A walk over a tensor in dense, row-major pieces. A piece is a row of blocks: all tiles of the
 * last index, the tiles of the others fixed; elements without a block are zero. */
struct tensor_rows {
    struct tensor *tensor; /* borrowed */
    int rank;              /* of the pieces: a scalar is one of rank 1 with one element */
    int64_t all[MAX_RANK]; /* values of each index */

    /* The current row: the values of each index that it spans. */
    int64_t first[MAX_RANK], size[MAX_RANK];
    int64_t n_elements;
    double *elements; /* owned */

    int64_t begin, end; /* blocks of the row */
    double *block;
};

static const struct block_labels *row_labels(const struct tensor_rows *rows)
{
    return block_index_labels(rows->tensor->blocks);
}

/* Elements of the largest row. */
static int64_t find_max_row(const struct tensor_rows *rows)
{
    const struct block_labels *labels = row_labels(rows);
    int64_t n = rows->all[rows->rank - 1];
    for (int d = 0; d < rows->rank - 1; d++)
        n *= labels->space[d]->max_tile;
    return n;
}

static enum status init_rows(struct tensor *tensor, struct tensor_rows *rows)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    *rows = (struct tensor_rows){
        .tensor = tensor, .rank = labels->rank > 0 ? labels->rank : 1, .all = {1}};
    for (int d = 0; d < labels->rank; d++)
        rows->all[d] = labels->space[d]->size;
    int64_t n = find_max_row(rows);
    rows->elements = malloc((size_t)n * sizeof *rows->elements);
    rows->block = malloc((size_t)(tensor->max_block + 1) * sizeof *rows->block);
    return CHECK_MEMORY(rows->elements && rows->block, "no memory for %lld numbers of tensor %s",
                        (long long)n, tensor->name);
}

static void fini_rows(struct tensor_rows *rows)
{
    free(rows->elements);
    free(rows->block);
}

/* The block after the last one whose tiles are these but for the last. */
static int64_t find_row_end(const struct tensor_rows *rows, const int32_t tile[])
{
    int64_t end = rows->begin + 1;
    for (; end < block_index_n(rows->tensor->blocks); end++) {
        int32_t other[MAX_RANK];
        block_index_tuple(rows->tensor->blocks, end, other);
        if (memcmp(tile, other, (size_t)(rows->rank - 1) * sizeof *tile) != 0)
            break;
    }
    return end;
}

/* Goes to the first or the next row; false after the last. */
static bool next_row(struct tensor_rows *rows)
{
    const struct block_labels *labels = row_labels(rows);
    int last = rows->rank - 1;
    int32_t tile[MAX_RANK];
    rows->begin = rows->end;
    if (rows->begin == block_index_n(rows->tensor->blocks))
        return false;
    block_index_tuple(rows->tensor->blocks, rows->begin, tile);
    rows->end = labels->rank > 0 ? find_row_end(rows, tile) : rows->begin + 1;
    rows->first[last] = 0;
    rows->size[last] = rows->n_elements = rows->all[last];
    for (int d = 0; d < last; d++) {
        rows->first[d] = labels->space[d]->first[tile[d]];
        rows->size[d] = index_space_tile_size(labels->space[d], tile[d]);
        rows->n_elements *= rows->size[d];
    }
    return true;
}

/* Where a block is in the row: its elements are n_lines times width, one after another. */
struct block_place {
    double *start;
    int64_t width, n_lines;
};

static struct block_place block_place_in_row(const struct tensor_rows *rows, int64_t block)
{
    const struct block_labels *labels = row_labels(rows);
    struct block_place place = {rows->elements, 1, rows->n_elements / rows->all[rows->rank - 1]};
    if (labels->rank == 0)
        return place;
    const struct index_space *space = labels->space[labels->rank - 1];
    int32_t tile[MAX_RANK];
    block_index_tuple(rows->tensor->blocks, block, tile);
    place.start += space->first[tile[labels->rank - 1]];
    place.width = index_space_tile_size(space, tile[labels->rank - 1]);
    return place;
}

/* Sets the elements of the row from the tensor's blocks. */
static void get_row(const struct tensor_rows *rows)
{
    int64_t stride = rows->all[rows->rank - 1];
    memset(rows->elements, 0, (size_t)rows->n_elements * sizeof *rows->elements);
    for (int64_t block = rows->begin; block < rows->end; block++) {
        struct block_place place = block_place_in_row(rows, block);
        darray_get(rows->tensor->data, block, rows->block);
        for (int64_t line = 0; line < place.n_lines; line++)
            memcpy(place.start + line * stride, rows->block + line * place.width,
                   (size_t)place.width * sizeof(double));
    }
}

static void put_row(const struct tensor_rows *rows)
{
    int64_t stride = rows->all[rows->rank - 1];
    for (int64_t block = rows->begin; block < rows->end; block++) {
        struct block_place place = block_place_in_row(rows, block);
        for (int64_t line = 0; line < place.n_lines; line++)
            memcpy(rows->block + line * place.width, place.start + line * stride,
                   (size_t)place.width * sizeof(double));
        darray_put(rows->tensor->data, block, rows->block);
    }
}

/* --- elements --- */

/* Moves the rows between the tensor and the data set. */
static bool move_tensor_rows(hid_t set, enum checkpoint_move move, struct tensor_rows *rows)
{
    while (next_row(rows)) {
        if (move != CHECKPOINT_READ)
            get_row(rows);
        if (!checkpoint_set_move(set, move, rows->rank, rows->first, rows->size, rows->elements))
            return false;
        if (move == CHECKPOINT_READ)
            put_row(rows);
    }
    return true;
}

static enum status move_tensor(const struct checkpoint_stream *stream, const char *name,
                               struct tensor *tensor)
{
    char path[300];
    struct tensor_rows rows;
    enum status status = init_rows(tensor, &rows);
    if (status != STATUS_OK)
        goto done;
    snprintf(path, sizeof path, CHECKPOINT_AMPLITUDES "/%s", name);
    hid_t set = checkpoint_set_open(stream->file, path, stream->move, rows.rank, rows.all);
    bool moved = set >= 0 && move_tensor_rows(set, stream->move, &rows);
    if (set >= 0)
        moved = H5Dclose(set) >= 0 && moved;
    status = moved ? STATUS_OK : checkpoint_stream_fail(stream, path);
done:
    fini_rows(&rows);
    return status;
}

/* The tensors of a step; number: its own in the file. */
static enum status move_step(const struct checkpoint_stream *stream,
                             const struct amplitude_tensors *tensors, int64_t step, int64_t number)
{
    for (int i = 0; i < tensors->n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s_image_%lld", tensors->x[i]->name, (long long)number);
        TRY(move_tensor(stream, name, tensors->steps[step].image[i]));
        snprintf(name, sizeof name, "%s_error_%lld", tensors->x[i]->name, (long long)number);
        TRY(move_tensor(stream, name, tensors->steps[step].error[i]));
    }
    return STATUS_OK;
}

static enum status move_tensors(const struct checkpoint_stream *stream,
                                const struct amplitude_tensors *tensors, int64_t first_step)
{
    for (int i = 0; i < tensors->n; i++)
        TRY(move_tensor(stream, tensors->x[i]->name, tensors->x[i]));
    for (int64_t step = 0; step < tensors->n_steps; step++)
        TRY(move_step(stream, tensors, step, first_step + step));
    return STATUS_OK;
}

/* --- files --- */

/* The others wait in MPI while process 0 reads their blocks. */
enum status amplitude_file_write(const struct checkpoint_stream *stream,
                                 const struct amplitude_origin *origin,
                                 const struct amplitude_progress *progress,
                                 const struct amplitude_tensors *tensors)
{
    struct amplitude_origin origin_copy = *origin;
    struct amplitude_progress progress_copy = *progress;
    bool found;
    TRY(move_attributes(stream, &origin_copy, &progress_copy, &found));
    return status_agree(stream->comm,
                        stream->is_root ? move_tensors(stream, tensors, 0) : STATUS_OK);
}

enum status amplitude_file_read(const struct checkpoint_stream *stream,
                                const struct amplitude_tensors *tensors, int64_t first_step)
{
    enum wall_use use = wall_time_begin(WALL_FILES);
    darray_sync();
    enum status status = status_agree(
        stream->comm, stream->is_root ? move_tensors(stream, tensors, first_step) : STATUS_OK);
    darray_sync();
    wall_time_end(use);
    return status;
}
