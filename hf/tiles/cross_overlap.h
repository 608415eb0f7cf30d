/* SPDX-License-Identifier: BSD-3-Clause */
/* Overlap integrals between the functions of two bases. */
#pragma once

#include "basis/integrals/shells.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

/* S[m][k] = <m|k>, m a function of bra, k one of ket; the two may be the same.
 * S  bra's functions x ket's functions, overwritten; every process computes the elements it holds
 * Collective. Errors: STATUS_NO_MEMORY; the same on every process. */
enum status cross_overlap(const struct shells *bra, const struct shells *ket, struct dense *S);
