/* SPDX-License-Identifier: BSD-3-Clause */
/* An SCF that resumes from a checkpoint. */
#pragma once

#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/tiles/orbital_density.h"
#include "tests/cases/scf_case.h"

/* Sets D to the density of the file's occupied orbitals. */
static inline void scf_read_density(const struct checkpoint_reader *reader,
                                    const struct scf_setup *setup)
{
    const struct scf_problem *problem = &setup->problem;
    for (int s = 0; s < problem->n_densities; s++) {
        struct dense *C;
        check_ok(checkpoint_reader_occupied(reader, problem, s, &C));
        check_ok(orbital_density(problem->tiling, problem->electrons_per_orbital, C,
                                 problem->n_occupied[s], setup->D[s]));
        dense_destroy(C);
    }
}

/* Runs the case from the file, which the settings need not name; its iterations. */
static inline int64_t scf_resume(const struct scf_case *scf_case, const char *path,
                                 struct scf_settings settings, double *energy)
{
    struct scf_setup setup;
    struct scf_result result;
    struct checkpoint_reader *reader;
    scf_setup_init(&setup, scf_case);
    check_ok(checkpoint_reader_create(path, &setup.problem, CHECKPOINT_FITS_FUNCTIONS, &reader));
    scf_read_density(reader, &setup);
    settings.restart = reader;
    check_ok(scf_run(scf_setup_basis(&setup), &settings, setup.D, &result));
    *energy = result.energy;
    int64_t iterations = result.iterations;
    scf_result_fini(&result);
    checkpoint_reader_destroy(reader);
    scf_setup_fini(&setup);
    return iterations;
}
