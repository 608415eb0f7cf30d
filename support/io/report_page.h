/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of results (--report), made by the script beryl-report in the folder of the running program:
 *
 *     beryl-report /dev/stdin -o /dev/stdout
 *
 * reads a result, as --json writes it, from a pipe to its end, then writes the page to another, and
 * exits with 0. It is started without a shell, by one process alone. */
#pragma once

#include "support/base/status.h"

#include <jansson.h>

/* Before the work: whether the script can be run. Not collective. Errors: STATUS_USAGE, with the
 * remedy, if it is missing, or Python is. */
enum status report_page_check(void);

/* Writes the page of a result, as output_file_write does: complete, or not at all. Not collective.
 * Errors: STATUS_IO, naming the path, also if the script fails; STATUS_NO_MEMORY. */
enum status report_page_write(const json_t *result, const char *path);
