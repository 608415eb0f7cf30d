/* SPDX-License-Identifier: BSD-3-Clause */
/* The seal of a checkpoint: the SHA-256 of the file, appended to it, so that any damaged bit is
 * noticed before HDF5 sees the file. HDF5 and TREXIO ignore what follows their data. Serial. */
#pragma once

#include "support/base/status.h"

#include <stdbool.h>

/* Appends the seal to a file that is complete. Errors: STATUS_IO, STATUS_NO_MEMORY. */
enum status checkpoint_seal(const char *path);

/* sealed  out: whether the file ends with a seal; one of another program does not
 * Errors: STATUS_INPUT (the file is damaged, or not a regular one), STATUS_IO, STATUS_NO_MEMORY. */
enum status checkpoint_seal_verify(const char *path, bool *sealed);
