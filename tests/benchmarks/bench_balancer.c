/* Prints table 3 of Lifflander, Krishnamoorthy, Kale, HPDC 2012, for this balancer:
 * how far above the ideal the most loaded worker ends, in percent, when tasks of
 * the lengths of HF-Be256 are dealt very unevenly and balanced once.
 *
 *     bench_balancer [INPUT]
 *
 * The lengths are those of paper_durations.h, of inputs/be256.xyz unless another Be
 * chain is named. They are sorted and dealt in rounds, the longest first, every n-th
 * worker getting m tasks in a round and the others one. */
#include "sched/balancer.h"
#include "support/darray.h"
#include "tests/balance_case.h"
#include "tests/benchmarks/paper_durations.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n_sizes = 5, n_patterns = 10 };

static const int sizes[n_sizes] = {2400, 4800, 9600, 19200, 38400};
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
    if (!load_s)
        return FAIL(STATUS_NO_MEMORY, "no memory for %d loads", balance->n_workers);
    double max_s = 0;
    for (int64_t task = 0; task < balance->n_tasks; task++)
        load_s[balance->worker[task]] += balance->time_s[task];
    for (int w = 0; w < balance->n_workers; w++)
        max_s = fmax(max_s, load_s[w]);
    *result = max_s * balance->n_workers / sum(load_s, balance->n_workers) - 1;
    free(load_s);
    return STATUS_OK;
}

static enum status run_pattern(struct balance_case *balance, const int *pattern)
{
    printf("%d %d", pattern[0], pattern[1]);
    for (int size = 0; size < n_sizes; size++) {
        double before = 0, central = 0, tree = 0;
        balance->n_workers = sizes[size];
        deal(pattern, balance);
        TRY(imbalance(balance, &before));
        balance->rules.branching = sizes[size];
        TRY(balance_case_run(balance));
        TRY(imbalance(balance, &central));
        deal(pattern, balance);
        balance->rules.branching = 3;
        TRY(balance_case_run(balance));
        TRY(imbalance(balance, &tree));
        printf("  %6.0f %6.2f %6.2f", 100 * before, 100 * central, 100 * tree);
        fflush(stdout);
    }
    printf("\n");
    return STATUS_OK;
}

static enum status print_tables(const struct paper_durations *durations, int32_t *worker)
{
    const double limits[] = {1.003, 1.0003};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct balance_case balance = {.n_tasks = durations->n_tasks,
                                       .time_s = durations->time_s,
                                       .worker = worker,
                                       .rules = {.donate_above = limits[i], .fill_to = limits[i]},
                                       .machine = {.latency_s = 2e-6, .bandwidth = 5e9},
                                       .seed = 1};
        printf("\nC = D = %g: percent above ideal before, central, tree\nn m", limits[i]);
        for (int size = 0; size < n_sizes; size++)
            printf("  %20d", sizes[size]);
        printf("\n");
        for (int pattern = 0; pattern < n_patterns; pattern++)
            TRY(run_pattern(&balance, patterns[pattern]));
    }
    return STATUS_OK;
}

static enum status run(const char *molecule)
{
    struct paper_durations durations;
    TRY(paper_durations_make(molecule, &durations));
    int64_t n = durations.n_tasks;
    printf("%lld tasks, %.0f integrals of %.2f us, tests of %.2f us: mean %.4f s, median %.3f s, "
           "longest %.3f s, shortest %.2g s\n",
           (long long)n, durations.integrals, 1e6 * durations.integral_s, 1e6 * durations.test_s,
           sum(durations.time_s, n) / (double)n, durations.time_s[n / 2], durations.time_s[0],
           durations.time_s[n - 1]);
    int32_t *worker = malloc((size_t)n * sizeof *worker);
    enum status status =
        worker ? print_tables(&durations, worker) : FAIL(STATUS_NO_MEMORY, "no memory for tasks");
    free(worker);
    paper_durations_fini(&durations);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    enum status status = darray_start();
    if (status == STATUS_OK) {
        status = run(argc > 1 ? argv[1] : BERYL_INPUTS "/be256.xyz");
        darray_stop();
    }
    if (status != STATUS_OK)
        fprintf(stderr, "bench_balancer: %s\n", status_text());
    MPI_Finalize();
    return status_exit_code(status);
}
