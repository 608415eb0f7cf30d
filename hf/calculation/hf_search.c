/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for the lowest solution of an SCF. Where the first solution shows that a molecule may have
 * several, the SCF begins at a few other guesses as well, each to a loose convergence and a local minimum:
 *
 *     mixed      HOMO and LUMO of alpha and beta in opposite senses
 *     reversed   atoms with spins of their own, neighbours or both sides of the longest bond antiparallel
 *     swapped    HOMO and LUMO of one spin, in the first solution; ROHF has these starts alone
 *
 * and goes on from the lowest one to the end. Only that last run and the first one write checkpoints; the
 * first one's says that no search has been done, so that a restart does it. All use the Fock builds of
 * the first solution, and so the integrals that it has kept. */
#include "hf/calculation/hf_calculation.h"

#include "hf/guess/guess.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An uncoupled pair of electrons adds 1 to <S^2> - S (S + 1), and the descent from the symmetric solution
 * uncouples it. Above this several pairs are uncoupled, whose spins fit together in several ways. */
#define SEVERAL_PAIRS 1.2

/* UHF is equal to RHF below this <S^2>. Such a solution with a curvature below this, hartree, is about to
 * become unstable, as an ionic one at a long bond is, where a neutral one is lower. */
#define CLOSED_S2       0.01
#define SMALL_CURVATURE 0.02

/* Starts end at this gradient, or after so many iterations: what is left is less than differences of
 * solutions. */
#define LOOSE_CONVERGE 1e-4
enum { LOOSE_ITERATIONS = 40 };

/* A start is lower if it is by this, hartree. */
#define LOWER 1e-6

struct search {
    struct hf_calculation *calculation; /* its result: the first solution */
    const struct scf_problem *problem;
    struct scf_settings loose;
    struct scf_result lowest; /* of the starts that are lower than the first solution */
    int64_t n_lowest;         /* its number among the starts, from 0, the first solution's */
};

/* --- whether it may matter --- */

static bool has_transition_metal(const struct molecule *molecule)
{
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        if (guess_is_transition_metal(&molecule->atoms[i]))
            return true;
    return false;
}

/* Why other solutions of UHF may be lower than a converged one; NULL: nothing says so. */
static const char *find_reason(const struct scf_problem *problem, const struct scf_result *result)
{
    double s_z = 0.5 * (double)(problem->n_occupied[0] - problem->n_occupied[1]);
    if (!result->converged)
        return NULL;
    if (has_transition_metal(problem->molecule))
        return "a transition metal has shells of nearly one energy";
    if (result->s2 - s_z * (s_z + 1) > SEVERAL_PAIRS)
        return "<S^2> says that several pairs of electrons are uncoupled";
    const struct scf_curvature *curvature = &result->curvature[SCF_REAL_UHF];
    bool is_closed = s_z == 0 && result->s2 < CLOSED_S2;
    return is_closed && curvature->n_products > 0 && curvature->eigenvalue < SMALL_CURVATURE
               ? "the first solution is a closed shell that is hardly stable"
               : NULL;
}

bool hf_search_is_wanted(const struct hf_settings *settings, const struct scf_problem *problem)
{
    bool sad = !settings->guess || strcmp(settings->guess, "sad") == 0;
    bool chosen = !settings->restart && (!sad || settings->guess_flip || settings->scf.mix ||
                                         settings->scf.swap.occupied > 0);
    if (settings->search != SCF_AUTO)
        return settings->search == SCF_ALWAYS;
    return problem->n_densities == 2 && !chosen && settings->scf.follow != SCF_FOLLOW_NONE &&
           !settings->scf.keep_occupation;
}

static bool is_search_due(const struct search *search)
{
    const struct hf_calculation *calculation = search->calculation;
    bool always = calculation->settings->search == SCF_ALWAYS;
    if (!hf_search_is_wanted(calculation->settings, search->problem) ||
        (!always && calculation->result.n_starts > 0))
        return false;
    const char *reason =
        always ? "--search always" : find_reason(search->problem, &calculation->result);
    if (reason)
        log_print("\nSearch     for lower solutions: %s\n", reason);
    return reason;
}

/* --- a start --- */

static enum status add_start(struct hf_calculation *calculation, const char *name,
                             const struct scf_result *result)
{
    TRY(status_agree(calculation->comm,
                     array_reserve(&calculation->starts, calculation->n_starts + 1,
                                   &calculation->starts_capacity, sizeof *calculation->starts)));
    struct hf_start *start = &calculation->starts[calculation->n_starts++];
    *start = (struct hf_start){
        .energy = result->energy, .iterations = result->iterations, .converged = result->converged};
    snprintf(start->name, sizeof start->name, "%s", name);
    log_print("  %-40s %20.10f  %6lld%s\n", start->name, start->energy,
              (long long)start->iterations, start->converged ? "" : "  not converged");
    return STATUS_OK;
}

/* Runs the loose SCF from D, and keeps its result if it is the lowest so far. */
static enum status run_start(struct search *search, const char *name)
{
    struct hf_calculation *calculation = search->calculation;
    struct scf_result result, *first = &calculation->result;
    bool was_enabled = log_enable(false);
    enum status status = scf_run(calculation->basis, &search->loose, calculation->D, &result);
    log_enable(was_enabled);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        return status;
    first->fock_builds += result.fock_builds;
    status = add_start(calculation, name, &result);
    double lowest = search->n_lowest > 0 ? search->lowest.energy : first->energy;
    if (status == STATUS_OK && !(result.energy > lowest - LOWER)) {
        scf_result_fini(&search->lowest);
        search->lowest = result;
        search->n_lowest = calculation->n_starts - 1;
    } else {
        scf_result_fini(&result);
    }
    return status;
}

