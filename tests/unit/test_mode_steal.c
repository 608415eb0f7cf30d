/* What static, steal and retentive show in their messages: by hand, between workers
 * whose messages wait in a list until the test delivers them, and in simulation. */
#include "sched/stealing.h"
#include "tests/check.h"
#include "tests/parallel/pool_cases.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WORKERS = 64, MAX_TASKS = 20000 };

/* --- by hand --- */

struct letter {
    int from, to;
    int64_t token;
    const void *bulk; /* read only on delivery */
    size_t head_size, bulk_size;
    char head[64];
};

struct hand_worker {
    struct comm comm;          /* first */
    struct stealing *stealing; /* the mode's state, which begins with it */
};

/* What is under way between workers that a test drives. */
static struct letter letters[64];
static int n_letters;
static struct hand_worker workers[16];
static const struct mode *mode;
static struct taskpool_problem problem;
static struct taskpool_settings settings;
static struct mode_setup setup = {.problem = &problem, .settings = &settings};

static void hand_send(struct comm *comm, int to, const struct comm_message *message)
{
    struct letter letter = {.from = comm->rank,
                            .to = to,
                            .token = message->token,
                            .bulk = message->bulk,
                            .head_size = message->head_size,
                            .bulk_size = message->bulk ? message->bulk_size : 0};
    assert_true(to != comm->rank && to >= 0 && to < comm->size);
    if (*(const int32_t *)message->head == STEALING_TERMINATION)
        return; /* how the end is found is not looked at here */
    assert_true(message->head_size <= sizeof letter.head && n_letters < 64);
    memcpy(letter.head, message->head, message->head_size);
    letters[n_letters++] = letter;
}

static const struct comm_functions hand_functions = {.send = hand_send};

