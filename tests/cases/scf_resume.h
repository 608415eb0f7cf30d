/* SPDX-License-Identifier: BSD-3-Clause */
/* An SCF that resumes from a checkpoint. */
#pragma once

#include "hf/checkpoint/checkpoint_reader.h"
#include "tests/cases/scf_case.h"

/* Runs the case from the file, which the settings need not name; its iterations. */
static inline int64_t scf_resume(const struct scf_case *scf_case, const char *path,
                                 struct scf_settings settings, double *energy)
{
    struct scf_setup setup;
    struct scf_result result;
    struct checkpoint_reader *reader;
    scf_setup_init(&setup, scf_case);
    check_ok(checkpoint_reader_create(path, &setup.problem, CHECKPOINT_FITS_FUNCTIONS, &reader));
    check_ok(checkpoint_reader_density(reader, &setup.problem, setup.D));
    settings.restart = reader;
    check_ok(scf_run(scf_setup_basis(&setup), &settings, setup.D, &result));
    *energy = result.energy;
    int64_t iterations = result.iterations;
    scf_result_fini(&result);
    checkpoint_reader_destroy(reader);
    scf_setup_fini(&setup);
    return iterations;
}
