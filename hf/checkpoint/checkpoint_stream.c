/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_stream.h"

#include "support/base/agree.h"
#include "support/mpi/wall_time.h"

#include <stdlib.h>
#include <string.h>

/* Elements that process 0 holds of a matrix at a time: 16 MB. */
enum { PANEL_ELEMENTS = 1 << 21 };

/* --- HDF5 --- */

struct hdf5_messages hdf5_messages_stop(void)
{
    struct hdf5_messages messages;
    /* At exit, HDF5 would print messages about damaged files that could not be closed. All
     * others are closed by then. */
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &messages.print, &messages.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return messages;
}

void hdf5_messages_resume(const struct hdf5_messages *messages)
{
    H5Eset_auto2(H5E_DEFAULT, messages->print, messages->context);
}

static void copy_sizes(int rank, const int64_t from[], hsize_t to[])
{
    for (int d = 0; d < rank; d++)
        to[d] = (hsize_t)from[d];
}

static hid_t create_set(hid_t location, const char *name, int rank, const hsize_t size[])
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t set =
        H5Dcreate2(location, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sclose(space);
    return set;
}

hid_t checkpoint_set_open(hid_t location, const char *name, enum checkpoint_move move, int rank,
                          const int64_t size[])
{
    hsize_t all[CHECKPOINT_SET_MAX_RANK], found[H5S_MAX_RANK];
    copy_sizes(rank, size, all);
    if (move == CHECKPOINT_WRITE)
        return create_set(location, name, rank, all);
    hid_t set = H5Dopen2(location, name, H5P_DEFAULT);
    if (set < 0)
        return set;
    hid_t space = H5Dget_space(set);
    bool same = H5Sget_simple_extent_dims(space, found, NULL) == rank &&
                memcmp(found, all, (size_t)rank * sizeof *all) == 0;
    H5Sclose(space);
    if (same)
        return set;
    H5Dclose(set);
    return -1;
}

bool checkpoint_set_move(hid_t set, enum checkpoint_move move, int rank, const int64_t first[],
                         const int64_t size[], double *elements)
{
    hsize_t start[CHECKPOINT_SET_MAX_RANK] = {0}, count[CHECKPOINT_SET_MAX_RANK] = {0};
    copy_sizes(rank, first, start);
    copy_sizes(rank, size, count);
    hid_t memory = H5Screate_simple(rank, count, NULL), space = H5Dget_space(set);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    herr_t result = move == CHECKPOINT_WRITE
                        ? H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, elements)
                        : H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, elements);
    H5Sclose(memory);
    H5Sclose(space);
    return result >= 0;
}

bool checkpoint_attribute_move(hid_t object, const char *name, hid_t type,
                               enum checkpoint_move move, void *value)
{
    bool writes = move == CHECKPOINT_WRITE;
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t attribute = writes ? H5Acreate2(object, name, type, scalar, H5P_DEFAULT, H5P_DEFAULT)
                             : H5Aopen(object, name, H5P_DEFAULT);
    H5Sclose(scalar);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute);
    /* A damaged file may claim more elements than the value has room for. */
    bool done = H5Sget_simple_extent_npoints(space) == 1 &&
                (writes ? H5Awrite(attribute, type, value) : H5Aread(attribute, type, value)) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return done;
}

/* --- streams --- */

enum status checkpoint_stream_fail(const struct checkpoint_stream *stream, const char *part)
{
    if (stream->move == CHECKPOINT_READ)
        return FAIL(STATUS_INPUT, "%s: %s is missing, damaged or of other orbitals", stream->path,
                    part);
    return FAIL(STATUS_IO, "cannot write %s: HDF5 fails at %s: is the disk full?", stream->path,
                part);
}

