/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a sweep: a line for each of its runs. */
#pragma once

#include "sched/lab/cli/beryl_sched_options.h"
#include "support/base/status.h"
#include "support/io/text_file.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct sweep_run {
    int64_t line;     /* in the file, from 1 */
    const char *text; /* without blanks at its ends */
    char **words;     /* n_words of the text, owned; what they point at is in letters */
    size_t n_words;
    char *letters; /* owned */
    struct beryl_sched_options options;
};

struct sweep_file {
    const char *path; /* borrowed */
    struct text_file text;
    struct sweep_run *runs;
    int64_t n_runs, capacity;
};

/* Reads common->sweep. Blank lines and those that begin with # are skipped; the others are split
 * into words as a shell does, with quotes and backslashes, but nothing is expanded: what a shell
 * would expand, or else give a meaning, is refused outside quotes. Collective over comm.
 * file  out, to be ended with sweep_file_fini, after failures too; its runs refer to common
 * Errors: those of text_file_read_all; STATUS_INPUT, STATUS_USAGE, naming the file and
 * the line; STATUS_NO_MEMORY; the same on every process. */
enum status sweep_file_read(const struct beryl_sched_options *common, MPI_Comm comm,
                            struct sweep_file *file);
void sweep_file_fini(struct sweep_file *file);

/* Puts the file and the line before the text of the last failure; yields its code. */
enum status sweep_file_fail(const struct sweep_file *file, const struct sweep_run *run,
                            enum status code);
