/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "hf/scf/scf_restart.h"
#include "hf/tiles/cross_overlap.h"

#include <math.h>

/* A change that is scaled by more would bring in the noise of the file's Fock builds, which breaks the
 * symmetry of solutions that are saddle points. */
#define MOST_SCALE 1e4

/* The file's steps: over m' orthonormal functions, of n' functions. */
struct file_steps {
    int64_t n_densities, n_orbitals, n_steps;
    struct dense *S, *X, *SX;                  /* n x n'; n' x m'; n x m' */
    struct dense *T, *TA;                      /* m x m'; scratch of this shape */
    struct dense *packed, *transposed, *A, *B; /* m' x m': scratch */
    struct dense *F_last[2], *e_last[2];       /* m' x m': the last step */
    struct dense *F[2], *e[2];                 /* m x m: the step that is given to DIIS */
    struct dense *e_own[2];                    /* m x m: the error of the state */
};

enum { N_SHARED = 9, N_OF_SPIN = 5 };

/* All matrices. */
static int list_lifted(const struct scf_basis *basis, const struct shells *shells,
                       struct file_steps *steps,
                       struct dense_member members[N_SHARED + 2 * N_OF_SPIN])
{
    int64_t n = basis->n_functions, m = basis->n_orbitals;
    int64_t k = shells->n_functions, o = steps->n_orbitals;
    int count = 0;
    members[count++] = (struct dense_member){&steps->S, n, k};
    members[count++] = (struct dense_member){&steps->X, k, o};
    members[count++] = (struct dense_member){&steps->SX, n, o};
    members[count++] = (struct dense_member){&steps->T, m, o};
    members[count++] = (struct dense_member){&steps->TA, m, o};
    members[count++] = (struct dense_member){&steps->packed, o, o};
    members[count++] = (struct dense_member){&steps->transposed, o, o};
    members[count++] = (struct dense_member){&steps->A, o, o};
    members[count++] = (struct dense_member){&steps->B, o, o};
    for (int s = 0; s < basis->problem->n_densities; s++) {
        members[count++] = (struct dense_member){&steps->F_last[s], o, o};
        members[count++] = (struct dense_member){&steps->e_last[s], o, o};
        members[count++] = (struct dense_member){&steps->F[s], m, m};
        members[count++] = (struct dense_member){&steps->e[s], m, m};
        members[count++] = (struct dense_member){&steps->e_own[s], m, m};
    }
    return count;
}

/* T. */
static enum status find_lift(const struct checkpoint_stream *stream, const struct scf_basis *basis,
                             const struct shells *shells, struct file_steps *steps)
{
    TRY(scf_restart_move_basis(stream, steps->X));
    TRY(cross_overlap(basis->problem->shells, shells, steps->S));
    dense_multiply('N', 'N', 1, steps->S, steps->X, 0, steps->SX);
    dense_multiply('T', 'N', 1, basis->X, steps->SX, 0, steps->T);
    return STATUS_OK;
}

/* F and error of a step of the file. */
static enum status read_file_step(const struct checkpoint_stream *stream, struct file_steps *steps,
                                  int64_t step, int spin, struct dense *F, struct dense *error)
{
    TRY(scf_restart_move_step(stream, step, spin, steps->packed));
    diis_unpack_step(steps->packed, steps->transposed, F, error);
    return STATUS_OK;
}

/* out = T (A - last) T^T; A is overwritten. */
static void lift_change(struct file_steps *steps, struct dense *A, const struct dense *last,
                        struct dense *out)
{
    dense_add(-1, last, 1, A);
    dense_multiply('N', 'N', 1, steps->T, A, 0, steps->TA);
    dense_multiply('N', 'T', 1, steps->TA, steps->T, 0, out);
}

/* Gives DIIS a step of the file, unless its error hardly changes. */
static enum status lift_step(const struct checkpoint_stream *stream, struct scf_solver *solver,
                             struct file_steps *steps, int64_t step)
{
    int n_densities = solver->basis->problem->n_densities;
    double own = 0, change = 0;
    for (int s = 0; s < n_densities; s++) {
        TRY(read_file_step(stream, steps, step, s, steps->A, steps->B));
        lift_change(steps, steps->A, steps->F_last[s], steps->F[s]);
        lift_change(steps, steps->B, steps->e_last[s], steps->e[s]);
        own += dense_dot(steps->e_own[s], steps->e_own[s]);
        change += dense_dot(steps->e[s], steps->e[s]);
    }
    double scale = sqrt(own / change);
    if (!(scale > 0 && scale < MOST_SCALE))
        return STATUS_OK;
    for (int s = 0; s < n_densities; s++) {
        dense_add(1, solver->state->F[s], scale, steps->F[s]);
        dense_add(1, steps->e_own[s], scale, steps->e[s]);
    }
    diis_push(solver->diis, steps->F, steps->e);
    return STATUS_OK;
}

/* Gives DIIS all of them but the last, as many as leave room for the state's own. */
static enum status lift_all(const struct checkpoint_stream *stream, struct scf_solver *solver,
                            struct file_steps *steps)
{
    const struct scf_basis *basis = solver->basis;
    int64_t last = steps->n_steps - 1,
            most = scf_diis_size(solver->settings, solver->basis->problem) - 1;
    for (int s = 0; s < basis->problem->n_densities; s++) {
        scf_state_commutator(basis, solver->state, s, steps->e_own[s]);
        TRY(read_file_step(stream, steps, last, s, steps->F_last[s], steps->e_last[s]));
    }
    for (int64_t step = last > most ? last - most : 0; step < last; step++)
        TRY(lift_step(stream, solver, steps, step));
    return STATUS_OK;
}

/* The file's numbers. Those of a file without steps stay 0. */
static enum status read_step_numbers(const struct checkpoint_stream *stream,
                                     struct file_steps *steps)
{
    const struct checkpoint_number numbers[] = {{"n_spins", .integer = &steps->n_densities},
                                                {"n_orbitals", .integer = &steps->n_orbitals},
                                                {"n_steps", .integer = &steps->n_steps}};
    bool found;
    return checkpoint_stream_numbers(stream, CHECKPOINT_SCF, 3, numbers, &found);
}

static enum status lift_from_stream(const struct checkpoint_stream *stream,
                                    struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    const struct shells *shells = checkpoint_reader_foreign_shells(solver->settings->guess_steps);
    struct file_steps steps = {0};
    struct dense_member members[N_SHARED + 2 * N_OF_SPIN];
    TRY(read_step_numbers(stream, &steps));
    if (steps.n_densities != basis->problem->n_densities || steps.n_steps < 2 ||
        steps.n_orbitals < 1 || steps.n_orbitals > shells->n_functions)
        return STATUS_OK;
    int count = list_lifted(basis, shells, &steps, members);
    TRY(dense_create_members(basis->problem->grid, count, members));
    enum status status = find_lift(stream, basis, shells, &steps);
    if (status != STATUS_OK)
        goto done;
    status = lift_all(stream, solver, &steps);
done:
    for (int i = 0; i < count; i++)
        dense_destroy(*members[i].matrix);
    return status;
}

enum status scf_restart_lift_steps(struct scf_solver *solver)
{
    return solver->diis
               ? lift_from_stream(checkpoint_reader_stream(solver->settings->guess_steps), solver)
               : STATUS_OK;
}
