/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for the lowest solution of an SCF. Where the first solution shows that a molecule may have
 * several, the SCF begins at a few other guesses as well, each to a loose convergence and a local minimum:
 *
 *     mixed      HOMO and LUMO of alpha and beta in opposite senses
 *     reversed   atoms with spins of their own, neighbours or both sides of the longest bond antiparallel
 *     swapped    HOMO and LUMO of one spin, in the first solution
 *
 * and goes on from the lowest one to the end. Only that last run and the first one write checkpoints; the
 * first one's says that no search has been done, so that a restart does it. All use the Fock builds of
 * the first solution, and so the integrals that it has kept. */
#pragma once

#include "hf/scf/scf.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_calculation;

enum { HF_START_NAME = 80 };

/* A start and its end. */
struct hf_start {
    char name[HF_START_NAME];
    double energy; /* hartree, of the loose convergence; of the first solution, the final one */
    int64_t iterations;
    bool converged;
};

/* Whether a search may follow the first solution: by --search, or of UHF where the user has chosen neither
 * guess nor state. Not collective. */
bool hf_search_is_wanted(const struct hf_calculation *calculation);

/* Searches, where it is wanted, has not been done and the first solution, the calculation's result, asks for
 * it. Result and D become those of the SCF with these settings from the lowest start; the starts, the first
 * solution among them, are in calculation->starts.
 * first  the status of the first solution: STATUS_OK or STATUS_NOT_CONVERGED
 * Collective. Errors: those of scf_run; with STATUS_NOT_CONVERGED there is a result, too. */
enum status hf_search_run(struct hf_calculation *calculation, const struct scf_settings *settings,
                          enum status first);
