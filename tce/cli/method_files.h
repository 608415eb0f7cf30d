/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of `beryl-tce METHOD`, and of `beryl-tce run` with a molecule. */
#pragma once

#include "support/base/status.h"
#include "support/io/text_file.h"
#include "tce/calculation/method_calculation.h"
#include "tce/cli/tce_options.h"

#include <mpi.h>

/* Checks before the work that all outputs can be written, and that none is an input or another output.
 * Collective.
 * Errors: those of hf_outputs_check, and STATUS_USAGE for a --write-fcidump that is no regular file;
 * the same everywhere. */
enum status method_files_check(const struct tce_options *options, MPI_Comm comm);

/* Reads the program that the options name, if one, for settings, which borrow its text. Collective.
 * Errors: those of text_file_read_all. */
enum status method_files_read_program(const struct tce_options *options, MPI_Comm comm,
                                      struct text_file *text, struct method_settings *settings);
