/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that are not finite are no result: products beyond double precision, and what is computed
 * from them. */
#pragma once

#include "tce/execution/program_instance.h"

/* Checks what program_instance_sha256 is the digest of, after a run: reads it once. Where it is not
 * finite, a program without `iterate` is run again step by step to find the statement. Collective.
 * Errors: STATUS_NUMERIC, naming the tensor and the place of the statement, the same everywhere;
 * those of executor_find_not_finite. */
enum status finite_check_run(struct program_instance *instance);
