/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a Fock build, found by each decomposition, symmetry and pruning, agree
 * with a brute-force enumeration: every quartet of tiles that is not null once,
 * and no other. */
#include "hf/fock/fock_tasks.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TILES = 9, MAX_QUARTETS = MAX_TILES * MAX_TILES * MAX_TILES * MAX_TILES };

static uint64_t random_state;

/* In [0, 1). */
static double random_number(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) * 0x1p-53;
}

/* Bounds without a basis: tasks depend on nothing else. */
struct problem {
    struct tiling tiling;
    struct screening screening;
};

static void problem_init(struct problem *problem, int64_t n_tiles, double threshold)
{
    *problem = (struct problem){.tiling.n_tiles = n_tiles};
    int64_t n_pairs = tiling_n_pairs(&problem->tiling);
    problem->screening = (struct screening){.tiling = &problem->tiling, .threshold = threshold};
    problem->screening.tile_bounds = calloc((size_t)n_pairs, sizeof(double));
}

/* The bound is decided by its exponent, so that many are equal and many products
 * meet the threshold exactly; some are zero. */
static void set_random_bounds(struct problem *problem, int64_t spread)
{
    struct screening *screening = &problem->screening;
    for (int64_t pair = 0; pair < tiling_n_pairs(&problem->tiling); pair++) {
        double bound = ldexp(1, -(int)(random_number() * (double)spread));
        screening->tile_bounds[pair] = random_number() < 0.1 ? 0 : bound;
        screening->max_bound = fmax(screening->max_bound, screening->tile_bounds[pair]);
    }
}

static double bound(const struct problem *problem, int64_t I, int64_t J)
{
    return problem->screening.tile_bounds[I >= J ? tile_pair_index(I, J) : tile_pair_index(J, I)];
}

static bool is_non_null(const struct problem *problem, const struct tile_quartet *q)
{
    return bound(problem, q->I, q->J) * bound(problem, q->K, q->L) >= problem->screening.threshold;
}

