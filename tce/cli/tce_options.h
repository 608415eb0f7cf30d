/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of beryl-tce:
 *     beryl-tce run FILE.tce [options]
 *     beryl-tce run FILE.tce MOLECULE.xyz [options]
 *     beryl-tce METHOD MOLECULE.xyz [options] */
#pragma once

#include "hf/cli/hf_options.h"
#include "sched/pool/modes/modes.h"
#include "support/base/status.h"
#include "support/io/options.h"
#include "taskpool/taskpool.h"
#include "tce/calculation/method_calculation.h"
#include "tce/run/contraction.h"

#include <stdbool.h>
#include <stdint.h>

struct tce_options {
    /* A method: its name, NULL, the molecule. A program over a molecule: twice the program's file, the molecule.
     * A program alone: NULL, NULL, the program's file. */
    const char *method, *program, *file;

    /* Options of programs and methods. */
    int explain; /* 0: no; else 1 + enum plan_pass */
    bool dry_run;
    int64_t cache_megabytes, memory_megabytes;
    bool no_prefetch;
    struct contraction_settings contraction;
    const char *json;

    /* Options of a program. */
    struct taskpool_settings pool;
    const char *compare;    /* the text of the option, or NULL */
    int64_t rounds;         /* of compare */
    struct mode_list modes; /* those that it names, or the one of --sched */
    int64_t iterations;
    bool verify, count_tasks;
    const char *profile;

    /* Options of a method. */
    struct hf_options hf;
    struct method_settings settings;

    int argc; /* the command line after "run" or the method, borrowed */
    char **argv;
};

/* Parses and checks what can be checked without reading a file. Pointers refer to argv, after
 * tce_options_read_file also to options->hf.input.
 * *request is set to --help, --help-all, --version or --list-basis if given, which
 * tce_options_answer prints; method is then set as in a run. Errors: STATUS_USAGE. */
enum status tce_options_parse(int argc, char **argv, struct tce_options *options,
                              enum option_request *request);

/* hf_options_read_file, of the molecule of a method or program. Collective. Errors: likewise. */
enum status tce_options_read_file(struct tce_options *options, MPI_Comm comm);
enum status tce_options_answer(const struct tce_options *options, enum option_request request);

/* Settings of the pools of a run. Not collective. */
const struct taskpool_settings *tce_options_pool(const struct tce_options *options);

/* The command line to repeat the run with (options.h). NULL when out of memory. */
json_t *tce_options_command(const struct tce_options *options);

/* Every option in force. A method's input decides some options (hf_options_to_json); input is NULL
 * for a program without a molecule. */
json_t *tce_options_to_json(const struct tce_options *options, const struct hf_input *input);
