/* SPDX-License-Identifier: BSD-3-Clause */
/* A command line as text, to repeat a run with. */
#ifndef BERYL_SUPPORT_COMMAND_LINE_H
#define BERYL_SUPPORT_COMMAND_LINE_H

#include "support/io/options.h"

#include <jansson.h>

/* The command that options_parse accepted, as a shell takes it: options under their full names,
 * without those of outputs, so that the same run gives the same text whatever its files are called.
 * command  the program, and what stands before argv[1]
 * argv     as options_parse left it
 * outputs  names of the options left out, "json,report"
 * NULL when out of memory. */
json_t *command_line_to_json(const struct options *options, const char *command, int argc,
                             char *const argv[], const char *outputs);

#endif
