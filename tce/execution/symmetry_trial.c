/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/symmetry_trial.h"

#include "support/base/agree.h"
#include "tce/language/symmetry_operators.h"
#include "tce/tensor/permute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Tolerance of a difference, as a fraction of the largest element. */
#define ROUNDING 1e-10

/* Room for a block and for another one with its places exchanged. */
struct trial_scratch {
    double *other, *exchanged;
};

/* The block that an exchange compares with this one, in the order of this one: sign T[x_p]. */
static void exchange_places(const struct tensor *tensor, const struct signed_permutation *p,
                            int64_t block, struct trial_scratch *scratch)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    struct permute_shape shape = {.rank = labels->rank};
    int32_t tile[MAX_RANK], other[MAX_RANK];
    int64_t stride = 1;
    block_index_tuple(tensor->blocks, block, tile);
    for (int d = 0; d < labels->rank; d++)
        other[d] = tile[p->place[d]];
    darray_get(tensor->data, block_index_number(tensor->blocks, other), scratch->other);
    for (int d = labels->rank - 1; d >= 0; d--) {
        shape.extent[d] = index_space_tile_size(labels->space[d], tile[d]);
        shape.stride[p->place[d]] = stride;
        stride *= index_space_tile_size(labels->space[d], other[d]);
    }
    permute(&shape, p->sign, scratch->other, false, scratch->exchanged);
}

/* deviation  of each exchange; the largest element comes after them */
static void try_block(const struct program_tensor *declared, const struct tensor *tensor,
                      int64_t block, const double *own, struct trial_scratch *scratch,
                      double deviation[])
{
    int64_t n = darray_block_size(tensor->data, block);
    for (int x = 0; x < declared->n_exchanges; x++) {
        exchange_places(tensor, &declared->exchanges[x].permutation, block, scratch);
        for (int64_t i = 0; i < n; i++)
            deviation[x] = fmax(deviation[x], fabs(own[i] - scratch->exchanged[i]));
    }
    for (int64_t i = 0; i < n; i++)
        deviation[declared->n_exchanges] = fmax(deviation[declared->n_exchanges], fabs(own[i]));
}

/* deviation  out: of each exchange, and the largest element after them, on every process */
static enum status find_deviations(const struct program_tensor *declared,
                                   const struct tensor *tensor, MPI_Comm comm, double deviation[])
{
    size_t size = ((size_t)tensor->max_block + 1) * sizeof(double);
    struct trial_scratch scratch = {.other = malloc(size), .exchanged = malloc(size)};
    enum status status = CHECK_MEMORY(deviation && scratch.other && scratch.exchanged,
                                      "no memory for a block of tensor %s", tensor->name);
    status = status_agree(comm, status);
    if (status != STATUS_OK)
        goto done;
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
        const double *own = darray_local(tensor->data, block);
        if (own)
            try_block(declared, tensor, block, own, &scratch, deviation);
    }
    MPI_Allreduce(MPI_IN_PLACE, deviation, declared->n_exchanges + 1, MPI_DOUBLE, MPI_MAX, comm);
done:
    free(scratch.other);
    free(scratch.exchanged);
    return status;
}

/* "T[j,i]": a target with its places exchanged. */
struct target_text {
    char text[256];
};

static struct target_text show_target(const struct program *program,
                                      const struct program_factor *target,
                                      const struct signed_permutation *exchange)
{
    struct target_text shown;
    const struct program_tensor *tensor = &program->tensors[target->tensor];
    size_t n = (size_t)snprintf(shown.text, sizeof shown.text, "%s", tensor->name);
    for (int d = 0; d < tensor->rank && n < sizeof shown.text; d++)
        n += (size_t)snprintf(shown.text + n, sizeof shown.text - n, "%s%s%s", d == 0 ? "[" : ",",
                              program->indices[target->index[exchange->place[d]]].name,
                              d == tensor->rank - 1 ? "]" : "");
    return shown;
}

/* Refuses a statement for the first exchange that its target lacks. */
static enum status refuse_statement(const struct program *program,
                                    const struct program_statement *statement, int first,
                                    const bool lacks[])
{
    const struct program_tensor *tensor = &program->tensors[statement->target.tensor];
    const struct program_exchange *exchange = &tensor->exchanges[first];
    const struct signed_permutation identity = symmetry_identity();
    return source_fail(
        program->file, statement->place,
        "this does not make %s equal to %s%s, as line %d declares: write %s before the products "
        "that lack it, or take the symmetry out of the declaration",
        show_target(program, &statement->target, &exchange->permutation).text,
        exchange->permutation.sign < 0 ? "-" : "",
        show_target(program, &statement->target, &identity).text, exchange->place.line,
        symmetry_operators_for(program, tensor, lacks, statement->target.index).text);
}

enum status symmetry_trial(const struct program *program, int number, const struct tensor *target,
                           MPI_Comm comm)
{
    const struct program_statement *statement = &program->statements[number];
    const struct program_tensor *tensor = &program->tensors[statement->target.tensor];
    size_t n = (size_t)tensor->n_exchanges;
    double *deviation = calloc(n + 1, sizeof *deviation);
    bool *lacks = calloc(n + 1, sizeof *lacks);
    int first = -1;
    enum status status = find_deviations(tensor, target, comm, lacks ? deviation : NULL);
    for (int x = tensor->n_exchanges - 1; x >= 0 && status == STATUS_OK; x--) {
        lacks[x] = deviation[x] > ROUNDING * deviation[n];
        first = lacks[x] ? x : first;
    }
    if (first >= 0)
        status = refuse_statement(program, statement, first, lacks);
    free(deviation);
    free(lacks);
    return status;
}
