/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of modes fsc, wf, awf-b and af, one by one, are those of their papers' formulas, computed
 * here from scratch from the durations that the workers have reported. */
#include "sched/pool/core/speeds.h"
#include "sched/pool/modes/modes.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"
#include "tests/cases/recorded_durations.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 8, N_ITERATIONS = 3, RUN_MAX = 20000 };

/* --- the workers: messages arrive at once, time is that of recorded tasks --- */

struct rig_worker {
    struct taskpool_comm comm; /* first */
    struct rig *rig;
    void *state;
    double clock_s;
    bool done;

    /* Durations of the tasks that ran, in order, and with which of the worker's reports each went
     * to the coordinator; the first n_reported have. */
    double times_s[RUN_MAX];
    int reports[RUN_MAX];
    int n_run, n_reported, n_reports;
};

struct rig {
    const struct taskpool_mode *mode;
    int n_workers;
    struct rig_worker workers[WORKERS_MAX];
    const double *speeds; /* by which durations are divided */
    int64_t n_tasks;
    int64_t counter;
    int64_t n_handed_out;

    /* The model: the tasks to be handed out to a worker, of n_left. */
    int64_t (*expected)(struct rig *rig, int worker, int64_t n_left);
    int64_t min_chunk;
    int64_t batch_left, batch_mean; /* of wf, awf-b */
    double weights[WORKERS_MAX];

    int n_parts;
};

static double rig_now(struct taskpool_comm *comm)
{
    return ((struct rig_worker *)comm)->clock_s;
}

static void rig_send(struct taskpool_comm *comm, int to,
                     const struct taskpool_comm_message *message)
{
    struct rig *rig = ((struct rig_worker *)comm)->rig;
    rig->mode->receive(rig->workers[to].state, comm->rank, message->head, message->head_size);
}

static void rig_fetch_add(struct taskpool_comm *comm, int64_t increment)
{
    struct rig_worker *worker = (struct rig_worker *)comm;
    int64_t value = worker->rig->counter;
    worker->rig->counter += increment;
    worker->rig->mode->fetched(worker->state, value);
}

static const struct taskpool_comm_functions rig_functions = {
    .now = rig_now, .send = rig_send, .fetch_add = rig_fetch_add};

static void run_part(struct rig *rig, struct rig_worker *worker, const struct taskpool_range *range)
{
    for (int64_t task = range->first; task < range->last; task++) {
        double time_s = 1e-6 * recorded_durations_us[task % N_RECORDED_DURATIONS] /
                        rig->speeds[worker->comm.rank];
        worker->clock_s += time_s;
        if (rig->mode->finished)
            rig->mode->finished(worker->state, task, time_s);
        assert_true(worker->n_run < RUN_MAX);
        worker->times_s[worker->n_run++] = time_s;
    }
}

/* With its next request a worker reports what it has run since the last. */
static void report_run(struct rig_worker *worker)
{
    worker->n_reports += worker->n_reported < worker->n_run;
    for (; worker->n_reported < worker->n_run; worker->n_reported++)
        worker->reports[worker->n_reported] = worker->n_reports;
}

/* The worker that is the first to be without tasks; NULL: all are done. */
static struct rig_worker *find_next(struct rig *rig)
{
    struct rig_worker *next = NULL;
    for (int i = 0; i < rig->n_workers; i++)
        if (!rig->workers[i].done && (!next || rig->workers[i].clock_s < next->clock_s))
            next = &rig->workers[i];
    return next;
}

/* The worker that is the first to be without tasks gets a chunk. */
static void step_worker(struct rig *rig, struct rig_worker *worker)
{
    struct taskpool_mode_work work = {.n_wanted = 8};
    report_run(worker);
    enum taskpool_mode_step step = rig->mode->next(worker->state, &work);
    worker->done = step == TASKPOOL_MODE_DONE;
    if (step == TASKPOOL_MODE_RUN) {
        int64_t n = rig->expected(rig, worker->comm.rank, rig->n_tasks - rig->n_handed_out);
        assert_int_equal(work.range.first, rig->n_handed_out);
        assert_int_equal(work.range.last - work.range.first, n);
        rig->n_handed_out += n;
        run_part(rig, worker, &work.range);
    } else if (!worker->done) {
        worker->clock_s += 1e-7; /* others have to be notified first */
    }
}

