/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_hdf5.h"

#include <stdlib.h>
#include <string.h>

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

static hid_t create_set(hid_t location, const char *name, int rank, const hsize_t size[])
{
    hid_t space = H5Screate_simple(rank, size, NULL), groups = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(groups, 1);
    hid_t set = H5Dcreate2(location, name, H5T_IEEE_F64LE, space, groups, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(groups);
    H5Sclose(space);
    return set;
}

static bool is_set_of_doubles(hid_t set, int rank, const hsize_t size[])
{
    hsize_t found[H5S_MAX_RANK];
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    bool same = H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, found, NULL) == rank;
    for (int d = 0; d < rank && same; d++)
        same = found[d] == size[d];
    H5Tclose(type);
    H5Sclose(space);
    return same;
}

static void copy_sizes(int rank, const int64_t from[], hsize_t to[])
{
    for (int d = 0; d < rank; d++)
        to[d] = (hsize_t)from[d];
}

hid_t checkpoint_set_open(hid_t location, const char *name, enum checkpoint_move move, int rank,
                          const int64_t size[])
{
    hsize_t all[CHECKPOINT_SET_MAX_RANK];
    copy_sizes(rank, size, all);
    if (move == CHECKPOINT_WRITE)
        return create_set(location, name, rank, all);
    hid_t set = H5Dopen2(location, name, H5P_DEFAULT);
    if (set >= 0 && !is_set_of_doubles(set, rank, all)) {
        H5Dclose(set);
        return -1;
    }
    return set;
}

static bool read_and_compare(hid_t set, hid_t memory, hid_t space, size_t n, const double *elements)
{
    double *found = malloc(n * sizeof *found);
    bool same = found && H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, found) >= 0 &&
                memcmp(found, elements, n * sizeof *found) == 0;
    free(found);
    return same;
}

bool checkpoint_set_move(hid_t set, enum checkpoint_move move, int rank, const int64_t first[],
                         const int64_t size[], double *elements)
{
    hsize_t start[CHECKPOINT_SET_MAX_RANK] = {0}, count[CHECKPOINT_SET_MAX_RANK] = {0};
    copy_sizes(rank, first, start);
    copy_sizes(rank, size, count);
    hid_t memory = H5Screate_simple(rank, count, NULL), space = H5Dget_space(set);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    size_t n = 1;
    for (int d = 0; d < rank; d++)
        n *= (size_t)size[d];
    bool done;
    if (move == CHECKPOINT_WRITE)
        done = H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, elements) >= 0;
    else if (move == CHECKPOINT_READ)
        done = H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, elements) >= 0;
    else
        done = read_and_compare(set, memory, space, n, elements);
    H5Sclose(memory);
    H5Sclose(space);
    return done;
}

static bool compare_attribute(hid_t attribute, hid_t type, const void *value)
{
    size_t size = H5Tget_size(type);
    void *found = malloc(size);
    bool same = found && H5Aread(attribute, type, found) >= 0 && memcmp(found, value, size) == 0;
    free(found);
    return same;
}

/* A damaged file may claim more elements than the value has room for. */
static bool has_one_element(hid_t attribute)
{
    hid_t space = H5Aget_space(attribute);
    bool one = H5Sget_simple_extent_npoints(space) == 1;
    H5Sclose(space);
    return one;
}

bool checkpoint_attribute_move(hid_t object, const char *name, hid_t type,
                               enum checkpoint_move move, void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = move == CHECKPOINT_WRITE
                          ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                          : H5Aopen(object, name, H5P_DEFAULT);
    H5Sclose(space);
    if (attribute < 0)
        return false;
    bool done;
    if (move == CHECKPOINT_WRITE)
        done = H5Awrite(attribute, type, value) >= 0;
    else if (move == CHECKPOINT_READ)
        done = has_one_element(attribute) && H5Aread(attribute, type, value) >= 0;
    else
        done = compare_attribute(attribute, type, value);
    H5Aclose(attribute);
    return done;
}
