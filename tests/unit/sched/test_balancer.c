/* SPDX-License-Identifier: BSD-3-Clause */
/* The balancer: its messages, in any order of arrival, move the tasks that
 * serial versions of algorithms 1 and 2 move, if these reduce the largest load. Pairs of workers even out
 * the rest by the workers' speeds. */
#include "sched/pool/balancing/balancer.h"
#include "support/base/random.h"
#include "tests/cases/balance_case.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

enum { max_tasks = 600, max_workers = 100 };

/* Durations that bins distinguish and whose sums are exact. */
static double random_duration(struct random_stream *random)
{
    return (double)random_below(random, 2048) / 1024;
}

struct timed_task {
    int64_t task;
    double time_s;
};

/* The shortest first, of equal ones the last. */
static int compare_timed(const void *left, const void *right)
{
    const struct timed_task *a = left, *b = right;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? -1 : 1;
    return (a->task < b->task) - (a->task > b->task);
}

/* A load does not become smaller by tasks whose durations are not known. */
TEST(an_unknown_duration_is_the_mean)
{
    const double times_s[] = {1, 3, -1, -1};
    struct duration_bins bins = {0};
    for (size_t i = 0; i < N_OF(times_s); i++)
        check_ok(duration_bins_add(&bins, (int64_t)i, times_s[i]));
    assert_true(bins.load_s == 8);
    duration_bins_fini(&bins);
}

/* --- the algorithms, serially --- */

struct reference_task {
    int64_t task;
    double time_s;
    int donor, index;
    int first, size; /* the block of workers that it is assigned to; size 0: none yet */
    bool tried;
};

struct reference {
    const struct balance_case *balance;
    double average_s;
    double load_s[max_workers];
    struct reference_task tasks[max_tasks]; /* donated */
    int n_tasks;
};

static double block_load(const struct reference *self, int first, int size)
{
    double sum_s = 0;
    for (int worker = first; worker < first + size; worker++)
        sum_s += self->load_s[worker];
    for (int i = 0; i < self->n_tasks; i++) {
        const struct reference_task *task = &self->tasks[i];
        if (task->size > 0 && task->first >= first && task->first + task->size <= first + size)
            sum_s += task->time_s;
    }
    return sum_s;
}

/* The longest of the tasks that are granted to a block or, on the way up, donated
 * in it and not assigned; NULL if all were tried. */
static struct reference_task *longest(struct reference *self, int first, int size, bool up)
{
    struct reference_task *found = NULL;
    for (int i = 0; i < self->n_tasks; i++) {
        struct reference_task *task = &self->tasks[i];
        bool here = up ? task->size == 0 && task->donor >= first && task->donor < first + size
                       : task->first == first && task->size == size;
        if (here && !task->tried && (!found || task->time_s > found->time_s))
            found = task; /* of equal ones the first: by donor, then index */
    }
    return found;
}

static int block_size(int size, int width, int child)
{
    int left = size - child * width;
    return left < width ? left : width;
}

static void assign(struct reference *self, int first, int size, int width, bool up, double limit_s)
{
    for (int i = 0; i < self->n_tasks; i++)
        self->tasks[i].tried = false;
    struct reference_task *task;
    while ((task = longest(self, first, size, up))) {
        int best = 0;
        double best_s = INFINITY;
        for (int child = 0; child * width < size; child++) {
            int n = block_size(size, width, child);
            double load_s = block_load(self, first + child * width, n) / n;
            if (load_s < best_s) {
                best = child;
                best_s = load_s;
            }
        }
        task->tried = true;
        bool fits = best_s <= 0 || best_s + task->time_s <= limit_s;
        if (self->balance->rules.as_published ? best_s >= limit_s : !fits)
            continue;
        task->first = first + best * width;
        task->size = block_size(size, width, best);
    }
}

static void work_out(struct reference *self, int first, int size, int width, bool up)
{
    int branching = (int)self->balance->rules.branching;
    if (size == 1)
        return;
    while (width >= size)
        width /= branching;
    bool is_root = size == self->balance->n_workers;
    double limit_s = up && !is_root ? self->balance->rules.fill_to * self->average_s : INFINITY;
    if (!up && !is_root)
        assign(self, first, size, width, false, limit_s);
    for (int child = 0; child * width < size; child++)
        work_out(self, first + child * width, block_size(size, width, child), width, up);
    if (up)
        assign(self, first, size, width, true, limit_s);
}

