/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/trace/trace.h"

#include "sched/lab/trace/trace_files.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/die.h"
#include "support/base/node.h"
#include "support/io/output_file.h"
#include "support/mpi/gather.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- folders, on process 0 --- */

const char *trace_json_path(const struct taskpool_settings *settings, char path[TRACE_PATH])
{
    const char *folder = settings->trace_folder;
    bool fits = folder && snprintf(path, TRACE_PATH, "%s/trace.json", folder) < TRACE_PATH;
    return fits ? path : NULL;
}

/* The folder itself, and its parent, are of the kind ".x" as well. */
static bool is_lane_file(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending &&
           (strcmp(ending, ".evt") == 0 || strcmp(ending, ".def") == 0 || strcmp(ending, ".") == 0);
}

/* Whether the folder of lanes, if there is one, has only what an older trace left, which a new one
 * deletes. */
static enum status check_lanes_folder(const char *path)
{
    DIR *lanes = opendir(path);
    bool is_ours = true;
    if (!lanes && errno != ENOENT)
        return FAIL(STATUS_IO, "cannot write %s for --trace: %s", path, strerror(errno));
    for (const struct dirent *entry; lanes && (entry = readdir(lanes));)
        is_ours &= is_lane_file(entry->d_name);
    if (lanes)
        closedir(lanes);
    return is_ours ? STATUS_OK
                   : FAIL(STATUS_IO,
                          "%s has other files than a trace: name another folder for "
                          "--trace",
                          path);
}

/* Makes the folder of a part, directs output there, and checks that its files can be written.
 * part  NULL: the folder of the trace
 * made  out, whether the folder is new */
static enum status enter_folder(struct trace_output *output, const char *part, bool *made)
{
    char path[PATH_MAX + 16];
    int n = snprintf(output->folder, PATH_MAX, part ? "%s/%s" : "%s", output->root, part);
    *made = false;
    if (n + (int)sizeof "/traces.otf2" > PATH_MAX)
        return FAIL(STATUS_IO, "the path %s is too long", output->root);
    *made = mkdir(output->folder, 0777) == 0;
    if (!*made && errno != EEXIST)
        return FAIL(STATUS_IO, "cannot make the folder %s for --trace: %s", output->folder,
                    strerror(errno));
    snprintf(path, sizeof path, "%s/traces", output->folder);
    TRY(check_lanes_folder(path));
    snprintf(path, sizeof path, "%s/trace.json", output->folder);
    return output_file_check(path);
}

/* --- start and end --- */

/* Sets the start of the trace. Processes of a node share a clock. Clocks of different nodes agree
 * to within the time of a barrier. */
static void set_zero(struct trace_output *output, MPI_Comm comm)
{
    int size;
    struct timespec date;
    MPI_Comm_size(comm, &size);
    MPI_Barrier(comm);
    output->trace.zero_s = clock_now_s();
    clock_gettime(CLOCK_REALTIME, &date);
    output->begin_s = (double)date.tv_sec + 1e-9 * (double)date.tv_nsec;
    if (node_count(comm) == size)
        MPI_Bcast(&output->trace.zero_s, 1, MPI_DOUBLE, 0, comm);
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
    output->root = settings->trace_folder;
    enum status status =
        status_agree(comm, rank == 0 ? enter_folder(output, NULL, &output->made_root) : STATUS_OK);
    if (status != STATUS_OK) {
        taskpool_trace_destroy(&output->trace);
        return status;
    }
    set_zero(output, comm);
    settings->trace = &output->trace;
    return STATUS_OK;
}

void taskpool_trace_restart(struct taskpool_trace *trace, MPI_Comm comm)
{
    if (!trace)
        return;
    trace_forget(trace);
    set_zero((struct trace_output *)trace, comm);
    if (trace->shape.is_simulated)
        trace->zero_s = 0;
}

void taskpool_trace_destroy(struct taskpool_trace *trace)
{
    if (!trace)
        return;
    struct trace_output *output = (struct trace_output *)trace;
    if (output->made_root)
        rmdir(output->root); /* if still empty */
    trace_fini(trace);
    free(output);
}

/* --- totals --- */

