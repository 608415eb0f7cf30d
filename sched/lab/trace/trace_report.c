/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/trace/trace.h"

#include "sched/lab/trace/trace_files.h"
#include "support/base/log.h"
#include "support/io/json.h"

static json_t *seconds_to_json(const struct trace_tally *tally)
{
    json_t *seconds = json_object();
    for (int use = 0; use < TRACE_N_USES; use++)
        json_object_set_new(seconds, trace_use_name(use), json_real(tally->time_s[use]));
    return seconds;
}

json_t *trace_to_json(const struct taskpool_trace *trace)
{
    if (!trace)
        return json_null();
    const struct trace_output *output = trace_output_of(trace);
    if (output->is_lost)
        return NULL;
    const struct trace_tally *recorded = &output->recorded, *dropped = &output->dropped;
    return json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:o}", "folder", json_text(output->folder),
        "workers", (json_int_t)trace->shape.n_lanes, "workers_shown",
        (json_int_t)(trace->logs ? trace_n_recorded(&trace->shape) : 0), "spans",
        (json_int_t)recorded->spans, "messages", (json_int_t)recorded->messages, "seconds",
        seconds_to_json(recorded), "dropped_spans", (json_int_t)dropped->spans, "dropped_messages",
        (json_int_t)dropped->messages, "dropped_seconds", seconds_to_json(dropped));
}

static long long count_of(const json_t *trace, const char *key)
{
    return (long long)json_integer_value(json_object_get(trace, key));
}

void trace_print_json(const json_t *trace)
{
    long long n_shown = count_of(trace, "workers_shown");
    long long n_dropped_spans = count_of(trace, "dropped_spans");
    long long n_dropped_messages = count_of(trace, "dropped_messages");
    if (n_shown == 0)
        return;
    long long n_spans = count_of(trace, "spans"), n_messages = count_of(trace, "messages");
    log_print(
        "Trace      %s: trace.json, traces.otf2; %lld worker%s, %lld span%s, %lld message%s\n",
        json_string_value(json_object_get(trace, "folder")), n_shown, log_plural(n_shown), n_spans,
        log_plural(n_spans), n_messages, log_plural(n_messages));
    if (n_shown < count_of(trace, "workers"))
        log_print("           a sample: %lld of %lld workers\n", n_shown,
                  count_of(trace, "workers"));
    if (n_dropped_spans > 0 || n_dropped_messages > 0)
        log_print(
            "           left out: %lld span%s, %lld message%s: a trace has at most %d MB, the "
            "first of each worker\n",
            n_dropped_spans, log_plural(n_dropped_spans), n_dropped_messages,
            log_plural(n_dropped_messages), TRACE_MAX_BYTES / 1000000);
}

void trace_print(const struct taskpool_trace *trace)
{
    json_t *json = trace_to_json(trace);
    trace_print_json(json);
    json_decref(json);
}