/* Every worker's shortest tasks, until it is not above C x average. */
static void donate(struct reference *self)
{
    const struct balance_case *balance = self->balance;
    for (int worker = 0; worker < balance->n_workers; worker++) {
        struct timed_task own[max_tasks];
        size_t n = 0;
        for (int64_t task = 0; task < balance->n_tasks; task++)
            if (balance->worker[task] == worker)
                own[n++] = (struct timed_task){task, balance->time_s[task]};
        qsort(own, n, sizeof own[0], compare_timed);
        for (int i = 0; self->load_s[worker] > balance->rules.donate_above * self->average_s; i++) {
            self->tasks[self->n_tasks++] = (struct reference_task){
                .task = own[i].task, .time_s = own[i].time_s, .donor = worker, .index = i};
            self->load_s[worker] -= own[i].time_s;
        }
    }
}

/* A power of the branching, no less than the number of workers. */
static int first_width(const struct balance_case *balance)
{
    int width = 1;
    while (width < balance->n_workers)
        width *= (int)balance->rules.branching;
    return width;
}

/* Loads of a case. */
struct loads {
    double max_s;  /* the largest */
    double best_s; /* the least possible, at most */
};

static struct loads find_loads(const struct balance_case *balance, const int32_t *worker)
{
    double load_s[max_workers] = {0}, work = 0, longest = 0, speed = 0, fastest = 0;
    struct loads loads = {0};
    for (int64_t task = 0; task < balance->n_tasks; task++) {
        load_s[worker[task]] += balance->time_s[task];
        work += balance->time_s[task];
        longest = fmax(longest, balance->time_s[task]);
    }
    for (int w = 0; w < balance->n_workers; w++) {
        double own = balance->speeds ? balance->speeds[w] : 1;
        loads.max_s = fmax(loads.max_s, load_s[w] / own);
        speed += own;
        fastest = fmax(fastest, own);
    }
    loads.best_s = fmax(work / speed, longest / fastest);
    return loads;
}

/* expected  out: the worker that each task is assigned to. Returns the largest load then. */
static double solve(const struct balance_case *balance, int32_t *expected)
{
    static struct reference self;
    self = (struct reference){.balance = balance};
    memcpy(expected, balance->worker, (size_t)balance->n_tasks * sizeof *expected);
    for (int64_t task = 0; task < balance->n_tasks; task++)
        self.load_s[balance->worker[task]] += balance->time_s[task];
    self.average_s = block_load(&self, 0, balance->n_workers) / balance->n_workers;
    struct loads loads = find_loads(balance, balance->worker);
    if (!(loads.max_s > loads.best_s * (1 + balance->rules.least_excess)))
        return loads.max_s;
    donate(&self);
    work_out(&self, 0, balance->n_workers, first_width(balance), true);
    work_out(&self, 0, balance->n_workers, first_width(balance), false);
    double max_after_s = 0;
    for (int w = 0; w < balance->n_workers; w++)
        max_after_s = fmax(max_after_s, block_load(&self, w, 1));
    if (max_after_s >= loads.max_s && !balance->rules.as_published)
        return loads.max_s;
    for (int i = 0; i < self.n_tasks; i++) {
        assert_int_equal(self.tasks[i].size, 1);
        expected[self.tasks[i].task] = self.tasks[i].first;
    }
    return max_after_s;
}

/* --- the protocol --- */

static double time_s[max_tasks];
static int32_t worker[max_tasks];

/* A case with these rules, on workers of a network in which messages overtake each other. */
static struct balance_case make_case(struct random_stream *random, struct balancer_rules rules,
                                     int n_workers, int64_t n_tasks)
{
    rules.seed = (int64_t)random_below(random, 1000000);
    if (rules.branching > n_workers)
        rules.branching = n_workers;
    return (struct balance_case){.n_workers = n_workers,
                                 .n_tasks = n_tasks,
                                 .time_s = time_s,
                                 .worker = worker,
                                 .rules = rules,
                                 .machine = {.latency_s = 1e-6, .latency_spread_s = 1e-5}};
}

static void deal_at_random(const struct balance_case *balance, struct random_stream *random)
{
    int n_favoured = 1 + (int)random_below(random, (uint64_t)balance->n_workers);
    bool all_equal = random_below(random, 8) == 0;
    for (int64_t task = 0; task < balance->n_tasks; task++) {
        time_s[task] = all_equal ? 1 : random_duration(random);
        worker[task] = (int32_t)random_below(
            random, (uint64_t)(random_unit(random) < 0.5 ? n_favoured : balance->n_workers));
    }
}

/* The loads after balancing, when each task is somewhere. */
static struct loads run_case(struct balance_case *balance)
{
    check_ok(balance_case_run(balance));
    assert_int_equal(balance->n_held, balance->n_tasks);
    return find_loads(balance, worker);
}

/* Each task is where the algorithms move it, if pairs have nothing to do; else loads are no worse. Returns
 * whether every task was compared. */
