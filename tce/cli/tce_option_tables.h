/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of beryl-tce's options. Private to tce_options.c. */
#ifndef BERYL_TCE_TCE_OPTION_TABLES_H
#define BERYL_TCE_TCE_OPTION_TABLES_H

#include "support/io/options.h"
#include "tce/cli/tce_options.h"

#include <stddef.h>

/* More than any command has. */
enum { TCE_OPTION_TABLES = HF_OPTION_TABLES + 2 };

struct tce_option_tables {
    char program[32]; /* with its command */
    struct option_table table[TCE_OPTION_TABLES];
    size_t n;
};

/* For --help and messages. Those of a method if options->method is set, else those of a program. */
void tce_option_tables_init(struct tce_options *options, struct tce_option_tables *tables);

#endif
