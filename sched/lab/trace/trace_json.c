/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/trace/trace.h"
#include "sched/lab/trace/trace_files.h"
#include "support/base/die.h"

#include <inttypes.h>
#include <jansson.h>
#include <time.h>

/* Viewers treat thread 0 and process 0 specially: numbers begin at 1. */
static int64_t thread_of(int64_t lane)
{
    return lane + 1;
}

void trace_json_begin(const struct taskpool_trace *trace, FILE *file)
{
    char name[64];
    fputs("{\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,"
          "\"args\":{\"name\":\"workers\"}}",
          file);
    for (int64_t i = 0; i < trace_n_recorded(&trace->shape); i++) {
        int64_t lane = trace_recorded_lane(&trace->shape, i);
        trace_lane_name(trace, lane, name, sizeof name);
        fprintf(file,
                ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%" PRId64
                ",\"args\":{\"name\":\"%s\"}}",
                thread_of(lane), name);
        fprintf(file,
                ",\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":%" PRId64
                ",\"args\":{\"sort_index\":%" PRId64 "}}",
                thread_of(lane), lane);
    }
}

/* Process, thread and time, which all events have. */
static void print_place(const struct trace_lane *lane, double time_s, FILE *file)
{
    int64_t time_ns = trace_ns(time_s);
    int64_t number = trace_recorded_lane(&lane->trace->shape, lane->index);
    fprintf(file, "\"pid\":1,\"tid\":%" PRId64 ",\"ts\":%" PRId64 ".%03d", thread_of(number),
            time_ns / 1000, (int)(time_ns % 1000));
}

static void print_span(const struct trace_lane *lane, const struct trace_span *span, FILE *file)
{
    int64_t time_ns = trace_ns(span->end_s) - trace_ns(span->begin_s);
    const char *name = trace_use_name(span->use);
    fprintf(file, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",", name, name);
    print_place(lane, span->begin_s, file);
    fprintf(file, ",\"dur\":%" PRId64 ".%03d", time_ns / 1000, (int)(time_ns % 1000));
    if (span->use == TRACE_ITERATION)
        fprintf(file, ",\"args\":{\"iteration\":%" PRId64 ",\"pool\":%d,\"sched\":\"%s\"}",
                span->number, (int)span->n, lane->trace->modes[span->n]);
    else if (span->use == TRACE_TASK && span->number >= 0)
        fprintf(file, ",\"args\":{\"task\":%" PRId64 ",\"tasks\":%d}", span->number, (int)span->n);
    else if (span->use == TRACE_TASK)
        fprintf(file, ",\"args\":{\"tasks\":%d}", (int)span->n);
    fputc('}', file);
}

static void print_flow(const struct trace_lane *lane, const struct trace_message *message,
                       FILE *file)
{
    const char *name = message->stolen ? "steal" : "message";
    fprintf(file, ",\n{\"ph\":\"%s\",\"name\":\"%s\",\"cat\":\"%s\",\"id\":\"0x%" PRIx64 "\",",
            message->kind == TRACE_SENT ? "s" : "f\",\"bp\":\"e" /* ends at the enclosing slice */,
            name, name, message->id);
    print_place(lane, message->time_s, file);
    fprintf(file, ",\"args\":{\"bytes\":%u", (unsigned)message->size);
    if (message->n_tasks > 0)
        fprintf(file, ",\"tasks\":%d", (int)message->n_tasks);
    fputs("}}", file);
}

static void print_message(const struct trace_lane *lane, const struct trace_message *message,
                          FILE *file)
{
    const char *request = trace_request_name(message->kind);
    if (request) {
        fprintf(file, ",\n{\"ph\":\"i\",\"s\":\"t\",\"name\":\"%s\",\"cat\":\"request\",", request);
        print_place(lane, message->time_s, file);
        fprintf(file, ",\"args\":{\"bytes\":%u,\"tasks\":%d}}", (unsigned)message->size,
                (int)message->n_tasks);
    } else if (trace_lane_peer(lane, message) >= 0) {
        print_flow(lane, message, file);
    }
}

void trace_json_lane(const struct trace_lane *lane, FILE *file)
{
    for (int64_t i = 0; i < lane->n_spans; i++)
        print_span(lane, &lane->spans[i], file);
    for (int64_t i = 0; i < lane->n_messages; i++)
        print_message(lane, &lane->messages[i], file);
}

/* The date under the key that Chrome's own traces use. */
static void print_date(double begin_s, FILE *file)
{
    char text[32];
    struct tm date;
    const time_t seconds = (time_t)begin_s;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &date));
    fprintf(file, "\"metadata\":{\"trace-capture-datetime\":\"%s\"},\n", text);
}

void trace_json_end(const struct taskpool_trace *trace, FILE *file)
{
    json_t *summary = trace_to_json(trace);
    if (!summary)
        die_no_memory("no memory for the summary of a trace");
    fputs("\n],\n\"displayTimeUnit\":\"ms\",\n", file);
    if (!trace->shape.is_simulated)
        print_date(trace_output_of(trace)->begin_s, file);
    fputs("\"otherData\":", file);
    json_dumpf(summary, file, JSON_COMPACT);
    fputs("}\n", file);
    json_decref(summary);
}
