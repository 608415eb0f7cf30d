/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_report.h"

#include "hf/fock/fock_build.h"
#include "hf/tiles/screening.h"
#include "support/base/log.h"

#include <math.h>
#include <stdio.h>

/* Errors of properties, of first order in the errors of the orbitals, if the energy is right to
 * SCF_ENERGY_ERROR. */
#define PROPERTY_ERROR 1e-5

/* An occupied orbital that is kept is more than half of the reference's. */
#define LEAST_KEPT 0.5

/* Orbitals shown on either side of the gap. */
enum { NEAR_GAP = 5 };

/* The criterion of convergence, and whether screening allows it. */
static void print_convergence(const struct scf_problem *problem,
                              const struct scf_settings *settings)
{
    double threshold = fock_threshold(problem->fock), error = SCREENING_ERROR * threshold;
    const struct scf_criterion criterion = scf_criterion(settings, threshold);
    if (criterion.energy_error > 0)
        log_print("Converged when the energy is right to %g hartree, dipole, charges and orbital "
                  "energies to about %.0e;\n  --converge 1e-8 is for more digits of these\n",
                  criterion.energy_error, PROPERTY_ERROR);
    else
        log_print("Converged when no element of the orbital gradient exceeds %g hartree\n",
                  criterion.gradient);
    if (error > criterion.gradient) {
        log_print("Screening  integrals below --screen %g are left out, which changes the gradient "
                  "and the energy by up to about %.0e hartree\n",
                  threshold, error);
        log_warn("--screen %g changes the energy and the orbital gradient by up to about %.0e "
                 "hartree, more than --converge %g: take --screen %.0e or less",
                 threshold, error, criterion.gradient, criterion.gradient / (2 * SCREENING_ERROR));
    }
    log_print("\n");
}

void scf_report_start(const struct scf_basis *basis, const struct scf_settings *settings)
{
    const int64_t *n_occupied = basis->problem->n_occupied;
    if (basis->problem->n_densities == 1)
        log_print("\nRestricted Hartree-Fock, %lld electrons in %lld orbitals\n",
                  2 * (long long)n_occupied[0], (long long)n_occupied[0]);
    else
        log_print("\n%s Hartree-Fock, %lld alpha and %lld beta electrons\n",
                  scf_is_rohf(basis->problem) ? "Restricted open-shell" : "Unrestricted",
                  (long long)n_occupied[0], (long long)n_occupied[1]);
    log_print("%d functions, smallest eigenvalue of their overlap %.2e\n", basis->n_functions,
              basis->smallest_overlap);
    if (basis->n_orbitals < basis->n_functions)
        log_print("%d nearly dependent combinations dropped (eigenvalue below %g), %d orbitals "
                  "left\n",
                  basis->n_functions - basis->n_orbitals, settings->dependence, basis->n_orbitals);
    if (settings->keep_occupation)
        log_print("Occupied   the orbitals that overlap most with the guess or restart\n");
    print_convergence(basis->problem, settings);
    log_print("iter          energy            change     gradient   method         Fock s  "
              "algebra s\n");
}

void scf_report_iteration(const struct scf_iteration *iteration)
{
    log_print("%4lld  %20.10f  %12.3e  %9.2e   %-12s %8.2f   %8.2f\n",
              (long long)iteration->iteration, iteration->energy, iteration->change,
              iteration->gradient, iteration->method, iteration->fock_seconds,
              iteration->algebra_seconds);
}

void scf_report_stability(enum scf_space own, const struct scf_curvature curvature[], int n_builds)
{
    log_print("      stability: lowest curvature");
    for (int space = (int)own; space <= (int)scf_widest_space(own); space++) {
        bool settled = scf_curvature_verdict(&curvature[space]) != SCF_VERDICT_NOT_SETTLED;
        log_print("%s %.4g among real %s%s", space == (int)own ? "" : ",",
                  curvature[space].eigenvalue, scf_space_name((enum scf_space)space),
                  settled ? "" : " (not settled)");
    }
    bool is_saddle = scf_curvature_verdict(&curvature[own]) == SCF_VERDICT_UNSTABLE;
    log_print(", %d Fock build%s%s\n", n_builds, log_plural(n_builds),
              is_saddle ? ": a saddle point" : "");
}

