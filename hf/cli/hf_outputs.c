#include "hf/cli/hf_outputs.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/cli/hf_report.h"
#include "sched/report/report.h"
#include "support/base/agree.h"
#include "support/io/json.h"
#include "support/io/output_file.h"

/* An output in the place of an input or of another output would destroy it; only
 * a checkpoint may replace the file of its --restart. */
static enum status check_distinct(const struct hf_options *options)
{
    enum { N_OUTPUTS = 4, N_INPUTS = 4, CHECKPOINT = 3, FIRST_CHECKPOINT = 2 };
    const char *outputs[N_OUTPUTS] = {options->json, options->report, options->profile,
                                      options->scf.checkpoint};
    const char *inputs[N_INPUTS] = {options->molecule, options->basis, options->guess,
                                    options->restart};
    for (int i = 0; i < N_OUTPUTS; i++) {
        int n_inputs = i == CHECKPOINT ? FIRST_CHECKPOINT : N_INPUTS;
        for (int k = 0; k < n_inputs; k++)
            if (output_file_same(outputs[i], inputs[k]))
                return FAIL(STATUS_USAGE, "%s is both an input and an output: name another file",
                            outputs[i]);
        for (int k = 0; k < i; k++)
            if (output_file_same(outputs[i], outputs[k]))
                return FAIL(STATUS_USAGE, "%s is named for two outputs: name two files",
                            outputs[i]);
    }
    return STATUS_OK;
}

static enum status check_output_files(const struct hf_options *options)
{
    const char *files[] = {options->json, options->report, options->profile};
    TRY(check_distinct(options));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i])
            TRY(output_file_check(files[i]));
    return STATUS_OK;
}

enum status hf_outputs_check(const struct hf_options *options, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(status_agree(comm, rank == 0 ? check_output_files(options) : STATUS_OK));
    if (options->scf.checkpoint)
        TRY(checkpoint_check(options->scf.checkpoint, comm));
    return STATUS_OK;
}

/* The first failure is reported. */
static void note_failure(struct hf_outcome *outcome, enum status status)
{
    if (outcome->status == STATUS_OK)
        hf_outcome_set_status(outcome, status);
}

/* The result as a file of JSON or as a page. */
static enum status write_qcschema(const struct hf_outcome *outcome, bool page)
{
    const struct hf_options *options = outcome->options;
    json_t *json = hf_qcschema_to_json(outcome);
    if (!json)
        return FAIL(STATUS_NO_MEMORY, "no memory for the result");
    enum status status = page ? report_write((const json_t *const[]){json}, &options->molecule, 1,
                                             &hf_report, options->report)
                              : json_write_file(json, options->json);
    json_decref(json);
    return status;
}

enum status hf_outputs_write(struct hf_outcome *outcome, MPI_Comm comm)
{
    const struct hf_options *options = outcome->options;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (options->report && outcome->complete)
        note_failure(outcome,
                     status_agree(comm, rank == 0 ? write_qcschema(outcome, true) : STATUS_OK));
    if (options->profile && outcome->complete)
        note_failure(outcome, fock_write_profile(outcome->fock, options->profile));
    /* Last, because it records whether the others were written. */
    if (options->json)
        note_failure(outcome,
                     status_agree(comm, rank == 0 ? write_qcschema(outcome, false) : STATUS_OK));
    if (outcome->status != STATUS_OK)
        status_set_text(outcome->error);
    return outcome->status;
}