static int64_t code(int64_t I, int64_t J, int64_t K, int64_t L)
{
    return ((I * MAX_TILES + J) * MAX_TILES + K) * MAX_TILES + L;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A number that all members of an orbit under the eight-fold symmetry share. */
static int64_t orbit(const struct tile_quartet *q)
{
    int64_t bra = larger(code(0, 0, q->I, q->J), code(0, 0, q->J, q->I));
    int64_t ket = larger(code(0, 0, q->K, q->L), code(0, 0, q->L, q->K));
    int64_t n = MAX_TILES * MAX_TILES;
    return larger(bra * n + ket, ket * n + bra);
}

static int64_t identity(const struct tile_quartet *q, enum fock_symmetry symmetry)
{
    return symmetry == FOCK_SYMMETRY_FULL ? orbit(q) : code(q->I, q->J, q->K, q->L);
}

/* The quartets that were visited. */
struct visits {
    const struct problem *problem;
    enum fock_symmetry symmetry;
    int count[MAX_QUARTETS]; /* by identity */
    int64_t n;
    int64_t stop_after; /* a failure at this visit */
    struct tile_quartet last;
};

static enum status visit(const struct tile_quartet *quartet, void *context)
{
    struct visits *visits = context;
    assert_true(is_non_null(visits->problem, quartet));
    if (visits->symmetry == FOCK_SYMMETRY_FULL) {
        assert_true(quartet->I >= quartet->J && quartet->K >= quartet->L);
        assert_true(tile_pair_index(quartet->I, quartet->J) >=
                    tile_pair_index(quartet->K, quartet->L));
    }
    visits->count[identity(quartet, visits->symmetry)]++;
    visits->last = *quartet;
    return ++visits->n == visits->stop_after ? FAIL(STATUS_NUMERIC, "stop") : STATUS_OK;
}

/* Every orbit or ordered quartet that is not null was visited once. */
static void check_complete(const struct visits *visits)
{
    static int expected[MAX_QUARTETS];
    memset(expected, 0, sizeof expected);
    int64_t n = visits->problem->tiling.n_tiles;
    struct tile_quartet q;
    for (q.I = 0; q.I < n; q.I++)
        for (q.J = 0; q.J < n; q.J++)
            for (q.K = 0; q.K < n; q.K++)
                for (q.L = 0; q.L < n; q.L++)
                    if (is_non_null(visits->problem, &q))
                        expected[identity(&q, visits->symmetry)] = 1;
    for (int64_t i = 0; i < MAX_QUARTETS; i++)
        assert_int_equal(visits->count[i], expected[i]);
}

/* Visits all tasks; lists the ids of those that are not null. */
static int64_t visit_all(const struct fock_tasks *tasks, struct visits *visits, int64_t *non_null)
{
    int64_t n_non_null = 0;
    for (int64_t task = 0; task < fock_tasks_n(tasks); task++) {
        int64_t before = visits->n;
        bool null;
        check_ok(fock_tasks_visit(tasks, task, visit, visits, &null));
        assert_int_equal(null, visits->n == before);
        assert_int_equal(null, fock_tasks_is_null(tasks, task));
        if (!null)
            non_null[n_non_null++] = task;
    }
    return n_non_null;
}

static int64_t n_all(int64_t n_tiles, enum fock_decomposition decomposition,
                     enum fock_symmetry symmetry)
{
    if (symmetry == FOCK_SYMMETRY_NONE)
        return decomposition == FOCK_PAIR ? n_tiles * n_tiles
                                          : n_tiles * n_tiles * n_tiles * n_tiles;
    int64_t n = decomposition == FOCK_PAIR ? n_tiles : n_tiles * (n_tiles + 1) / 2;
    return n * (n + 1) / 2;
}

static void check_tasks(const struct problem *problem, enum fock_decomposition decomposition,
                        enum fock_symmetry symmetry)
{
    int64_t all = n_all(problem->tiling.n_tiles, decomposition, symmetry);
    int64_t *ids = calloc((size_t)all + 1, sizeof *ids), n_non_null[3];
    static struct visits visits;
    struct fock_tasks *tasks;
    for (int inspect = 0; inspect < 2; inspect++) {
        check_ok(fock_tasks_create(&problem->screening, decomposition, symmetry, inspect, &tasks));
        visits = (struct visits){.problem = problem, .symmetry = symmetry};
        n_non_null[inspect] = visit_all(tasks, &visits, ids);
        check_complete(&visits);
        assert_int_equal(fock_tasks_n_all(tasks), all);
        assert_int_equal(fock_tasks_n_non_null(tasks), n_non_null[inspect]);
        assert_int_equal(fock_tasks_n(tasks), inspect ? n_non_null[1] : all);
        if (!inspect) {
            /* The tasks found not to be null are the ones to keep. */
            int64_t *kept = calloc((size_t)n_non_null[0] + 1, sizeof *kept);
            memcpy(kept, ids, (size_t)n_non_null[0] * sizeof *kept);
            fock_tasks_keep(tasks, n_non_null[0], kept);
            visits = (struct visits){.problem = problem, .symmetry = symmetry};
            n_non_null[2] = visit_all(tasks, &visits, ids);
            check_complete(&visits);
            assert_int_equal(fock_tasks_n(tasks), n_non_null[2]);
            assert_int_equal(fock_tasks_n_all(tasks), all);
        }
        fock_tasks_destroy(tasks);
    }
    assert_int_equal(n_non_null[0], n_non_null[1]);
    assert_int_equal(n_non_null[0], n_non_null[2]);
    free(ids);
}

TEST(every_quartet_that_is_not_null_is_visited_once)
{
    const int64_t spreads[] = {1, 4, 12, 40};
    for (int64_t n_tiles = 1; n_tiles <= MAX_TILES; n_tiles++)
        for (size_t s = 0; s < sizeof spreads / sizeof spreads[0]; s++) {
            struct problem problem;
            random_state = (uint64_t)(100 * n_tiles) + s;
            problem_init(&problem, n_tiles, 0x1p-12);
            set_random_bounds(&problem, spreads[s]);
            for (int decomposition = 0; decomposition < FOCK_N_DECOMPOSITIONS; decomposition++)
                for (int symmetry = FOCK_SYMMETRY_FULL; symmetry <= FOCK_SYMMETRY_NONE; symmetry++)
                    check_tasks(&problem, (enum fock_decomposition)decomposition,
                                (enum fock_symmetry)symmetry);
            free(problem.screening.tile_bounds);
        }
}

TEST(no_task_is_left_when_all_are_null)
{
    struct problem problem;
    problem_init(&problem, 5, 1e-10);
    for (int decomposition = 0; decomposition < FOCK_N_DECOMPOSITIONS; decomposition++)
        for (int symmetry = FOCK_SYMMETRY_FULL; symmetry <= FOCK_SYMMETRY_NONE; symmetry++)
            check_tasks(&problem, (enum fock_decomposition)decomposition,
                        (enum fock_symmetry)symmetry);
    free(problem.screening.tile_bounds);
}

TEST(a_failure_stops_the_visits_and_is_returned)
{
    struct problem problem;
    struct fock_tasks *tasks;
    static struct visits visits;
    problem_init(&problem, 6, 0x1p-12);
    set_random_bounds(&problem, 4);
    check_ok(fock_tasks_create(&problem.screening, FOCK_PAIR, FOCK_SYMMETRY_NONE, false, &tasks));
    visits = (struct visits){.problem = &problem, .symmetry = FOCK_SYMMETRY_NONE, .stop_after = 5};
    bool null;
    check_status(STATUS_NUMERIC, fock_tasks_visit(tasks, 7, visit, &visits, &null));
    assert_int_equal(visits.n, 5);
    assert_false(null);
    fock_tasks_destroy(tasks);
    fock_tasks_destroy(NULL);
    free(problem.screening.tile_bounds);
}

/* The first quartet of a task is of the task, so that it can run where that is. */
TEST(the_first_quartet_belongs_to_the_task)
{
    struct problem problem;
    random_state = 5;
    problem_init(&problem, 7, 0x1p-12);
    set_random_bounds(&problem, 12);
    for (int symmetry = FOCK_SYMMETRY_FULL; symmetry <= FOCK_SYMMETRY_NONE; symmetry++)
        for (int inspect = 0; inspect < 2; inspect++) {
            struct fock_tasks *tasks;
            static struct visits visits;
            visits = (struct visits){.problem = &problem, .symmetry = (enum fock_symmetry)symmetry};
            check_ok(fock_tasks_create(&problem.screening, FOCK_QUARTET,
                                       (enum fock_symmetry)symmetry, inspect, &tasks));
            for (int64_t task = 0; task < fock_tasks_n(tasks); task++) {
                struct tile_quartet first;
                bool null;
                fock_tasks_first_quartet(tasks, task, &first);
                check_ok(fock_tasks_visit(tasks, task, visit, &visits, &null));
                if (!null)
                    assert_memory_equal(&first, &visits.last, sizeof first);
            }
            fock_tasks_destroy(tasks);
        }
    free(problem.screening.tile_bounds);
}

/* An id names a task independently of pruning. */
static void check_ids(const struct problem *problem, enum fock_decomposition decomposition,
                      enum fock_symmetry symmetry)
{
    struct fock_tasks *all, *inspected;
    check_ok(fock_tasks_create(&problem->screening, decomposition, symmetry, false, &all));
    check_ok(fock_tasks_create(&problem->screening, decomposition, symmetry, true, &inspected));
    int64_t n = fock_tasks_n(inspected), *ids = calloc((size_t)n + 1, sizeof *ids);
    bool *seen = calloc((size_t)fock_tasks_n_all(all), sizeof *seen);
    struct tile_quartet quartet, same;
    for (int64_t task = 0; task < n; task++) {
        int64_t id = fock_tasks_id(inspected, task);
        assert_in_range(id, 0, fock_tasks_n_all(all) - 1);
        assert_int_equal(fock_tasks_id(all, id), id);
        assert_false(seen[id]);
        seen[id] = true;
        fock_tasks_first_quartet(inspected, task, &quartet);
        fock_tasks_first_quartet(all, id, &same);
        assert_memory_equal(&quartet, &same, sizeof same);
    }
    int64_t n_kept = 0;
    for (int64_t task = 0; task < fock_tasks_n_all(all); task++) {
        assert_int_equal(seen[task], !fock_tasks_is_null(all, task));
        if (seen[task])
            ids[n_kept++] = task;
    }
    assert_int_equal(n_kept, n);
    fock_tasks_keep(all, n, ids);
    for (int64_t task = 0, id = 0; task < n; task++, id++) {
        while (!seen[id])
            id++;
        assert_int_equal(fock_tasks_id(all, task), id);
    }
    free(seen);
    fock_tasks_destroy(all);
    fock_tasks_destroy(inspected);
}

TEST(ids_depend_on_the_problem_alone)
{
    struct problem problem;
    random_state = 6;
    problem_init(&problem, 6, 0x1p-12);
    set_random_bounds(&problem, 12);
    for (int decomposition = 0; decomposition < FOCK_N_DECOMPOSITIONS; decomposition++)
        for (int symmetry = FOCK_SYMMETRY_FULL; symmetry <= FOCK_SYMMETRY_NONE; symmetry++) {
            check_ids(&problem, (enum fock_decomposition)decomposition,
                      (enum fock_symmetry)symmetry);
            assert_true(fock_tasks_count(6, (enum fock_decomposition)decomposition,
                                         (enum fock_symmetry)symmetry) ==
                        (double)n_all(6, (enum fock_decomposition)decomposition,
                                      (enum fock_symmetry)symmetry));
        }
    free(problem.screening.tile_bounds);
}

/* A chain of tiles whose bounds decay fast: the few quartets that matter are found
 * among 2e10 without looking at the others. */
TEST(large_problems_are_numbered_without_being_listed)
{
    struct problem problem;
    struct fock_tasks *tasks;
    problem_init(&problem, 384, 0.25);
    for (int64_t I = 0; I < 384; I++)
        for (int64_t J = 0; J <= I; J++)
            problem.screening.tile_bounds[tile_pair_index(I, J)] = ldexp(1, (int)(J - I));
    for (int inspect = 0; inspect < 2; inspect++) {
        check_ok(fock_tasks_create(&problem.screening, FOCK_QUARTET, FOCK_SYMMETRY_NONE, inspect,
                                   &tasks));
        /* |I - J| + |K - L| <= 2: 384 pairs at distance 0, 766 at 1, 764 at 2. */
        int64_t non_null =
            INT64_C(384) * 384 + 2 * 384 * INT64_C(766) + 2 * 384 * INT64_C(764) + 766 * 766;
        assert_int_equal(fock_tasks_n_all(tasks), INT64_C(21743271936));
        assert_int_equal(fock_tasks_n_non_null(tasks), non_null);
        int64_t n = fock_tasks_n(tasks);
        assert_int_equal(n, inspect ? non_null : INT64_C(21743271936));
        /* The last task is of the last pair, and is only not null with inspection. */
        struct tile_quartet last;
        fock_tasks_first_quartet(tasks, n - 1, &last);
        assert_int_equal(last.I, 383);
        assert_int_equal(last.J, 383);
        assert_false(fock_tasks_is_null(tasks, n - 1));
        assert_int_equal(fock_tasks_is_null(tasks, 383), !inspect);
        fock_tasks_destroy(tasks);
    }
    free(problem.screening.tile_bounds);
}

TEST(more_than_2_to_the_62_tasks_are_refused)
{
    /* Refused before the bounds are looked at, and before they fill the memory. */
    struct problem problem = {.tiling.n_tiles = 100000};
    problem.screening.tiling = &problem.tiling;
    struct fock_tasks *tasks;
    check_status(STATUS_LIMIT, fock_tasks_create(&problem.screening, FOCK_QUARTET,
                                                 FOCK_SYMMETRY_NONE, true, &tasks));
    assert_null(tasks);
    assert_non_null(strstr(status_text(), "--tile"));
    problem.tiling.n_tiles = 78000;
    check_status(STATUS_LIMIT, fock_tasks_create(&problem.screening, FOCK_QUARTET,
                                                 FOCK_SYMMETRY_FULL, true, &tasks));
}