static void add_tally(struct trace_tally *sum, const struct trace_tally *tally)
{
    sum->spans += tally->spans;
    sum->messages += tally->messages;
    for (int use = 0; use < TRACE_N_USES; use++)
        sum->time_s[use] += tally->time_s[use];
}

void trace_sum(struct taskpool_trace *trace, MPI_Comm comm)
{
    enum { N = sizeof(struct trace_tally) / sizeof(double) };
    struct trace_output *output = (struct trace_output *)trace;
    if (!trace || !trace->logs)
        return;
    output->recorded = (struct trace_tally){0};
    output->dropped = trace->rest.dropped;
    for (int64_t i = 0; i < trace->n_logs; i++) {
        add_tally(&output->recorded, &trace->logs[i].recorded);
        add_tally(&output->dropped, &trace->logs[i].dropped);
    }
    MPI_Allreduce(MPI_IN_PLACE, &output->recorded, N, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &output->dropped, N, MPI_DOUBLE, MPI_SUM, comm);
}

/* --- lanes --- */

/* A sender does not know that its message ends a steal. Collective; on process 0 *steals is to be
 * freed. */
static enum status gather_steals(const struct taskpool_trace *trace, MPI_Comm comm,
                                 struct trace_steals *steals)
{
    int64_t n = 0, n_most = 1;
    for (int64_t i = 0; i < trace->n_logs; i++)
        n_most += trace->logs[i].n_messages;
    uint64_t *ids = malloc((size_t)n_most * sizeof *ids);
    if (!ids)
        die_no_memory("no memory for the steals of a trace");
    for (int64_t i = 0; i < trace->n_logs; i++)
        for (int64_t m = 0; m < trace->logs[i].n_messages; m++) {
            const struct trace_message *message = &trace->logs[i].messages[m];
            if (message->kind == TRACE_RECEIVED && message->stolen)
                ids[n++] = message->id;
        }
    const struct gather_part part = {
        .items = ids, .n_items = n, .item_size = sizeof *ids, .what = "steals of a trace"};
    void *all;
    enum status status = gather_to_first(comm, &part, &all, &steals->n);
    free(ids);
    steals->ids = all;
    if (steals->n > 0)
        qsort(steals->ids, (size_t)steals->n, sizeof *steals->ids, array_ascending);
    return status;
}

static void subtract_zero(const struct taskpool_trace *trace, struct trace_log *log)
{
    for (int64_t i = 0; i < log->n_spans; i++) {
        log->spans[i].begin_s -= trace->zero_s;
        log->spans[i].end_s -= trace->zero_s;
    }
    for (int64_t i = 0; i < log->n_messages; i++)
        log->messages[i].time_s -= trace->zero_s;
}

/* Brings the log of a recorded lane to process 0, where it is to be freed. Collective. */
static enum status gather_lane(struct taskpool_trace *trace, MPI_Comm comm, int64_t index,
                               struct trace_lane *lane)
{
    struct trace_log none = {0};
    int64_t own = index - trace->first_log;
    struct trace_log *log = own >= 0 && own < trace->n_logs ? &trace->logs[own] : &none;
    subtract_zero(trace, log);
    const struct gather_part spans = {.items = log->spans,
                                      .n_items = log->n_spans,
                                      .item_size = sizeof *log->spans,
                                      .what = "spans of a trace"};
    const struct gather_part messages = {.items = log->messages,
                                         .n_items = log->n_messages,
                                         .item_size = sizeof *log->messages,
                                         .what = "messages of a trace"};
    *lane = (struct trace_lane){.trace = trace, .index = index};
    void *all;
    TRY(gather_to_first(comm, &spans, &all, &lane->n_spans));
    lane->spans = all;
    TRY(gather_to_first(comm, &messages, &all, &lane->n_messages));
    lane->messages = all;
    trace_log_fini(log);
    return STATUS_OK;
}

/* --- files, on process 0 --- */

struct trace_files {
    char part[PATH_MAX + 16]; /* the temporary folder in which they are until complete */
    bool made;                /* the folder of the trace is new */
    FILE *json;
    struct trace_otf2 *otf2;
    struct trace_steals steals;
};

