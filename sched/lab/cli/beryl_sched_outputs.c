/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/beryl_sched_outputs.h"

#include "sched/lab/profiles/vt_file.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/core/task_data.h"
#include "support/io/json.h"
#include "support/io/output_file.h"
#include "support/io/report_page.h"

#include <stdio.h>
#include <unistd.h>

/* Besides those of a trace. */
enum { PROFILE_OUTPUT = 3, N_FILES, N_OUTPUTS };

static void list_outputs(const struct beryl_sched_options *options,
                         struct output outputs[N_OUTPUTS], char trace[TRACE_PATH])
{
    outputs[0] = (struct output){"json", options->json};
    outputs[1] = (struct output){"write-statistics", options->statistics};
    outputs[2] = (struct output){"report", options->report};
    outputs[PROFILE_OUTPUT] = (struct output){"write-profile", options->profile};
    outputs[N_FILES] = (struct output){"trace", trace_json_path(&options->pool, trace)};
}

static enum status fail_if_rank_file(const char *path, const char *file)
{
    return vt_is_rank_file(path, file)
               ? FAIL(STATUS_USAGE, "%s is one of the files %s: name another one", file, path)
               : STATUS_OK;
}

/* A load of vt is several files: refuses another use of those of the input that exist, and of any that
 * an output may become. */
static enum status check_rank_files(const struct output outputs[N_OUTPUTS],
                                    const char *const *inputs, size_t n_inputs)
{
    const char *profile = inputs[0], *written = outputs[PROFILE_OUTPUT].path;
    char name[VT_PATH];
    for (int i = 0; i < N_OUTPUTS; i++) {
        TRY(fail_if_rank_file(profile, outputs[i].path));
        TRY(fail_if_rank_file(written, outputs[i].path));
    }
    for (size_t i = 0; i < n_inputs; i++)
        TRY(fail_if_rank_file(written, inputs[i]));
    if (!vt_is_name(profile) || !vt_has_rank(profile))
        return STATUS_OK;
    for (int rank = 0; vt_file_name(profile, rank, name) == STATUS_OK && access(name, F_OK) == 0;
         rank++)
        TRY(fail_if_rank_file(written, name));
    return STATUS_OK;
}

enum status beryl_sched_outputs_check_inputs(const struct beryl_sched_options *options,
                                             const struct beryl_sched_options *run)
{
    char trace[TRACE_PATH];
    struct output outputs[N_OUTPUTS];
    struct task_data_paths paths;
    bool has_blocks = task_data_paths(run->workload.profile, &paths);
    list_outputs(options, outputs, trace);
    const char *inputs[] = {run->workload.profile,
                            has_blocks ? paths.blocks : NULL,
                            has_blocks ? paths.sizes : NULL,
                            run->workload.bnsl,
                            run->workload.bnsl_network,
                            run->pool.speeds,
                            run->machine.known_speeds,
                            run->machine.noise_trace,
                            run->machine.file,
                            run->sweep};
    const size_t n_inputs = sizeof inputs / sizeof inputs[0];
    TRY(outputs_check_distinct(outputs, N_OUTPUTS, inputs, (int)n_inputs));
    return check_rank_files(outputs, inputs, n_inputs);
}

enum status beryl_sched_outputs_check(const struct beryl_sched_options *options)
{
    char trace[TRACE_PATH];
    struct output outputs[N_OUTPUTS];
    list_outputs(options, outputs, trace);
    TRY(beryl_sched_outputs_check_inputs(options, options));
    TRY(outputs_check_writable(outputs, N_FILES));
    return options->report ? report_page_check() : STATUS_OK;
}

enum status beryl_sched_outputs_write_first(const struct beryl_sched_options *options,
                                            const json_t *result)
{
    return output_file_is_written_first(options->json) ? json_write_file(result, options->json)
                                                       : STATUS_OK;
}

enum status beryl_sched_outputs_write_last(const struct beryl_sched_options *options,
                                           const json_t *result)
{
    if (options->report)
        TRY(report_page_write(result, options->report));
    return output_file_is_written_last(options->json, false)
               ? json_write_file(result, options->json)
               : STATUS_OK;
}

enum status beryl_sched_outputs_write(const struct beryl_sched_options *options,
                                      const json_t *result)
{
    TRY(beryl_sched_outputs_write_first(options, result));
    return beryl_sched_outputs_write_last(options, result);
}

void beryl_sched_outputs_write_failed(const struct beryl_sched_options *options, json_t *result,
                                      enum status status)
{
    struct status_kept failure = status_keep();
    if (options->json && result &&
        json_object_set_new(result, "error", json_error(status, failure.text)) == 0)
        json_write_file(result, options->json);
    json_decref(result);
    status_restore(&failure);
}
