/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/trace/trace.h"

#include "sched/lab/trace/trace_format.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/die.h"
#include "support/base/node.h"
#include "support/io/output_file.h"
#include "support/mpi/gather.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LANE_TAG = 1 };

/* --- start --- */

static enum status name_file(const char *folder, const char *file, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, file) < PATH_MAX)
        return STATUS_OK;
    return FAIL(STATUS_IO, "the path %s is too long", folder);
}

const char *trace_json_path(const struct taskpool_settings *settings, char path[TRACE_PATH])
{
    const char *folder = settings->trace_folder;
    bool fits = folder && snprintf(path, TRACE_PATH, "%s/trace.json", folder) < TRACE_PATH;
    return fits ? path : NULL;
}

static void note_made_folder(struct trace_output *output, const char *folder)
{
    char *name = strdup(folder);
    if (!name || array_reserve(&output->made, output->n_made + 1, &output->made_capacity,
                               sizeof name) != STATUS_OK)
        die_no_memory("no memory for the folder of a trace");
    output->made[output->n_made++] = name;
}

/* Folders made by this trace, if still empty. */
static void remove_empty_folders(struct trace_output *output)
{
    while (output->n_made > 0) {
        char *name = output->made[--output->n_made];
        rmdir(name);
        free(name);
    }
}

static enum status make_folder(struct trace_output *output, const char *folder)
{
    char path[PATH_MAX];
    TRY(name_file(folder, "trace.json", path));
    if (mkdir(folder, 0777) == 0)
        note_made_folder(output, folder);
    else if (errno != EEXIST)
        return FAIL(STATUS_IO, "cannot make the folder %s for --trace: %s", folder,
                    strerror(errno));
    TRY(trace_otf2_check(folder));
    return output_file_check(path);
}

/* The moment at which the trace begins. The clock of one node is the same for all its processes;
 * those of several agree by as much as a barrier takes. */
static double find_zero(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    MPI_Barrier(comm);
    double zero_s = clock_now_s();
    if (node_count(comm) == size)
        MPI_Bcast(&zero_s, 1, MPI_DOUBLE, 0, comm);
    return zero_s;
}

int taskpool_trace_start(MPI_Comm comm, struct taskpool_settings *settings)
{
    int rank;
    if (!settings)
        return FAIL(STATUS_USAGE, "taskpool_trace_start: the settings are NULL");
    settings->trace = NULL;
    if (!settings->trace_folder)
        return STATUS_OK;
    MPI_Comm_rank(comm, &rank);
    struct trace_output *output = calloc(1, sizeof *output);
    if (!output)
        die_no_memory("no memory for a trace");
    enum status status =
        status_agree(comm, rank == 0 ? make_folder(output, settings->trace_folder) : STATUS_OK);
    if (status != STATUS_OK) {
        taskpool_trace_destroy(&output->trace);
        return status;
    }
    output->root = settings->trace_folder;
    output->trace.zero_s = find_zero(comm);
    settings->trace = &output->trace;
    return STATUS_OK;
}

void taskpool_trace_restart(struct taskpool_trace *trace, MPI_Comm comm)
{
    if (!trace)
        return;
    trace_forget(trace);
    trace->zero_s = trace->shape.is_simulated ? 0 : find_zero(comm);
}

void taskpool_trace_destroy(struct taskpool_trace *trace)
{
    if (!trace)
        return;
    struct trace_output *output = (struct trace_output *)trace;
    remove_empty_folders(output);
    free(output->made);
    trace_fini(trace);
    free(output);
}

/* --- totals --- */

static void add_tally(struct trace_tally *sum, const struct trace_tally *tally)
{
    for (int use = 0; use < TRACE_N_USES; use++) {
        sum->n[use] += tally->n[use];
        sum->time_s[use] += tally->time_s[use];
    }
}

static void add_log(struct trace_log *sum, const struct trace_log *log)
{
    sum->n_messages += log->n_messages;
    sum->n_dropped_messages += log->n_dropped_messages;
    add_tally(&sum->recorded, &log->recorded);
    add_tally(&sum->dropped, &log->dropped);
}

static void reduce_tally(struct trace_tally *tally, MPI_Comm comm)
{
    MPI_Allreduce(MPI_IN_PLACE, tally->n, TRACE_N_USES, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, tally->time_s, TRACE_N_USES, MPI_DOUBLE, MPI_SUM, comm);
}

