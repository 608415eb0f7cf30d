/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/beryl_sched_outputs.h"

#include "sched/lab/trace/trace.h"
#include "sched/pool/core/task_data.h"
#include "support/io/json.h"
#include "support/io/output_file.h"
#include "support/io/report_page.h"

#include <stdio.h>

/* Outputs in addition to the trace's. */
enum { N_FILES = 4, N_OUTPUTS };

static void list_outputs(const struct beryl_sched_options *options,
                         struct output outputs[N_OUTPUTS], char trace[TRACE_PATH])
{
    outputs[0] = (struct output){"json", options->json};
    outputs[1] = (struct output){"write-statistics", options->statistics};
    outputs[2] = (struct output){"report", options->report};
    outputs[3] = (struct output){"write-profile", options->profile};
    outputs[N_FILES] = (struct output){"trace", trace_json_path(&options->pool, trace)};
}

enum status beryl_sched_outputs_check(const struct beryl_sched_options *options)
{
    char trace[TRACE_PATH];
    struct output outputs[N_OUTPUTS];
    struct task_data_paths paths;
    bool has_blocks = task_data_paths(options->workload.profile, &paths);
    list_outputs(options, outputs, trace);
    const char *inputs[] = {options->workload.profile,
                            has_blocks ? paths.blocks : NULL,
                            has_blocks ? paths.sizes : NULL,
                            options->workload.bnsl,
                            options->workload.bnsl_network,
                            options->pool.speeds,
                            options->machine.known_speeds,
                            options->machine.noise_trace,
                            options->machine.file};
    const int n_inputs = (int)(sizeof inputs / sizeof inputs[0]);
    TRY(outputs_check_distinct(outputs, N_OUTPUTS, inputs, n_inputs));
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