static void run_rig_iteration(struct rig *rig)
{
    struct rig_worker *worker;
    rig->counter = rig->n_handed_out = 0;
    while ((worker = find_next(rig)) != NULL)
        step_worker(rig, worker);
    assert_int_equal(rig->n_handed_out, rig->n_tasks);
}

/* One case, typed. */
struct chunk_case {
    int64_t n_tasks;
    int n_workers;
    int64_t chunk;         /* --chunk */
    const char *option[2]; /* NAME=VALUE, or NULL */
    double speeds[WORKERS_MAX];
};

static void set_case_options(struct taskpool_settings *settings, const struct chunk_case *of)
{
    taskpool_settings_default(settings);
    settings->chunk = of->chunk;
    /* A chunk is then run as a whole, and all of it is reported before the next. */
    check_ok(taskpool_settings_set(settings, "request-when", "0"));
    for (int i = 0; i < 2 && of->option[i]; i++) {
        char name[64];
        const char *value = strchr(of->option[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(value - of->option[i]), of->option[i]);
        check_ok(taskpool_settings_set(settings, name, value + 1));
    }
}

/* Restores all workers; messages of those that begin later arrive early at the others. */
static void restore_rig(struct rig *rig)
{
    bool restored[WORKERS_MAX] = {false};
    for (int n = 0; n < rig->n_workers;)
        for (int i = 0; i < rig->n_workers; i++) {
            if (restored[i])
                continue;
            restored[i] = rig->mode->restore(rig->workers[i].state) == TASKPOOL_MODE_DONE;
            n += restored[i];
            rig->workers[i].done = false;
        }
}

static void create_workers(struct rig *rig, const struct taskpool_mode_setup *setup)
{
    for (int i = 0; i < rig->n_workers; i++) {
        struct rig_worker *worker = &rig->workers[i];
        worker->comm =
            (struct taskpool_comm){.functions = &rig_functions, .rank = i, .size = rig->n_workers};
        worker->rig = rig;
        worker->state = calloc(1, rig->mode->state_size);
        check_ok(rig->mode->init(worker->state, setup, &worker->comm));
    }
}

static void destroy_rig(struct rig *rig)
{
    for (int i = 0; i < rig->n_workers; i++) {
        if (rig->mode->fini)
            rig->mode->fini(rig->workers[i].state);
        free(rig->workers[i].state);
    }
    free(rig);
}

/* known  whether the mode is given the speeds */
static void check_case(const char *mode, const struct chunk_case *of, bool known,
                       int64_t (*expected)(struct rig *, int, int64_t))
{
    struct taskpool_problem problem = {.n_tasks = of->n_tasks};
    struct taskpool_settings settings;
    struct taskpool_mode_setup setup = {.problem = &problem, .settings = &settings};
    int64_t *speed_sums = NULL;
    struct rig *rig = calloc(1, sizeof *rig);
    rig->mode = mode_find(mode);
    rig->n_workers = of->n_workers;
    rig->speeds = of->speeds;
    rig->n_tasks = of->n_tasks;
    rig->expected = expected;
    rig->min_chunk = of->chunk > 0 ? of->chunk : 1;
    set_case_options(&settings, of);
    if (known)
        check_ok(speeds_sum(rig->speeds, rig->n_workers, &speed_sums));
    setup.speed_sums = speed_sums;
    create_workers(rig, &setup);
    for (int iteration = 0; iteration < N_ITERATIONS; iteration++) {
        run_rig_iteration(rig);
        restore_rig(rig);
    }
    destroy_rig(rig);
    free(speed_sums);
}

/* --- fixed-size chunking --- */

/* K of the ten cases, by hand: (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3). */
static const struct {
    struct chunk_case of;
    int64_t K;
} fsc_cases[] = {
    {{1000, 4, 0, {"fsc-overhead=1e-3", "fsc-deviation=1e-2"}, {1, 1, 1, 1, 1, 1, 1, 1}}, 10},
    {{1000, 4, 0, {"fsc-overhead=1e-3", "fsc-deviation=1e-3"}, {1, 1, 1, 1, 1, 1, 1, 1}}, 45},
    {{1000, 4, 0, {"fsc-overhead=1e-3", "fsc-deviation=1e-1"}, {1, 1, 1, 1, 1, 1, 1, 1}}, 3},
    {{1000, 2, 0, {"fsc-overhead=1e-3", "fsc-deviation=1e-2"}, {1, 1, 1, 1, 1, 1, 1, 1}}, 20},
    {{5000, 8, 0, {"fsc-overhead=1e-3", "fsc-deviation=1e-2"}, {1, 1, 1, 1, 1, 1, 1, 1}}, 16},
    {{5000, 7, 0, {"fsc-overhead=2e-5", "fsc-deviation=5e-4"}, {1, 1, 1, 1, 1, 1, 1, 1}}, 10},
    {{1000, 4, 0, {"fsc-overhead=1", "fsc-deviation=1e-3"}, {1, 1, 1, 1, 1, 1, 1, 1}},
     250}, /* N / P */
    {{1000, 4, 6, {"fsc-overhead=1e-6", "fsc-deviation=1"}, {1, 1, 1, 1, 1, 1, 1, 1}},
     6}, /* --chunk */
    {{1000, 1, 0, {"fsc-overhead=1e-3", "fsc-deviation=1"}, {1, 1, 1, 1, 1, 1, 1, 1}}, 1000},
    {{3, 4, 0, {"fsc-overhead=1e-3", "fsc-deviation=1e-3"}, {1, 1, 1, 1, 1, 1, 1, 1}}, 1},
};

static int64_t fsc_K;

static int64_t expect_fsc(struct rig *rig, int worker, int64_t n_left)
{
    (void)rig, (void)worker;
    return fsc_K < n_left ? fsc_K : n_left;
}

static void test_fsc_has_the_chunks_of_its_formula(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fsc_cases / sizeof *fsc_cases; i++) {
        fsc_K = fsc_cases[i].K;
        check_case("fsc", &fsc_cases[i].of, false, expect_fsc);
    }
}

