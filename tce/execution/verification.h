/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a program by nested loops over the values of all indices of
 * each product, with whole arrays: no labels, no blocks, no plan. Written to be believed;
 * takes the time and memory that this takes. */
#pragma once

#include "support/base/status.h"
#include "tce/execution/program_instance.h"

/* Evaluates the program with plain loops from its declarations and compares every assigned tensor
 * with the executor's, after one run of all statements; prints the largest deviations.
 * Collective; every process computes the same.
 * Errors: STATUS_NUMERIC (an element deviates by more than 1e-12 of the sum of the absolute
 * values of all products that make it; the message names the tensor), STATUS_NO_MEMORY,
 * STATUS_LIMIT (arrays beyond 2^40 elements); the same everywhere. */
enum status verification_run(const struct program_instance *instance);
