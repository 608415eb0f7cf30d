/* The result of a run as QCSchema AtomicResult, version 1.
 * Source: the schema, molssi-qc-schema.readthedocs.io. */
#ifndef BERYL_HF_HF_RESULT_H
#define BERYL_HF_HF_RESULT_H

#include "hf/fock_build.h"
#include "hf/hf_input.h"
#include "hf/hf_options.h"
#include "hf/scf.h"
#include "support/status.h"

#include <jansson.h>

/* What the result tells of; borrowed. */
struct hf_outcome {
    const struct hf_options *options;
    const struct hf_input *input;
    const struct fock *fock;
    const struct scf_result *scf; /* NULL for --fock-only */
    const char *fock_sha256;      /* of --fock-only, or NULL */
    const char *fock_sha256_beta; /* the same of the second spin, or NULL */
    enum status status;           /* of the run */
    int n_workers;
    int64_t memory_peak_bytes; /* of the process that held most */
    json_t *scf_iterations;    /* array of hf_result_scf_iteration, or NULL */
};

/* An entry of extras.beryl.scf_iterations; the caller owns it. NULL when out of memory. */
json_t *hf_result_scf_iteration(const struct scf_iteration *iteration);

/* The whole document; the caller owns it. NULL when out of memory. */
json_t *hf_result_to_json(const struct hf_outcome *outcome);

#endif
