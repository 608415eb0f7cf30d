/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_stream.h"

#include "hf/checkpoint/checkpoint_hdf5.h"
#include "support/base/agree.h"

#include <stdlib.h>

/* Elements that process 0 holds of a matrix at a time: 16 MB. */
enum { PANEL_ELEMENTS = 1 << 21 };

static enum status fail_stream(const struct checkpoint_stream *stream, const char *what)
{
    if (stream->move == CHECKPOINT_READ)
        return FAIL(STATUS_INPUT, "%s: %s is missing, damaged or of other orbitals", stream->path,
                    what);
    return FAIL(
        STATUS_IO, "cannot write %s: %s %s", stream->path,
        stream->move == CHECKPOINT_WRITE ? "HDF5 fails at" : "not read as it was written:", what);
}

enum status checkpoint_stream_open(const char *path, enum checkpoint_move move, MPI_Comm comm,
                                   const int64_t *order, struct checkpoint_stream *stream)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *stream = (struct checkpoint_stream){
        .path = path, .move = move, .comm = comm, .is_root = rank == 0, .file = -1, .order = order};
    stream->before = wall_time_begin(WALL_FILES);
    enum status status = STATUS_OK;
    if (stream->is_root) {
        struct hdf5_messages messages = hdf5_messages_stop();
        stream->file =
            H5Fopen(path, move == CHECKPOINT_WRITE ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT);
        if (stream->file < 0)
            status = fail_stream(stream, "the file");
        hdf5_messages_resume(&messages);
    }
    status = status_agree(comm, status);
    if (status != STATUS_OK)
        wall_time_end(stream->before);
    return status;
}

enum status checkpoint_stream_close(struct checkpoint_stream *stream, enum status status)
{
    if (stream->is_root) {
        struct hdf5_messages messages = hdf5_messages_stop();
        if (H5Fclose(stream->file) < 0 && status == STATUS_OK)
            status = fail_stream(stream, "its end");
        hdf5_messages_resume(&messages);
    }
    status = status_agree(stream->comm, status);
    wall_time_end(stream->before);
    return status;
}

/* --- matrices --- */

/* Columns [first, first + n_columns) of a matrix and, on process 0, their transpose. */
struct panel {
    struct dense *columns;
    double *full; /* row-major, as dense_gather has it */
    double *rows;
};

static void panel_fini(struct panel *panel)
{
    dense_destroy(panel->columns);
    free(panel->full);
    free(panel->rows);
}

static enum status panel_init(const struct checkpoint_stream *stream, const struct dense *matrix,
                              int n_columns, struct panel *panel)
{
    *panel = (struct panel){0};
    TRY(dense_create(matrix->grid, matrix->n_rows, n_columns, &panel->columns));
    enum status status = STATUS_OK;
    if (stream->is_root) {
        size_t n = (size_t)matrix->n_rows * (size_t)n_columns;
        panel->full = malloc(n * sizeof *panel->full);
        panel->rows = malloc(n * sizeof *panel->rows);
        status = CHECK_MEMORY(panel->full && panel->rows, "%s: no memory for %d columns",
                              stream->path, n_columns);
    }
    return status_agree(stream->comm, status);
}

/* Transposes full, n x k, to rows, k x n in the order of the file, or back. */
static void transpose_panel(const struct panel *panel, const int64_t *order, bool to_rows)
{
    int64_t n = panel->columns->n_rows, k = panel->columns->n_columns;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = order ? order[i] : i;
        for (int64_t j = 0; j < k; j++) {
            double *in_full = panel->full + row * k + j, *in_rows = panel->rows + j * n + i;
            if (to_rows)
                *in_rows = *in_full;
            else
                *in_full = *in_rows;
        }
    }
}

/* Process 0: the rows [first, ...) of the data set. */
static enum status move_rows(const struct checkpoint_stream *stream, hid_t set,
                             const struct checkpoint_matrix *place, int first,
                             const struct panel *panel)
{
    int64_t start[] = {place->first_row + first, 0};
    int64_t size[] = {panel->columns->n_columns, panel->columns->n_rows};
    const int64_t *order = place->of_functions ? stream->order : NULL;
    if (stream->move != CHECKPOINT_READ)
        transpose_panel(panel, order, true);
    if (!checkpoint_set_move(set, stream->move, 2, start, size, panel->rows))
        return fail_stream(stream, place->set);
    if (stream->move == CHECKPOINT_READ)
        transpose_panel(panel, order, false);
    return STATUS_OK;
}