static bool check_balance(struct random_stream *random, const struct balancer_rules *rules)
{
    static int32_t expected[max_tasks];
    const int n_workers[] = {1, 2, 3, 5, 8, 16, 33, 64, 99};
    struct balance_case balance =
        make_case(random, *rules, n_workers[random_below(random, N_OF(n_workers))],
                  (int64_t)random_below(random, max_tasks + 1));
    if (random_below(random, 2))
        balance.machine.latency_spread_s = 0;
    deal_at_random(&balance, random);
    struct loads before = find_loads(&balance, worker);
    double after_s = solve(&balance, expected), limit_s = before.best_s * (1 + rules->least_excess);
    bool stays = before.max_s <= limit_s;
    if (!stays && before.max_s < limit_s * 1.002)
        return false; /* within the rounding of measured loads */
    bool exact = stays || rules->as_published || after_s <= before.best_s * rules->donate_above;
    struct loads after = run_case(&balance);
    assert_true(exact || after.max_s <= after_s * (1 + 1e-6));
    for (int64_t task = 0; exact && task < balance.n_tasks; task++)
        assert_int_equal(worker[task], expected[task]);
    return exact && !stays;
}

static const struct balancer_rules rule_cases[] = {
    {.branching = INT64_MAX, .donate_above = 1.003, .fill_to = 1.003},
    {.branching = INT64_MAX, .donate_above = 1, .fill_to = 1, .as_published = true},
    {.branching = INT64_MAX, .donate_above = 2, .fill_to = 1},
    {.branching = 3, .donate_above = 1.003, .fill_to = 1.003},
    {.branching = 2, .donate_above = 1.3, .fill_to = 1},
    {.branching = 7, .donate_above = 1.5, .fill_to = 1.1},
    {.branching = 3, .donate_above = 1.5, .fill_to = 3},
    {.branching = 3, .donate_above = 1.2, .fill_to = 1.003, .least_excess = 1},
    {.branching = 2, .donate_above = 1.1, .fill_to = 1.003, .least_excess = 0.3},
    {.branching = 3, .donate_above = 1.003, .fill_to = 1.003, .as_published = true},
    {.branching = 7, .donate_above = 1.1, .fill_to = 1.5, .as_published = true},
};

TEST(moves_what_the_algorithms_move)
{
    struct random_stream random;
    int n_exact = 0;
    random_stream_init(&random, 9, 0);
    for (size_t i = 0; i < N_OF(rule_cases); i++)
        for (int round = 0; round < 80; round++)
            n_exact += check_balance(&random, &rule_cases[i]);
    assert_true(n_exact > 380);
}

/* No worker has more than one had before, and where there are workers enough to choose from hardly
 * more than the average. */
TEST(pairs_even_out_few_tasks)
{
    static const struct {
        int tasks_each;
        double spread, excess;
    } rows[] = {{2, 0.2, 0.06}, {3, 0.5, 0.07}, {6, 0.9, 0.02}};
    struct random_stream random;
    random_stream_init(&random, 11, 0);
    for (size_t round = 0; round < 300; round++) {
        int n = 2 + (int)random_below(&random, max_workers - 2), each = rows[round % 3].tasks_each;
        struct balance_case balance = make_case(&random, rule_cases[3], n, (int64_t)n * each);
        for (int64_t task = 0; task < balance.n_tasks; task++) {
            double shift = random_unit(&random) + random_unit(&random) - 1;
            time_s[task] = 1 + rows[round % 3].spread * shift;
            worker[task] = (int32_t)(task % n);
        }
        double before_s = find_loads(&balance, worker).max_s;
        struct loads after = run_case(&balance);
        assert_true(after.max_s <= before_s * (1 + 1e-6));
        assert_true(n < 20 || after.max_s <= after.best_s * (1 + rows[round % 3].excess));
    }
}

/* Seconds come out even, not tasks: a worker at half the speed gets half of the work. */
TEST(loads_are_even_by_speed)
{
    const double choices[] = {0.5, 1, 1, 1, 2};
    struct random_stream random;
    random_stream_init(&random, 13, 0);
    for (int round = 0; round < 200; round++) {
        double speeds[max_workers];
        struct balance_case balance = make_case(&random, rule_cases[round % 2 ? 3 : 0],
                                                2 + (int)random_below(&random, 28), max_tasks);
        balance.speeds = speeds;
        for (int w = 0; w < balance.n_workers; w++)
            speeds[w] = choices[random_below(&random, N_OF(choices))];
        deal_at_random(&balance, &random);
        struct loads after = run_case(&balance);
        assert_true(after.max_s <= after.best_s * 1.05);
    }
}
