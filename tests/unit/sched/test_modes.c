/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes themselves, without MPI: workers of one process that take turns
 * over a shared counter which answers late and in any order. */
#include "sched/pool/modes/mode_options.h"
#include "sched/pool/modes/modes.h"
#include "sched/pool/queues/task_ranges.h"
#include "support/base/random.h"
#include "taskpool/mode.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

struct fake_worker {
    struct taskpool_comm comm; /* first */
    bool asked;
    int64_t increment;
    void *state;
    bool done;
};

static void fake_fetch_add(struct taskpool_comm *comm, int64_t increment)
{
    struct fake_worker *worker = (struct fake_worker *)comm;
    assert_false(worker->asked);
    worker->asked = true;
    worker->increment = increment;
}

static const struct taskpool_comm_functions fake_functions = {.fetch_add = fake_fetch_add};

/* Workers that take turns; the ranges that they are given to run are checked to be
 * [0, n), in the order of the counter's answers. */
struct fake_run {
    const struct taskpool_mode *mode;
    struct fake_worker *workers;
    int n_workers;
    int64_t counter;
    int64_t next_task;
    int64_t n_chunks;
    int64_t sizes[64]; /* of the first n_chunks */
};

static void take_turn(struct fake_run *run, struct fake_worker *worker)
{
    struct taskpool_mode_work work = {.n_wanted = 8};
    if (worker->asked) {
        int64_t value = run->counter;
        assert_false(__builtin_add_overflow(run->counter, worker->increment, &run->counter));
        worker->asked = false;
        run->mode->fetched(worker->state, value);
    }
    enum taskpool_mode_step step = run->mode->next(worker->state, &work);
    if (step == TASKPOOL_MODE_RUN) {
        assert_int_equal(work.range.first, run->next_task);
        assert_true(work.range.last > work.range.first);
        assert_int_equal(work.range.step, 1);
        run->next_task = work.range.last;
        if (run->n_chunks < (int64_t)N_OF(run->sizes))
            run->sizes[run->n_chunks] = taskpool_range_count(&work.range);
        run->n_chunks++;
    }
    worker->done = step == TASKPOOL_MODE_DONE;
}

static void run_iteration(struct fake_run *run, struct random_stream *random)
{
    run->counter = run->next_task = run->n_chunks = 0;
    int n_done = 0;
    for (int i = 0; i < run->n_workers; i++)
        run->workers[i].done = false;
    while (n_done < run->n_workers) {
        struct fake_worker *worker = &run->workers[random_below(random, (uint64_t)run->n_workers)];
        if (worker->done)
            continue;
        take_turn(run, worker);
        n_done += worker->done;
    }
}

/* Three iterations of a mode over the counter; the last one is described by the result, whose
 * workers are gone. */
static struct fake_run run_over_counter(const char *mode, int64_t n_tasks, int n_workers,
                                        int64_t chunk)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks};
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    settings.chunk = chunk;
    struct taskpool_mode_setup setup = {.problem = &problem, .settings = &settings};
    struct fake_run run = {.mode = mode_find(mode),
                           .workers = calloc((size_t)n_workers, sizeof *run.workers),
                           .n_workers = n_workers};
    struct random_stream random;
    random_stream_init(&random, (uint64_t)n_tasks, (uint64_t)n_workers);
    for (int i = 0; i < n_workers; i++) {
        struct fake_worker *worker = &run.workers[i];
        worker->comm =
            (struct taskpool_comm){.functions = &fake_functions, .rank = i, .size = n_workers};
        worker->state = calloc(1, run.mode->state_size);
        check_ok(run.mode->init(worker->state, &setup, &worker->comm));
    }
    for (int iteration = 0; iteration < 3; iteration++) {
        run_iteration(&run, &random);
        assert_int_equal(run.next_task, n_tasks);
        for (int i = 0; i < n_workers; i++) {
            assert_true(run.mode->progress(run.workers[i].state, 0) == 1);
            assert_int_equal(run.mode->restore(run.workers[i].state), TASKPOOL_MODE_DONE);
        }
    }
    for (int i = 0; i < n_workers; i++)
        free(run.workers[i].state);
    free(run.workers);
    run.workers = NULL;
    return run;
}

static const char *const over_counter[] = {"counter", "guided", "factoring", "trapezoid"};

TEST(every_task_is_handed_out_once)
{
    const int64_t n_tasks[] = {0, 1, 2, 7, 1000};
    const int64_t chunks[] = {0, 1, 3, 1000, INT64_MAX};
    const int n_workers[] = {1, 2, 3, 7, 64};
    for (size_t w = 0; w < N_OF(n_workers); w++)
        for (size_t m = 0; m < N_OF(over_counter); m++) {
            for (size_t i = 0; i < N_OF(n_tasks) * N_OF(chunks); i++)
                run_over_counter(over_counter[m], n_tasks[i % N_OF(n_tasks)], n_workers[w],
                                 chunks[i / N_OF(n_tasks)]);
            /* At the limit of IDs. */
            run_over_counter(over_counter[m], TASKPOOL_MAX_TASKS, n_workers[w], INT64_MAX);
            run_over_counter(over_counter[m], TASKPOOL_MAX_TASKS, n_workers[w], INT64_C(1) << 50);
            if (m > 0)
                run_over_counter(over_counter[m], INT64_C(21743271936), n_workers[w], 1);
        }
}

/* 100 tasks on 4 workers: ceil(R / 4) of R tasks left; ceil(R / 8), four times each; f = 12 and
 * l = 1, chunks that begin at 12 i - 11 i (i - 1) / 30, the last two of 16 beyond the end. */
TEST(chunks_are_those_of_the_papers)
{
    static const struct {
        const char *mode;
        int64_t chunk, sizes[24]; /* up to 0 */
    } rows[] = {
        {"guided", 0, {25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1}},
        {"guided", 3, {25, 19, 14, 11, 8, 6, 5, 3, 3, 3, 3}},
        {"factoring", 0, {13, 13, 13, 13, 6, 6, 6, 6, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1}},
        {"trapezoid", 0, {12, 11, 10, 10, 9, 9, 7, 7, 6, 6, 4, 4, 3, 2}},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct fake_run run = run_over_counter(rows[i].mode, 100, 4, rows[i].chunk);
        assert_memory_equal(run.sizes, rows[i].sizes, sizeof rows[i].sizes);
    }
}

TEST(names_are_the_modes)
{
    char names[1024] = "";
    for (int i = 0; i < mode_count(); i++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? "," : "",
                 mode_at(i)->name);
        assert_ptr_equal(mode_find(mode_at(i)->name), mode_at(i));
        assert_non_null(mode_at(i)->help);
    }
    assert_string_equal(taskpool_mode_names(), names);
    assert_null(mode_find("stat"));
    assert_true(mode_find("lpt")->is_bound);
    check_ok(mode_check_real(mode_find("static")));
    check_status(STATUS_USAGE, mode_check_real(mode_find("lpt")));
}
