/* SPDX-License-Identifier: BSD-3-Clause */
/* From the text of a .tce program to its data (program.h). */
#pragma once

#include "tce/language/program.h"

/* Reads and checks the text (length bytes). file appears in messages, with line and
 * column. What is checked here needs no sizes of bound spaces: names, ranks, that an index
 * fits its place (the same space), indices repeated or missing on the left, an output among
 * its own factors, labels that can never be met, bars that spins need, and that what is
 * iterated is computed anew each time.
 * Errors: STATUS_INPUT, STATUS_LIMIT, STATUS_NO_MEMORY. On failure *program is empty. */
enum status program_parse(const char *text, size_t length, const char *file,
                          struct program *program);
