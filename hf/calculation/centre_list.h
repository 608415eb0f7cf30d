/* SPDX-License-Identifier: BSD-3-Clause */
/* Centres of a molecule that an option names: "2", "1,4", "3-5,8", counted from 1. */
#pragma once

#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Marks the centres that the list names.
 * option  for messages, such as "--guess-flip"
 * named   n_centres, of which others become false
 * Errors: STATUS_USAGE (not such a list, a centre that the molecule lacks). Not collective. */
enum status centre_list_parse(const char *option, const char *list, int64_t n_centres,
                              bool named[]);