/* So many workers without a task, in nodes of four. */
static void hire(int n, const char *command_line)
{
    static const int ranks[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    settings = pool_case_settings(command_line);
    mode = mode_find(settings.mode);
    problem = (struct taskpool_problem){0};
    n_letters = 0;
    for (int i = 0; i < n; i++) {
        workers[i].comm = (struct comm){.functions = &hand_functions,
                                        .rank = i,
                                        .size = n,
                                        .node_ranks = ranks + i / 4 * 4,
                                        .n_node_ranks = n < 4 ? n : 4};
        random_stream_init(&workers[i].comm.random, 1, (uint64_t)i);
        workers[i].stealing = calloc(1, mode->state_size);
        check_ok(mode->init(workers[i].stealing, &setup, &workers[i].comm));
    }
}

static void dismiss(int n)
{
    for (int i = 0; i < n; i++) {
        mode->fini(workers[i].stealing);
        free(workers[i].stealing);
    }
}

/* Gives a worker the tasks 0, 10, 20, ..., in ranges of so many. */
static void load(int worker, int64_t n_tasks, int64_t n_per_range)
{
    struct task_ranges ranges = {0};
    struct task_range list[256];
    for (int64_t i = 0; i < n_tasks; i += n_per_range)
        list[ranges.n++] = (struct task_range){10 * i, 10 * (i + n_per_range), 10};
    ranges.list = list;
    check_ok(stealing_push(workers[worker].stealing, &ranges));
}

static enum mode_step next(int worker, int64_t n_wanted, struct task_range *range)
{
    struct mode_work work = {.n_wanted = n_wanted};
    enum mode_step step = stealing_next(workers[worker].stealing, &work);
    *range = step == MODE_RUN ? work.range : (struct task_range){0, 0, 1};
    return step;
}

/* A thief's request reaches the victim. */
static void request(int thief, int victim)
{
    _Alignas(8) int32_t kind = STEALING_REQUEST;
    stealing_receive(workers[victim].stealing, thief, &kind, sizeof kind);
}

static int32_t kind_of(const struct letter *letter)
{
    int32_t kind;
    memcpy(&kind, letter->head, sizeof kind);
    return kind;
}

static void deliver(int i)
{
    struct letter letter = letters[i];
    _Alignas(16) char bytes[4096];
    letters[i] = letters[--n_letters];
    assert_true(letter.head_size + letter.bulk_size <= sizeof bytes);
    memcpy(bytes, letter.head, letter.head_size);
    if (letter.bulk)
        memcpy(bytes + letter.head_size, letter.bulk, letter.bulk_size);
    stealing_receive(workers[letter.to].stealing, letter.from, bytes,
                     letter.head_size + letter.bulk_size);
    if (letter.bulk)
        stealing_sent(workers[letter.from].stealing, letter.token);
}

/* How many tasks a request of thief 1 to worker 0 moves, 0 for a refusal. */
static int64_t steal(void)
{
    struct task_deque *deque = &workers[1].stealing->deque;
    int64_t n_before = task_deque_n_tasks(deque);
    assert_int_equal(n_letters, 0);
    request(1, 0);
    assert_int_equal(n_letters, 1);
    assert_int_equal(letters[0].to, 1);
    deliver(0);
    return task_deque_n_tasks(deque) - n_before;
}

/* Runs all that a worker has, which is `n` tasks, and counts by task. */
static void run_out(int worker, int64_t n, int *n_runs)
{
    struct task_range range;
    while (n > 0) {
        assert_int_equal(next(worker, 3, &range), MODE_RUN);
        n -= task_range_count(&range);
        for (int64_t task = range.first; task < range.last; task += range.step)
            n_runs[task / 10]++;
    }
    assert_int_equal(n, 0);
    assert_int_equal(task_deque_n_tasks(&workers[worker].stealing->deque), 0);
}

static void check_each_once(const int *n_runs, int64_t n_tasks)
{
    for (int64_t i = 0; i < n_tasks; i++)
        assert_int_equal(n_runs[i], 1);
}

static void test_half_of_what_is_shared_goes(void **state)
{
    (void)state;
    int n_runs[100] = {0};
    struct task_range range;
    hire(2, "--sched=steal");
    load(0, 100, 100);
    assert_int_equal(steal(), 0); /* nothing is shared yet */
    assert_int_equal(next(0, 8, &range), MODE_RUN);
    assert_int_equal(range.first, 0);
    assert_int_equal(range.last, 80);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 46); /* half of 92 */
    const int64_t halves[] = {23, 12, 6, 3, 1, 1, 0};
    for (int i = 0; i < 7; i++)
        assert_int_equal(steal(), halves[i]);
    /* The eight are the victim's, as are the other 46. */
    for (int i = 0; i < 8; i++)
        n_runs[i]++;
    run_out(0, 46, n_runs);
    for (int i = 0; i < 54; i++)
        assert_int_equal(n_runs[i], 1);
    run_out(1, 46, n_runs);
    check_each_once(n_runs, 100);
    dismiss(2);
}

static void test_so_many_as_are_asked_for(void **state)
{
    (void)state;
    struct task_range range;
    const int64_t per_range[] = {100, 1};
    for (int i = 0; i < 2; i++) {
        hire(2, "--sched=steal --steal=7");
        load(0, 100, per_range[i]);
        next(0, 1, &range);
        int64_t n_shared = workers[0].stealing->deque.shared_tasks;
        for (; n_shared > 7; n_shared -= 7)
            assert_int_equal(steal(), 7);
        assert_int_equal(steal(), n_shared);
        assert_int_equal(steal(), 0);
        dismiss(2);
    }
}

