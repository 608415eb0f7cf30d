/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a reader of checkpoints (checkpoint_reader.h) that its files share. */
#pragma once

#include "hf/checkpoint/checkpoint_file.h"
#include "hf/checkpoint/checkpoint_reader.h"

#include <sys/stat.h>
#include <time.h>

/* Identity of the file that was verified. */
struct identity {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct checkpoint_reader {
    const char *path;
    MPI_Comm comm;
    int rank;
    enum checkpoint_fit fit;
    bool is_foreign;       /* its functions are not the problem's */
    struct shells *shells; /* of foreign functions, else NULL */
    bool is_solution;      /* of a converged SCF */
    bool is_moved;         /* foreign functions were on other centres */
    struct checkpoint_contents
        contents;                    /* on process 0; functions numbered in this program's order */
    int64_t n_functions, n_rows;     /* of the file */
    int64_t first[2], n_orbitals[2]; /* its rows of each spin */
    int64_t n_electrons[2];
    double deviation;         /* largest element of C^T S C - 1 */
    struct identity identity; /* on process 0 */
};

/* --- checkpoint_reader.c --- */

/* Columns of C: the file's first orbitals of a spin, as many. Collective. */
enum status checkpoint_read_columns(const struct checkpoint_reader *reader, int spin,
                                    struct dense *C);

/* --- checkpoint_orthonormal.c --- */

/* Finds the deviation of the file's orbitals from orthonormal ones, with the overlap of the problem's
 * functions, or of the foreign ones. Collective.
 * Errors: STATUS_INPUT (not orthonormal), STATUS_IO, STATUS_NO_MEMORY. */
enum status checkpoint_check_orthonormal(struct checkpoint_reader *reader,
                                         const struct scf_problem *problem);
