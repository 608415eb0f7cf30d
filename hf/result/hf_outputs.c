/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_outputs.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/result/hf_profile.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/core/task_data.h"
#include "support/base/agree.h"
#include "support/io/application.h"
#include "support/io/json.h"
#include "support/io/output_file.h"
#include "support/io/report_page.h"

/* An output in the place of an input or of another output would destroy it; only
 * a checkpoint may replace a checkpoint that is read. */
static enum status check_output_files(const struct hf_settings *settings,
                                      const struct hf_files *files)
{
    char trace[TRACE_PATH];
    struct task_data_paths paths;
    bool has_blocks = task_data_paths(files->profile, &paths);
    const struct output outputs[] = {{"json", files->json},
                                     {"report", files->report},
                                     {"write-profile", files->profile},
                                     {"write-profile", has_blocks ? paths.blocks : NULL},
                                     {"write-profile", has_blocks ? paths.sizes : NULL},
                                     {"checkpoint", settings->scf.checkpoint},
                                     {"trace", trace_json_path(&settings->pool, trace)}};
    const char *inputs[] = {settings->molecule, hf_settings_basis_file(settings)};
    const char *checkpoint = hf_settings_guess_file(settings);
    TRY(outputs_check_distinct(outputs, 7, inputs, 2));
    TRY(outputs_check_distinct(outputs, 5, &checkpoint, 1));
    TRY(outputs_check_writable(outputs, 5));
    return files->report ? report_page_check() : STATUS_OK;
}

enum status hf_outputs_check(const struct hf_settings *settings, const struct hf_files *files,
                             MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(status_agree(comm, rank == 0 ? check_output_files(settings, files) : STATUS_OK));
    if (settings->scf.checkpoint)
        TRY(checkpoint_check(settings->scf.checkpoint, comm));
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
    const struct hf_files *files = outcome->files;
    json_t *json = hf_qcschema_to_json(outcome);
    TRY(CHECK_MEMORY(json, "no memory for the result"));
    enum status status =
        page ? report_page_write(json, files->report) : json_write_file(json, files->json);
    json_decref(json);
    return status;
}

static enum status write_json_first(const struct hf_outcome *outcome)
{
    return output_file_is_written_first(outcome->files->json) ? write_qcschema(outcome, false)
                                                              : STATUS_OK;
}

/* failed  whether an output could not be written since, which the first one does not say */
static enum status write_json_last(const struct hf_outcome *outcome, bool failed)
{
    return output_file_is_written_last(outcome->files->json, failed)
               ? write_qcschema(outcome, false)
               : STATUS_OK;
}

/* The page last: it can be made again, of the JSON. */
static void write_other_outputs(struct hf_outcome *outcome, MPI_Comm comm, int rank)
{
    const struct hf_files *files = outcome->files;
    struct taskpool_trace *trace = outcome->settings->pool.trace;
    if (files->profile && outcome->complete) {
        struct fock_profile profile = fock_profile(outcome->fock);
        note_failure(outcome, hf_profile_write(&profile, files->profile));
    }
    if (!outcome->compares) {
        note_failure(outcome, taskpool_trace_write(trace, comm, NULL));
        trace_print(trace);
    }
    if (files->report && outcome->complete)
        note_failure(outcome,
                     status_agree(comm, rank == 0 ? write_qcschema(outcome, true) : STATUS_OK));
}

enum status hf_outputs_write(struct hf_outcome *outcome, MPI_Comm comm)
{
    const struct hf_files *files = outcome->files;
    int rank;
    MPI_Comm_rank(comm, &rank);
    outcome->wall = wall_time_of_all(comm);
    if (outcome->complete)
        wall_time_print(&outcome->wall);
    if (!outcome->compares)
        trace_sum(outcome->settings->pool.trace, comm);
    if (files->report || files->json)
        outcome->hardware = hardware_to_json(comm);
    if (files->json)
        note_failure(outcome,
                     status_agree(comm, rank == 0 ? write_json_first(outcome) : STATUS_OK));
    enum status before = outcome->status;
    write_other_outputs(outcome, comm, rank);
    bool failed = outcome->status != before;
    if (files->json)
        note_failure(outcome,
                     status_agree(comm, rank == 0 ? write_json_last(outcome, failed) : STATUS_OK));
    json_decref(outcome->hardware);
    outcome->hardware = NULL;
    if (outcome->status != STATUS_OK)
        status_set_text("%s", outcome->error);
    return outcome->status;
}
