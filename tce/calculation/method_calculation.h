/* SPDX-License-Identifier: BSD-3-Clause */
/* A correlation method over a Hartree-Fock calculation: the core of `beryl-tce METHOD` and of the
 * library.
 *
 *     hf_calculation_read(&scf_settings, comm, &hf);
 *     method_calculation_plan(&settings, &hf, &calculation);
 *     ... hf_calculation_prepare_screening to hf_calculation_solve ...
 *     method_calculation_prepare(&calculation, &pool);
 *     method_calculation_solve(&calculation, &pool);
 *     ... correlation_energy(&calculation.correlation) ...
 *     method_calculation_fini(&calculation);
 *
 * All are collective; their errors are the same on every process, and after one only
 * method_calculation_fini may follow. */
#pragma once

#include "hf/calculation/hf_calculation.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/integrals/orbital_space.h"
#include "tce/methods/correlation.h"
#include "tce/methods/correlation_checkpoint.h"

#include <stdbool.h>
#include <stdint.h>

struct method_calculation {
    const struct method_settings *settings; /* borrowed */
    struct hf_calculation *hf;              /* borrowed */
    struct orbital_spaces counts;           /* of orbitals, as far as known before the SCF */
    struct orbital_spaces *orbitals;        /* of the converged SCF; NULL before it */
    int64_t *core[2]; /* with frozen_core, of each set of orbitals: the frozen ones; else NULL */
    struct correlation correlation;
    bool has_amplitudes;                /* the checkpoint to restart from, for these orbitals */
    struct amplitude_progress progress; /* of the run that wrote them */
};

/* Whether the settings contradict each other, without a calculation. Not collective.
 * Errors: STATUS_USAGE. */
enum status method_settings_check(const struct method_settings *settings);

/* Counts orbitals, plans the contractions, and looks for amplitudes in the checkpoint that the
 * calculation resumes; after hf_calculation_read. While has_amplitudes, the SCF should write no
 * checkpoint: until new amplitudes are there, one that may be the same file stays.
 * Errors: as orbital_spaces_count, correlation_init and correlation_checkpoint_find. */
enum status method_calculation_plan(const struct method_settings *settings,
                                    struct hf_calculation *hf,
                                    struct method_calculation *calculation);

/* Checks that the method, and the integrals to be written, fit into memory; after
 * hf_calculation_prepare_screening. Errors: as correlation_memory_check and
 * fcidump_check_memory. */
enum status method_calculation_check_memory(struct method_calculation *calculation);

/* Takes the orbitals of the converged SCF, writes all integrals over them if asked for, plans anew for
 * the orbitals, and transforms the integrals of the method.
 * Errors: as checkpoint_reader_orbitals, frozen_core_find, correlation_checkpoint_compare_core,
 * orbital_spaces_create, fcidump_write and correlation_prepare. */
enum status method_calculation_prepare(struct method_calculation *calculation,
                                       const struct taskpool_settings *pool);

/* Solves the equations in pools with these settings. May be repeated.
 * Errors: as correlation_solve and finite_check_run. */
enum status method_calculation_solve(struct method_calculation *calculation,
                                     const struct taskpool_settings *pool);

void method_calculation_fini(struct method_calculation *calculation);