static enum status start_mixed(struct search *search)
{
    TRY(guess_sad(search->problem, false, search->calculation->D));
    search->loose.mix = true;
    enum status status = run_start(search, "HOMO and LUMO mixed");
    search->loose.mix = false;
    return status;
}

/* flipped: room for each centre, and for the same of the start before. */
static enum status start_reversed(struct search *search, enum guess_spins spins, const char *name,
                                  bool flipped[], const bool before[])
{
    const struct molecule *molecule = search->problem->molecule;
    int64_t n_atoms;
    TRY(status_agree(search->problem->comm,
                     guess_spins_choose(molecule, spins, flipped, &n_atoms)));
    if (n_atoms < 2 || (before && !memcmp(flipped, before, (size_t)molecule->n_atoms)))
        return STATUS_OK;
    TRY(guess_sad(search->problem, true, search->calculation->D));
    TRY(guess_flip(search->problem, flipped, search->calculation->D));
    return run_start(search, name);
}

static enum status start_with_spins(struct search *search)
{
    int64_t n = search->problem->molecule->n_atoms;
    bool *flipped = agree_calloc(search->problem->comm, 2 * (size_t)n, "spins of centres");
    if (!flipped)
        return STATUS_NO_MEMORY;
    enum status status = start_reversed(search, GUESS_SPINS_ALTERNATE,
                                        "spins of neighbours reversed", flipped, NULL);
    if (status == STATUS_OK)
        status = start_reversed(search, GUESS_SPINS_FRAGMENTS, "spins of fragments reversed",
                                flipped + n, flipped);
    free(flipped);
    return status;
}

/* Exchanges an occupied and a virtual orbital of the first solution. */
static enum status start_swapped(struct search *search, int spin, int64_t occupied, int64_t virtual)
{
    char name[sizeof((struct hf_start *)0)->name];
    snprintf(name, sizeof name, "%sorbitals %lld and %lld swapped",
             search->problem->n_densities == 1 ? ""
             : spin == 0                       ? "alpha "
                                               : "beta ",
             (long long)occupied, (long long)virtual);
    TRY(hf_calculation_set_density(search->calculation, search->problem,
                                   search->calculation->result.orbitals));
    search->loose.swap = (struct scf_swap){spin, occupied, virtual};
    enum status status = run_start(search, name);
    search->loose.swap = (struct scf_swap){0};
    return status;
}

/* The HOMO and the LUMO of each spin. */
static enum status start_with_swaps(struct search *search)
{
    const struct scf_result *first = &search->calculation->result;
    for (int s = 0; s < search->problem->n_densities; s++) {
        int64_t n = search->problem->n_occupied[s];
        if (n > 0 && n < first->n_orbitals)
            TRY(start_swapped(search, s, n, n + 1));
    }
    return STATUS_OK;
}

/* --- the search --- */

/* Whether the end of the search takes the place of the first solution. */
static bool is_end_better(const struct scf_result *end, const struct scf_result *first)
{
    if (end->converged != first->converged)
        return end->converged;
    return !(end->energy > first->energy + LOWER);
}

/* Continues from the lowest start, or the first solution, to the end: the checkpoint then has it, too. */
static enum status finish_lowest(struct search *search, const struct scf_settings *settings)
{
    struct hf_calculation *calculation = search->calculation;
    struct scf_result end, *first = &calculation->result;
    struct scf_settings last = scf_settings_from_density(settings);
    last.n_starts = calculation->n_starts;
    log_print("Search     the lowest of %lld starts: %s\n", (long long)calculation->n_starts,
              calculation->starts[search->n_lowest].name);
    TRY(hf_calculation_set_density(calculation, search->problem,
                                   search->n_lowest > 0 ? search->lowest.orbitals
                                                        : first->orbitals));
    enum status status = scf_run(calculation->basis, &last, calculation->D, &end);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        return status;
    bool is_better = is_end_better(&end, first);
    struct scf_result *kept = is_better ? &end : first, *left = is_better ? first : &end;
    scf_result_add_run(left, kept);
    scf_result_fini(left);
    *first = *kept;
    first->n_starts = calculation->n_starts;
    if (!is_better)
        TRY(hf_calculation_set_density(calculation, search->problem, first->orbitals));
    return is_better || !first->converged ? status : STATUS_OK;
}

static enum status run_starts(struct search *search)
{
    struct hf_calculation *calculation = search->calculation;
    log_print("  %-40s %20s  %6s\n", "start", "energy", "iter");
    const char *guess = calculation->settings->guess;
    bool is_sad = guess && strcmp(guess, "sad") == 0;
    TRY(add_start(calculation, is_sad ? "superposed atoms" : "the given guess",
                  &calculation->result));
    if (!scf_is_restricted(search->problem)) {
        TRY(start_mixed(search));
        TRY(start_with_spins(search));
    }
    return start_with_swaps(search);
}

/* Settings of the starts. */
static struct scf_settings loosen(const struct scf_settings *settings)
{
    struct scf_settings loose = scf_settings_from_density(settings);
    loose.converge = LOOSE_CONVERGE;
    if (loose.max_iterations > LOOSE_ITERATIONS)
        loose.max_iterations = LOOSE_ITERATIONS;
    loose.checkpoint = NULL;
    loose.observe = NULL;
    return loose;
}

enum status hf_search_run(struct hf_calculation *calculation, const struct scf_settings *settings,
                          enum status first)
{
    struct search search = {
        .calculation = calculation, .problem = &calculation->problem, .loose = loosen(settings)};
    if (!is_search_due(&search))
        return first;
    enum status status = run_starts(&search);
    if (status == STATUS_OK)
        status = finish_lowest(&search, settings);
    scf_result_fini(&search.lowest);
    return status;
}
