/* SPDX-License-Identifier: BSD-3-Clause */
/* The finished tuples of loops over tiles, in files beside a checkpoint, so that a run that was stopped
 * resumes within a loop. The loop number k of a program, from 1, has the file run.h5.loop<k> of the
 * checkpoint run.h5: an HDF5 file, sealed (checkpoint_seal.h), of
 *
 *     /parts             n_tuples x n_scalars doubles; NaN: the tuple is not finished
 *     attribute identity SHA-256 of all that parts depend on: version, program, orbital energies, tiles, and
 *                        the elements of the tensors that the loop reads
 *
 * which process 0 replaces from time to time. What belongs to something else is left alone and computed
 * anew; what cannot be read or written is a warning. */
#pragma once

#include "support/base/status.h"
#include "tce/methods/correlation.h"

struct tuple_files;

/* Has the loops that are not iterated store their tuples, until tuple_files_destroy.
 * restart     checkpoint whose files are read, or NULL; borrowed
 * checkpoint  checkpoint beside which files are written, or NULL; borrowed
 * Collective. Errors: STATUS_NO_MEMORY, those of sha256_create; the same everywhere, *files is NULL then. */
enum status tuple_files_create(const struct correlation *correlation, const char *restart,
                               const char *checkpoint, struct tuple_files **files);
void tuple_files_destroy(struct tuple_files *files);