static void test_no_fewer_than_a_chunk(void **state)
{
    (void)state;
    struct task_range range;
    hire(2, "--sched=steal --chunk=10");
    load(0, 27, 27);
    next(0, 8, &range);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 0); /* 9 would be half */
    assert_int_equal(steal(), 0);
    dismiss(2);

    hire(2, "--sched=steal --chunk=10");
    load(0, 100, 100);
    next(0, 8, &range);
    const int64_t moves[] = {23, 12, 10, 1, 0};
    for (int i = 0; i < 5; i++)
        assert_int_equal(steal(), moves[i]);
    dismiss(2);

    /* 15 are shared when the worker has run the others: it takes 10 back, not 7. */
    hire(2, "--sched=steal --chunk=10");
    load(0, 31, 31);
    for (int64_t n_run = 0; n_run < 16; n_run += task_range_count(&range))
        assert_int_equal(next(0, 1, &range), MODE_RUN);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 15);
    assert_int_equal(next(0, 1, &range), MODE_RUN);
    assert_int_equal(workers[0].stealing->deque.local_tasks, 9);
    assert_int_equal(workers[0].stealing->deque.shared_tasks, 5);
    dismiss(2);
}

/* Two transfers are under way at once, the worker runs on and gets more meanwhile,
 * so that its ring grows, and the second arrives first. */
static void test_transfers_overlap(void **state)
{
    (void)state;
    int n_runs[128] = {0};
    struct task_range range;
    hire(3, "--sched=steal");
    load(0, 64, 1);
    next(0, 1, &range);
    n_runs[range.first / 10]++;
    request(1, 0);
    request(2, 0);
    assert_int_equal(n_letters, 2);
    assert_true(letters[0].bulk && letters[1].bulk);
    int64_t n_given[3] = {0, letters[0].token, letters[1].token};
    assert_true(letters[0].to == 1 && n_given[1] == 16 && n_given[2] == 8);
    for (int i = 0; i < 5; i++) {
        next(0, 1, &range);
        n_runs[range.first / 10]++;
    }
    for (int64_t task = 64; task < 128; task++)
        check_ok(task_deque_push_range(&workers[0].stealing->deque,
                                       (struct task_range){10 * task, 10 * task + 10, 10}));
    deliver(1);
    assert_int_equal(letters[0].to, 1);
    deliver(0);
    for (int worker = 0; worker < 3; worker++)
        run_out(worker, task_deque_n_tasks(&workers[worker].stealing->deque), n_runs);
    check_each_once(n_runs, 128);
    dismiss(3);
}

/* Has worker 9 asked and refused once; whom it asked. */
static int ask_and_be_refused(void)
{
    struct task_range range;
    assert_int_equal(next(9, 1, &range), MODE_SEARCH);
    assert_int_equal(n_letters, 1);
    assert_int_equal(kind_of(&letters[0]), STEALING_REQUEST);
    int victim = letters[0].to;
    /* One request at a time. */
    assert_int_equal(next(9, 1, &range), MODE_SEARCH);
    assert_int_equal(n_letters, 1);
    deliver(0);
    assert_int_equal(n_letters, 1);
    assert_int_equal(kind_of(&letters[0]), STEALING_REFUSAL);
    deliver(0);
    assert_int_equal(n_letters, 0);
    return victim;
}

static void test_a_refused_thief_asks_another_at_once(void **state)
{
    (void)state;
    int n_asked[16] = {0};
    hire(16, "--sched=steal");
    for (int i = 0; i < 1500; i++)
        n_asked[ask_and_be_refused()]++;
    assert_int_equal(n_asked[9], 0);
    /* Each of the 15 as often as any: 100 times, with a standard deviation of 9.7. */
    for (int i = 0; i < 16; i++)
        if (i != 9)
            assert_in_range(n_asked[i], 60, 140);
    dismiss(16);
}

/* The three others of the node first, as often as there are such; then any. */
static void test_the_own_node_first(void **state)
{
    (void)state;
    hire(16, "--sched=steal --victim=node");
    int n_far = 0;
    for (int i = 0; i < 600; i++) {
        bool is_near = ask_and_be_refused() / 4 == 9 / 4;
        assert_true(i % 6 >= 3 || is_near);
        n_far += !is_near;
    }
    assert_in_range(n_far, 200, 280); /* 12 of 15 of 300: 240 */
    /* After a success the node is asked first again. */
    for (int i = 0; i < 3; i++)
        ask_and_be_refused();
    struct task_range range;
    load(1, 100, 100);
    next(1, 1, &range);
    assert_int_equal(next(9, 1, &range), MODE_SEARCH);
    letters[0].to = 1;
    deliver(0);
    deliver(0);
    int n_runs[100] = {0};
    run_out(9, task_deque_n_tasks(&workers[9].stealing->deque), n_runs);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ask_and_be_refused() / 4, 9 / 4);
    dismiss(16);
}

