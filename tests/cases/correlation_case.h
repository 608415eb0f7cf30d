/* SPDX-License-Identifier: BSD-3-Clause */
/* Correlation energies on top of a converged SCF: shared by their tests. */
#pragma once

#include "tce/methods/correlation.h"
#include "tests/cases/scf_case.h"
#include "tests/check.h"

static const struct frozen_orbitals NO_FROZEN = {0, 0};

/* A method on top of an SCF, with its integrals; solved under one mode after another. */
struct correlation_case {
    struct method_settings settings;
    struct orbital_spaces *orbitals;
    struct correlation correlation;
};

static inline struct taskpool_settings correlation_case_pool(const char *mode)
{
    struct taskpool_settings pool;
    taskpool_settings_default(&pool);
    pool.mode = mode;
    return pool;
}

/* Small tiles, so that there are several. Collective.
 * core  of each set of orbitals, as orbital_space.core; or NULL */
static inline void correlation_case_init_core(struct correlation_case *made, const char *method,
                                              const struct scf_setup *setup,
                                              const struct scf_result *field,
                                              struct frozen_orbitals frozen, int64_t *const core[])
{
    struct taskpool_settings pool = correlation_case_pool("static");
    check_ok(orbital_spaces_create(field, setup->problem.n_densities, setup->problem.n_occupied,
                                   frozen, core, MPI_COMM_WORLD, &made->orbitals));
    made->settings =
        (struct method_settings){.method = method,
                                 .orbital_tile = 6,
                                 .converge = 1e-8,
                                 .max_iterations = 100,
                                 .diis_size = 8,
                                 .contraction = {.cache_bytes = 10000000, .prefetch = true}};
    const struct correlation_problem problem = {.settings = &made->settings,
                                                .screening = setup->screening,
                                                .orbitals = made->orbitals,
                                                .comm = MPI_COMM_WORLD};
    check_ok(correlation_init(&problem, &made->correlation));
    check_ok(correlation_prepare(&made->correlation, &pool));
}

static inline void correlation_case_init(struct correlation_case *made, const char *method,
                                         const struct scf_setup *setup,
                                         const struct scf_result *field,
                                         struct frozen_orbitals frozen)
{
    correlation_case_init_core(made, method, setup, field, frozen, NULL);
}

static inline void correlation_case_fini(struct correlation_case *made)
{
    correlation_fini(&made->correlation);
    orbital_spaces_destroy(made->orbitals);
}

/* The correlation energy, hartree. */
static inline double correlation_case_solve(struct correlation_case *made, const char *mode)
{
    struct taskpool_settings pool = correlation_case_pool(mode);
    check_ok(correlation_solve(&made->correlation, &pool, NULL));
    return correlation_energy(&made->correlation);
}
