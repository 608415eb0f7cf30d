/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed matrices and numbers on their way to and from the file of a checkpoint, which is
 * open on process 0: a few columns of a matrix at a time, so that no process ever holds a whole
 * one. All is collective, and its errors are the same everywhere: when writing STATUS_IO; when
 * reading STATUS_INPUT (missing, damaged, or of other sizes); STATUS_NO_MEMORY. */
#pragma once

#include "support/arrays/dense.h"
#include "support/base/status.h"
#include "support/mpi/wall_time.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* COMPARE reads and compares with what was written, to the last bit: a full disk is not always
 * noticed otherwise. */
enum checkpoint_move { CHECKPOINT_WRITE, CHECKPOINT_COMPARE, CHECKPOINT_READ };

struct checkpoint_stream {
    const char *path; /* borrowed; NULL but on process 0 */
    enum checkpoint_move move;
    MPI_Comm comm;
    bool is_root;         /* this is process 0 */
    int64_t file;         /* HDF5's, negative but on process 0 */
    const int64_t *order; /* borrowed; on process 0: function k of the file is order[k] here */
    enum wall_use before; /* use of the wall time before it was opened; meanwhile: WALL_FILES */
};

/* A file that is there. path, order: used on process 0 only. */
enum status checkpoint_stream_open(const char *path, enum checkpoint_move move, MPI_Comm comm,
                                   const int64_t *order, struct checkpoint_stream *stream);

/* Closes the stream. status: outcome of the work done with it. Returns it, or the failure to write
 * all. */
enum status checkpoint_stream_close(struct checkpoint_stream *stream, enum status status);

/* A matrix as rows of a data set: the matrix's column k is row first_row + k. */
struct checkpoint_matrix {
    const char *set; /* its name, with the groups: "mo/mo_coefficient" */
    int64_t n_rows;  /* of the data set, which may hold several matrices */
    int64_t first_row;
    bool of_functions; /* the elements of a row belong to functions: they have the file's order */
};
enum status checkpoint_stream_matrix(struct checkpoint_stream *stream,
                                     const struct checkpoint_matrix *place, struct dense *matrix);

/* Numbers, each an attribute of a group: an integer or a real one. */
struct checkpoint_number {
    const char *name;
    int64_t *integer; /* NULL: real */
    double *real;
};

/* Moves the numbers of a group, which is created when writing and set on every process when
 * reading. found: out, whether the group is there; the numbers stay as they are if it is not. */
enum status checkpoint_stream_numbers(struct checkpoint_stream *stream, const char *group, int n,
                                      const struct checkpoint_number numbers[], bool *found);
