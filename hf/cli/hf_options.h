/* The command line of beryl-hf. */
#ifndef BERYL_HF_HF_OPTIONS_H
#define BERYL_HF_HF_OPTIONS_H

#include "basis/input/basis_set.h"
#include "basis/input/molecule.h"
#include "hf/fock/fock_build.h"
#include "hf/scf/scf.h"
#include "sched/pool/modes/mode_list.h"
#include "support/base/status.h"
#include "support/io/options.h"
#include "taskpool/taskpool.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum hf_method { METHOD_RHF, METHOD_UHF };
enum hf_density_source { HF_DENSITY_GUESS, HF_DENSITY_CONVERGED, HF_DENSITY_FILE };

struct hf_options {
    const char *molecule; /* file */
    const char *basis;
    int method;                   /* enum hf_method, or -1: by the multiplicity */
    int64_t charge, multiplicity; /* HF_OPTION_NOT_GIVEN: as the file says */
    int units;                    /* enum length_unit, or -1: as the file says */
    bool spherical, cartesian;
    int64_t tile; /* 0: by the basis */
    double screen;
    int engine; /* number of the integral engine to try first */
    int64_t cache_megabytes;
    int64_t memory_megabytes; /* 0: all that is available */
    const char *guess;        /* "sad", "core" or a file; NULL if another option names a file */
    bool all_orbitals;
    const char *restart;
    int64_t fock_only;      /* number of builds; 0: the SCF */
    const char *density;    /* of these builds: "guess", "converged" or a file; NULL for the SCF */
    const char *compare;    /* the text of the option, or NULL */
    int64_t rounds;         /* of compare */
    struct mode_list modes; /* those that it names, or the one of --sched */
    bool count_tasks;
    const char *json;
    const char *report;
    const char *profile;
    struct fock_settings fock;
    struct scf_settings scf;
    struct taskpool_settings pool;
    int argc; /* the command line itself, borrowed */
    char **argv;
};

#define HF_OPTION_NOT_GIVEN INT64_MIN

/* Parses and checks all that needs no file. Every pointer refers to argv. *request is set to
 * --help, --help-all or --version if given, which hf_options_answer prints.
 * Errors: STATUS_USAGE. */
enum status hf_options_parse(int argc, char **argv, struct hf_options *options,
                             enum option_request *request);
void hf_options_answer(enum option_request request);

/* The same in parts, for programs that solve the SCF and take its options in addition to their
 * own: values of options that are not given; the tables of molecule, SCF, Fock build,
 * scheduling, memory and output; the checks of options against each other, after parsing, which
 * may fail with STATUS_USAGE. */
enum { HF_OPTION_TABLES = 5 };
void hf_options_init(struct hf_options *options);
void hf_options_tables(struct hf_options *options, struct option_table tables[HF_OPTION_TABLES]);
enum status hf_options_complete(struct hf_options *options, const char *molecule);

/* Which density fock_only and compare build from; and whether the run solves the SCF, in the end
 * or to have that density. */
enum hf_density_source hf_options_density(const struct hf_options *options);
bool hf_options_solve(const struct hf_options *options);

/* The command line to repeat the run with (command_line.h), without HF_OUTPUTS. NULL when out of
 * memory. */
#define HF_OUTPUTS "json,report,write-profile"
json_t *hf_options_command(const struct hf_options *options);

/* Every option in force, for the record. */
json_t *hf_options_to_json(const struct hf_options *options);

#endif
