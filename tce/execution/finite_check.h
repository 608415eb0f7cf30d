/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that are not finite are no result: products beyond double precision, and what is computed
 * from them. */
#pragma once

#include "tce/execution/program_instance.h"

/* Checks what program_instance_sha256 is the digest of, after a run. Collective.
 * Errors: STATUS_NUMERIC, with the first statement for a tensor that became so from finite ones; STATUS_NO_MEMORY;
 * the same everywhere. */
enum status finite_check_run(const struct program_instance *instance);