enum { FSC_TASKS = 4000, FSC_WORKERS = 16 };

static double recorded_time(int64_t task, const void *record, const void *context)
{
    (void)record, (void)context;
    return 1e-6 * recorded_durations_us[task % N_RECORDED_DURATIONS];
}

/* With a latency alone, a request takes two of it. */
static void test_fsc_measures_what_is_not_given(void **state)
{
    (void)state;
    const double latency_s = 2e-4;
    double mean_s = 0, variance_s2 = 0;
    for (int task = 0; task < FSC_TASKS; task++)
        mean_s += recorded_time(task, NULL, NULL) / FSC_TASKS;
    for (int task = 0; task < FSC_TASKS; task++)
        variance_s2 += pow(recorded_time(task, NULL, NULL) - mean_s, 2) / (FSC_TASKS - 1);
    double K = ceil(pow(sqrt(2) * FSC_TASKS * 2 * latency_s /
                            (sqrt(variance_s2) * FSC_WORKERS * sqrt(log(FSC_WORKERS))),
                        2.0 / 3));
    struct taskpool_problem problem = {.n_tasks = FSC_TASKS};
    struct taskpool_machine machine = {
        .n_workers = FSC_WORKERS, .latency_s = latency_s, .time = recorded_time};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = "fsc";
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    check_ok(taskpool_run(pool));
    check_ok(taskpool_restore(pool));
    check_ok(taskpool_run(pool));
    /* A request for each chunk, and one beyond the end for each worker but the one with the last
     * chunk; the sum over the tree. */
    assert_int_equal(taskpool_statistics(pool, 0)->messages, FSC_TASKS + FSC_WORKERS - 1);
    assert_true(K > 5 && K < FSC_TASKS / FSC_WORKERS);
    assert_int_equal(taskpool_statistics(pool, 1)->messages,
                     (int64_t)ceil(FSC_TASKS / K) + FSC_WORKERS - 1 + 2 * (FSC_WORKERS - 1));
    taskpool_destroy(pool);
}

