/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of beryl-hf. */
#pragma once

#include "hf/calculation/hf_input.h"
#include "hf/calculation/hf_settings.h"
#include "hf/cli/atomic_input.h"
#include "hf/result/hf_qcschema.h"
#include "support/base/status.h"
#include "support/io/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum hf_density_source { HF_DENSITY_GUESS, HF_DENSITY_CONVERGED, HF_DENSITY_FILE };

struct hf_options {
    struct hf_settings settings;
    struct hf_files files;
    const char *list_basis;    /* NULL, "" or an element */
    struct atomic_input input; /* the molecule file, if it is of QCSchema */
    const char *swap;          /* I:A or I:A:beta, or NULL */
    int64_t cache_megabytes;
    bool all_orbitals;
    int64_t fock_only;   /* number of builds; 0: the SCF */
    const char *density; /* of these builds: "guess", "converged" or a file; NULL for the SCF */
    const char *compare; /* the text of the option, or NULL */
    int64_t rounds;      /* of compare */
    bool count_tasks, dry_run;
    int argc; /* the command line itself, borrowed */
    char **argv;
};

/* Parses and checks all that needs no file. Pointers refer to argv, after hf_options_read_file also
 * to options->input. *request is set to --help, --help-all, --version or --list-basis if given,
 * which hf_options_answer prints. Errors: STATUS_USAGE. */
enum status hf_options_parse(int argc, char **argv, struct hf_options *options,
                             enum option_request *request);

/* Reads a molecule file of QCSchema, and parses again: its keywords come before argv. Options are
 * checked only then. Other files are left alone. Collective. Errors: as hf_options_parse and
 * atomic_input_read; the same on every process. atomic_input_fini frees options->input. */
enum status hf_options_read_file(struct hf_options *options, MPI_Comm comm);
enum status hf_options_answer(const struct hf_options *options, enum option_request request);

/* --list-basis, for other programs' tables, too. */
#define HF_LIST_BASIS_OPTION(offset)                                                               \
    TEXT_OPTION("list-basis", offset, .bare = "", .answers = true, .value = "ELEMENT",             \
                .expert = true,                                                                    \
                .help = "print the basis sets that have names, with their elements, or those "     \
                        "for an element (O or 8), and stop")

/* hf_options_parse in parts, for programs that solve the SCF and take its options in addition to
 * their own: values of options that are not given, options->input excepted; the tables of molecule,
 * SCF, Fock build, scheduling, memory and output; whether the molecule file is to be read before
 * options are checked; the checks of options against each other, after parsing, which may fail with
 * STATUS_USAGE. Their settings.scf.energy_alone is false: such programs need orbitals.
 * follow  where --follow is not given, nor --keep-occupation */
enum { HF_OPTION_TABLES = 5 };
void hf_options_init(struct hf_options *options);
void hf_options_tables(struct hf_options *options, struct option_table tables[HF_OPTION_TABLES]);
bool hf_options_await_file(const struct hf_options *options, const char *molecule);
enum status hf_options_complete(struct hf_options *options, const char *molecule,
                                enum scf_follow follow);

/* Which density fock_only and compare build from. */
enum hf_density_source hf_options_density(const struct hf_options *options);

/* The command line to repeat the run with (options.h), without HF_OUTPUTS. NULL when out of
 * memory. */
#define HF_OUTPUTS "json,report,write-profile"
json_t *hf_options_command(const struct hf_options *options);

/* Every option in force, for the record, with what the files and defaults decided: all of it where
 * the input could be read. NULL when out of memory. */
json_t *hf_options_to_json(const struct hf_options *options, const struct hf_input *input);
