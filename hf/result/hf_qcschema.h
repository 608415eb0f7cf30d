/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a run as QCSchema AtomicResult, version 1, or FailedOperation.
 * Source: the schema, molssi-qc-schema.readthedocs.io. */
#pragma once

#include "basis/integrals/two_electron.h"
#include "basis/quartets/class_costs.h"
#include "hf/calculation/hf_calculation.h"
#include "hf/fock/fock_build.h"
#include "hf/fock/fock_prediction.h"
#include "sched/lab/comparison/mode_records.h"
#include "support/base/status.h"
#include "support/mpi/wall_time.h"

#include <jansson.h>

/* Names of output files, NULL for none. */
struct hf_files {
    const char *json, *report, *profile;
};

/* The density that Fock builds were made from. */
struct hf_density_digest {
    const char *name;                /* as --density says; NULL before it is known */
    double seconds;                  /* taken by finding it: reading a file, or the SCF */
    char sha256[2][SHA256_HEX_SIZE]; /* of the D of each spin in row-major doubles */
};

/* Results of a method beyond Hartree-Fock; borrowed. */
struct hf_correlated {
    const char *program, *method; /* "beryl-tce", "ccsd" */
    bool has_energy;
    double energy;      /* total, hartree */
    json_t *properties; /* in addition to the SCF's */
    json_t *extras;     /* of extras.beryl, replacing the SCF's with the same keys */
};

/* The prediction of --dry-run, for so many Fock builds of an SCF, and the counts that it is for. */
struct hf_prediction {
    struct fock_prediction fock;
    int64_t tasks, non_null;
    int64_t integrals;  /* as --count-tasks prints them */
    bool uses_symmetry; /* of the molecule */
    int scf_builds[2];  /* fewest and most of most calculations, the test of stability included */
    double scf_s[2];    /* theirs, without linear algebra */
};

/* The outcome of a run, as far as it came; borrowed. */
struct hf_outcome {
    const struct hf_calculation *calculation; /* its input is empty if it could not be read */
    const struct hf_files *files;
    json_t *command;                         /* to repeat the run with (options.h) */
    json_t *options;                         /* every option in force */
    json_t *atomic_input;                    /* the AtomicInput, where the molecule file is one */
    bool compares;                           /* modes, as --compare asks for */
    struct engine_use engines;               /* of all processes */
    const struct class_costs *class_costs;   /* of --profile-classes, or NULL */
    const struct hf_density_digest *density; /* of --fock-only; NULL or no name: none */
    const struct mode_records *compared;     /* NULL without --compare */
    const struct hf_correlated *correlated;  /* NULL if Hartree-Fock is all */
    const struct hf_prediction *prediction;  /* of --dry-run, or NULL */
    const char *fock_sha256;                 /* of --fock-only, or NULL */
    const char *fock_sha256_beta;            /* the same of the second spin, or NULL */
    enum status status;                      /* of the run */
    char error[STATUS_TEXT_SIZE];            /* text of the failure */
    bool complete;                           /* the run ended by itself, converged or not */
    int n_workers;
    struct wall_time wall;     /* until the results were written; hf_outputs_write sets it */
    int64_t memory_peak_bytes; /* largest of all processes */
    int64_t memory_part_bytes; /* the same, shared pages divided among their users; 0: unknown */
    json_t *timeline;          /* of the last build, on process 0, or NULL */
    json_t *hardware;          /* hardware_to_json, or NULL */
};

/* The outcome with calculation, files, engines, status and number of workers set. Collective. */
struct hf_outcome hf_outcome_of(const struct hf_calculation *calculation,
                                const struct hf_files *files, enum status status);

/* Sets the status, and with a failure its text. */
void hf_outcome_set_status(struct hf_outcome *outcome, enum status status);

/* Adds to an entry of `iterations` what only a Fock build has. */
void hf_qcschema_add_build(const struct fock_record *build, json_t *iteration);

/* The whole document; unknown values are absent or null. The caller owns it. NULL when out of
 * memory. extras.beryl.engines says how the two-electron integrals of the run were computed, from
 * Schwarz bounds to the last iteration (of all modes that are compared), on all processes together:
 *   first     name of the engine that was tried first: --engine, or the first of all
 *   computed  name of every engine -> {"quartets": of shells, "batches": of quartets of one class};
 *             a quartet of a class that `first` does not handle counts for the engine that does */
json_t *hf_qcschema_to_json(const struct hf_outcome *outcome);

/* Replaces the document of a failed run over an AtomicInput by a FailedOperation, which has error,
 * extras and the AtomicInput; leaves others. NULL stays. */
json_t *hf_qcschema_fail(const struct hf_outcome *outcome, json_t *document);
