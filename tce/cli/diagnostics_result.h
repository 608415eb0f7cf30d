/* SPDX-License-Identifier: BSD-3-Clause */
/* Diagnostics of a coupled-cluster solution in the log and in the result. */
#pragma once

#include "support/io/json.h"
#include "tce/methods/diagnostics.h"

#include <stdbool.h>

/* Nothing where there are no amplitudes. with_spins: the reference is unrestricted. */
void diagnostics_print(const struct diagnostics *diagnostics, bool with_spins);

/* {"t1", "d1", "largest_t1", "largest_t2"}, those that are known (RESULTS.md); NULL if there are
 * none or out of memory. */
json_t *diagnostics_to_json(const struct diagnostics *diagnostics, bool with_spins);
