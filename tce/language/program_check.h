/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a program beyond its grammar and its names. */
#pragma once

#include "tce/language/program.h"

/* Checks that a tensor over spaces with spins has a bar.
 * Errors: STATUS_INPUT. */
enum status program_check_tensor(const struct program *program,
                                 const struct program_tensor *tensor);

/* Checks that every index of the target occurs in every term and the target in none, and that the labels of a term's
 * factors do not exclude its target's.
 * Errors: STATUS_INPUT. */
enum status program_check_statement(const struct program *program,
                                    const struct program_statement *statement);

/* Whether the labels of the target follow from those of the factors in every term. */
bool program_check_keeps_labels(const struct program *program,
                                const struct program_statement *statement);

/* Checks that every reported scalar is filled or computed. Errors: STATUS_INPUT. */
enum status program_check_reports(const struct program *program);

/* Checks that the iterated part computes the energy and every residual, and assigns each target
 * by `=` before anything is added to it.
 * Errors: STATUS_INPUT, STATUS_NO_MEMORY. */
enum status program_check_iteration(const struct program *program);