enum status checkpoint_stream_open(const char *path, enum checkpoint_move move, MPI_Comm comm,
                                   struct checkpoint_stream *stream)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *stream = (struct checkpoint_stream){
        .path = path, .move = move, .comm = comm, .is_root = rank == 0, .file = -1};
    enum status status = STATUS_OK;
    if (stream->is_root) {
        stream->messages = hdf5_messages_stop();
        stream->file =
            H5Fopen(path, move == CHECKPOINT_WRITE ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT);
        if (stream->file < 0) {
            status = move == CHECKPOINT_WRITE
                         ? checkpoint_stream_fail(stream, "the file")
                         : FAIL(STATUS_INPUT,
                                "%s: not a checkpoint (a TREXIO file of the HDF5 kind), or damaged",
                                path);
            hdf5_messages_resume(&stream->messages);
        }
    }
    return status_agree(comm, status);
}

enum status checkpoint_stream_close(struct checkpoint_stream *stream)
{
    if (stream->file < 0)
        return STATUS_OK;
    bool done = H5Fclose(stream->file) >= 0;
    stream->file = -1;
    hdf5_messages_resume(&stream->messages);
    return done ? STATUS_OK : checkpoint_stream_fail(stream, "its end");
}

/* --- matrices --- */

/* Transposes full, n x k, to rows, k x n in the order of the file, or back. */
static void transpose_panel(const struct dense *columns, const int64_t *order, bool to_rows,
                            double *full, double *rows)
{
    int64_t n = columns->n_rows, k = columns->n_columns;
    for (int64_t i = 0; i < n; i++) {
        double *from_full = full + (order ? order[i] : i) * k;
        for (int64_t j = 0; j < k; j++)
            if (to_rows)
                rows[j * n + i] = from_full[j];
            else
                from_full[j] = rows[j * n + i];
    }
}

/* A matrix on its way, and on process 0 the data set and buffers for some columns. */
struct moving {
    const struct checkpoint_stream *stream;
    const struct checkpoint_matrix *place;
    struct dense *matrix;
    hid_t set;
    double *full, *rows;
};

static enum status move_columns(const struct moving *moving, int first, struct dense *columns)
{
    const struct checkpoint_stream *stream = moving->stream;
    const int64_t *order = moving->place->of_functions ? stream->order : NULL;
    bool writes = stream->move == CHECKPOINT_WRITE;
    int64_t start[] = {moving->place->first_row + first, 0};
    int64_t size[] = {columns->n_columns, columns->n_rows};
    if (writes) {
        dense_copy_columns(moving->matrix, first, columns);
        TRY(dense_gather(columns, moving->full));
    }
    if (stream->is_root && writes)
        transpose_panel(columns, order, true, moving->full, moving->rows);
    bool done = !stream->is_root ||
                checkpoint_set_move(moving->set, stream->move, 2, start, size, moving->rows);
    TRY(status_agree(stream->comm,
                     done ? STATUS_OK : checkpoint_stream_fail(stream, moving->place->set)));
    if (writes)
        return STATUS_OK;
    if (stream->is_root)
        transpose_panel(columns, order, false, moving->full, moving->rows);
    TRY(dense_scatter(moving->full, columns));
    dense_set_columns(columns, first, moving->matrix);
    return STATUS_OK;
}

/* Process 0: the data set, created for the first matrix that is written into it, and the buffers. */
static enum status begin_moving(struct moving *moving, int step)
{
    const struct checkpoint_stream *stream = moving->stream;
    const struct checkpoint_matrix *place = moving->place;
    int64_t size[] = {place->n_rows, moving->matrix->n_rows};
    size_t n_elements = (size_t)step * (size_t)moving->matrix->n_rows + 1;
    if (!stream->is_root)
        return STATUS_OK;
    moving->set = checkpoint_set_open(
        stream->file, place->set, place->first_row > 0 ? CHECKPOINT_READ : stream->move, 2, size);
    if (moving->set < 0)
        return checkpoint_stream_fail(stream, place->set);
    moving->full = malloc(n_elements * sizeof *moving->full);
    moving->rows = malloc(n_elements * sizeof *moving->rows);
    return CHECK_MEMORY(moving->full && moving->rows, "%s: no memory for %d columns", stream->path,
                        step);
}