/* The verdict in the space of the SCF itself, whose saddle points are left where a step leads
 * lower, or in a wider one. */
static const char *stability_words(const struct scf_result *result, bool own, enum scf_point point)
{
    if (point == SCF_POINT_SADDLE && own)
        return result->follow == SCF_FOLLOW_NONE
                   ? "UNSTABLE, a saddle point that --follow none keeps,"
                   : "UNSTABLE, a saddle point that could not be left,";
    if (point == SCF_POINT_SADDLE)
        return "UNSTABLE";
    return point == SCF_POINT_MINIMUM ? "a local minimum" : "not settled whether a local minimum";
}

/* A curvature that is known by bounds alone, its sign included. */
static bool is_bounded(const struct scf_curvature *curvature)
{
    return curvature->eigenvalue > curvature->error &&
           curvature->error > 0.4 * curvature->eigenvalue;
}

/* A curvature and its error. */
static void print_curvature(const struct scf_curvature *curvature)
{
    enum scf_verdict verdict = scf_curvature_verdict(curvature);
    bool is_upper_bound = verdict == SCF_VERDICT_UNSTABLE || !isfinite(curvature->error);
    if (is_bounded(curvature)) {
        log_print("Lowest curvature of the energy in orbital space between %.2g and %.2g",
                  curvature->eigenvalue - curvature->error, curvature->eigenvalue);
        return;
    }
    log_print("Lowest curvature of the energy in orbital space%s %.4g",
              is_upper_bound ? " at most" : "", curvature->eigenvalue);
    if (!is_upper_bound)
        log_print(" +- %.1g", curvature->error);
}

static void print_stability(const struct scf_result *result)
{
    int own = (int)result->space;
    for (int space = own; space <= (int)scf_widest_space(result->space); space++) {
        enum scf_point point = scf_result_point(result, (enum scf_space)space);
        if (result->curvature[space].n_products == 0)
            continue;
        print_curvature(&result->curvature[space]);
        log_print(": %s among real %s determinants\n", stability_words(result, space == own, point),
                  scf_space_name((enum scf_space)space));
        if (point == SCF_POINT_SADDLE && space != own && result->follow != SCF_FOLLOW_UHF)
            log_print(
                "  A UHF solution of lower energy exists: run with --follow uhf, or with --method "
                "uhf%s; to start\n  there from here, add --checkpoint F to this run and --guess F "
                "to that one\n",
                result->follow == SCF_FOLLOW_NONE ? " --follow same" : "");
    }
    if (result->converged && result->curvature[own].n_products == 0)
        log_print("Stability %s\n",
                  result->is_rigid ? "has nothing to test: no orbitals can be rotated"
                                   : "not tested: the result may be a saddle point (--stability "
                                     "always tests it)");
}

/* The orbitals may have changed their character on the way, or have no counterpart. */
static void print_occupation(const struct scf_result *result)
{
    if (!result->keeps_occupation)
        return;
    log_print("Occupied orbitals overlap with the reference by at least %.4f\n",
              result->occupation_overlap);
    if (result->occupation_overlap < LEAST_KEPT && result->n_saddles == 0)
        log_warn(
            "the kept occupation has changed: an occupied orbital overlaps with the reference by "
            "%.2f only; take smaller steps from geometry to geometry",
            result->occupation_overlap);
}

static void print_saddles(const struct scf_result *result)
{
    for (int i = 0; i < result->n_saddles; i++)
        log_print("Left a saddle point of energy %.10f hartree (curvature %.6f): the result may be "
                  "of lower symmetry\n",
                  result->saddles[i].energy, result->saddles[i].curvature);
}

/* A run may have kept the saddle point without knowing how far it is above the other solution. */
static void warn_of_saddle(const struct scf_result *result)
{
    char lower[64] = "";
    if (result->lowering > 0)
        snprintf(lower, sizeof lower, "at least %.6f hartree ", result->lowering);
    log_warn("the reference is a saddle point: another solution is %slower; --follow same goes "
             "there",
             lower);
}

