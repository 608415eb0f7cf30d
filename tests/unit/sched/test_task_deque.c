/* SPDX-License-Identifier: BSD-3-Clause */
/* The split deque against a slow reference: a plain array of tasks in the order in
 * which the worker would run them. The worker takes from its front and puts to its
 * front; thieves take from its back. A stolen batch stays unchanged until it
 * has arrived, in any order of arrival. */
#include "sched/pool/queues/task_deque.h"
#include "support/base/random.h"
#include "tests/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TASKS = 20000, MAX_LEAVING = 6 };

/* A deque, and its expected contents. */
static struct twin {
    struct task_deque deque;
    struct random_stream random;
    int64_t next_task, front, back;
    int64_t tasks[2 * MAX_TASKS]; /* [front, back), in the order of running */
    struct leaving {
        struct task_deque_batch batch;
        int64_t back; /* of the twin, before it was given */
    } leaving[MAX_LEAVING];
    int n_leaving;
} twin;

static int64_t pick(int64_t n)
{
    return (int64_t)random_below(&twin.random, (uint64_t)n);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void push(void)
{
    int64_t step = 1 + pick(3), n = 1 + pick(12);
    struct taskpool_range range = {twin.next_task, twin.next_task + n * step, step};
    check_ok(task_deque_push_range(&twin.deque, range));
    twin.next_task = range.last;
    for (int64_t i = n - 1; i >= 0; i--)
        twin.tasks[--twin.front] = range.first + i * step;
}

static int64_t check_front(struct taskpool_range range)
{
    for (int64_t task = range.first; task < range.last; task += range.step)
        assert_int_equal(task, twin.tasks[twin.front++]);
    return taskpool_range_count(&range);
}

static void take(void)
{
    int64_t local = twin.deque.local_tasks, n_wanted = 1 + pick(8);
    struct taskpool_range range = {0};
    assert_true(task_deque_take_range(&twin.deque, n_wanted, pick(2), &range) == (local > 0));
    if (local > 0)
        assert_in_range(check_front(range), 1, smaller(n_wanted, (local + 1) / 2));
}

/* From the head, shared or not. */
static void take_many(void)
{
    struct taskpool_range ranges[3];
    int64_t n_tasks = 1 + pick(10), n_taken = 0, n_left = twin.back - twin.front;
    int n = task_deque_take_ranges(&twin.deque, n_tasks, 3, ranges);
    for (int i = 0; i < n; i++)
        n_taken += check_front(ranges[i]);
    assert_true(n_taken <= n_tasks && (n == 3 || n_taken == smaller(n_tasks, n_left)));
}

/* Only when nothing is local, as a worker does. */
static void acquire(void)
{
    struct task_deque *deque = &twin.deque;
    int64_t shared = deque->shared_tasks;
    if (deque->local_tasks > 0)
        return;
    assert_true(task_deque_acquire(deque, pick(2)) == (shared > 0));
    assert_int_equal(deque->local_tasks + deque->shared_tasks, shared);
    assert_true(deque->local_tasks >= smaller(shared, 1));
}

/* The tasks of a batch, by entry from the tail, are the last before `back`. Returns the back without them. */
static int64_t check_batch(const struct task_deque_batch *batch, int64_t back)
{
    int64_t back_before = back;
    for (int64_t i = 0; i <= batch->n; i++) {
        struct taskpool_range range =
            i == batch->n ? batch->part : ((const struct taskpool_range *)batch->entries)[i];
        int64_t n = taskpool_range_count(&range);
        back -= n;
        for (int64_t j = 0; j < n; j++)
            assert_int_equal(twin.tasks[back + j], range.first + j * range.step);
    }
    assert_int_equal(back_before - back, batch->n_tasks);
    return back;
}

/* A batch ends at the end of the ring. */
static void give(void)
{
    struct task_deque *deque = &twin.deque;
    struct leaving leaving = {.back = twin.back};
    struct task_deque_batch *batch = &leaving.batch;
    if (twin.n_leaving == MAX_LEAVING)
        return;
    int64_t shared = deque->shared_tasks, n_wanted = pick(2) ? 0 : 1 + pick(9);
    int64_t n = n_wanted > 0 ? n_wanted : (shared + 1) / 2;
    n = smaller(n < deque->min_share ? deque->min_share : n, shared);
    assert_true(task_deque_give_away(deque, n_wanted, batch) == batch->n_tasks);
    assert_int_equal(deque->shared_tasks, shared - batch->n_tasks);
    const char *end = (const char *)batch->entries + (size_t)batch->n * deque->entry_size;
    bool cut = batch->n > 0 && end == deque->entries + (size_t)deque->capacity * deque->entry_size;
    assert_in_range(batch->n_tasks, cut ? 1 : n, n);
    twin.back = check_batch(batch, twin.back);
    if (batch->n > 0)
        twin.leaving[twin.n_leaving++] = leaving;
}

static void arrive(void)
{
    if (twin.n_leaving == 0)
        return;
    int i = (int)pick(twin.n_leaving);
    check_batch(&twin.leaving[i].batch, twin.leaving[i].back);
    task_deque_completed(&twin.deque, twin.leaving[i].batch.n);
    twin.leaving[i] = twin.leaving[--twin.n_leaving];
}

/* Fills and empties deques by random operations. */
TEST(like_a_plain_array)
{
    static void (*const acts[])(void) = {take,   take,   take_many, acquire, give, give,
                                         arrive, arrive, push,      push,    push, push};
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct task_deque *deque = &twin.deque;
        twin = (struct twin){.front = MAX_TASKS, .back = MAX_TASKS};
        random_stream_init(&twin.random, seed, 0);
        check_ok(task_deque_init(deque, 0, 0, 1 + (int64_t)(seed % 7)));
        for (int i = 0; i < 1200 || twin.front < twin.back || twin.n_leaving > 0; i++) {
            acts[pick(i < 1200 && i % 300 < 200 ? 12 : 8)]();
            assert_int_equal(task_deque_n_tasks(deque), twin.back - twin.front);
            assert_true(deque->completed_tail <= deque->intermediate_tail &&
                        deque->intermediate_tail <= deque->steal_tail &&
                        deque->steal_tail <= deque->split && deque->split <= deque->head &&
                        deque->head - deque->completed_tail <= deque->capacity);
        }
        assert_int_equal(deque->completed_tail, deque->steal_tail);
        assert_int_equal(deque->n_retired, 0);
        task_deque_fini(deque);
    }
}

