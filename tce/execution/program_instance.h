/* SPDX-License-Identifier: BSD-3-Clause */
/* A .tce program ready to run: its text parsed, its spaces cut into tiles, its plan made. */
#pragma once

#include "support/base/sha256.h"
#include "support/base/status.h"
#include "tce/execution/executor.h"
#include "tce/language/program.h"
#include "tce/language/symmetry_check.h"
#include "tce/plan/plan.h"
#include "tce/tensor/index_space.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct program_instance {
    struct program program;
    struct index_space **spaces; /* one for each of the program's */
    struct plan *plan;
    struct executor *executor; /* NULL until program_instance_start */
    double
        more_bytes; /* of distributed arrays that will exist beside the tensors: room that is asked for with
                        * theirs, by program_instance_start */
    MPI_Comm comm;                     /* borrowed */
    struct tensor_function *functions; /* of tensors that are local to loops, program.n_tensors */
};

/* The blocks of a space that a program binds to a name. */
struct space_binding {
    const char *name;
    int64_t n_blocks;
    const struct index_block *blocks; /* borrowed */
    int64_t tile; /* values in a tile; 0: as the program says, or else chosen (plan.h) */
};

/* All borrowed; spaces only until program_instance_init returns. */
struct program_source {
    const char *text;
    size_t length;
    const char *file; /* its name in messages */
    int n_spaces;
    const struct space_binding *spaces; /* n_spaces */
    int n_fills;
    const struct fill_symmetry *fills; /* n_fills, beside the functions */
    enum plan_pairs pairs;
};

/* Parses the text, cuts the spaces and plans; allocates no tensors. Collective. Sets *instance in
 * any case. Errors: as program_parse, symmetry_check_program and plan_create; STATUS_INPUT, with
 * the place, for a bound space that the source lacks, and for a tensor without a bar in one that is
 * bound to blocks with spins. The same everywhere. */
enum status program_instance_init(const struct program_source *source, MPI_Comm comm,
                                  struct program_instance *instance);
void program_instance_fini(struct program_instance *instance);

/* Makes the tensors, zero. Collective. Errors: as executor_create. */
enum status program_instance_start(struct program_instance *instance,
                                   const struct contraction_settings *settings);

/* Fills a tensor with the function that its declaration names; with zeros, if it names none.
 * Collective. Errors: STATUS_INPUT, with the place (no such function), STATUS_NO_MEMORY. */
enum status program_instance_fill(struct program_instance *instance, int tensor);

/* Checks a fill without tensors: whether there is such a function. Not collective. */
enum status program_instance_check_fill(const struct program_instance *instance, int tensor);

/* Whether the tensor is stored and a statement assigns to it. */
bool program_instance_is_assigned(const struct program_instance *instance, int tensor);

/* Whether the tensor is a result: of a program with `iterate` the energies, what is reported and what
 * the unknowns become, else all that statements assign to. */
bool program_instance_is_result(const struct program_instance *instance, int tensor);

/* SHA-256, in hex, of the results. Collective; the same everywhere.
 * Errors: as tensor_sha256. */
enum status program_instance_sha256(const struct program_instance *instance,
                                    char text[SHA256_HEX_SIZE]);
