#include "tce/methods/amplitude_file.h"

#include "hf/checkpoint/hdf5_messages.h"
#include "support/base/agree.h"
#include "tce/tensor/tensor_rows.h"

#include <hdf5.h>
#include <string.h>

static const char group_name[] = "beryl_amplitudes";

static const struct {
    const char *name;
    size_t offset;
} counts[] = {
    {"n_core", offsetof(struct amplitude_origin, n_core)},
    {"n_occupied", offsetof(struct amplitude_origin, n_occupied)},
    {"n_virtual", offsetof(struct amplitude_origin, n_virtual)},
};
enum { N_COUNTS = sizeof counts / sizeof counts[0] };

/* --- attributes --- */

/* HDF5's type of a text with room for the name of a method. */
static hid_t method_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, sizeof((struct amplitude_origin *)0)->method);
    return type;
}

/* Reads or writes an attribute of one element; whether it was done. */
static bool move_attribute(hid_t group, const char *name, hid_t type, bool write, void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = write ? H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                            : H5Aopen(group, name, H5P_DEFAULT);
    bool done = attribute >= 0 &&
                (write ? H5Awrite(attribute, type, value) : H5Aread(attribute, type, value)) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return done;
}

static bool move_origin(hid_t group, bool write, struct amplitude_origin *origin)
{
    hid_t type = method_type();
    bool done = move_attribute(group, "method", type, write, origin->method);
    H5Tclose(type);
    origin->method[sizeof origin->method - 1] = '\0';
    for (int i = 0; i < N_COUNTS && done; i++)
        done = move_attribute(group, counts[i].name, H5T_NATIVE_INT64, write,
                              (char *)origin + counts[i].offset);
    return done;
}

static enum status find_amplitude_group(const char *path, bool *found,
                                        struct amplitude_origin *origin)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return FAIL(STATUS_INPUT, "%s: not a checkpoint", path);
    *found = H5Lexists(file, group_name, H5P_DEFAULT) > 0;
    hid_t group = *found ? H5Gopen2(file, group_name, H5P_DEFAULT) : -1;
    enum status status = STATUS_OK;
    if (*found && (group < 0 || !move_origin(group, false, origin)))
        status = FAIL(STATUS_INPUT, "%s: its amplitudes are damaged", path);
    if (group >= 0)
        H5Gclose(group);
    H5Fclose(file);
    return status;
}

enum status amplitude_file_find(const char *path, MPI_Comm comm, bool *found,
                                struct amplitude_origin *origin)
{
    int rank;
    enum status status = STATUS_OK;
    MPI_Comm_rank(comm, &rank);
    *found = false;
    *origin = (struct amplitude_origin){0};
    if (rank == 0) {
        struct hdf5_messages messages = hdf5_messages_stop();
        status = find_amplitude_group(path, found, origin);
        hdf5_messages_resume(&messages);
    }
    status = status_agree(comm, status);
    MPI_Bcast(found, 1, MPI_C_BOOL, 0, comm);
    MPI_Bcast(origin, sizeof *origin, MPI_BYTE, 0, comm);
    return status;
}

/* --- elements --- */

/* Moves the row between memory and the data set. */
static bool move_row(hid_t set, const struct tensor_rows *rows, bool write)
{
    hsize_t first[MAX_RANK], size[MAX_RANK];
    for (int d = 0; d < rows->rank; d++) {
        first[d] = (hsize_t)rows->first[d];
        size[d] = (hsize_t)rows->size[d];
    }
    hid_t memory = H5Screate_simple(rows->rank, size, NULL), space = H5Dget_space(set);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, size, NULL);
    herr_t done = write
                      ? H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows->elements)
                      : H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows->elements);
    H5Sclose(memory);
    H5Sclose(space);
    return done >= 0;
}

static bool write_tensor_rows(hid_t set, struct tensor_rows *rows)
{
    while (tensor_rows_next(rows)) {
        tensor_rows_get(rows);
        if (!move_row(set, rows, true))
            return false;
    }
    return true;
}

static bool read_tensor_rows(hid_t set, struct tensor_rows *rows)
{
    while (tensor_rows_next(rows)) {
        if (!move_row(set, rows, false))
            return false;
        tensor_rows_put(rows);
    }
    return true;
}

