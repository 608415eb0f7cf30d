/* SPDX-License-Identifier: BSD-3-Clause */
/* Data sets of doubles and attributes in an open HDF5 file. Serial; HDF5's own messages are to be
 * silenced by the caller (hdf5_messages.h). */
#ifndef BERYL_HF_CHECKPOINT_HDF5_H
#define BERYL_HF_CHECKPOINT_HDF5_H

#include "hf/checkpoint/checkpoint_stream.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
