/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/amplitude_file.h"

#include "hf/checkpoint/checkpoint_hdf5.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "hf/checkpoint/checkpoint_trial.h"
#include "support/base/agree.h"
#include "tce/tensor/tensor_rows.h"

#include <stdio.h>
#include <string.h>

/* --- attributes --- */

/* HDF5's type of a text with room for the name of a method. */
static hid_t method_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, sizeof((struct amplitude_origin *)0)->method);
    return type;
}

static bool move_origin(hid_t group, enum checkpoint_move move, struct amplitude_origin *origin)
{
    const struct {
        const char *name;
        int64_t *value;
    } counts[] = {{"n_core", &origin->n_core},
                  {"n_occupied", &origin->n_occupied},
                  {"n_virtual", &origin->n_virtual}};
    hid_t type = method_type();
    bool done = checkpoint_attribute_move(group, "method", type, move, origin->method);
    H5Tclose(type);
    origin->method[sizeof origin->method - 1] = '\0';
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && done; i++)
        done = checkpoint_attribute_move(group, counts[i].name, H5T_NATIVE_INT64, move,
                                         counts[i].value);
    return done;
}

static bool move_progress(hid_t group, enum checkpoint_move move,
                          struct amplitude_progress *progress)
{
    return checkpoint_attribute_move(group, "iteration", H5T_NATIVE_INT64, move,
                                     &progress->iteration) &&
           checkpoint_attribute_move(group, "n_steps", H5T_NATIVE_INT64, move,
                                     &progress->n_steps) &&
           checkpoint_attribute_move(group, "energy", H5T_NATIVE_DOUBLE, move, &progress->energy);
}

static enum status find_amplitude_group(const struct checkpoint_stream *stream, bool *found,
                                        struct amplitude_origin *origin,
                                        struct amplitude_progress *progress)
{
    *found = H5Lexists(stream->file, CHECKPOINT_AMPLITUDES, H5P_DEFAULT) > 0;
    if (!*found)
        return STATUS_OK;
    hid_t group = H5Gopen2(stream->file, CHECKPOINT_AMPLITUDES, H5P_DEFAULT);
    bool done = group >= 0 && move_origin(group, CHECKPOINT_READ, origin);
    if (done && H5Aexists(group, "n_steps") > 0) /* not in files of older versions */
        done = move_progress(group, CHECKPOINT_READ, progress);
    if (group >= 0)
        H5Gclose(group);
    return done ? STATUS_OK : FAIL(STATUS_INPUT, "%s: its amplitudes are damaged", stream->path);
}

enum status amplitude_file_find(struct checkpoint_stream *stream, bool *found,
                                struct amplitude_origin *origin,
                                struct amplitude_progress *progress)
{
    enum status status = STATUS_OK;
    *found = false;
    *origin = (struct amplitude_origin){0};
    *progress = (struct amplitude_progress){0};
    if (stream->is_root) {
        struct hdf5_messages messages = hdf5_messages_stop();
        status = find_amplitude_group(stream, found, origin, progress);
        hdf5_messages_resume(&messages);
    }
    status = status_agree(stream->comm, status);
    MPI_Bcast(found, 1, MPI_C_BOOL, 0, stream->comm);
    MPI_Bcast(origin, sizeof *origin, MPI_BYTE, 0, stream->comm);
    MPI_Bcast(progress, sizeof *progress, MPI_BYTE, 0, stream->comm);
    return status;
}

/* --- elements --- */

/* Moves the rows between the tensor and the data set. */
static bool move_tensor_rows(hid_t set, enum checkpoint_move move, struct tensor_rows *rows)
{
    while (tensor_rows_next(rows)) {
        if (move != CHECKPOINT_READ)
            tensor_rows_get(rows);
        if (!checkpoint_set_move(set, move, rows->rank, rows->first, rows->size, rows->elements))
            return false;
        if (move == CHECKPOINT_READ)
            tensor_rows_put(rows);
    }
    return true;
}

static enum status fail_tensor(const struct checkpoint_stream *stream, const char *name)
{
    if (stream->move == CHECKPOINT_READ)
        return FAIL(STATUS_INPUT, "%s: its amplitudes %s are missing, damaged or of other orbitals",
                    stream->path, name);
    return FAIL(
        STATUS_IO, "cannot write %s: %s %s", stream->path,
        stream->move == CHECKPOINT_WRITE ? "HDF5 fails at" : "not read as it was written:", name);
}

