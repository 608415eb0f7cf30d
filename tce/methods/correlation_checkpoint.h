/* SPDX-License-Identifier: BSD-3-Clause */
/* The checkpoint of a method: that of the SCF, with the amplitudes over its orbitals. */
#pragma once

#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/scf/scf.h"
#include "support/base/status.h"
#include "tce/methods/amplitude_file.h"
#include "tce/methods/correlation.h"

#include <stdbool.h>

/* All borrowed. */
struct correlation_checkpoint {
    const char *path;
    int64_t every; /* iterations from one to the next */
    const struct scf_problem *problem;
    const struct scf_result *result; /* the orbitals of all amplitudes */
};

/* The origin of the amplitudes of a method, named by correlation.amplitudes_name, over these orbitals.
 * Not collective. */
struct amplitude_origin correlation_checkpoint_origin(const char *method,
                                                      const struct orbital_spaces *orbitals);

/* Bytes of the file, at most. Not collective. */
int64_t correlation_checkpoint_bytes(const struct scf_problem *problem,
                                     const struct correlation *correlation, int diis_size);

/* Writes the amplitudes that the next iteration begins with, and the solver's steps; a failure is
 * a warning. Collective. */
void correlation_checkpoint_write(const struct correlation_checkpoint *checkpoint,
                                  const struct correlation *correlation,
                                  const struct amplitude_solver *solver);

/* Sets the amplitudes x, n of them, and the steps of a new solver to those of the checkpoint.
 * Collective. Errors: those of amplitude_file_read and of amplitude_solver_resume. */
enum status correlation_checkpoint_read(const struct checkpoint_reader *reader, int n,
                                        struct tensor *const x[], int diis_size,
                                        struct amplitude_solver *solver,
                                        struct amplitude_progress *progress);

/* Whether a checkpoint has amplitudes. Collective.
 * wanted  the run that is to resume; n_virtual, known only after the SCF, is not compared
 * Errors: STATUS_INPUT (they are of another method or of other orbitals: the message says
 * which), those of amplitude_file_find; the same everywhere. */
enum status correlation_checkpoint_find(const struct checkpoint_reader *reader,
                                        const struct amplitude_origin *wanted, bool *found,
                                        struct amplitude_progress *progress);
