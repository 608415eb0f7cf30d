/* SPDX-License-Identifier: BSD-3-Clause */
/* The tensors of a method that are bound to two-electron integrals. Private to correlation. */
#pragma once

#include "support/base/status.h"
#include "taskpool/taskpool.h"
#include "tce/methods/correlation.h"

/* Fills them; the tensors exist. Collective.
 * Errors: those of mo_integrals_create and mo_integrals_run. */
enum status correlation_integrals_fill(const struct correlation *correlation,
                                       const struct taskpool_settings *pool);

/* The memory for that in addition to the tensors, which need not exist. Not collective.
 * all  out: bytes of half-transformed integrals, over all processes, at a time
 * own  out: further bytes that each process takes
 * Errors: STATUS_NO_MEMORY. */
enum status correlation_integrals_bytes(const struct correlation *correlation, double *all,
                                        double *own);
