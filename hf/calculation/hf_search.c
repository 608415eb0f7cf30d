/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/calculation/hf_search.h"

#include "hf/calculation/hf_calculation.h"
#include "hf/guess/guess.h"
#include "hf/guess/guess_spins.h"
#include "hf/tiles/orbital_density.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A solution whose <S^2> exceeds S (S + 1) by this has several open shells, which can couple in other ways. */
#define CONTAMINATED 0.1

/* A gap below this is small, hartree: gaps of stable molecules in Hartree-Fock are larger. */
#define SMALL_GAP 0.2

/* Orbitals within this of the HOMO or the LUMO are near-degenerate with it, hartree. */
#define NEAR_DEGENERATE 0.1

/* Starts end at this gradient, or after so many iterations: what is left is less than differences of
 * solutions. */
#define LOOSE_CONVERGE 1e-4
enum { LOOSE_ITERATIONS = 40 };

/* Orbitals on either side of the gap that are exchanged, at most. */
enum { MOST_NEAR = 3 };

/* A start is lower if it is by this, hartree. */
#define LOWER 1e-6

struct search {
    struct hf_calculation *calculation; /* its result: the first solution */
    struct scf_problem problem;
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

static double smallest_gap(const struct scf_problem *problem, const struct scf_result *result)
{
    double gap = INFINITY;
    for (int s = 0; s < problem->n_densities; s++) {
        int64_t n = problem->n_occupied[s];
        if (n > 0 && n < result->n_orbitals)
            gap = fmin(gap, result->orbital_energies[s][n] - result->orbital_energies[s][n - 1]);
    }
    return gap;
}

/* Why other solutions may be lower than a converged UHF; NULL: nothing says so. */
static const char *find_reason(const struct scf_problem *problem, const struct scf_result *result)
{
    double s_z = 0.5 * (double)(problem->n_occupied[0] - problem->n_occupied[1]);
    if (has_transition_metal(problem->molecule))
        return "a transition metal has shells of nearly one energy";
    if (result->n_saddles > 0 || scf_result_point(result, SCF_REAL_UHF) == SCF_POINT_SADDLE)
        return "the symmetric solution is a saddle point";
    if (result->s2 - s_z * (s_z + 1) > CONTAMINATED)
        return "<S^2> says that spins are coupled";
    return smallest_gap(problem, result) < SMALL_GAP ? "the gap is small" : NULL;
}

/* A guess that the user chose, and a state that is to be kept, are not left. */
static bool is_search_due(const struct search *search)
{
    const struct hf_calculation *calculation = search->calculation;
    const struct hf_settings *settings = calculation->settings;
    bool chosen = calculation->checkpoint || settings->guess_flip || settings->scf.mix ||
                  settings->scf.swap.occupied > 0 || strcmp(settings->guess, "sad") != 0;
    if (settings->search != SCF_AUTO)
        return settings->search == SCF_ALWAYS;
    if (chosen || scf_is_restricted(&search->problem) || !calculation->result.converged)
        return false;
    const char *reason = find_reason(&search->problem, &calculation->result);
    if (reason)
        log_print("\nSearch     other solutions may be lower: %s\n", reason);
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
    *start = (struct hf_start){.energy = result->energy, .iterations = result->iterations};
    snprintf(start->name, sizeof start->name, "%s", name);
    log_print("  %-40s %20.10f  %6lld\n", start->name, start->energy, (long long)start->iterations);
    return STATUS_OK;
}

/* D of the orbitals of a result. */
static enum status take_density(struct search *search, const struct scf_result *result)
{
    const struct scf_problem *problem = &search->problem;
    for (int s = 0; s < problem->n_densities; s++)
        TRY(orbital_density(problem->tiling, problem->electrons_per_orbital, result->orbitals[s],
                            problem->n_occupied[s], search->calculation->D[s]));
    return STATUS_OK;
}

/* Runs the loose SCF from D, and keeps its result if it is the lowest so far. */
static enum status run_start(struct search *search, const char *name)
{
    struct hf_calculation *calculation = search->calculation;
    struct scf_result result, *first = &calculation->result;
    bool was_enabled = log_enable(false);
    enum status status = scf_run(&search->problem, &search->loose, calculation->D, &result);
    log_enable(was_enabled);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        return status;
    first->fock_builds += result.fock_builds;
    status = add_start(calculation, name, &result);
    double lowest = search->n_lowest > 0 ? search->lowest.energy : first->energy;
    if (status == STATUS_OK && result.energy < lowest - LOWER) {
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
    TRY(guess_sad(&search->problem, search->calculation->D));
    search->loose.mix = true;
    enum status status = run_start(search, "HOMO and LUMO mixed");
    search->loose.mix = false;
    return status;
}

/* flipped: room for each centre, and for the same of the start before. */
static enum status start_reversed(struct search *search, enum guess_spins spins, const char *name,
                                  bool flipped[], const bool before[])
{
    const struct molecule *molecule = search->problem.molecule;
    int64_t n_atoms;
    TRY(status_agree(search->problem.comm, guess_spins_choose(molecule, spins, flipped, &n_atoms)));
    if (n_atoms < 2 || (before && !memcmp(flipped, before, (size_t)molecule->n_atoms)))
        return STATUS_OK;
    TRY(guess_sad_with_spins(&search->problem, search->calculation->D));
    TRY(guess_flip(&search->problem, flipped, search->calculation->D));
    return run_start(search, name);
}

static enum status start_with_spins(struct search *search)
{
    int64_t n = search->problem.molecule->n_atoms;
    bool *flipped = agree_calloc(search->problem.comm, 2 * (size_t)n, "spins of centres");
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
    char name[HF_START_NAME];
    snprintf(name, sizeof name, "%sorbitals %lld and %lld swapped",
             scf_is_restricted(&search->problem) ? ""
             : spin == 0                         ? "alpha "
                                                 : "beta ",
             (long long)occupied, (long long)virtual);
    TRY(take_density(search, &search->calculation->result));
    search->loose.swap = (struct scf_swap){spin, occupied, virtual};
    enum status status = run_start(search, name);
    search->loose.swap = (struct scf_swap){0};
    return status;
}

/* Orbitals of a spin within NEAR_DEGENERATE of the HOMO or LUMO, that included: at most MOST_NEAR. */
static int64_t count_near(const double *energies, int64_t first, int64_t step, int64_t limit)
{
    int64_t n = 1;
    while (n < MOST_NEAR && first + n * step != limit &&
           fabs(energies[first + n * step] - energies[first]) < NEAR_DEGENERATE)
        n++;
    return n;
}

static enum status start_with_swaps(struct search *search)
{
    const struct scf_result *first = &search->calculation->result;
    for (int s = 0; s < search->problem.n_orbital_sets; s++) {
        int64_t n = search->problem.n_occupied[s];
        if (n == 0 || n == first->n_orbitals)
            continue;
        int64_t n_i = count_near(first->orbital_energies[s], n - 1, -1, -1);
        int64_t n_a = count_near(first->orbital_energies[s], n, 1, first->n_orbitals);
        for (int64_t i = 0; i < n_i; i++)
            for (int64_t a = 0; a < n_a; a++)
                TRY(start_swapped(search, s, n - i, n + 1 + a));
    }
    return STATUS_OK;
}

/* --- the search --- */

/* Continues from the lowest start to the end. */
static enum status finish_lowest(struct search *search, const struct scf_settings *settings)
{
    struct hf_calculation *calculation = search->calculation;
    struct scf_settings last = *settings;
    struct scf_result result;
    last.mix = false;
    last.swap = (struct scf_swap){0};
    last.restart = last.guess_steps = NULL;
    log_print("Search     the lowest of %lld starts: %s\n", (long long)calculation->n_starts,
              calculation->starts[search->n_lowest].name);
    TRY(take_density(search, search->n_lowest > 0 ? &search->lowest : &calculation->result));
    if (search->n_lowest == 0)
        return STATUS_OK;
    scf_result_fini(&search->lowest);
    enum status status = scf_run(&search->problem, &last, calculation->D, &result);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        return status;
    bool is_lower = result.energy < calculation->result.energy;
    struct scf_result *other = is_lower ? &calculation->result : &result;
    scf_result_add_run(other, is_lower ? &result : &calculation->result);
    scf_result_fini(other);
    if (!is_lower)
        return take_density(search, &calculation->result);
    calculation->result = result;
    return status;
}

static enum status run_starts(struct search *search)
{
    struct hf_calculation *calculation = search->calculation;
    log_print("  %-40s %20s  %6s\n", "start", "energy", "iter");
    TRY(add_start(calculation, "superposed atoms", &calculation->result));
    if (!scf_is_restricted(&search->problem)) {
        TRY(start_mixed(search));
        TRY(start_with_spins(search));
    }
    return start_with_swaps(search);
}

enum status hf_search_run(struct hf_calculation *calculation, const struct scf_settings *settings)
{
    struct search search = {.calculation = calculation,
                            .problem = hf_calculation_problem(calculation),
                            .loose = *settings};
    if (!is_search_due(&search))
        return STATUS_OK;
    search.loose.converge = LOOSE_CONVERGE;
    search.loose.max_iterations = LOOSE_ITERATIONS;
    search.loose.stability = SCF_NEVER;
    search.loose.checkpoint = NULL;
    search.loose.restart = search.loose.guess_steps = NULL;
    search.loose.observe = NULL;
    enum status status = run_starts(&search);
    if (status == STATUS_OK)
        status = finish_lowest(&search, settings);
    scf_result_fini(&search.lowest);
    return status;
}
