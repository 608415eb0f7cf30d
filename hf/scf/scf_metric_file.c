/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_stream.h"
#include "hf/checkpoint/checkpoint_trial.h"
#include "hf/scf/scf_restart.h"

/* The operator of a spin. */
static struct checkpoint_matrix metric_place(const struct scf_basis *basis, int spin)
{
    int64_t m = basis->n_orbitals;
    return (struct checkpoint_matrix){
        .set = CHECKPOINT_SCF "/metric", .n_rows = basis->n_spins * m, .first_row = spin * m};
}

static enum status move_floor(struct checkpoint_stream *stream, double *floor, bool *found)
{
    const struct checkpoint_number number = {"floor", NULL, floor};
    return checkpoint_stream_numbers(stream, CHECKPOINT_SCF "_metric", 1, &number, found);
}

enum status scf_restart_add_metric(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    bool found;
    if (!solver->metric)
        return STATUS_OK;
    TRY(move_floor(stream, &solver->metric->floor, &found));
    for (int s = 0; s < solver->basis->n_spins; s++) {
        struct dense *A = solver->basis->work_mm[0];
        const struct checkpoint_matrix place = metric_place(solver->basis, s);
        scf_metric_operator(solver->metric, s, A);
        TRY(checkpoint_stream_matrix(stream, &place, A));
    }
    return STATUS_OK;
}

enum status scf_restart_read_metric(struct checkpoint_stream *stream, struct scf_solver *solver,
                                    const struct dense *T)
{
    double floor;
    bool found;
    TRY(move_floor(stream, &floor, &found));
    if (!found)
        return STATUS_OK;
    TRY(scf_metric_create(solver->basis, &solver->metric));
    solver->metric->floor = floor;
    for (int s = 0; s < solver->basis->n_spins; s++) {
        struct dense *A = solver->basis->work_mm[0], *TA = solver->basis->work_mm[1];
        const struct checkpoint_matrix place = metric_place(solver->basis, s);
        TRY(checkpoint_stream_matrix(stream, &place, A));
        dense_multiply('N', 'N', 1, T, A, 0, TA);
        dense_multiply('N', 'T', 1, TA, T, 0, A);
        TRY(scf_metric_set_operator(solver->metric, s, A));
    }
    return STATUS_OK;
}
