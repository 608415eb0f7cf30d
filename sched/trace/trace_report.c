#include "sched/trace/trace_report.h"

#include "sched/trace/trace_lane.h"
#include "support/base/log.h"
#include "support/io/json.h"

static int64_t count_spans(const struct trace_sum sums[TRACE_N_USES])
{
    int64_t n = 0;
    for (int use = 0; use < TRACE_N_USES; use++)
        n += sums[use].n;
    return n;
}

void trace_print(const struct trace *trace)
{
    if (!trace || !trace->logs)
        return;
    const struct trace_log *all = &trace->all;
    int64_t n_recorded = trace_n_recorded(&trace->shape);
    int64_t n_dropped = count_spans(all->dropped) + all->n_dropped_messages;
    log_print("Trace      %s: trace.json, traces.otf2; %lld worker%s, %lld spans, %lld messages\n",
              trace->folder, (long long)n_recorded, log_plural(n_recorded),
              (long long)count_spans(all->recorded), (long long)all->n_messages);
    if (n_recorded < trace->shape.n_lanes)
        log_print("           a sample: %lld of %lld workers\n", (long long)n_recorded,
                  (long long)trace->shape.n_lanes);
    if (n_dropped > 0)
        log_print("           left out: %lld spans, %lld messages\n",
                  (long long)count_spans(all->dropped), (long long)all->n_dropped_messages);
}

static json_t *seconds_to_json(const struct trace_sum sums[TRACE_N_USES])
{
    json_t *seconds = json_object();
    for (int use = 0; use < TRACE_N_USES; use++)
        json_object_set_new(seconds, trace_use_name(use), json_real(sums[use].time_s));
    return seconds;
}

json_t *trace_to_json(const struct trace *trace)
{
    if (!trace)
        return json_null();
    const struct trace_log *all = &trace->all;
    return json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:o}", "folder", json_text(trace->folder),
        "workers", (json_int_t)trace->shape.n_lanes, "workers_shown",
        (json_int_t)(trace->logs ? trace_n_recorded(&trace->shape) : 0), "spans",
        (json_int_t)count_spans(all->recorded), "messages", (json_int_t)all->n_messages, "seconds",
        seconds_to_json(all->recorded), "dropped_spans", (json_int_t)count_spans(all->dropped),
        "dropped_messages", (json_int_t)all->n_dropped_messages, "dropped_seconds",
        seconds_to_json(all->dropped));
}
