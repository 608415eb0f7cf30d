#include "hf/cli/hf_outputs.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/cli/hf_report.h"
#include "sched/lab/report/report.h"
#include "sched/pool/core/task_data.h"
#include "sched/pool/trace/trace.h"
#include "sched/pool/trace/trace_report.h"
#include "support/base/agree.h"
#include "support/io/hardware.h"
#include "support/io/json.h"
#include "support/io/output_file.h"

/* An output in the place of an input or of another output would destroy it; only
 * a checkpoint may replace a checkpoint that is read. */
static enum status check_output_files(const struct hf_options *options)
{
    char trace[TRACE_PATH];
    struct task_data_paths paths;
    bool has_blocks = task_data_paths(options->profile, &paths);
    const struct output outputs[] = {{"json", options->json},
                                     {"report", options->report},
                                     {"write-profile", options->profile},
                                     {"write-profile", has_blocks ? paths.blocks : NULL},
                                     {"write-profile", has_blocks ? paths.sizes : NULL},
                                     {"checkpoint", options->scf.checkpoint},
                                     {"trace", trace_json_path(&options->pool, trace)}};
    const char *inputs[] = {options->molecule, options->basis};
    bool reads_density = hf_options_density(options) == HF_DENSITY_FILE;
    const char *checkpoints[] = {options->guess, options->restart,
                                 reads_density ? options->density : NULL};
    TRY(outputs_check_distinct(outputs, 7, inputs, 2));
    TRY(outputs_check_distinct(outputs, 5, checkpoints, 3));
    return outputs_check_writable(outputs, 5);
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
    TRY(CHECK_MEMORY(json, "no memory for the result"));
    enum status status = page ? report_write((const json_t *const[]){json}, &options->molecule, 1,
                                             &hf_report, options->report)
                              : json_write_file(json, options->json);
    json_decref(json);
    return status;
}

static enum status write_json_first(const struct hf_outcome *outcome)
{
    return output_file_is_written_first(outcome->options->json) ? write_qcschema(outcome, false)
                                                                : STATUS_OK;
}

/* failed  whether an output could not be written since, which the first one does not say */
static enum status write_json_last(const struct hf_outcome *outcome, bool failed)
{
    return output_file_is_written_last(outcome->options->json, failed)
               ? write_qcschema(outcome, false)
               : STATUS_OK;
}

/* The page last: it can be made again, of the JSON. */
static void write_other_outputs(struct hf_outcome *outcome, MPI_Comm comm, int rank)
{
    const struct hf_options *options = outcome->options;
    if (options->profile && outcome->complete)
        note_failure(outcome, fock_write_profile(outcome->fock, options->profile));
    if (!options->compare) {
        note_failure(outcome, trace_write(options->pool.trace, comm, NULL));
        trace_print(options->pool.trace);
    }
    if (options->report && outcome->complete)
        note_failure(outcome,
                     status_agree(comm, rank == 0 ? write_qcschema(outcome, true) : STATUS_OK));
}

enum status hf_outputs_write(struct hf_outcome *outcome, MPI_Comm comm)
{
    const struct hf_options *options = outcome->options;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (!options->compare)
        trace_sum(options->pool.trace, comm);
    if (options->report || options->json)
        outcome->hardware = hardware_to_json(comm);
    if (options->json)
        note_failure(outcome,
                     status_agree(comm, rank == 0 ? write_json_first(outcome) : STATUS_OK));
    enum status before = outcome->status;
    write_other_outputs(outcome, comm, rank);
    bool failed = outcome->status != before;
    if (options->json)
        note_failure(outcome,
                     status_agree(comm, rank == 0 ? write_json_last(outcome, failed) : STATUS_OK));
    json_decref(outcome->hardware);
    outcome->hardware = NULL;
    if (outcome->status != STATUS_OK)
        status_set_text("%s", outcome->error);
    return outcome->status;
}
