/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes of a node read what any of them keeps, while its owner adds and drops, and only their own where
 * they do not see each other's memory. */
#include "hf/fock/integral_store.h"
#include "support/base/memory.h"
#include "support/base/random.h"
#include "tests/check.h"

enum { N_INTEGRALS = 700, N_OF_PROCESS = 120, N_BUILDS = 25 };

static const struct kept_size size = {.n_integrals = {N_INTEGRALS}};
static int rank, n_processes;

static void find_ranks(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
}

static struct integral_store *create_store(int64_t n_quartets)
{
    struct integral_store *store;
    find_ranks();
    check_ok(integral_store_create(
        MPI_COMM_WORLD, 1000 + n_quartets * (200 + kept_quartets_bytes(&size)), 0, &store));
    return store;
}

/* Starts a build as struct fock does: none is in the build before. */
static void begin_build(struct integral_store *store)
{
    MPI_Barrier(MPI_COMM_WORLD);
    integral_store_begin(store);
    MPI_Barrier(MPI_COMM_WORLD);
}

static struct tile_quartet quartet_of(int64_t number)
{
    return (struct tile_quartet){number, number / 2, number / 3, number / 5};
}

static bool add_quartet_of(struct integral_store *store, int64_t number)
{
    struct tile_quartet quartet = quartet_of(number);
    struct kept_quartets *kept = integral_store_add(store, &quartet, 0, &size);
    for (int64_t i = 0; kept && i < N_INTEGRALS; i++)
        ((double *)kept->integrals[KEPT_DOUBLE])[i] = (double)(number * N_INTEGRALS + i);
    return kept != NULL;
}

static bool has_quartet_of(struct integral_store *store, int64_t number)
{
    struct tile_quartet quartet = quartet_of(number);
    const struct kept_quartets *kept = integral_store_find(store, &quartet, 0);
    for (int64_t i = 0; kept && i < N_INTEGRALS; i++)
        assert_true(((double *)kept->integrals[KEPT_DOUBLE])[i] ==
                    (double)(number * N_INTEGRALS + i));
    return kept != NULL;
}

/* Those that a process other than this one added are found from the next build on. */
static void test_all_read_what_one_keeps(void **state)
{
    (void)state;
    unsetenv("BERYL_NEAR_MEMORY"); /* of tests of transfers */
    struct integral_store *store = create_store(N_OF_PROCESS);
    begin_build(store);
    for (int64_t i = 0; i < N_OF_PROCESS; i++)
        assert_true(add_quartet_of(store, rank + i * n_processes));
    begin_build(store);
    for (int64_t number = 0; number < (int64_t)N_OF_PROCESS * n_processes; number++)
        assert_true(has_quartet_of(store, number));
    MPI_Barrier(MPI_COMM_WORLD);
    integral_store_clear(store);
    begin_build(store);
    for (int64_t number = 0; number < (int64_t)N_OF_PROCESS * n_processes; number++)
        assert_false(has_quartet_of(store, number));
    integral_store_destroy(store);
}

static void test_each_has_its_own_where_others_are_not_seen(void **state)
{
    (void)state;
    setenv("BERYL_NEAR_MEMORY", "never", 1);
    struct integral_store *store = create_store(N_OF_PROCESS);
    unsetenv("BERYL_NEAR_MEMORY");
    begin_build(store);
    assert_true(add_quartet_of(store, rank));
    begin_build(store);
    for (int64_t number = 0; number < n_processes; number++)
        assert_true(has_quartet_of(store, number) == (number == rank));
    integral_store_destroy(store);
}

/* A process that has no room keeps what others ask for, and drops what nobody does. */
static void test_what_others_ask_for_stays(void **state)
{
    (void)state;
    struct integral_store *store = create_store(2);
    begin_build(store);
    assert_true(add_quartet_of(store, 10 * rank));
    assert_true(add_quartet_of(store, 10 * rank + 1));
    begin_build(store);
    int64_t of_next = 10 * ((rank + 1) % n_processes);
    assert_true(has_quartet_of(store, of_next));
    assert_false(add_quartet_of(store, 10 * rank + 2));
    begin_build(store);
    assert_true(has_quartet_of(store, of_next));
    assert_false(has_quartet_of(store, of_next + 1));
    assert_true(add_quartet_of(store, 10 * rank + 3));
    integral_store_destroy(store);
}

/* The process that asks for a quartet in a build: another one in each. */
static int runs_in(int64_t number, int build)
{
    struct random_stream stream;
    random_stream_init(&stream, (uint64_t)number, (uint64_t)build);
    return (int)random_below(&stream, (uint64_t)n_processes);
}

/* Each quartet is asked for by one process in most builds, found or added, while others do the same. With
 * room for all, it is found whenever it was asked for before. */
static void ask_at_random(int64_t n_quartets_of_process, bool has_room)
{
    struct integral_store *store = create_store(n_quartets_of_process);
    int64_t n = (int64_t)N_OF_PROCESS * n_processes / 2, n_found = 0;
    for (int build = 0; build < N_BUILDS; build++) {
        begin_build(store);
        for (int64_t number = 0; number < n; number++) {
            if (runs_in(number, build) != rank || (number + build) % 5 == 0)
                continue;
            bool found = has_quartet_of(store, number);
            n_found += found;
            if (!found)
                assert_true(add_quartet_of(store, number) || !has_room);
            assert_true(found || build < 2 || !has_room);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &n_found, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_true(n_found > n);
    integral_store_destroy(store);
}

static void test_any_process_may_ask(void **state)
{
    (void)state;
    ask_at_random((int64_t)N_OF_PROCESS * 4, true);
    ask_at_random(N_OF_PROCESS / 6, false);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_read_what_one_keeps),
        cmocka_unit_test(test_each_has_its_own_where_others_are_not_seen),
        cmocka_unit_test(test_what_others_ask_for_stays),
        cmocka_unit_test(test_any_process_may_ask),
    };
    return check_run_parallel(tests, &argc, &argv);
}
