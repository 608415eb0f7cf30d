/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks whether a file can be restarted from, as far as the file alone shows it: before anything
 * is printed, and in a process of its own, because HDF5 and TREXIO may crash on a damaged or
 * malicious file. Serial; without MPI. */
#pragma once

#include "support/base/status.h"

/* Verifies the seal (checkpoint_seal.h), reads all that a restart may read, and checks what can be
 * checked without the molecule: sizes, occupations, and that every number is finite. In this
 * process, for tests with arbitrary files. Takes no more memory than a few times the file's size.
 * Errors: STATUS_INPUT (the message says what is wrong), STATUS_IO, STATUS_NO_MEMORY. */
enum status checkpoint_trial_read(const char *path);

/* checkpoint_trial_read in a child process, with limits of memory and of time; it makes no MPI call
 * and leaves no core file. Errors: those, STATUS_INPUT if it crashes or does not end,
 * STATUS_LIBRARY if there can be no such process. */
enum status checkpoint_trial(const char *path);

/* Groups of Beryl's own, in addition to those of TREXIO. */
#define CHECKPOINT_SCF        "beryl_scf_2"
#define CHECKPOINT_OCCUPATION "beryl_scf_occupation"
#define CHECKPOINT_AMPLITUDES "beryl_amplitudes"
