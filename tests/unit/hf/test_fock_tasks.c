/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a Fock build, found by each decomposition, symmetry and pruning, agree
 * with a brute-force enumeration: every quartet of tiles that is not null once,
 * and no other. */
#include "hf/fock/fock_tasks.h"
#include "support/base/random.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TILES = 9, MAX_QUARTETS = MAX_TILES * MAX_TILES * MAX_TILES * MAX_TILES };

/* Bounds without a basis: tasks depend on nothing else. */
struct problem {
    struct tiling tiling;
    struct screening screening;
};

/* Random bounds are decided by their exponents below the spread, so that many are equal and many products
 * meet the threshold exactly; some are zero, or all without a spread. */
static struct problem *make_problem(int64_t n_tiles, int spread)
{
    struct problem *problem = calloc(1, sizeof *problem);
    problem->tiling.n_tiles = n_tiles;
    int64_t n_pairs = tiling_n_pairs(&problem->tiling);
    double *bounds = calloc((size_t)n_pairs, sizeof(double));
    struct random_stream random;
    random_stream_init(&random, (uint64_t)n_tiles, (uint64_t)spread);
    problem->screening =
        (struct screening){.tiling = &problem->tiling, .threshold = 0x1p-12, .tile_bounds = bounds};
    for (int64_t pair = 0; pair < n_pairs && spread > 0; pair++)
        if (random_unit(&random) > 0.1) {
            bounds[pair] = ldexp(1, -(int)random_below(&random, (uint64_t)spread));
            problem->screening.max_bound = fmax(problem->screening.max_bound, bounds[pair]);
        }
    return problem;
}

static void destroy_problem(struct problem *problem)
{
    free(problem->screening.tile_bounds);
    free(problem);
}

static double bound(const struct problem *problem, int64_t I, int64_t J)
{
    return problem->screening.tile_bounds[I >= J ? tile_pair_index(I, J) : tile_pair_index(J, I)];
}

static bool is_non_null(const struct problem *problem, const struct tile_quartet *q)
{
    return bound(problem, q->I, q->J) * bound(problem, q->K, q->L) >= problem->screening.threshold;
}

/* A number of the quartet or, under full symmetry, of its orbit of eight. */
static int64_t identity(const struct tile_quartet *q, enum fock_symmetry symmetry)
{
    if (symmetry == FOCK_SYMMETRY_NONE)
        return ((q->I * MAX_TILES + q->J) * MAX_TILES + q->K) * MAX_TILES + q->L;
    int64_t bra = tile_pair_index_unordered(q->I, q->J);
    int64_t ket = tile_pair_index_unordered(q->K, q->L);
    return tile_pair_index_unordered(bra, ket);
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
    for (int64_t i = 0; i < n * n * n * n; i++) {
        struct tile_quartet q = {i / n / n / n, i / n / n % n, i / n % n, i % n};
        if (is_non_null(visits->problem, &q))
            expected[identity(&q, visits->symmetry)] = 1;
    }
    for (int64_t i = 0; i < MAX_QUARTETS; i++)
        assert_int_equal(visits->count[i], expected[i]);
}

/* Visits all tasks. An id names a task independently of pruning, which its first quartet belongs to. */
static int64_t visit_all(const struct fock_tasks *tasks, const struct fock_tasks *unpruned,
                         bool is_quartet, struct visits *visits, bool *seen)
{
    int64_t n_non_null = 0;
    for (int64_t task = 0; task < fock_tasks_n(tasks); task++) {
        int64_t before = visits->n, id = fock_tasks_id(tasks, task);
        struct tile_quartet first, same;
        bool null;
        assert_in_range(id, 0, fock_tasks_n_all(tasks) - 1);
        assert_false(seen[id]);
        seen[id] = true;
        fock_tasks_first_quartet(tasks, task, &first);
        fock_tasks_first_quartet(unpruned, id, &same);
        assert_memory_equal(&first, &same, sizeof same);
        check_ok(fock_tasks_visit(tasks, task, visit, visits, &null));
        assert_int_equal(null, visits->n == before);
        assert_int_equal(null, fock_tasks_is_null(tasks, task));
        if (!null && is_quartet)
            assert_memory_equal(&first, &visits->last, sizeof first);
        n_non_null += !null;
    }
    return n_non_null;
}

static int64_t count_all(int64_t n, enum fock_decomposition decomposition,
                         enum fock_symmetry symmetry)
{
    int64_t n_pairs = n * (n + 1) / 2;
    if (symmetry == FOCK_SYMMETRY_NONE)
        return decomposition == FOCK_PAIR ? n * n : n * n * n * n;
    return decomposition == FOCK_PAIR ? n_pairs : n_pairs * (n_pairs + 1) / 2;
}

