/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker that cannot keep its tasks, stolen, added or of the next iteration, ends the pool with
 * that failure: nothing hangs, and the program continues.
 *
 *     test_schedules_without_room [N [FIRST_SEED]]
 *
 * runs N schedules with small deques, and as many whose queues are refused memory once or from then
 * on, and prints the first that ends in another way with its seed. */
#include "support/base/random.h"
#include "tests/cases/pool_cases.h"
#include "tests/property/schedule.h"

#include <stdlib.h>

/* Every mode that keeps tasks in queues that grow, with what decides where these are filled. */
static const char *const modes[] = {
    "--sched=steal",
    "--sched=steal --as-published --steal=3 --termination=ring",
    "--sched=steal --seeding=cyclic --chunk=2 --termination=wide",
    "--sched=retentive",
    "--sched=retentive --as-published",
    "--sched=retentive --poll-every=1",
    "--sched=retentive --poll-every=1 --termination=wide",
    "--sched=persist",
    "--sched=persist --balancer=central",
    "--sched=persist --as-published",
    "--sched=auto",
    "--sched=auto --seeding=cost",
    "--sched=lifeline --poll-every=1",
    "--sched=share --chunk=2 --release-every=2",
    "--sched=share --managers=3 --chunk=1 --release-every=1",
    "--sched=diffusion",
    "--sched=diffusion --seeding=owner",
};
enum { N_MODES = sizeof modes / sizeof modes[0], N_WITH_DEQUES = 10, MAX_BOUND = 16 };

/* --- memory for the queues --- */

static int64_t n_until_refusal; /* reservations that need memory; 0: none is refused */
static bool refuses_ever_after;

enum status reserve_or_refuse(void *items, int64_t n, int64_t *capacity, size_t item_size);

/* In place of array_reserve, in whose way an array grows. */
enum status reserve_or_refuse(void *items, int64_t n, int64_t *capacity, size_t item_size)
{
    if (n <= *capacity)
        return STATUS_OK;
    if (n_until_refusal > 0 && --n_until_refusal == 0) {
        n_until_refusal = refuses_ever_after;
        return FAIL(STATUS_NO_MEMORY, "no memory, as the test wants it");
    }
    void *old;
    memcpy(&old, items, sizeof old);
    void *moved = realloc(old, (size_t)(n + 1) * item_size);
    assert_non_null(moved);
    memcpy(items, &moved, sizeof moved);
    *capacity = n + 1;
    return STATUS_OK;
}

/* --- schedules --- */

/* Counted by outcome. */
struct outcomes {
    int64_t n_held, n_failed;
};

/* Whether it ends as it may. */
static bool ends_well(struct schedule *schedule, enum status expected, struct outcomes *outcomes)
{
    bool holds = schedule_holds(schedule);
    outcomes->n_held += holds;
    outcomes->n_failed += !holds && schedule->status == expected;
    if (holds || schedule->status == expected)
        return true;
    schedule_print(schedule, schedule->settings.mode);
    return false;
}

static void make_schedule(struct schedule *schedule, const char *command_line, uint64_t seed)
{
    const struct taskpool_settings settings = pool_case_settings(command_line);
    schedule_init(schedule, &settings, seed);
    schedule->dynamic = mode_for(settings.mode, true)->add != NULL && seed / N_MODES % 2 == 0;
}

static bool holds_with_small_deques(uint64_t seed, struct outcomes *outcomes)
{
    static struct schedule schedule;
    char command_line[128];
    snprintf(command_line, sizeof command_line, "%s --deque=%d", modes[seed % N_WITH_DEQUES],
             1 + (int)(seed / N_WITH_DEQUES % MAX_BOUND));
    make_schedule(&schedule, command_line, seed);
    bool holds = ends_well(&schedule, STATUS_LIMIT, outcomes);
    return holds && (schedule.status == STATUS_OK || strstr(status_text(), "raise --deque"));
}

static bool holds_without_memory(uint64_t seed, struct outcomes *outcomes)
{
    static struct schedule schedule;
    struct random_stream random;
    make_schedule(&schedule, modes[seed % N_MODES], seed);
    random_stream_init(&random, seed, 2);
    int64_t most = 1 + schedule.machine.n_workers + schedule.n_tasks;
    n_until_refusal = 1 + (int64_t)random_below(&random, (uint64_t)most);
    refuses_ever_after = seed % 3 == 0;
    bool holds = ends_well(&schedule, STATUS_NO_MEMORY, outcomes);
    n_until_refusal = 0;
    return holds;
}

/* Runs n schedules: some must hold and some must fail. */
static bool run_schedules(bool (*holds)(uint64_t seed, struct outcomes *outcomes), int64_t n,
                          uint64_t first)
{
    struct outcomes outcomes = {0};
    for (uint64_t seed = first; seed < first + (uint64_t)n; seed++) {
        schedule_watch(1);
        if (!holds(seed, &outcomes)) {
            printf("schedule %llu fails\n", (unsigned long long)seed);
            return false;
        }
    }
    schedule_watch(-1);
    printf("%lld schedules: in %lld all tasks ran once, %lld ended with the failure\n",
           (long long)n, (long long)outcomes.n_held, (long long)outcomes.n_failed);
    return outcomes.n_held > n / 10 && outcomes.n_failed > n / 10;
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 400;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    MPI_Init(NULL, NULL);
    bool good = run_schedules(holds_with_small_deques, n, first) &&
                run_schedules(holds_without_memory, n, first);
    MPI_Finalize();
    return !good;
}