/* --- weighted factoring --- */

static const struct chunk_case wf_cases[] = {
    {1000, 4, 0, {NULL}, {1, 1, 1, 1}},
    {1000, 4, 0, {NULL}, {1, 2, 3, 4}},
    {1000, 4, 0, {NULL}, {0.2, 1, 1, 1}},
    {1000, 4, 7, {NULL}, {1, 1, 1, 0.2}},
    {1000, 3, 0, {NULL}, {5, 1, 1}},
    {2999, 8, 0, {NULL}, {1, 0.5, 1, 0.5, 1, 0.5, 1, 0.5}},
    {2999, 8, 20, {NULL}, {1, 1, 1, 1, 1, 1, 1, 0.01}},
    {17, 8, 0, {NULL}, {1, 2, 1, 2, 1, 2, 1, 2}},
    {100, 1, 0, {NULL}, {3}},
    {5, 7, 0, {NULL}, {1, 2, 3, 4, 5, 6, 8}},
};

/* Half of the tasks left, in chunks of w times their mean. */
static int64_t take_from_batch(struct rig *rig, double weight)
{
    int64_t n = (int64_t)floor(weight * (double)rig->batch_mean + 0.5);
    n = n < rig->min_chunk ? rig->min_chunk : n;
    n = n > rig->batch_left ? rig->batch_left : n;
    rig->batch_left -= n;
    return n;
}

static bool begin_batch(struct rig *rig, int64_t n_left)
{
    if (rig->batch_left > 0)
        return false;
    rig->batch_mean = (int64_t)ceil((double)n_left / (2.0 * rig->n_workers));
    if (rig->batch_mean < rig->min_chunk)
        rig->batch_mean = rig->min_chunk;
    rig->batch_left = rig->batch_mean * rig->n_workers;
    if (rig->batch_left > n_left)
        rig->batch_left = n_left;
    return true;
}

static int64_t expect_wf(struct rig *rig, int worker, int64_t n_left)
{
    double sum = 0;
    for (int i = 0; i < rig->n_workers; i++)
        sum += rig->speeds[i];
    begin_batch(rig, n_left);
    return take_from_batch(rig, rig->n_workers * rig->speeds[worker] / sum);
}

static void test_wf_has_the_chunks_of_its_formula(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wf_cases / sizeof *wf_cases; i++)
        check_case("wf", &wf_cases[i], true, expect_wf);
}

/* --- adaptive weighted factoring --- */

static const struct chunk_case adaptive_cases[] = {
    {1000, 4, 0, {NULL}, {1, 1, 1, 1}},
    {1000, 4, 0, {NULL}, {1, 2, 3, 4}},
    {1000, 4, 3, {NULL}, {0.2, 1, 1, 1}},
    {2400, 8, 0, {NULL}, {1, 0.5, 1, 0.5, 1, 0.5, 1, 0.5}},
    {4800, 5, 0, {NULL}, {1, 1, 1, 1, 0.1}},
    {100, 1, 0, {NULL}, {1}},
    {17, 8, 0, {NULL}, {1, 2, 1, 2, 1, 2, 1, 2}},
};
enum { N_ADAPTIVE_CASES = sizeof adaptive_cases / sizeof *adaptive_cases };

/* pi = sum k t / sum k n over the reports of a worker; 0: none. */
static double weighted_mean_s(const struct rig_worker *worker)
{
    double sum_time_s = 0, sum_tasks = 0;
    for (int i = 0; i < worker->n_reported; i++) {
        sum_time_s += worker->reports[i] * worker->times_s[i];
        sum_tasks += worker->reports[i];
    }
    return sum_tasks > 0 ? sum_time_s / sum_tasks : 0;
}

static int64_t expect_awf_b(struct rig *rig, int worker, int64_t n_left)
{
    double sum = 0, n_known = 0;
    if (begin_batch(rig, n_left)) {
        for (int i = 0; i < rig->n_workers; i++) {
            rig->weights[i] = 1;
            double mean_s = weighted_mean_s(&rig->workers[i]);
            n_known += mean_s > 0;
            sum += mean_s > 0 ? 1 / mean_s : 0;
        }
        for (int i = 0; i < rig->n_workers; i++) {
            double mean_s = weighted_mean_s(&rig->workers[i]);
            if (mean_s > 0)
                rig->weights[i] = n_known / (mean_s * sum);
        }
    }
    return take_from_batch(rig, rig->weights[worker]);
}