static enum status move_tensor(const struct checkpoint_stream *stream, hid_t group,
                               const char *name, struct tensor *tensor)
{
    struct tensor_rows rows;
    TRY(tensor_rows_init(tensor, &rows));
    hid_t set = checkpoint_set_open(group, name, stream->move, rows.rank, rows.all);
    bool done = set >= 0 && move_tensor_rows(set, stream->move, &rows);
    if (set >= 0)
        done = H5Dclose(set) >= 0 && done;
    tensor_rows_fini(&rows);
    return done ? STATUS_OK : fail_tensor(stream, name);
}

/* The tensors of a step; number: its own in the file. */
static enum status move_step(const struct checkpoint_stream *stream, hid_t group,
                             const struct amplitude_tensors *tensors, int64_t step, int64_t number)
{
    for (int i = 0; i < tensors->n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s_image_%lld", tensors->x[i]->name, (long long)number);
        TRY(move_tensor(stream, group, name, tensors->steps[step].image[i]));
        snprintf(name, sizeof name, "%s_error_%lld", tensors->x[i]->name, (long long)number);
        TRY(move_tensor(stream, group, name, tensors->steps[step].error[i]));
    }
    return STATUS_OK;
}

static enum status move_tensors(const struct checkpoint_stream *stream, hid_t group,
                                const struct amplitude_tensors *tensors, int64_t first_step)
{
    for (int i = 0; i < tensors->n; i++)
        TRY(move_tensor(stream, group, tensors->x[i]->name, tensors->x[i]));
    for (int64_t step = 0; step < tensors->n_steps; step++)
        TRY(move_step(stream, group, tensors, step, first_step + step));
    return STATUS_OK;
}

/* --- files --- */

static enum status write_group(const struct checkpoint_stream *stream,
                               const struct amplitude_origin *origin,
                               const struct amplitude_progress *progress,
                               const struct amplitude_tensors *tensors)
{
    struct amplitude_origin origin_copy = *origin;
    struct amplitude_progress progress_copy = *progress;
    hid_t group =
        stream->move == CHECKPOINT_WRITE
            ? H5Gcreate2(stream->file, CHECKPOINT_AMPLITUDES, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
            : H5Gopen2(stream->file, CHECKPOINT_AMPLITUDES, H5P_DEFAULT);
    enum status status = STATUS_OK;
    if (group < 0 || !move_origin(group, stream->move, &origin_copy) ||
        !move_progress(group, stream->move, &progress_copy))
        status = FAIL(STATUS_IO, "%s: cannot write amplitudes", stream->path);
    if (status == STATUS_OK)
        status = move_tensors(stream, group, tensors, 0);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

/* The others wait in MPI while process 0 reads their blocks. */
enum status amplitude_file_write(struct checkpoint_stream *stream,
                                 const struct amplitude_origin *origin,
                                 const struct amplitude_progress *progress,
                                 const struct amplitude_tensors *tensors)
{
    enum status status = STATUS_OK;
    if (stream->is_root) {
        struct hdf5_messages messages = hdf5_messages_stop();
        status = write_group(stream, origin, progress, tensors);
        hdf5_messages_resume(&messages);
    }
    return status_agree(stream->comm, status);
}

static enum status read_amplitudes(const struct checkpoint_stream *stream,
                                   const struct amplitude_tensors *tensors, int64_t first_step)
{
    hid_t group = H5Gopen2(stream->file, CHECKPOINT_AMPLITUDES, H5P_DEFAULT);
    if (group < 0)
        return FAIL(STATUS_INPUT, "%s: it has no amplitudes", stream->path);
    enum status status = move_tensors(stream, group, tensors, first_step);
    H5Gclose(group);
    return status;
}

enum status amplitude_file_read(struct checkpoint_stream *stream,
                                const struct amplitude_tensors *tensors, int64_t first_step)
{
    enum status status = STATUS_OK;
    darray_sync();
    if (stream->is_root) {
        struct hdf5_messages messages = hdf5_messages_stop();
        status = read_amplitudes(stream, tensors, first_step);
        hdf5_messages_resume(&messages);
    }
    status = status_agree(stream->comm, status);
    darray_sync();
    return status;
}
