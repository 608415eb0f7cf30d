/* SPDX-License-Identifier: BSD-3-Clause */
/* Table 3 of Lifflander, Krishnamoorthy, Kale, HPDC 2012, for this balancer: how far above
 * the ideal the most loaded worker ends, in percent, when tasks are dealt very unevenly and
 * balanced once, centrally, by the tree and by the tree as published (--as-published), and how
 * long that takes, with speeds as persist learns them: seconds of the network, simulated with the figures
 * of a Cray of that time (1.5 us, 5 GB/s, 0.5 us of the processors for a message), and of the
 * busiest worker's processor, measured.
 *
 *     bench_balancer PROFILE.csv [RESULT.json [MAX_WORKERS [LIMIT]]]
 *
 * The tasks are sorted and dealt in rounds, the longest first, every n-th worker getting m
 * tasks in a round and the others one. LIMIT is C = D, the paper's 1.003. */
#include "sched/lab/profiles/profile.h"
#include "sched/pool/balancing/balancer.h"
#include "support/io/json.h"
#include "tests/cases/balance_case.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define PAPER_LIMIT 1.003 /* C = D */

enum { n_sizes = 5, n_patterns = 10, MAX_WORKERS = 38400 };

static const int sizes[n_sizes] = {2400, 4800, 9600, 19200, MAX_WORKERS};
static const int patterns[n_patterns][2] = {{1, 1}, {2, 2}, {2, 4}, {2, 8}, {4, 2},
                                            {4, 4}, {4, 8}, {8, 2}, {8, 4}, {8, 8}};

static double sum(const double *list, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += list[i];
    return total;
}

static void deal(const int *pattern, const struct balance_case *balance)
{
    for (int64_t task = 0; task < balance->n_tasks;)
        for (int w = 0; w < balance->n_workers; w++)
            for (int i = 0; i < (w % pattern[0] == 0 ? pattern[1] : 1) && task < balance->n_tasks;
                 i++)
                balance->worker[task++] = w;
}

/* The most loaded worker's load over the average, less one. */
static enum status imbalance(const struct balance_case *balance, double *result)
{
    double *load_s = calloc((size_t)balance->n_workers, sizeof *load_s);
    TRY(CHECK_MEMORY(load_s, "no memory for %d loads", balance->n_workers));
    double max_s = 0;
    for (int64_t task = 0; task < balance->n_tasks; task++)
        load_s[balance->worker[task]] += balance->time_s[task];
    for (int w = 0; w < balance->n_workers; w++)
        max_s = fmax(max_s, load_s[w]);
    *result = max_s * balance->n_workers / sum(load_s, balance->n_workers) - 1;
    free(load_s);
    return STATUS_OK;
}

/* One way of balancing. */
struct outcome {
    double percent; /* above ideal */
    double network_s, processor_s;
};

static enum status balance_once(struct balance_case *balance, const int *pattern, int branching,
                                bool as_published, struct outcome *outcome)
{
    deal(pattern, balance);
    balance->rules.branching = branching;
    balance->rules.as_published = as_published;
    TRY(balance_case_run(balance));
    TRY(imbalance(balance, &outcome->percent));
    outcome->percent *= 100;
    outcome->network_s = balance->network_s;
    outcome->processor_s = balance->processor_s;
    return STATUS_OK;
}

static json_t *outcome_to_json(const struct outcome *outcome)
{
    return json_pack("{s:f,s:f,s:f}", "percent", outcome->percent, "network_seconds",
                     outcome->network_s, "processor_seconds", outcome->processor_s);
}

static enum status run_size(struct balance_case *balance, const int *pattern, json_t *rows)
{
    double before;
    struct outcome central, tree, published;
    deal(pattern, balance);
    TRY(imbalance(balance, &before));
    TRY(balance_once(balance, pattern, balance->n_workers, false, &central));
    TRY(balance_once(balance, pattern, 3, false, &tree));
    TRY(balance_once(balance, pattern, 3, true, &published));
    printf(" |%6.0f %6.3f %6.2f %6.2f %7.4f %7.4f", 100 * before, central.percent, tree.percent,
           published.percent, central.network_s + central.processor_s,
           tree.network_s + tree.processor_s);
    fflush(stdout);
    json_array_append_new(rows, json_pack("{s:f,s:i,s:i,s:i,s:f,s:o,s:o,s:o}", "limit",
                                          balance->rules.fill_to, "n", pattern[0], "m", pattern[1],
                                          "workers", balance->n_workers, "before_percent",
                                          100 * before, "central", outcome_to_json(&central),
                                          "tree", outcome_to_json(&tree), "tree as published",
                                          outcome_to_json(&published)));
    return STATUS_OK;
}

static enum status run_limit(struct balance_case *balance, int64_t max_workers, json_t *rows)
{
    printf("\nC = D = %g: percent above ideal before, central, tree, tree as published; "
           "seconds central, tree\nn m",
           balance->rules.fill_to);
    for (int size = 0; size < n_sizes && sizes[size] <= max_workers; size++)
        printf(" |%43d", sizes[size]);
    for (int pattern = 0; pattern < n_patterns; pattern++) {
        printf("\n%d %d", patterns[pattern][0], patterns[pattern][1]);
        for (int size = 0; size < n_sizes && sizes[size] <= max_workers; size++) {
            balance->n_workers = sizes[size];
            TRY(run_size(balance, patterns[pattern], rows));
        }
    }
    printf("\n");
    return STATUS_OK;
}

static int compare_descending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

static enum status run_tasks(const struct profile *profile, double limit, int64_t max_workers,
                             json_t *rows)
{
    double speeds[MAX_WORKERS];
    int32_t *worker = malloc((size_t)profile->n * sizeof *worker);
    TRY(CHECK_MEMORY(worker, "no memory for tasks"));
    for (int i = 0; i < MAX_WORKERS; i++)
        speeds[i] = 1;
    struct balance_case balance = {
        .n_tasks = profile->n,
        .time_s = profile->seconds,
        .worker = worker,
        .rules = {.donate_above = limit, .fill_to = limit, .seed = 1},
        .machine = {.latency_s = 1.5e-6, .bandwidth = 5e9, .overhead_s = 5e-7},
        .speeds = speeds};
    enum status status = run_limit(&balance, max_workers, rows);
    free(worker);
    return status;
}

static enum status run(int argc, char **argv)
{
    struct profile profile;
    TRY(profile_read(MPI_COMM_WORLD, argv[1], &profile));
    qsort(profile.seconds, (size_t)profile.n, sizeof(double), compare_descending);
    printf("%lld tasks: mean %.4f s, median %.3f s, longest %.3f s, shortest %.2g s\n",
           (long long)profile.n, sum(profile.seconds, profile.n) / (double)profile.n,
           profile.seconds[profile.n / 2], profile.seconds[0], profile.seconds[profile.n - 1]);
    json_t *rows = json_array();
    enum status status = run_tasks(&profile, argc > 4 ? atof(argv[4]) : PAPER_LIMIT,
                                   argc > 3 ? atoll(argv[3]) : INT64_MAX, rows);
    if (status == STATUS_OK && argc > 2)
        status = json_write_file(rows, argv[2]);
    json_decref(rows);
    profile_fini(&profile);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    enum status status = STATUS_USAGE;
    if (argc < 2)
        fprintf(stderr, "Usage: bench_balancer PROFILE.csv [RESULT.json [MAX_WORKERS [LIMIT]]]\n");
    else if ((status = run(argc, argv)) != STATUS_OK)
        fprintf(stderr, "bench_balancer: %s\n", status_text());
    MPI_Finalize();
    return status_exit_code(status);
}