void scf_report_reference(const struct scf_result *result)
{
    static const char *const words[] = {"a local minimum", "a SADDLE POINT",
                                        "not settled whether a local minimum",
                                        "not tested whether a local minimum"};
    log_print("  reference: ");
    for (int space = (int)result->space; space <= (int)scf_widest_space(result->space); space++)
        log_print("%s%s among real %s", space == (int)result->space ? "" : ", ",
                  words[scf_result_point(result, (enum scf_space)space)],
                  scf_space_name((enum scf_space)space));
    log_print(" determinants\n");
    for (int i = 0; i < result->n_saddles; i++)
        log_print("  left for it: a saddle point of energy %.10f hartree, %.10f above\n",
                  result->saddles[i].energy, result->saddles[i].energy - result->energy);
    if (scf_result_point(result, result->space) == SCF_POINT_SADDLE &&
        result->follow == SCF_FOLLOW_NONE && !result->keeps_occupation)
        warn_of_saddle(result);
}

static void print_energies(const struct scf_result *result)
{
    log_print("\n  one-electron energy    %20.10f hartree\n", result->one_electron_energy);
    log_print("  two-electron energy    %20.10f\n", result->two_electron_energy);
    log_print("  nuclear repulsion      %20.10f\n", result->nuclear_repulsion);
    log_print("  total energy           %20.10f\n", result->energy);
}

/* n_open: the last occupied ones, of ROHF. */
static void print_orbitals(const double *energies, int64_t n_orbitals, int64_t n_occupied,
                           int64_t n_open, bool all_orbitals)
{
    const char *closed = n_open > 0 ? "closed" : "occupied";
    int64_t first = all_orbitals || n_occupied < NEAR_GAP ? 0 : n_occupied - NEAR_GAP;
    int64_t last =
        all_orbitals || n_orbitals - n_occupied < NEAR_GAP ? n_orbitals : n_occupied + NEAR_GAP;
    for (int64_t k = first; k < last; k++)
        log_print("  %5lld  %-8s %16.8f%s\n", (long long)k + 1,
                  k < n_occupied - n_open ? closed
                  : k < n_occupied        ? "open"
                                          : "virtual",
                  energies[k],
                  k == n_occupied - 1 ? "  HOMO"
                  : k == n_occupied   ? "  LUMO"
                                      : "");
}

static void print_all_orbitals(const struct scf_problem *problem, const struct scf_result *result,
                               bool all_orbitals)
{
    static const char *const titles[2][2] = {{"Orbital", ""}, {"Alpha orbital", "Beta orbital"}};
    for (int s = 0; s < problem->n_orbital_sets; s++) {
        const double *energies = result->orbital_energies[s];
        int64_t n_occupied = problem->n_occupied[s];
        log_print("\n%s energies, hartree\n", titles[problem->n_orbital_sets - 1][s]);
        print_orbitals(energies, result->n_orbitals, n_occupied,
                       scf_is_rohf(problem) ? n_occupied - problem->n_occupied[1] : 0,
                       all_orbitals);
        if (n_occupied == 0 || n_occupied == result->n_orbitals)
            continue;
        double gap = energies[n_occupied] - energies[n_occupied - 1];
        log_print("  gap %.8f%s\n", gap,
                  gap < 0 ? ": the occupied orbitals are not the lowest ones" : "");
    }
}

static void print_properties(const struct scf_problem *problem, const struct scf_result *result)
{
    for (int p = 0; p < SCF_N_PROPERTIES; p++)
        scf_properties[p]->print(problem->molecule, result->properties[p]);
    log_print("\n<S^2> %.6f\n", result->s2);
}

void scf_report_result(const struct scf_problem *problem, const struct scf_result *result,
                       bool all_orbitals)
{
    log_print("\n%s after %lld iteration%s, %lld Fock build%s",
              result->converged ? "Converged" : "NOT CONVERGED", (long long)result->iterations,
              log_plural(result->iterations), (long long)result->fock_builds,
              log_plural(result->fock_builds));
    if (result->n_saddles > 0)
        log_print(", having left %d saddle point%s", result->n_saddles,
                  log_plural(result->n_saddles));
    log_print("\n");
    if (result->n_starts > 1)
        log_print("The lowest of %lld starts\n", (long long)result->n_starts);
    print_saddles(result);
    print_occupation(result);
    print_stability(result);
    print_energies(result);
    print_all_orbitals(problem, result, all_orbitals);
    print_properties(problem, result);
}
