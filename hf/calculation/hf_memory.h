/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory estimate of a calculation, checked before anything large is allocated. */
#pragma once

#include "hf/calculation/hf_settings.h"
#include "hf/fock/scf_problem.h"
#include "support/base/status.h"

/* Prints the memory that each process needs and the limit: --memory, or an equal share of the
 * memory available on its node. The problem needs no molecule and no Fock build. Collective.
 * Errors: STATUS_NO_MEMORY with both numbers if it does not fit; the same everywhere. */
enum status hf_memory_check(const struct hf_settings *settings, const struct scf_problem *problem);
