/* SPDX-License-Identifier: BSD-3-Clause */
/* Total energies of methods on top of one SCF after another, against expected ones: shared by
 * their tests. */
#pragma once

#include "support/base/sha256.h"
#include "tce/integrals/orbital_space.h"
#include "tests/cases/correlation_case.h"

#include <string.h>

#define ENERGY_CASE_TOLERANCE 2e-8

struct energy {
    const char *method;
    bool frozen_core;
    double total; /* hartree */
};

struct energy_case {
    struct scf_case field;
    struct energy energies[8]; /* up to the first without a method */
};

static const char *const energy_case_modes[] = {"static", "steal", "retentive", "dtree", "persist"};
enum { N_MODES = sizeof energy_case_modes / sizeof energy_case_modes[0] };

/* One digest of all amplitudes. */
static inline void find_digest(const struct correlation *correlation, char digest[SHA256_HEX_SIZE])
{
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    struct sha256 *all;
    int n = correlation_unknowns(correlation, x, f);
    check_ok(sha256_create(&all));
    for (int i = 0; i < n; i++) {
        char one[SHA256_HEX_SIZE];
        check_ok(tensor_sha256(x[i], MPI_COMM_WORLD, one));
        sha256_add(all, one, sizeof one);
    }
    sha256_finish(all, digest);
    sha256_destroy(all);
}

/* Under so many modes of the list, from one of them on, the same bits of the energy and of
 * the amplitudes. */
static inline void check_energy(const struct scf_setup *setup, const struct scf_result *field,
                                const struct energy *expected, size_t first_mode, size_t n_modes)
{
    struct correlation_case made;
    double first = 0;
    char first_digest[SHA256_HEX_SIZE], digest[SHA256_HEX_SIZE];
    struct frozen_orbitals frozen = NO_FROZEN;
    if (expected->frozen_core)
        frozen.n_core = frozen_core_count(&setup->molecule);
    correlation_case_init(&made, expected->method, setup, field, frozen);
    for (size_t i = 0; i < n_modes; i++) {
        const char *mode = energy_case_modes[(first_mode + i) % N_MODES];
        double energy = correlation_case_solve(&made, mode);
        find_digest(&made.correlation, i == 0 ? first_digest : digest);
        if (i == 0) {
            first = energy;
            check_close(field->energy + energy, expected->total, ENERGY_CASE_TOLERANCE);
            continue;
        }
        check_close(energy, first, 0);
        assert_string_equal(digest, first_digest);
    }
    correlation_case_fini(&made);
}

/* Under all modes the first energy of each of the first n_thorough SCFs, under one the others. */
static inline void check_energies(size_t n_cases, const struct energy_case cases[],
                                  size_t n_thorough)
{
    struct scf_settings settings = scf_settings_default();
    size_t n_energies = 0;
    settings.converge = 1e-9;
    for (size_t i = 0; i < n_cases; i++) {
        struct scf_setup setup;
        struct scf_result field;
        scf_setup_init(&setup, &cases[i].field);
        check_ok(scf_setup_run(&setup, &settings, &field));
        for (const struct energy *energy = cases[i].energies; energy->method; energy++)
            check_energy(&setup, &field, energy, n_energies++,
                         energy == cases[i].energies && i < n_thorough ? N_MODES : 1);
        scf_result_fini(&field);
        scf_setup_fini(&setup);
    }
}