/* All tasks; those that an inspection finds; those that are kept because a visit found them not null. */
static void check_tasks(const struct problem *problem, enum fock_decomposition decomposition,
                        enum fock_symmetry symmetry)
{
    const struct screening *screening = &problem->screening;
    int64_t all = count_all(problem->tiling.n_tiles, decomposition, symmetry), n = 0, n_non_null;
    bool *seen = malloc((size_t)all);
    struct fock_tasks *unpruned, *tasks;
    check_ok(fock_tasks_create(screening, decomposition, symmetry, false, &unpruned));
    assert_true(fock_tasks_count(problem->tiling.n_tiles, decomposition, symmetry) == (double)all);
    for (int way = 0; way < 3; way++) {
        static struct visits visits;
        visits = (struct visits){.problem = problem, .symmetry = symmetry};
        check_ok(fock_tasks_create(screening, decomposition, symmetry, way == 1, &tasks));
        if (way == 2) {
            int64_t *kept = calloc((size_t)n + 1, sizeof *kept);
            for (int64_t id = 0, k = 0; id < all; id++)
                if (!fock_tasks_is_null(unpruned, id))
                    kept[k++] = id;
            fock_tasks_keep(tasks, n, kept);
        }
        memset(seen, 0, (size_t)all);
        n_non_null = visit_all(tasks, unpruned, decomposition == FOCK_QUARTET, &visits, seen);
        check_complete(&visits);
        n = way == 0 ? n_non_null : n;
        assert_int_equal(n_non_null, n);
        assert_int_equal(fock_tasks_n_all(tasks), all);
        assert_int_equal(fock_tasks_n(tasks), way == 0 ? all : n);
        if (way < 2)
            assert_int_equal(fock_tasks_n_non_null(tasks), n);
        for (int64_t id = 0; id < all && way > 0; id++)
            assert_int_equal(seen[id], !fock_tasks_is_null(unpruned, id));
        if (way == 2)
            fock_tasks_keep(tasks, 0, NULL);
        assert_int_equal(fock_tasks_n(tasks), way == 1 ? n : all);
        fock_tasks_destroy(tasks);
    }
    fock_tasks_destroy(unpruned);
    free(seen);
}

TEST(every_quartet_that_is_not_null_is_visited_once)
{
    static const int spreads[] = {0, 1, 4, 12, 40};
    for (int64_t n_tiles = 1; n_tiles <= MAX_TILES; n_tiles++)
        for (size_t s = 0; s < sizeof spreads / sizeof spreads[0]; s++) {
            struct problem *problem = make_problem(n_tiles, spreads[s]);
            for (int decomposition = 0; decomposition < FOCK_N_DECOMPOSITIONS; decomposition++)
                for (int symmetry = FOCK_SYMMETRY_FULL; symmetry <= FOCK_SYMMETRY_NONE; symmetry++)
                    check_tasks(problem, (enum fock_decomposition)decomposition,
                                (enum fock_symmetry)symmetry);
            destroy_problem(problem);
        }
}

TEST(a_failure_stops_the_visits_and_is_returned)
{
    struct problem *problem = make_problem(6, 4);
    struct fock_tasks *tasks;
    static struct visits visits;
    check_ok(fock_tasks_create(&problem->screening, FOCK_PAIR, FOCK_SYMMETRY_NONE, false, &tasks));
    visits = (struct visits){.problem = problem, .symmetry = FOCK_SYMMETRY_NONE, .stop_after = 5};
    bool null;
    check_status(STATUS_NUMERIC, fock_tasks_visit(tasks, 7, visit, &visits, &null));
    assert_int_equal(visits.n, 5);
    assert_false(null);
    fock_tasks_destroy(tasks);
    fock_tasks_destroy(NULL);
    destroy_problem(problem);
}

/* A chain of tiles whose bounds decay fast: the few quartets that matter are found
 * among 2e10 without looking at the others. */
TEST(large_problems_are_numbered_without_being_listed)
{
    struct problem *problem = make_problem(384, 0);
    struct fock_tasks *tasks;
    problem->screening.threshold = 0.25;
    for (int64_t I = 0; I < 384; I++)
        for (int64_t J = 0; J <= I; J++)
            problem->screening.tile_bounds[tile_pair_index(I, J)] = ldexp(1, (int)(J - I));
    for (int inspect = 0; inspect < 2; inspect++) {
        check_ok(fock_tasks_create(&problem->screening, FOCK_QUARTET, FOCK_SYMMETRY_NONE, inspect,
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
    destroy_problem(problem);
}

/* Before the bounds are looked at, and before they fill the memory. */
TEST(more_than_2_to_the_62_tasks_are_refused)
{
    for (int symmetry = FOCK_SYMMETRY_FULL; symmetry <= FOCK_SYMMETRY_NONE; symmetry++) {
        struct problem problem = {.tiling.n_tiles = symmetry ? 46341 : 78000};
        problem.screening.tiling = &problem.tiling;
        struct fock_tasks *tasks;
        check_status(STATUS_LIMIT, fock_tasks_create(&problem.screening, FOCK_QUARTET,
                                                     (enum fock_symmetry)symmetry, true, &tasks));
        assert_null(tasks);
        assert_non_null(strstr(status_text(), "--tile"));
    }
}