/* Runs all that two workers have between them, without a message; the tasks of
 * each in the order of running. */
static void run_out_in_order(int64_t order[2][128], int64_t n_tasks[2])
{
    struct task_range range;
    for (int worker = 0; worker < 2; worker++)
        while (task_deque_n_tasks(&workers[worker].stealing->deque) > 0) {
            assert_int_equal(next(worker, 3, &range), MODE_RUN);
            for (int64_t task = range.first; task < range.last; task += range.step)
                order[worker][n_tasks[worker]++] = task;
        }
    assert_int_equal(n_letters, 0);
}

static void test_retentive_runs_the_same_in_the_same_order(void **state)
{
    (void)state;
    static int64_t order[4][2][128];
    int64_t n_tasks[4][2] = {{0}};
    struct task_range range;
    hire(2, "--sched=retentive");
    load(0, 120, 40);
    next(0, 1, &range);
    order[0][0][n_tasks[0][0]++] = range.first;
    assert_true(steal() > 0);
    assert_true(steal() > 0);
    run_out_in_order(order[0], n_tasks[0]);
    assert_int_equal(n_tasks[0][0] + n_tasks[0][1], 120);
    for (int i = 1; i < 4; i++) {
        for (int worker = 0; worker < 2; worker++)
            assert_int_equal(mode->restore(workers[worker].stealing), MODE_DONE);
        run_out_in_order(order[i], n_tasks[i]);
        assert_memory_equal(n_tasks[i], n_tasks[0], sizeof n_tasks[0]);
        assert_memory_equal(order[i], order[0], sizeof order[0]);
    }
    dismiss(2);
}

/* --- in simulation --- */

/* What a run shows. */
struct run {
    int n_workers;
    int64_t n_tasks;
    int64_t n_messages; /* seen so far */
    int n_runs[MAX_TASKS];
    int worker[MAX_TASKS]; /* that ran it in this iteration */
    struct statistics_iteration figures;
};

static double equal(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1e-3;
}

/* From 1 to 100 units, in no order, and the first tenth of the tasks five times
 * longer. */
static double uneven(int64_t task, const void *record, const void *context)
{
    const struct run *run = context;
    (void)record;
    return 1e-4 * (double)(1 + task * 7919 % 100) * (task < run->n_tasks / 10 ? 5 : 1);
}

static enum status count_run(int64_t task, void *context)
{
    struct run *run = context;
    run->n_runs[task]++;
    return STATUS_OK;
}

/* The first message of all: its sender has run all that it was seeded with. */
static void watch(int from, int to, const void *message, size_t size, void *context)
{
    struct run *run = context;
    (void)to;
    (void)message;
    (void)size;
    if (run->n_messages++ > 0)
        return;
    struct task_range range = task_range_block(run->n_tasks, run->n_workers, from);
    for (int64_t task = range.first; task < range.last; task++)
        assert_int_equal(run->n_runs[task], 1);
}

static struct taskpool *simulate(struct run *run, const char *command_line,
                                 struct taskpool_machine *machine)
{
    struct taskpool_settings chosen = pool_case_settings(command_line);
    struct taskpool_problem work = {.n_tasks = run->n_tasks, .run = count_run, .context = run};
    struct taskpool *pool;
    chosen.keep_history = true;
    machine->n_workers = run->n_workers;
    machine->observe = watch;
    machine->context = machine->observer = run;
    check_ok(taskpool_simulate(&work, &chosen, machine, &pool));
    return pool;
}

