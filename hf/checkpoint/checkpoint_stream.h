/* SPDX-License-Identifier: BSD-3-Clause */
/* An HDF5 file that process 0 has open, and what goes between it and the processes: distributed
 * matrices, a few columns at a time, so that no process ever holds a whole one, and numbers. While a
 * stream is open HDF5 prints no messages of its own. */
#pragma once

#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <hdf5.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum checkpoint_move { CHECKPOINT_WRITE, CHECKPOINT_READ };

/* --- HDF5, serial --- */

/* HDF5's own messages, which fill pages for one failed call: none between the two calls. */
struct hdf5_messages {
    H5E_auto2_t print;
    void *context;
};
struct hdf5_messages hdf5_messages_stop(void);
void hdf5_messages_resume(const struct hdf5_messages *messages);

enum { CHECKPOINT_SET_MAX_RANK = 16 };

/* WRITE: a new data set of doubles, contiguous. READ: opens one and checks that it has these sizes.
 * Negative on failure; to be closed by H5Dclose. */
hid_t checkpoint_set_open(hid_t location, const char *name, enum checkpoint_move move, int rank,
                          const int64_t size[]);

/* Moves the elements [first, first + size) of each index, row-major; false on failure. */
bool checkpoint_set_move(hid_t set, enum checkpoint_move move, int rank, const int64_t first[],
                         const int64_t size[], double *elements);

/* Moves an attribute of one element; false on failure. */
bool checkpoint_attribute_move(hid_t object, const char *name, hid_t type,
                               enum checkpoint_move move, void *value);

/* --- streams --- */

struct checkpoint_stream {
    const char *path; /* borrowed */
    enum checkpoint_move move;
    MPI_Comm comm;
    bool is_root;         /* this is process 0 */
    bool is_sealed;       /* the file has a verified seal, and so Beryl's own groups may be read */
    hid_t file;           /* negative but on process 0 */
    const int64_t *order; /* borrowed: function k of the file is order[k] here */
    struct hdf5_messages messages;
};

/* Opens a file that is there. Collective. Errors: STATUS_IO (it is to be written), STATUS_INPUT; the
 * same everywhere, nothing is open then. */
enum status checkpoint_stream_open(const char *path, enum checkpoint_move move, MPI_Comm comm,
                                   struct checkpoint_stream *stream);

/* Not collective. Errors: STATUS_IO: not all is written. */
enum status checkpoint_stream_close(struct checkpoint_stream *stream);

/* Moves a matrix, a data set whose row first_row + k is column k.
 * n_rows        of the data set, which may hold several matrices; it is created with its first one
 * of_functions  elements of a row belong to functions, and have the file's order there
 * Collective. Errors, the same everywhere: STATUS_IO when writing; when reading STATUS_INPUT (missing,
 * damaged or of other sizes); STATUS_NO_MEMORY. */
struct checkpoint_matrix {
    const char *set; /* its name, with the groups: "mo/mo_coefficient" */
    int64_t n_rows;
    int64_t first_row;
    bool of_functions;
};
enum status checkpoint_stream_matrix(const struct checkpoint_stream *stream,
                                     const struct checkpoint_matrix *place, struct dense *matrix);

/* Fails at a part of the file. STATUS_INPUT when reading, STATUS_IO when writing. Not collective. */
enum status checkpoint_stream_fail(const struct checkpoint_stream *stream, const char *part);

/* Attributes of a group: an integer, n real numbers, where 0 stands for 1, or a text with room for n
 * characters. */
struct checkpoint_number {
    const char *name;
    int64_t *integer;
    double *real;
    char *text;
    int n;
};

/* Moves the numbers of one of Beryl's own groups, which is created when writing, and set on every process
 * when reading. found: out, whether the group is there; else the numbers stay as they are. Collective.
 * Errors: as checkpoint_stream_matrix; STATUS_INPUT (the group is there, but no seal). */
enum status checkpoint_stream_numbers(const struct checkpoint_stream *stream, const char *group,
                                      int n, const struct checkpoint_number numbers[], bool *found);