static void sum_logs(struct trace_output *output, MPI_Comm comm)
{
    struct trace_log *all = &output->all;
    *all = (struct trace_log){0};
    add_log(all, &output->trace.rest);
    for (int64_t i = 0; i < output->trace.n_logs; i++)
        add_log(all, &output->trace.logs[i]);
    MPI_Allreduce(MPI_IN_PLACE, &all->n_messages, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &all->n_dropped_messages, 1, MPI_INT64_T, MPI_SUM, comm);
    reduce_tally(&all->recorded, comm);
    reduce_tally(&all->dropped, comm);
}

/* --- steals --- */

static int64_t list_steals(const struct taskpool_trace *trace, uint64_t *ids)
{
    int64_t n = 0;
    for (int64_t i = 0; i < trace->n_logs; i++)
        for (int64_t m = 0; m < trace->logs[i].n_messages; m++) {
            const struct trace_message *message = &trace->logs[i].messages[m];
            if (message->kind != TRACE_RECEIVED || !message->stolen)
                continue;
            if (ids)
                ids[n] = message->id;
            n++;
        }
    return n;
}

/* On process 0. A sender does not know that its message ends a steal. */
static enum status gather_steals(const struct taskpool_trace *trace, MPI_Comm comm,
                                 struct trace_steals *steals)
{
    int64_t n = list_steals(trace, NULL);
    uint64_t *ids = malloc((size_t)(n + 1) * sizeof *ids);
    if (!ids)
        die_no_memory("no memory for the %lld steals of a trace", (long long)n);
    list_steals(trace, ids);
    const struct gather_part part = {
        .items = ids, .n_items = n, .item_size = sizeof *ids, .what = "steals of a trace"};
    void *all;
    enum status status = gather_to_first(comm, &part, &all, &steals->n);
    free(ids);
    steals->ids = all;
    trace_steals_sort(steals);
    return status;
}

/* --- lanes --- */

static void subtract_zero(const struct taskpool_trace *trace, struct trace_log *log)
{
    for (int64_t i = 0; i < log->n_spans; i++) {
        log->spans[i].begin_s -= trace->zero_s;
        log->spans[i].end_s -= trace->zero_s;
    }
    for (int64_t i = 0; i < log->n_messages; i++)
        log->messages[i].time_s -= trace->zero_s;
}

static void send_lanes(struct taskpool_trace *trace, MPI_Comm comm)
{
    for (int64_t i = 0; i < trace->n_logs; i++) {
        struct trace_log *log = &trace->logs[i];
        int64_t counts[] = {log->n_spans, log->n_messages};
        subtract_zero(trace, log);
        MPI_Send(counts, 2, MPI_INT64_T, 0, LANE_TAG, comm);
        MPI_Send(log->spans, (int)(log->n_spans * (int64_t)sizeof *log->spans), MPI_BYTE, 0,
                 LANE_TAG, comm);
        MPI_Send(log->messages, (int)(log->n_messages * (int64_t)sizeof *log->messages), MPI_BYTE,
                 0, LANE_TAG, comm);
    }
}

static void *receive_records(int64_t n, size_t size, int from, MPI_Comm comm)
{
    void *records = malloc((size_t)(n + 1) * size);
    if (!records)
        die_no_memory("no memory for a trace of %lld records", (long long)n);
    MPI_Recv(records, (int)(n * (int64_t)size), MPI_BYTE, from, LANE_TAG, comm, MPI_STATUS_IGNORE);
    return records;
}

/* The log of a recorded lane, in the caller's ownership. */
static struct trace_log fetch_lane(struct taskpool_trace *trace, int64_t lane, MPI_Comm comm)
{
    int64_t own = lane - trace->shape.first;
    int owner = (int)(lane / trace->shape.n);
    struct trace_log log = {0};
    if (own >= 0 && own < trace->shape.n) {
        struct trace_log *here = trace_log_of(trace, own);
        log = *here;
        *here = (struct trace_log){0};
        subtract_zero(trace, &log);
        return log;
    }
    int64_t counts[2];
    MPI_Recv(counts, 2, MPI_INT64_T, owner, LANE_TAG, comm, MPI_STATUS_IGNORE);
    log.n_spans = counts[0];
    log.n_messages = counts[1];
    log.spans = receive_records(log.n_spans, sizeof *log.spans, owner, comm);
    log.messages = receive_records(log.n_messages, sizeof *log.messages, owner, comm);
    return log;
}

