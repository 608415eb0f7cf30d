/* SPDX-License-Identifier: BSD-3-Clause */
/* Which options of an SCF contradict each other. */
#pragma once

#include "hf/cli/hf_options.h"
#include "support/base/status.h"

/* Checks them after parsing, when the goal is set, and chooses the scheduling modes. Errors:
 * STATUS_USAGE, with what to do. */
enum status hf_options_check(struct hf_options *options);