/* A thief has no tasks left, but others still read what they stole from it. */
TEST(a_stolen_batch_fits_whatever_is_being_read)
{
    enum { BOUND = 4 };
    struct task_deque victim, thief;
    struct task_deque_batch batch;
    check_ok(task_deque_init(&victim, 0, BOUND, 1));
    check_ok(task_deque_init(&thief, 0, BOUND, 1));
    for (int64_t i = 0; i < BOUND; i++) {
        check_ok(task_deque_push_range(&victim, (struct taskpool_range){100 * i, 100 * i + 9, 1}));
        check_ok(task_deque_push_range(&thief, (struct taskpool_range){1000 + i, 1001 + i, 1}));
    }
    struct taskpool_range range;
    assert_true(task_deque_take_range(&thief, 1, true, &range)); /* shares the others */
    assert_true(task_deque_take_range(&victim, 1, true, &range));
    assert_int_equal(task_deque_give_away(&thief, BOUND, &batch), BOUND - 1);
    assert_int_equal(task_deque_n_tasks(&thief), 0);
    /* The most entries that a victim can give: whole ranges and a part of the last one. */
    int64_t n_given = task_deque_give_away(&victim, 30, &batch);
    assert_int_equal(batch.n, BOUND - 1);
    assert_true(taskpool_range_count(&batch.part) > 0);
    check_ok(task_deque_push_batch(&thief, batch.entries, batch.n, batch.part));
    assert_int_equal(task_deque_n_tasks(&thief), n_given);
    task_deque_completed(&thief, BOUND - 1);
    task_deque_completed(&victim, batch.n);
    task_deque_fini(&thief);
    task_deque_fini(&victim);
}

/* --- the worker without a lock, concurrent with a thief --- */

enum { N_BATCHES = 1000, N_BATCH = 3000, N_ALL = N_BATCHES * N_BATCH };

static struct task_deque contended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool over;
static atomic_char n_runs[N_ALL];

static void run_range(struct taskpool_range range)
{
    for (int64_t task = range.first; task < range.last; task += range.step)
        atomic_fetch_add(&n_runs[task], 1);
}

/* Every other batch arrives after the next one. Counts stolen tasks. */
static void *steal_all_the_time(void *argument)
{
    int64_t *n_stolen = argument, late = 0;
    for (int64_t i = 0; !atomic_load(&over) || late > 0; i++) {
        struct task_deque_batch batch = {0};
        pthread_mutex_lock(&lock);
        *n_stolen += task_deque_give_away(&contended, i % 3, &batch);
        pthread_mutex_unlock(&lock);
        for (int64_t j = 0; j < batch.n; j++)
            run_range(((const struct taskpool_range *)batch.entries)[j]);
        run_range(batch.part);
        bool hold = late == 0 && batch.n > 0 && i % 2 == 0;
        pthread_mutex_lock(&lock);
        if (!hold && batch.n + late > 0)
            task_deque_completed(&contended, batch.n + late);
        pthread_mutex_unlock(&lock);
        late = hold ? batch.n : 0;
    }
    return NULL;
}

/* Acquires shared tasks under the lock, when no local ones are left; false if there are none. */
static bool take_back(bool some)
{
    pthread_mutex_lock(&lock);
    bool acquired = task_deque_acquire(&contended, some);
    pthread_mutex_unlock(&lock);
    return acquired;
}

TEST(worker_without_a_lock_beside_a_thief)
{
    pthread_t thief;
    int64_t n_stolen = 0;
    check_ok(task_deque_init(&contended, 0, 0, 1));
    assert_int_equal(pthread_create(&thief, NULL, steal_all_the_time, &n_stolen), 0);
    for (int64_t batch = 0, round = 0; batch < N_BATCHES; batch++) {
        struct taskpool_range range;
        pthread_mutex_lock(&lock);
        for (int64_t task = batch * N_BATCH; task < (batch + 1) * N_BATCH; task += 10)
            check_ok(
                task_deque_push_range(&contended, (struct taskpool_range){task, task + 10, 1}));
        pthread_mutex_unlock(&lock);
        do
            while (task_deque_take_range(&contended, 7, round % 2, &range))
                run_range(range);
        while (take_back(round++ % 3 == 0));
    }
    atomic_store(&over, true);
    pthread_join(thief, NULL);
    for (int64_t task = 0; task < N_ALL; task++)
        assert_int_equal(n_runs[task], 1);
    assert_in_range(n_stolen, 1, N_ALL - 1);
    assert_int_equal(contended.completed_tail, contended.head);
    task_deque_fini(&contended);
}
