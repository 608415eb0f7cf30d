/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_first_state.h"

#include "hf/scf/scf_restart.h"

/* The Fock matrix of the guess density; if it is one of orbitals already, as after a restart, they
 * are found, so that a converged one is seen to be. */
static enum status build_guess(struct scf_solver *solver, struct darray *const D[])
{
    TRY(scf_state_from_tiles(solver->basis, D, solver->fock, solver->state));
    if (solver->occupation && !solver->state->idempotent) {
        TRY(scf_state_take_natural(solver->basis, solver->state));
        TRY(scf_state_build(solver->basis, solver->fock, solver->state));
    } else {
        TRY(scf_state_build_density(solver->basis, solver->fock, solver->state));
    }
    return solver->state->idempotent ? scf_state_canonicalise(solver->basis, solver->state)
                                     : STATUS_OK;
}

/* Goes from the guess to its orbitals, or those of its Fock matrix, mixed. */
static enum status mix_guess(struct scf_solver *solver)
{
    if (!solver->state->idempotent)
        TRY(scf_state_diagonalise(solver->basis, solver->state));
    TRY(scf_state_mix(solver->basis, solver->state));
    TRY(scf_state_build(solver->basis, solver->fock, solver->state));
    return scf_state_canonicalise(solver->basis, solver->state);
}

/* Goes to the orbitals of the guess, or those of its Fock matrix, one of which is exchanged. */
static enum status swap_guess(struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    const struct scf_swap *swap = &solver->settings->swap;
    int n_occupied = basis->n_occupied[swap->spin];
    if (swap->occupied > n_occupied || swap->virtual <= n_occupied ||
        swap->virtual > basis->n_orbitals)
        return FAIL(
            STATUS_INPUT,
            "--guess-swap %lld:%lld names an occupied orbital, of 1 to %d here, and a virtual "
            "one, of %d to %d",
            (long long)swap->occupied, (long long)swap->virtual, n_occupied, n_occupied + 1,
            basis->n_orbitals);
    if (!solver->state->idempotent)
        TRY(scf_state_diagonalise(basis, solver->state));
    TRY(scf_state_swap(basis, solver->state, swap->spin, (int)swap->occupied - 1,
                       (int)swap->virtual - 1));
    TRY(scf_state_build(basis, solver->fock, solver->state));
    return scf_state_canonicalise(basis, solver->state);
}

const char *scf_first_state_name(const struct scf_settings *settings)
{
    if (settings->mix)
        return "mixed guess";
    return settings->swap.occupied > 0 ? "swapped guess" : "guess";
}

enum status scf_first_state_find(struct scf_solver *solver, struct darray *const D[])
{
    bool mix = solver->settings->mix, swap = solver->settings->swap.occupied > 0;
    TRY(build_guess(solver, D));
    if (mix)
        TRY(mix_guess(solver));
    if (swap)
        TRY(swap_guess(solver));
    if (solver->occupation && !solver->occupation->is_set)
        scf_occupation_set(solver->occupation, solver->state);
    scf_state_gradient(solver->basis, solver->state);
    bool has_steps = solver->settings->guess_steps && solver->state->idempotent && !mix && !swap;
    return has_steps ? scf_restart_lift_steps(solver) : STATUS_OK;
}
