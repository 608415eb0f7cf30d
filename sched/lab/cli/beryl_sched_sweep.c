/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/beryl_sched_run.h"

#include "sched/lab/cli/beryl_sched_outputs.h"
#include "sched/lab/cli/sweep_file.h"
#include "sched/lab/profiles/vt_file.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/version.h"
#include "support/io/application.h"
#include "support/io/json.h"
#include "support/mpi/gather.h"
#include "taskpool/taskpool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sweep {
    const struct beryl_sched_options *options;
    MPI_Comm comm;
    bool is_first; /* of the processes */
    struct sweep_file file;
    bool checked; /* the outputs can be written */
    json_t *runs; /* an entry for each: its result, or null if another process ran it */
};

/* --- before --- */

static enum status check_readable(const char *path)
{
    if (path && *path && access(path, R_OK) != 0)
        return FAIL(STATUS_IO, "cannot read %s: %s", path, strerror(errno));
    return STATUS_OK;
}

static enum status check_readable_profile(const char *path)
{
    char first[VT_PATH];
    if (!vt_is_name(path))
        return check_readable(path);
    TRY(vt_file_name(path, 0, first));
    return check_readable(first);
}

static enum status check_line_files(const struct beryl_sched_options *common,
                                    const struct beryl_sched_options *run)
{
    TRY(check_readable_profile(run->workload.profile));
    TRY(check_readable(run->pool.speeds));
    TRY(beryl_sched_try(run));
    return beryl_sched_outputs_check_inputs(common, run);
}

static enum status check_sweep(const struct sweep *sweep)
{
    for (int64_t i = 0; i < sweep->file.n_runs; i++) {
        const struct sweep_run *run = &sweep->file.runs[i];
        enum status status = check_line_files(sweep->options, &run->options);
        if (status != STATUS_OK)
            return sweep_file_fail(&sweep->file, run, status);
    }
    return STATUS_OK;
}

static enum status prepare_sweep(struct sweep *sweep)
{
    int rank;
    MPI_Comm_rank(sweep->comm, &rank);
    sweep->is_first = rank == 0;
    TRY(sweep_file_read(sweep->options, sweep->comm, &sweep->file));
    TRY(status_agree(sweep->comm,
                     sweep->is_first ? beryl_sched_outputs_check(sweep->options) : STATUS_OK));
    sweep->checked = true;
    int failed = (sweep->runs = json_array()) == NULL;
    for (int64_t i = 0; i < sweep->file.n_runs; i++)
        failed |= json_array_append_new(sweep->runs, json_null());
    TRY(status_agree(sweep->comm,
                     failed ? FAIL(STATUS_NO_MEMORY, "no memory for the results") : STATUS_OK));
    return status_agree(sweep->comm, sweep->is_first ? check_sweep(sweep) : STATUS_OK);
}

/* --- the runs --- */

static void print_sweep_run(const struct sweep *sweep, const struct sweep_run *run,
                            const json_t *result)
{
    const json_t *iterations = json_object_get(result, "iterations");
    const json_t *last = json_array_get(iterations, json_array_size(iterations) - 1);
    log_print("%s:%lld: %s, %lld workers: makespan %.6g s, efficiency %.2f %%\n", sweep->file.path,
              (long long)run->line, json_string_value(json_object_get(result, "sched")),
              (long long)run->options.machine.n_workers,
              json_number_value(json_object_get(last, "makespan_seconds")),
              100 * json_number_value(json_object_get(last, "efficiency")));
}

static int simulate_line(int64_t task, void *context)
{
    struct sweep *sweep = context;
    const struct sweep_run *run = &sweep->file.runs[task];
    json_t *result;
    enum status status = beryl_sched_simulate(&run->options, &result);
    if (status != STATUS_OK)
        return sweep_file_fail(&sweep->file, run, status);
    print_sweep_run(sweep, run, result);
    if (json_object_set_new(result, "options_text", json_text(run->text)) != 0 ||
        json_array_set(sweep->runs, (size_t)task, result) != 0)
        status = FAIL(STATUS_NO_MEMORY, "no memory for a result");
    json_decref(result);
    return status;
}

