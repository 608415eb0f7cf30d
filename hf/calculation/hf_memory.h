/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory estimate of a calculation, checked before anything large is allocated. */
#pragma once

#include "hf/calculation/hf_settings.h"
#include "hf/fock/scf_problem.h"
#include "support/base/status.h"

#include <stdint.h>

/* Prints the memory that each process needs and the limit: --memory, or an equal share of the
 * memory available on its node. The problem needs no molecule and no Fock build. Collective.
 * *kept_bytes  bound of a process on the integrals that it keeps, part of what is printed: all of
 *              them, but for HF_INTEGRALS_MEMORY no more than the rest leaves, for AUTO half of that
 * Errors: STATUS_NO_MEMORY with both numbers if it does not fit; the same everywhere. */
enum status hf_memory_check(const struct hf_settings *settings, const struct scf_problem *problem,
                            int64_t *kept_bytes);