/* Errors: on failure panel_fini still has to be called. */
static enum status move_panel(const struct checkpoint_stream *stream, hid_t set,
                              const struct checkpoint_matrix *place, int first, int n_columns,
                              struct dense *matrix, struct panel *panel)
{
    bool reads = stream->move == CHECKPOINT_READ;
    TRY(panel_init(stream, matrix, n_columns, panel));
    if (!reads) {
        dense_copy_columns(matrix, first, panel->columns);
        TRY(dense_gather(panel->columns, panel->full));
    }
    enum status status = stream->is_root ? move_rows(stream, set, place, first, panel) : STATUS_OK;
    TRY(status_agree(stream->comm, status));
    if (!reads)
        return STATUS_OK;
    TRY(dense_scatter(panel->full, panel->columns));
    dense_set_columns(panel->columns, first, matrix);
    return STATUS_OK;
}

static enum status move_columns(const struct checkpoint_stream *stream, hid_t set,
                                const struct checkpoint_matrix *place, int first, int n_columns,
                                struct dense *matrix)
{
    struct panel panel;
    enum status status = move_panel(stream, set, place, first, n_columns, matrix, &panel);
    panel_fini(&panel);
    return status;
}

/* Process 0: the data set, created for the first matrix that is written into it. */
static enum status open_set(const struct checkpoint_stream *stream,
                            const struct checkpoint_matrix *place, const struct dense *matrix,
                            hid_t *set)
{
    bool exists = stream->move != CHECKPOINT_WRITE || place->first_row > 0;
    *set =
        checkpoint_set_open(stream->file, place->set, exists ? CHECKPOINT_READ : CHECKPOINT_WRITE,
                            2, (int64_t[]){place->n_rows, matrix->n_rows});
    return *set >= 0 ? STATUS_OK : fail_stream(stream, place->set);
}

enum status checkpoint_stream_matrix(struct checkpoint_stream *stream,
                                     const struct checkpoint_matrix *place, struct dense *matrix)
{
    hid_t set = -1;
    struct hdf5_messages messages = hdf5_messages_stop();
    enum status status = stream->is_root ? open_set(stream, place, matrix, &set) : STATUS_OK;
    status = status_agree(stream->comm, status);
    int step = PANEL_ELEMENTS / (matrix->n_rows + 1) + 1;
    for (int first = 0; first < matrix->n_columns && status == STATUS_OK; first += step) {
        int left = matrix->n_columns - first;
        status = move_columns(stream, set, place, first, left < step ? left : step, matrix);
    }
    if (set >= 0 && H5Dclose(set) < 0 && status == STATUS_OK)
        status = fail_stream(stream, place->set);
    hdf5_messages_resume(&messages);
    return status_agree(stream->comm, status);
}

/* --- numbers --- */

static bool move_numbers(hid_t group, enum checkpoint_move move, int n,
                         const struct checkpoint_number numbers[])
{
    bool done = true;
    for (int i = 0; i < n && done; i++) {
        const struct checkpoint_number *number = &numbers[i];
        done = number->integer ? checkpoint_attribute_move(group, number->name, H5T_NATIVE_INT64,
                                                           move, number->integer)
                               : checkpoint_attribute_move(group, number->name, H5T_NATIVE_DOUBLE,
                                                           move, number->real);
    }
    return done;
}

/* Process 0. */
static enum status move_group(const struct checkpoint_stream *stream, const char *name, int n,
                              const struct checkpoint_number numbers[], bool *found)
{
    struct hdf5_messages messages = hdf5_messages_stop();
    *found = stream->move == CHECKPOINT_WRITE || H5Lexists(stream->file, name, H5P_DEFAULT) > 0;
    hid_t group = -1;
    if (*found)
        group = stream->move == CHECKPOINT_WRITE
                    ? H5Gcreate2(stream->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                    : H5Gopen2(stream->file, name, H5P_DEFAULT);
    bool done = !*found || (group >= 0 && move_numbers(group, stream->move, n, numbers));
    if (group >= 0)
        H5Gclose(group);
    hdf5_messages_resume(&messages);
    return done ? STATUS_OK : fail_stream(stream, name);
}

enum status checkpoint_stream_numbers(struct checkpoint_stream *stream, const char *group, int n,
                                      const struct checkpoint_number numbers[], bool *found)
{
    bool is_there = false;
    enum status status =
        stream->is_root ? move_group(stream, group, n, numbers, &is_there) : STATUS_OK;
    TRY(status_agree(stream->comm, status));
    MPI_Bcast(&is_there, 1, MPI_C_BOOL, 0, stream->comm);
    *found = is_there;
    for (int i = 0; i < n && is_there && stream->move == CHECKPOINT_READ; i++)
        if (numbers[i].integer)
            MPI_Bcast(numbers[i].integer, 1, MPI_INT64_T, 0, stream->comm);
        else
            MPI_Bcast(numbers[i].real, 1, MPI_DOUBLE, 0, stream->comm);
    return STATUS_OK;
}