static enum status write_tensor(hid_t group, struct tensor *tensor, const char *path)
{
    struct tensor_rows rows;
    hsize_t all[MAX_RANK];
    TRY(tensor_rows_init(tensor, &rows));
    for (int d = 0; d < rows.rank; d++)
        all[d] = (hsize_t)rows.all[d];
    hid_t space = H5Screate_simple(rows.rank, all, NULL);
    hid_t set = H5Dcreate2(group, tensor->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT,
                           H5P_DEFAULT);
    bool done = set >= 0 && write_tensor_rows(set, &rows);
    if (set >= 0)
        done = H5Dclose(set) >= 0 && done;
    H5Sclose(space);
    tensor_rows_fini(&rows);
    return done ? STATUS_OK : FAIL(STATUS_IO, "%s: cannot write %s", path, tensor->name);
}

/* Whether the data set has the tensor's sizes. */
static bool has_sizes(hid_t set, const struct tensor_rows *rows)
{
    hsize_t all[H5S_MAX_RANK];
    hid_t space = H5Dget_space(set);
    bool same = H5Sget_simple_extent_ndims(space) == rows->rank &&
                H5Sget_simple_extent_dims(space, all, NULL) == rows->rank;
    for (int d = 0; d < rows->rank && same; d++)
        same = all[d] == (hsize_t)rows->all[d];
    H5Sclose(space);
    return same;
}

static enum status read_tensor(hid_t group, struct tensor *tensor, const char *path)
{
    struct tensor_rows rows;
    TRY(tensor_rows_init(tensor, &rows));
    hid_t set = H5Dopen2(group, tensor->name, H5P_DEFAULT);
    enum status status = STATUS_OK;
    if (set < 0)
        status = FAIL(STATUS_INPUT, "%s: it has no amplitudes %s", path, tensor->name);
    else if (!has_sizes(set, &rows))
        status =
            FAIL(STATUS_INPUT, "%s: its amplitudes %s are of other orbitals", path, tensor->name);
    else if (!read_tensor_rows(set, &rows))
        status = FAIL(STATUS_INPUT, "%s: its amplitudes %s are damaged", path, tensor->name);
    if (set >= 0)
        H5Dclose(set);
    tensor_rows_fini(&rows);
    return status;
}

/* --- files --- */

static enum status write_group(hid_t file, const char *path, const struct amplitude_origin *origin,
                               int n, struct tensor *const tensors[])
{
    struct amplitude_origin copy = *origin;
    hid_t group = H5Gcreate2(file, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    enum status status = STATUS_OK;
    if (group < 0 || !move_origin(group, true, &copy))
        status = FAIL(STATUS_IO, "%s: cannot write amplitudes", path);
    for (int i = 0; i < n && status == STATUS_OK; i++)
        status = write_tensor(group, tensors[i], path);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

enum status amplitude_file_write(const char *path, const struct amplitude_origin *origin, int n,
                                 struct tensor *const tensors[])
{
    struct hdf5_messages messages = hdf5_messages_stop();
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    enum status status = file >= 0 ? write_group(file, path, origin, n, tensors)
                                   : FAIL(STATUS_IO, "%s: cannot add amplitudes", path);
    if (file >= 0 && H5Fclose(file) < 0 && status == STATUS_OK)
        status = FAIL(STATUS_IO, "%s: cannot close it", path);
    hdf5_messages_resume(&messages);
    return status;
}

static enum status read_amplitudes(const char *path, int n, struct tensor *const tensors[])
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t group = file >= 0 ? H5Gopen2(file, group_name, H5P_DEFAULT) : -1;
    enum status status =
        group >= 0 ? STATUS_OK : FAIL(STATUS_INPUT, "%s: it has no amplitudes", path);
    for (int i = 0; i < n && status == STATUS_OK; i++)
        status = read_tensor(group, tensors[i], path);
    if (group >= 0)
        H5Gclose(group);
    if (file >= 0)
        H5Fclose(file);
    return status;
}

enum status amplitude_file_read(const char *path, int n, struct tensor *const tensors[],
                                MPI_Comm comm)
{
    int rank;
    enum status status = STATUS_OK;
    MPI_Comm_rank(comm, &rank);
    darray_sync();
    if (rank == 0) {
        struct hdf5_messages messages = hdf5_messages_stop();
        status = read_amplitudes(path, n, tensors);
        hdf5_messages_resume(&messages);
    }
    status = status_agree(comm, status);
    darray_sync();
    return status;
}