static int remove_entry(const char *path, const struct stat *information, int kind,
                        struct FTW *place)
{
    (void)information;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

/* Removes a file, or a folder with all that is in it on the same disk. */
static void remove_tree(const char *path)
{
    enum { MAX_OPEN = 8 };
    nftw(path, remove_entry, MAX_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static enum status open_files(struct trace_output *output, const char *part,
                              struct trace_files *files)
{
    char path[PATH_MAX + 32];
    TRY(enter_folder(output, part, &files->made));
    snprintf(files->part, sizeof files->part, "%s/trace.part", output->folder);
    remove_tree(files->part);
    snprintf(path, sizeof path, "%s/trace.json", files->part);
    if (mkdir(files->part, 0777) != 0 || !(files->json = fopen(path, "w")))
        return FAIL(STATUS_IO, "cannot write %s/trace.json: %s", output->folder, strerror(errno));
    trace_json_begin(&output->trace, files->json);
    return trace_otf2_create(&output->trace, files->part, &files->otf2);
}

static enum status close_json(const struct trace_output *output, struct trace_files *files)
{
    if (!files->json)
        return STATUS_OK;
    trace_json_end(&output->trace, files->json);
    bool failed = fflush(files->json) != 0 || ferror(files->json);
    int error = errno;
    failed |= fclose(files->json) != 0;
    return failed
               ? FAIL(STATUS_IO, "cannot write %s/trace.json: %s", output->folder, strerror(error))
               : STATUS_OK;
}

/* Puts the complete files in the place of older ones. The anchor is deleted first and moved last:
 * without it there is no trace. */
static enum status publish_files(const struct trace_output *output, const struct trace_files *files)
{
    static const char *const names[] = {"traces", "traces.def", "trace.json", "traces.otf2"};
    char from[PATH_MAX + 32], to[PATH_MAX + 16];
    snprintf(to, sizeof to, "%s/traces.otf2", output->folder);
    remove_tree(to);
    for (int i = 0; i < 4; i++) {
        snprintf(from, sizeof from, "%s/%s", files->part, names[i]);
        snprintf(to, sizeof to, "%s/%s", output->folder, names[i]);
        remove_tree(to);
        if (rename(from, to) != 0)
            return FAIL(STATUS_IO, "cannot write %s: %s", to, strerror(errno));
    }
    return STATUS_OK;
}

/* Completes the files after a success, and removes what is not. */
static enum status close_files(const struct trace_output *output, struct trace_files *files,
                               enum status status)
{
    enum status json = close_json(output, files);
    enum status otf2 = files->otf2 ? trace_otf2_close(files->otf2) : STATUS_OK;
    if (status == STATUS_OK)
        status = json != STATUS_OK ? json : otf2;
    if (status == STATUS_OK)
        status = publish_files(output, files);
    if (files->part[0])
        remove_tree(files->part);
    if (files->made)
        rmdir(output->folder); /* if nothing was published */
    return status;
}

/* Collective. Errors of files are left to close_files. */
static enum status write_lanes(struct taskpool_trace *trace, MPI_Comm comm,
                               struct trace_files *files)
{
    struct trace_lane lane;
    TRY(gather_steals(trace, comm, &files->steals));
    for (int64_t i = 0; i < trace_n_recorded(&trace->shape); i++) {
        TRY(gather_lane(trace, comm, i, &lane));
        if (files->json) {
            trace_lane_sort(&lane, &files->steals);
            trace_json_lane(&lane, files->json);
            trace_otf2_lane(files->otf2, &lane);
        }
        free(lane.spans);
        free(lane.messages);
    }
    return STATUS_OK;
}

int taskpool_trace_write(struct taskpool_trace *trace, MPI_Comm comm, const char *part)
{
    int rank;
    struct trace_output *output = (struct trace_output *)trace;
    if (!trace || !trace->logs)
        return STATUS_OK;
    struct trace_files files = {0};
    MPI_Comm_rank(comm, &rank);
    trace_sum(trace, comm);
    enum status status =
        status_agree(comm, rank == 0 ? open_files(output, part, &files) : STATUS_OK);
    if (status == STATUS_OK)
        status = write_lanes(trace, comm, &files);
    if (rank == 0)
        status = close_files(output, &files, status);
    free(files.steals.ids);
    status = status_agree(comm, status);
    output->is_lost = status != STATUS_OK;
    return status;
}
