/* SPDX-License-Identifier: BSD-3-Clause */
/* Data sets of doubles and attributes in an open HDF5 file. Serial. */
#pragma once

#include "hf/checkpoint/checkpoint_stream.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* --- HDF5's own messages --- */

/* They fill pages for one failed call: the callers of what follows silence them. */

/* The settings to return to. */
struct hdf5_messages {
    H5E_auto2_t print;
    void *context;
};

/* HDF5 prints nothing between the two calls. Not collective. */
struct hdf5_messages hdf5_messages_stop(void);
void hdf5_messages_resume(const struct hdf5_messages *messages);

/* --- data sets and attributes --- */

enum { CHECKPOINT_SET_MAX_RANK = 16 };

/* WRITE: a new data set, contiguous, with the groups that its name begins with. Else opens it and
 * checks that it is one of doubles with these sizes. Negative on failure; to be closed by
 * H5Dclose. */
hid_t checkpoint_set_open(hid_t location, const char *name, enum checkpoint_move move, int rank,
                          const int64_t size[]);

/* Moves the elements [first, first + size) of each index, row-major; false on failure, or if they
 * are not the same. */
bool checkpoint_set_move(hid_t set, enum checkpoint_move move, int rank, const int64_t first[],
                         const int64_t size[], double *elements);

/* Moves an attribute of one element; false on failure, or if it is not the same. */
bool checkpoint_attribute_move(hid_t object, const char *name, hid_t type,
                               enum checkpoint_move move, void *value);