/* --- files, by process 0 --- */

struct trace_files {
    struct trace_output *output;
    MPI_Comm comm;
    struct trace_steals steals;
    struct trace_otf2 *otf2;
    int64_t n_fetched; /* lanes */
};

static void write_lane(struct trace_files *files, FILE *json)
{
    struct taskpool_trace *trace = &files->output->trace;
    int64_t index = files->n_fetched++;
    int64_t number = trace_recorded_lane(&trace->shape, index);
    struct trace_log log = fetch_lane(trace, number, files->comm);
    struct trace_lane lane = {.trace = trace,
                              .index = index,
                              .number = number,
                              .spans = log.spans,
                              .messages = log.messages,
                              .n_spans = log.n_spans,
                              .n_messages = log.n_messages};
    trace_lane_sort(&lane, &files->steals);
    if (json)
        trace_json_lane(&lane, json);
    if (files->otf2)
        trace_otf2_lane(files->otf2, &lane);
    trace_log_fini(&log);
}

static enum status write_lanes(const char *path, void *context)
{
    struct trace_files *files = context;
    const struct taskpool_trace *trace = &files->output->trace;
    FILE *json = fopen(path, "w");
    if (!json)
        return FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    trace_json_begin(trace, json);
    while (files->n_fetched < trace_n_recorded(&trace->shape))
        write_lane(files, json);
    enum status status = trace_json_end(trace, json);
    if (status == STATUS_OK)
        status = trace_otf2_finish(files->otf2);
    bool failed = ferror(json) != 0;
    if ((fclose(json) != 0 || failed) && status == STATUS_OK)
        return FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    return status;
}

static enum status write_both_formats(struct trace_files *files)
{
    char path[PATH_MAX];
    TRY(trace_otf2_create(files->output, &files->otf2));
    TRY(name_file(files->output->folder, "trace.json", path));
    TRY(output_file_replace(path, 0, write_lanes, files));
    enum status status = trace_otf2_publish(files->otf2);
    if (status != STATUS_OK)
        unlink(path);
    return status;
}

static enum status write_trace_files(struct trace_files *files)
{
    enum status status = write_both_formats(files);
    /* The others send theirs in any case. */
    while (files->n_fetched < trace_n_recorded(&files->output->trace.shape))
        write_lane(files, NULL);
    trace_otf2_destroy(files->otf2);
    return status;
}

/* Makes the folder for the files of a part, and directs output there. */
static enum status enter_folder(struct trace_output *output, MPI_Comm comm, const char *part)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    int n = snprintf(output->folder, PATH_MAX, part ? "%s/%s" : "%s", output->root, part);
    if (n >= PATH_MAX)
        return FAIL(STATUS_IO, "the path %s is too long", output->root);
    return status_agree(comm, rank == 0 ? make_folder(output, output->folder) : STATUS_OK);
}

enum status trace_prepare(struct taskpool_trace *trace, MPI_Comm comm, const char *part)
{
    return trace ? enter_folder((struct trace_output *)trace, comm, part) : STATUS_OK;
}

void trace_sum(struct taskpool_trace *trace, MPI_Comm comm)
{
    struct trace_output *output = (struct trace_output *)trace;
    if (!trace || !trace->logs)
        return;
    snprintf(output->folder, sizeof output->folder, "%s", output->root);
    sum_logs(output, comm);
}

int taskpool_trace_write(struct taskpool_trace *trace, MPI_Comm comm, const char *part)
{
    int rank;
    struct trace_output *output = (struct trace_output *)trace;
    if (!trace || !trace->logs)
        return STATUS_OK;
    struct trace_files files = {.output = output, .comm = comm};
    MPI_Comm_rank(comm, &rank);
    TRY(enter_folder(output, comm, part));
    sum_logs(output, comm);
    enum status status = gather_steals(trace, comm, &files.steals);
    if (status == STATUS_OK && rank == 0)
        status = write_trace_files(&files);
    else if (status == STATUS_OK)
        send_lanes(trace, comm);
    free(files.steals.ids);
    status = status_agree(comm, status);
    output->is_lost = status != STATUS_OK;
    return status;
}
