/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_stream.h"
#include "hf/checkpoint/checkpoint_trial.h"
#include "hf/scf/scf_restart.h"

/* The place of the orbitals of a spin. */
static struct checkpoint_matrix reference_place(const struct dense *C, int spin)
{
    static const char *const sets[] = {CHECKPOINT_OCCUPATION "/alpha",
                                       CHECKPOINT_OCCUPATION "/beta"};
    return (struct checkpoint_matrix){
        .set = sets[spin], .n_rows = C->n_columns, .of_functions = true};
}

/* Moves the electrons of each spin, the beta ones of RHF being 0. */
static enum status move_electrons(struct checkpoint_stream *stream, int64_t n[2], bool *found)
{
    const struct checkpoint_number numbers[] = {{"n_alpha", &n[0], NULL}, {"n_beta", &n[1], NULL}};
    return checkpoint_stream_numbers(stream, CHECKPOINT_OCCUPATION, 2, numbers, found);
}

enum status scf_restart_add_reference(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    int64_t n[2] = {basis->n_occupied[0], basis->n_occupied[1]};
    bool found;
    TRY(move_electrons(stream, n, &found));
    for (int s = 0; s < basis->problem->n_densities; s++) {
        struct dense *C = solver->state->C_o[s];
        const struct checkpoint_matrix place = reference_place(C, s);
        scf_basis_expand(basis, solver->occupation->R[s], C);
        if (C->n_columns > 0)
            TRY(checkpoint_stream_matrix(stream, &place, C));
    }
    return STATUS_OK;
}

/* R = X^T S C of a spin. */
static enum status read_reference(struct checkpoint_stream *stream, struct scf_solver *solver,
                                  int spin)
{
    const struct scf_basis *basis = solver->basis;
    struct dense *C = solver->state->C_o[spin], *SC;
    const struct checkpoint_matrix place = reference_place(C, spin);
    if (C->n_columns == 0)
        return STATUS_OK;
    TRY(checkpoint_stream_matrix(stream, &place, C));
    TRY(dense_create(basis->problem->grid, C->n_rows, C->n_columns, &SC));
    dense_multiply('N', 'N', 1, basis->work_nn, C, 0, SC);
    dense_multiply('T', 'N', 1, basis->X, SC, 0, solver->occupation->R[spin]);
    dense_destroy(SC);
    return STATUS_OK;
}

enum status scf_restart_read_reference(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    int64_t n[2] = {0, 0};
    bool found;
    TRY(move_electrons(stream, n, &found));
    if (!found || n[0] != basis->n_occupied[0] || n[1] != basis->n_occupied[1])
        return STATUS_OK;
    TRY(scf_basis_load(basis, basis->S));
    for (int s = 0; s < basis->problem->n_densities; s++)
        TRY(read_reference(stream, solver, s));
    solver->occupation->is_set = true;
    return STATUS_OK;
}
