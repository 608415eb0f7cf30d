/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/statistics_report.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/log.h"
#include "support/io/output_buffer.h"
#include "support/mpi/gather.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table of more than MANY iterations shows the first and the last ENDS. */
enum { MANY = 32, ENDS = 5 };

static void print_rows(const struct taskpool_iteration *iterations, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const struct taskpool_iteration *it = &iterations[i];
        double workers = (double)it->n_workers;
        log_print(
            "%9lld %9.4g %8.3g %8.3g %8.3g %8.3g %8.3g %8.3g %8.2f %% %7.2f %% %9.1f %9.1f %9lld\n",
            (long long)it->iteration, it->makespan_s, it->load_mean, it->search_s / workers,
            it->idle_s / workers, it->scheduler_s / workers, it->communication_s / workers,
            it->balance_s, 100 * it->efficiency, 100 * it->imbalance, it->steals_successful.mean,
            it->steals_attempted.mean, (long long)it->messages);
    }
}

/* A line for each of the first MANY changes of the mode's choice. */
static void print_choices(const struct taskpool_iteration *iterations, int64_t n)
{
    const char *last = "";
    int64_t n_printed = 0;
    for (int64_t i = 0; i < n; i++) {
        const struct taskpool_choice *choice = &iterations[i].choice;
        bool is_new = strcmp(choice->what, last) != 0;
        last = choice->what;
        if (!is_new || n_printed == MANY)
            continue;
        if (n_printed++ == 0)
            log_print("\niteration  choice\n");
        log_print("%9lld  %s: %s\n", (long long)iterations[i].iteration, choice->what, choice->why);
    }
}

/* Prints nothing when out of memory. */
static void print_spread(const struct taskpool_iteration *iterations, int64_t n)
{
    double *makespans = malloc((size_t)n * sizeof *makespans);
    double sum = 0;
    if (!makespans)
        return;
    for (int64_t i = 0; i < n; i++)
        sum += makespans[i] = iterations[i].makespan_s;
    numbers_sort(makespans, n);
    log_print("\nMakespans  least %.4g s, median %.4g s, mean %.4g s, 99 %% below %.4g s, largest "
              "%.4g s\n",
              makespans[0], numbers_quantile(makespans, n, 0.5), sum / (double)n,
              makespans[(n - 1) * 99 / 100], makespans[n - 1]);
    free(makespans);
}

void statistics_print(const struct taskpool_iteration *iterations, int64_t n)
{
    log_print("Seconds: makespan, means of the workers, and the balancing before the iteration; "
              "steals and "
              "attempted\nsteals per worker; messages of all\n\n"
              "iteration  makespan     task   search     idle    sched     comm  balance efficiency"
              " imbalance    steals attempted  messages\n");
    if (n <= MANY) {
        print_rows(iterations, n);
    } else {
        print_rows(iterations, ENDS);
        log_print("      ...\n");
        print_rows(iterations + n - ENDS, ENDS);
        print_spread(iterations, n);
    }
    print_choices(iterations, n);
}

static json_t *spread_to_json(const struct taskpool_spread *spread)
{
    return json_pack("{s:f, s:f}", "mean", spread->mean, "sd", spread->sd);
}

static json_t *choice_to_json(const struct taskpool_choice *choice)
{
    return *choice->what ? json_pack("{s:s, s:s}", "what", choice->what, "why", choice->why) : NULL;
}

json_t *statistics_to_json(const struct taskpool_iteration *iteration)
{
    return json_pack(
        "{s:I, s:I, s:f, s:f, s:f, s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, "
        "s:I, s:o*}",
        "iteration", (json_int_t)iteration->iteration, "tasks_run", (json_int_t)iteration->tasks,
        "task_seconds", iteration->task_s, "efficiency", iteration->efficiency, "imbalance",
        iteration->imbalance, "steals_attempted", spread_to_json(&iteration->steals_attempted),
        "steals_successful", spread_to_json(&iteration->steals_successful), "makespan_seconds",
        iteration->makespan_s, "idle_seconds", iteration->idle_s, "search_seconds",
        iteration->search_s, "scheduler_seconds", iteration->scheduler_s, "communication_seconds",
        iteration->communication_s, "balance_seconds", iteration->balance_s, "load_max",
        iteration->load_max, "load_mean", iteration->load_mean, "tasks_moved",
        (json_int_t)iteration->tasks_moved, "messages", (json_int_t)iteration->messages, "bytes",
        (json_int_t)iteration->bytes, "choice", choice_to_json(&iteration->choice));
}

static void write_row(FILE *stream, int64_t iteration, int64_t worker,
                      const struct statistics_worker *w)
{
    fprintf(stream, "%lld,%lld,%lld,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%lld,%lld,%lld,%lld,%lld\n",
            (long long)iteration, (long long)worker, (long long)w->tasks, w->task_s, w->idle_s,
            w->search_s, w->scheduler_s, w->communication_s, w->elapsed_s, w->balance_s,
            (long long)w->messages, (long long)w->bytes, (long long)w->steals_attempted,
            (long long)w->steals_successful, (long long)w->tasks_moved);
}

/* all: [process][iteration][worker of the process]. */
static enum status write_rows(const struct statistics_worker *all, int n_processes,
                              int64_t n_iterations, int n_workers, const char *path)
{
    struct output_buffer table;
    TRY(output_buffer_init(&table, path));
    fputs("iteration,worker,tasks,task_seconds,idle_seconds,search_seconds,scheduler_seconds,"
          "communication_seconds,makespan_seconds,balance_seconds,messages,bytes,"
          "steals_attempted,steals_successful,tasks_moved\n",
          table.stream);
    for (int64_t i = 0; i < n_iterations; i++)
        for (int process = 0; process < n_processes; process++)
            for (int w = 0; w < n_workers; w++)
                write_row(table.stream, i, (int64_t)process * n_workers + w,
                          &all[(process * n_iterations + i) * n_workers + w]);
    enum status status = output_buffer_write(&table, path);
    output_buffer_fini(&table);
    return status;
}

enum status statistics_write_csv(MPI_Comm comm, const struct statistics_worker *workers,
                                 int64_t n_iterations, int n_workers, const char *path)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const struct gather_part part = {.items = workers,
                                     .n_items = n_iterations * n_workers,
                                     .item_size = sizeof *workers,
                                     .what = "rows of statistics"};
    void *all;
    int64_t n_all;
    TRY(gather_to_first(comm, &part, &all, &n_all));
    enum status status = STATUS_OK;
    if (rank == 0)
        status = write_rows(all, size, n_iterations, n_workers, path);
    free(all);
    return status_agree(comm, status);
}