static void iterate(struct run *run, struct taskpool *pool, int iteration)
{
    if (iteration > 0)
        check_ok(taskpool_restore(pool));
    check_ok(taskpool_run(pool));
    run->figures = *taskpool_statistics(pool, iteration);
    const struct history *history = taskpool_history(pool);
    assert_int_equal(history->n_entries, run->n_tasks);
    for (int64_t i = 0; i < history->n_entries; i++)
        run->worker[history->entries[i].task] = history->entries[i].worker;
    for (int64_t task = 0; task < run->n_tasks; task++)
        assert_int_equal(run->n_runs[task], iteration + 1);
}

static void test_static_sends_no_message(void **state)
{
    (void)state;
    static struct run run;
    const char *const modes[] = {"--sched=static --seeding=block",
                                 "--sched=static --seeding=cyclic"};
    for (int i = 0; i < 2; i++) {
        struct taskpool_machine machine = {.latency_s = 1e-5, .time = uneven};
        run = (struct run){.n_workers = 16, .n_tasks = 1000};
        struct taskpool *pool = simulate(&run, modes[i], &machine);
        for (int iteration = 0; iteration < 3; iteration++)
            iterate(&run, pool, iteration);
        assert_int_equal(run.n_messages, 0);
        assert_int_equal(run.figures.messages, 0);
        taskpool_destroy(pool);
    }
}

/* A worker is a quarter faster: until it has nothing left there is no message. */
static void test_steal_is_silent_while_all_have_work(void **state)
{
    (void)state;
    static struct run run;
    const char *const modes[] = {"--sched=steal", "--sched=steal --progress=thread",
                                 "--sched=retentive --termination=ring"};
    double speeds[8] = {1, 1, 1, 1.25, 1, 1, 1, 1};
    for (int i = 0; i < 3; i++) {
        struct taskpool_machine machine = {.latency_s = 1e-5, .speeds = speeds, .time = equal};
        run = (struct run){.n_workers = 8, .n_tasks = 800};
        struct taskpool *pool = simulate(&run, modes[i], &machine);
        iterate(&run, pool, 0);
        assert_true(run.n_messages > 0);
        taskpool_destroy(pool);
    }
}

/* A task runs where it ran in the last iteration, but for those that were stolen
 * since; and there are fewer and fewer. Without a reason to steal there are none. */
static void test_retentive_starts_where_the_tasks_ran(void **state)
{
    (void)state;
    static struct run run;
    static int before[MAX_TASKS];
    const int n_workers[] = {16, 64};
    for (int i = 0; i < 2; i++) {
        struct taskpool_machine machine = {.latency_s = 1e-5, .time = uneven};
        run = (struct run){.n_workers = n_workers[i], .n_tasks = 300 * n_workers[i]};
        struct taskpool *pool = simulate(&run, "--sched=retentive", &machine);
        double first = 0;
        for (int iteration = 0; iteration < 5; iteration++) {
            memcpy(before, run.worker, sizeof before);
            iterate(&run, pool, iteration);
            int64_t n_changed = 0;
            for (int64_t task = 0; task < run.n_tasks; task++)
                n_changed += run.worker[task] != before[task];
            if (iteration == 0)
                first = run.figures.steals_successful.mean;
            else
                assert_true(n_changed <= run.figures.tasks_moved);
        }
        assert_true(run.figures.steals_successful.mean < 0.1 * first);
        taskpool_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_of_what_is_shared_goes),
        cmocka_unit_test(test_so_many_as_are_asked_for),
        cmocka_unit_test(test_no_fewer_than_a_chunk),
        cmocka_unit_test(test_transfers_overlap),
        cmocka_unit_test(test_a_refused_thief_asks_another_at_once),
        cmocka_unit_test(test_the_own_node_first),
        cmocka_unit_test(test_retentive_runs_the_same_in_the_same_order),
        cmocka_unit_test(test_static_sends_no_message),
        cmocka_unit_test(test_steal_is_silent_while_all_have_work),
        cmocka_unit_test(test_retentive_starts_where_the_tasks_ran),
    };
    MPI_Init(NULL, NULL);
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return n_failed;
}
