/* A program made ready to run: its text parsed, its spaces cut into tiles, planned. */
#ifndef BERYL_TCE_EVALUATION_H
#define BERYL_TCE_EVALUATION_H

#include "support/base/sha256.h"
#include "support/base/status.h"
#include "tce/execution/executor.h"
#include "tce/language/program.h"
#include "tce/plan/plan.h"
#include "tce/tensor/index_space.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct evaluation {
    struct program program;
    struct index_space **spaces; /* one for each of the program's */
    struct plan *plan;
    struct executor *executor; /* NULL until evaluation_start */
    MPI_Comm comm;             /* borrowed */
};

/* What a method binds a name of the program to. */
struct space_binding {
    const char *name;
    int64_t n_blocks;
    const struct index_block *blocks; /* borrowed */
    int64_t tile;
};

/* Parses, cuts and plans; allocates no tensors.
 * text      length bytes; file is its name in messages
 * bindings  n of them
 * Collective. Sets *evaluation in any case. Errors: those of program_parse and plan_create;
 * STATUS_INPUT, with the place, for a space that nobody binds, and for a tensor without a bar in
 * one that is bound to blocks with spins. The same everywhere. */
enum status evaluation_init(const char *text, size_t length, const char *file, int n_bindings,
                            const struct space_binding bindings[], MPI_Comm comm,
                            struct evaluation *evaluation);
void evaluation_fini(struct evaluation *evaluation);

/* Makes the tensors, zero. Collective. Errors: those of executor_create. */
enum status evaluation_start(struct evaluation *evaluation,
                             const struct contraction_settings *settings);

/* Fills a tensor with the function that its declaration names; with zeros, if it names none.
 * Collective. Errors: STATUS_INPUT, with the place (no such function), STATUS_NO_MEMORY. */
enum status evaluation_fill(struct evaluation *evaluation, int tensor);

/* The same without tensors: whether there is such a function. Not collective. */
enum status evaluation_check_fill(const struct evaluation *evaluation, int tensor);

/* Whether a statement assigns to the tensor. */
bool evaluation_is_assigned(const struct evaluation *evaluation, int tensor);

/* SHA-256, in hex, of the results: of a program with `iterate` the energy and what the
 * unknowns become, else all that statements assign to. Collective; the same everywhere.
 * Errors: those of tensor_sha256. */
enum status evaluation_sha256(const struct evaluation *evaluation, char text[SHA256_HEX_SIZE]);

#endif