static enum status move_matrix(struct moving *moving)
{
    const struct dense *matrix = moving->matrix;
    int step = PANEL_ELEMENTS / (matrix->n_rows + 1) + 1;
    step = step < matrix->n_columns ? step : matrix->n_columns;
    TRY(status_agree(moving->stream->comm, begin_moving(moving, step)));
    for (int first = 0; first < matrix->n_columns; first += step) {
        int left = matrix->n_columns - first;
        struct dense *columns;
        TRY(dense_create(matrix->grid, matrix->n_rows, left < step ? left : step, &columns));
        enum status status = move_columns(moving, first, columns);
        dense_destroy(columns);
        TRY(status);
    }
    return STATUS_OK;
}

enum status checkpoint_stream_matrix(const struct checkpoint_stream *stream,
                                     const struct checkpoint_matrix *place, struct dense *matrix)
{
    struct moving moving = {.stream = stream, .place = place, .matrix = matrix, .set = -1};
    enum wall_use use = wall_time_begin(WALL_FILES);
    enum status status = move_matrix(&moving);
    if (moving.set >= 0 && H5Dclose(moving.set) < 0 && status == STATUS_OK)
        status = checkpoint_stream_fail(stream, place->set);
    free(moving.full);
    free(moving.rows);
    wall_time_end(use);
    return status_agree(stream->comm, status);
}

/* --- numbers --- */

static bool move_number(hid_t group, enum checkpoint_move move,
                        const struct checkpoint_number *number)
{
    if (number->integer)
        return checkpoint_attribute_move(group, number->name, H5T_NATIVE_INT64, move,
                                         number->integer);
    if (number->real && number->n == 0)
        return checkpoint_attribute_move(group, number->name, H5T_NATIVE_DOUBLE, move,
                                         number->real);
    hsize_t n = (hsize_t)number->n;
    hid_t type = number->real ? H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &n) : H5Tcopy(H5T_C_S1);
    if (number->text)
        H5Tset_size(type, n);
    bool done = checkpoint_attribute_move(group, number->name, type, move,
                                          number->real ? (void *)number->real : number->text);
    if (number->text)
        number->text[n - 1] = '\0';
    H5Tclose(type);
    return done;
}

/* Process 0. */
static enum status move_group(const struct checkpoint_stream *stream, const char *name, int n,
                              const struct checkpoint_number numbers[], bool *found)
{
    bool writes = stream->move == CHECKPOINT_WRITE;
    *found = writes || H5Lexists(stream->file, name, H5P_DEFAULT) > 0;
    if (!*found)
        return STATUS_OK;
    if (!writes && !stream->is_sealed)
        return FAIL(STATUS_INPUT, "%s: damaged: its end with the SHA-256 is missing", stream->path);
    hid_t group = writes ? H5Gcreate2(stream->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                         : H5Gopen2(stream->file, name, H5P_DEFAULT);
    bool done = group >= 0;
    for (int i = 0; i < n && done; i++)
        done = move_number(group, stream->move, &numbers[i]);
    if (group >= 0)
        H5Gclose(group);
    return done ? STATUS_OK : checkpoint_stream_fail(stream, name);
}

enum status checkpoint_stream_numbers(const struct checkpoint_stream *stream, const char *group,
                                      int n, const struct checkpoint_number numbers[], bool *found)
{
    *found = false;
    TRY(status_agree(stream->comm,
                     stream->is_root ? move_group(stream, group, n, numbers, found) : STATUS_OK));
    MPI_Bcast(found, 1, MPI_C_BOOL, 0, stream->comm);
    for (int i = 0; i < n && *found && stream->move == CHECKPOINT_READ; i++) {
        int count = numbers[i].n > 0 ? numbers[i].n : 1;
        if (numbers[i].integer)
            MPI_Bcast(numbers[i].integer, 1, MPI_INT64_T, 0, stream->comm);
        else if (numbers[i].real)
            MPI_Bcast(numbers[i].real, count, MPI_DOUBLE, 0, stream->comm);
        else
            MPI_Bcast(numbers[i].text, count, MPI_CHAR, 0, stream->comm);
    }
    return STATUS_OK;
}
