/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that needs too much memory is refused before allocation, also if only the tasks
 * that the scheduler keeps, by its mode, are too many. */
#include "hf/calculation/hf_calculation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

/* 96^4 ordered quartets of tiles: 84,934,656 tasks. */
static struct shells shells = {.n_shells = 3840, .n_functions = 3840, .n_groups = 3840};
enum { N_TILES = 96, TILE = 40 };
static int64_t first[N_TILES + 1]; /* function, and group, of each tile */
static const struct tiling tiling = {.shells = &shells,
                                     .n_tiles = N_TILES,
                                     .max_functions = TILE,
                                     .max_groups = TILE,
                                     .first_function = first,
                                     .first_group = first};

static void cut_tiles(void)
{
    check_begin_mpi();
    for (int64_t tile = 0; tile <= N_TILES; tile++)
        first[tile] = tile * TILE;
}

static struct hf_settings builds_by(const char *mode)
{
    struct hf_settings settings = {
        .molecule = "chain.xyz",
        .basis = "be15s",
        .goal = HF_GOAL_BUILDS,
        .integrals = HF_INTEGRALS_DIRECT,
        .fock = {.symmetry = FOCK_SYMMETRY_NONE, .prune = FOCK_PRUNE_NONE},
    };
    taskpool_settings_default(&settings.pool);
    settings.pool.mode = mode;
    settings.modes = (struct mode_list){.n = 1, .modes = {mode}};
    return settings;
}

static struct dense_grid *grid; /* of an SCF */

/* The fewest megabytes that are enough for one process. */
static int64_t least(struct hf_settings settings)
{
    const struct scf_problem problem = {.shells = &shells,
                                        .tiling = &tiling,
                                        .grid = grid,
                                        .comm = MPI_COMM_SELF,
                                        .n_densities = 1,
                                        .n_orbital_sets = 1,
                                        .electrons_per_orbital = 2};
    int64_t few = 0, enough = INT64_C(1) << 30, kept_bytes;
    while (enough - few > 1) {
        int64_t middle = settings.memory_megabytes = (few + enough) / 2;
        enum status status = hf_memory_check(&settings, &problem, &kept_bytes);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        *(status == STATUS_OK ? &enough : &few) = middle;
    }
    return enough;
}

/* 16 bytes of each task, and 9 while the longest are found; of compared modes the largest. Tasks that are not
 * listed do not count, a history of tasks does. */
TEST(tasks_count_by_what_the_mode_keeps)
{
    int64_t without = least(builds_by("static")), persist = least(builds_by("persist"));
    struct hf_settings inspected = builds_by("auto"), compared = builds_by("auto");
    struct hf_settings history = builds_by("static");
    assert_true(without < 1000);
    assert_int_equal(least(builds_by("steal")), without);
    assert_in_range(persist, without + 1358, without + 1360);
    assert_in_range(least(builds_by("auto")), without + 2122, without + 2125);
    inspected.fock.prune = FOCK_PRUNE_INSPECT;
    assert_int_equal(least(inspected), without);
    check_ok(mode_list_parse("compare", "static,persist", &compared.modes));
    assert_int_equal(least(compared), persist);
    history.pool.keep_history = true;
    assert_true(least(history) >= without + 1358);
}

TEST(an_scf_takes_more_than_builds)
{
    struct hf_settings builds = builds_by("static"), scf = builds;
    scf.goal = HF_GOAL_SCF;
    check_ok(dense_grid_create(MPI_COMM_SELF, &grid));
    assert_true(least(scf) > least(builds) + 1000);
    dense_grid_destroy(grid);
    grid = NULL;
}

TEST_SETUP(cut_tiles)

TEST_TEARDOWN(check_end_mpi)