static void test_awf_b_follows_the_scalar_model(void **state)
{
    (void)state;
    for (int i = 0; i < N_ADAPTIVE_CASES; i++)
        check_case("awf-b", &adaptive_cases[i], false, expect_awf_b);
}

/* --- adaptive factoring --- */

/* Mean and variance by two passes over all durations that a worker has reported. */
static void estimate(const struct rig_worker *worker, double *mean_s, double *variance_s2)
{
    *mean_s = *variance_s2 = 0;
    int n = worker->n_reported;
    for (int i = 0; i < n; i++)
        *mean_s += worker->times_s[i] / n;
    for (int i = 0; i < n; i++)
        *variance_s2 += pow(worker->times_s[i] - *mean_s, 2) / (n - 1);
}

static int64_t expect_af(struct rig *rig, int worker, int64_t n_left)
{
    double D = 0, rate = 0, n_known = 0, mean_s, variance_s2;
    for (int i = 0; i < rig->n_workers; i++)
        if (rig->workers[i].n_reported >= 2) {
            estimate(&rig->workers[i], &mean_s, &variance_s2);
            D += variance_s2 / mean_s;
            rate += 1 / mean_s;
            n_known++;
        }
    int64_t n = 1;
    if (rig->workers[worker].n_reported >= 2) {
        D *= rig->n_workers / n_known;
        double TR = (double)n_left / (rate * rig->n_workers / n_known);
        estimate(&rig->workers[worker], &mean_s, &variance_s2);
        n = (int64_t)floor((D + 2 * TR - sqrt(D * D + 4 * D * TR)) / (2 * mean_s) + 0.5);
        int64_t most = (int64_t)ceil((double)rig->n_tasks / (2.0 * rig->n_workers));
        n = n > most ? most : n;
    }
    n = n < rig->min_chunk ? rig->min_chunk : n;
    return n > n_left ? n_left : n;
}

static void test_af_follows_the_scalar_model(void **state)
{
    (void)state;
    for (int i = 0; i < N_ADAPTIVE_CASES; i++)
        check_case("af", &adaptive_cases[i], false, expect_af);
}

/* --- the request ahead --- */

/* The parts in which 40 tasks are run on one worker, in batches of 20, 10, 5, 3, 1 and 1: each chunk
 * up to the request, then the rest. */
static const int64_t parts_of_2[] = {18, 2, 8, 2, 3, 2, 1, 2, 1, 1, 0},
                     parts_of_15_percent[] = {17, 3, 9, 1, 5, 3, 1, 1, 0};
static const int64_t *parts;

static int64_t expect_part(struct rig *rig, int worker, int64_t n_left)
{
    (void)worker, (void)n_left;
    int64_t part = parts[rig->n_parts++];
    if (parts[rig->n_parts] == 0)
        rig->n_parts = 0;
    return part;
}

static void test_a_chunk_is_requested_when_so_many_tasks_are_left(void **state)
{
    (void)state;
    const struct chunk_case of_2 = {40, 1, 0, {"request-when=2"}, {1}},
                            of_15_percent = {40, 1, 0, {"request-when=-1"}, {1}};
    parts = parts_of_2;
    check_case("wf", &of_2, true, expect_part);
    parts = parts_of_15_percent;
    check_case("wf", &of_15_percent, true, expect_part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fsc_has_the_chunks_of_its_formula),
        cmocka_unit_test(test_fsc_measures_what_is_not_given),
        cmocka_unit_test(test_wf_has_the_chunks_of_its_formula),
        cmocka_unit_test(test_awf_b_follows_the_scalar_model),
        cmocka_unit_test(test_af_follows_the_scalar_model),
        cmocka_unit_test(test_a_chunk_is_requested_when_so_many_tasks_are_left),
    };
    MPI_Init(NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