static enum status run_lines(struct sweep *sweep)
{
    struct taskpool_problem problem = {
        .n_tasks = sweep->file.n_runs, .run = simulate_line, .context = sweep};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = "counter";
    TRY(taskpool_create(sweep->comm, &problem, &settings, &pool));
    log_enable(true); /* every process prints its own runs */
    enum status status = taskpool_run(pool);
    log_enable(sweep->is_first);
    taskpool_destroy(pool);
    return status;
}

/* --- the result --- */

/* Takes the entries of another process, or its own, from a text that begins with them.
 * Returns the length of their text, 0 when out of memory. */
static size_t take_entries(json_t *all, const char *text, size_t size)
{
    json_error_t end;
    json_t *runs = json_loadb(text, size, JSON_DISABLE_EOF_CHECK, &end);
    size_t i;
    json_t *entry;
    json_array_foreach(runs, i, entry) if (!json_is_null(entry) &&
                                           json_array_set(all, i, entry) != 0) end.position = 0;
    json_decref(runs);
    return runs ? (size_t)end.position : 0;
}

/* After a failure, those that were completed. */
static void remove_missing_runs(json_t *runs)
{
    for (size_t i = json_array_size(runs); i-- > 0;)
        if (json_is_null(json_array_get(runs, i)))
            json_array_remove(runs, i);
}

static enum status write_sweep_result(const struct sweep *sweep, const char *text, size_t size,
                                      enum status failure)
{
    for (size_t length, done = 0; done < size; done += length)
        if ((length = take_entries(sweep->runs, text + done, size - done)) == 0)
            return FAIL(STATUS_NO_MEMORY, "no memory for the results");
    remove_missing_runs(sweep->runs);
    json_t *result = json_pack("{s:o, s:O}", "command", beryl_sched_options_command(sweep->options),
                               "runs", sweep->runs);
    TRY(CHECK_MEMORY(result, "no memory for the result"));
    enum status status = STATUS_OK;
    if (failure == STATUS_OK)
        status = beryl_sched_outputs_write(sweep->options, result);
    else
        beryl_sched_outputs_write_failed(sweep->options, json_incref(result), failure);
    json_decref(result);
    return status;
}

/* failure: the sweep's, for the result; STATUS_OK: none */
static enum status gather_sweep_result(const struct sweep *sweep, enum status failure)
{
    void *all = NULL;
    int64_t size;
    char *own = json_dumps(sweep->runs, JSON_COMPACT | JSON_REAL_PRECISION(17));
    enum status status = status_agree(sweep->comm, CHECK_MEMORY(own, "no memory for the results"));
    if (status != STATUS_OK)
        goto done;
    const struct gather_part part = {.items = own,
                                     .n_items = (int64_t)strlen(own),
                                     .item_size = 1,
                                     .what = "characters of results"};
    status = gather_to_first(sweep->comm, &part, &all, &size);
    if (status != STATUS_OK)
        goto done;
    if (sweep->is_first)
        status = write_sweep_result(sweep, all, (size_t)size, failure);
    status = status_agree(sweep->comm, status);
done:
    free(own);
    free(all);
    return status;
}

static enum status run_sweep(struct sweep *sweep, bool *accepted)
{
    TRY(prepare_sweep(sweep));
    *accepted = true;
    log_print("beryl-sched %s\n\n%lld simulated runs of %s\n\n", BERYL_VERSION,
              (long long)sweep->file.n_runs, sweep->file.path);
    TRY(run_lines(sweep));
    return gather_sweep_result(sweep, STATUS_OK);
}

enum status beryl_sched_sweep(const struct beryl_sched_options *options, MPI_Comm comm,
                              bool *accepted)
{
    struct sweep sweep = {.options = options, .comm = comm};
    enum status status = run_sweep(&sweep, accepted);
    if (sweep.checked && application_exit_status(status, *accepted) == 1)
        gather_sweep_result(&sweep, status);
    json_decref(sweep.runs);
    sweep_file_fini(&sweep.file);
    return status;
}
