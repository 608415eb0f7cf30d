/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/cross_overlap.h"

#include "basis/integrals/one_electron.h"
#include "support/base/agree.h"

#include <stdbool.h>
#include <stdlib.h>

/* One side of the matrix: where this process has its functions. */
struct held_functions {
    const struct shells *shells;
    int *local; /* by function: local row or column, -1 where another process has it; owned */
};

static enum status find_held_functions(const struct shells *shells, const struct dense *S,
                                       int n_local, int (*global)(const struct dense *, int),
                                       struct held_functions *held)
{
    int64_t n = shells->n_functions;
    *held = (struct held_functions){shells, malloc((size_t)n * sizeof *held->local)};
    TRY(CHECK_MEMORY(held->local, "no memory for %lld functions", (long long)n));
    for (int64_t f = 0; f < n; f++)
        held->local[f] = -1;
    for (int i = 0; i < n_local; i++)
        held->local[global(S, i)] = i;
    return STATUS_OK;
}

static bool holds_shell(const struct held_functions *held, const struct shell *shell)
{
    const int *local = held->local + shell->first_function;
    for (int f = 0; f < shell->n_functions; f++)
        if (local[f] >= 0)
            return true;
    return false;
}

/* Copies those elements of a block that this process holds. */
static void place_held_elements(const struct held_functions *rows,
                                const struct held_functions *columns, const struct shell *bra,
                                const struct shell *ket, const double *block, struct dense *S)
{
    const int *row = rows->local + bra->first_function;
    const int *column = columns->local + ket->first_function;
    for (int f = 0; f < bra->n_functions; f++)
        for (int g = 0; g < ket->n_functions; g++)
            if (row[f] >= 0 && column[g] >= 0)
                S->local[(size_t)column[g] * (size_t)S->local_rows + (size_t)row[f]] =
                    block[f * ket->n_functions + g];
}

static void compute_held_blocks(const struct held_functions *rows,
                                const struct held_functions *columns, struct one_electron *engine,
                                double *block, struct dense *S)
{
    for (int64_t i = 0; i < rows->shells->n_shells; i++) {
        const struct shell *bra = &rows->shells->shells[i];
        if (!holds_shell(rows, bra))
            continue;
        for (int64_t j = 0; j < columns->shells->n_shells; j++) {
            const struct shell *ket = &columns->shells->shells[j];
            if (!holds_shell(columns, ket))
                continue;
            one_electron_overlap(engine, bra, ket, block);
            place_held_elements(rows, columns, bra, ket, block, S);
        }
    }
}

/* Not collective. */
static enum status compute_held_elements(const struct shells *bra, const struct shells *ket,
                                         struct dense *S)
{
    const struct shells larger = {.max_l = bra->max_l > ket->max_l ? bra->max_l : ket->max_l,
                                  .max_primitives = bra->max_primitives > ket->max_primitives
                                                        ? bra->max_primitives
                                                        : ket->max_primitives};
    size_t n = (size_t)n_cartesians(larger.max_l);
    struct held_functions rows = {0}, columns = {0};
    struct one_electron *engine = NULL;
    double *block = malloc(n * n * sizeof *block);
    enum status status = CHECK_MEMORY(block, "no memory for overlap integrals");
    if (status != STATUS_OK)
        goto done;
    status = find_held_functions(bra, S, S->local_rows, dense_global_row, &rows);
    if (status != STATUS_OK)
        goto done;
    status = find_held_functions(ket, S, S->local_columns, dense_global_column, &columns);
    if (status != STATUS_OK)
        goto done;
    status = one_electron_create(&larger, &engine);
    if (status != STATUS_OK)
        goto done;
    compute_held_blocks(&rows, &columns, engine, block, S);
done:
    one_electron_destroy(engine);
    free(rows.local);
    free(columns.local);
    free(block);
    return status;
}

enum status cross_overlap(const struct shells *bra, const struct shells *ket, struct dense *S)
{
    return status_agree(S->grid->comm, compute_held_elements(bra, ket, S));
}
