/* SPDX-License-Identifier: BSD-3-Clause */
/* The ..._bytes of what an SCF and a Fock build create are what the heap gives them: to 2 % and
 * 4 kB (headers of the allocator, small tables) on process 0, which has the largest matrices, and
 * no less than it gives on the others. Scratch that an estimate counts in addition is named. */
#include "hf/digestion/fock_tiles.h"
#include "hf/fock/fock_worker.h"
#include "hf/scf/scf_open_shell.h"
#include "hf/scf/scf_second_order.h"
#include "hf/scf/scf_solver.h"
#include "hf/scf/scf_stability.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/scf_case.h"

#include <malloc.h>

/* Also ones whose SCF takes little time. */
static const struct scf_case cases[] = {
    {"3\n\nO 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n", 0, 1, "cc-pvtz", 1, 0},
    {"2\n\nO 0 0 0\nO 0 0.4 1.1\n", 0, 3, "cc-pvtz", 2, 0},
    {"2\n\nO 0 0 0\nO 0 0.4 1.1\n", 0, 3, "cc-pvtz", 3, 0},
    {"3\n\nO 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n", 0, 1, "cc-pvdz", 1, 0},
    {"2\n\nO 0 0 0\nO 0 0.4 1.1\n", 0, 3, "6-31g", 2, 0},
    {"2\n\nO 0 0 0\nO 0 0.4 1.1\n", 0, 3, "6-31g", 3, 0}};
enum { N_CASES = 3, FIRST_QUICK = 3 };

static struct scf_setup setup;
static struct scf_basis *basis;
static struct scf_basis plan; /* with the basis's number of orbitals */
static struct scf_fock *fock;
static struct scf_state *scf;
static int rank, n_processes;

static double heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

/* taken since `before`; the estimate counts so much scratch in addition. */
static void check_taken(const char *what, double estimate, double scratch, double before)
{
    double taken = heap_bytes() - before, slack = 0.02 * estimate + 4096;
    bool enough = taken <= estimate + slack;
    bool tight = rank > 0 || taken >= estimate - scratch - slack;
    if (!enough || !tight)
        fail_msg("%s: %.0f bytes taken, %.0f estimated, %.0f of scratch included", what, taken,
                 estimate, scratch);
}

/* Of an object that is created and destroyed. */
#define CHECK_OBJECT(what, estimate, scratch, create, destroy)                                     \
    do {                                                                                           \
        double before = heap_bytes();                                                              \
        check_ok(create);                                                                          \
        check_taken(what, (double)(estimate), scratch, before);                                    \
        destroy;                                                                                   \
    } while (0)

static void begin_case(int number)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    scf_setup_init(&setup, &cases[number]);
    check_ok(scf_basis_create(&setup.problem, SCF_DEFAULT_DEPENDENCE, &basis));
    check_ok(scf_fock_create(&setup.problem, setup.D, &fock));
    check_ok(scf_state_create(basis, &scf));
    plan = scf_basis_plan(&setup.problem);
    plan.n_orbitals = basis->n_orbitals;
}

static void end_case(void)
{
    scf_state_destroy(scf);
    scf_fock_destroy(fock);
    scf_basis_destroy(basis);
    scf_setup_fini(&setup);
}

static void check_objects_of_an_scf(void)
{
    enum { N_ROTATIONS = 6 };
    struct scf_basis *another_basis;
    struct scf_state *state;
    struct scf_occupation *occupation;
    struct diis *diis;
    struct scf_hessian hessian;
    struct scf_second_order *second_order;
    struct scf_rotation rotations[N_ROTATIONS];
    const struct dense_grid *grid = setup.grid;
    int n_densities = plan.problem->n_densities;
    int64_t n = plan.n_functions, v = plan.n_orbitals - plan.n_occupied[n_densities - 1];
    int64_t of_second_order = scf_second_order_bytes(&plan, FOCK_MAX_MATRICES);
    int64_t of_rotations = N_ROTATIONS * scf_rotation_bytes(&plan);
    CHECK_OBJECT("basis", scf_basis_bytes(&plan, n_processes).own_bytes, 0,
                 scf_basis_create(&setup.problem, SCF_DEFAULT_DEPENDENCE, &another_basis),
                 scf_basis_destroy(another_basis));
    CHECK_OBJECT("state", scf_state_bytes(&plan), 0, scf_state_create(basis, &state),
                 scf_state_destroy(state));
    CHECK_OBJECT("occupation", scf_occupation_bytes(&plan), 0,
                 scf_occupation_create(basis, &occupation), scf_occupation_destroy(occupation));
    CHECK_OBJECT("DIIS", diis_bytes(grid, n_densities, n, 8), 0,
                 diis_create(grid, n_densities, n, 8, &diis), diis_destroy(diis));
    double scratch = (double)dense_bytes(grid, n, v) +
                     (scf_is_rohf(plan.problem) ? (double)scf_open_bytes(&plan) : 0);
    CHECK_OBJECT("Hessian", scf_hessian_bytes(&plan, 1), scratch,
                 scf_hessian_init(basis, fock, scf, &hessian), scf_hessian_fini(&hessian));
    CHECK_OBJECT("second order", of_second_order,
                 (double)(of_second_order - scf_state_bytes(&plan)),
                 scf_second_order_create(basis, fock, FOCK_MAX_MATRICES, &second_order),
                 scf_second_order_destroy(second_order));
    CHECK_OBJECT("rotations", of_rotations, 0, scf_rotations_init(basis, N_ROTATIONS, rotations),
                 scf_rotations_fini(N_ROTATIONS, rotations));
    assert_true(scf_stability_bytes(&plan) > of_rotations);
}

static void check_fock_tables(void)
{
    struct screening *screening;
    struct fock_tasks *tasks;
    const double window = 4096; /* of MPI, which no estimate counts */
    CHECK_OBJECT("screening", screening_bytes(setup.tiling, n_processes).own_bytes + window, window,
                 screening_create(setup.tiling, 1e-10, NULL, MPI_COMM_WORLD, &screening),
                 screening_destroy(screening));
    CHECK_OBJECT("tasks", fock_tasks_bytes(setup.tiling, FOCK_SYMMETRY_FULL), 0,
                 fock_tasks_create(setup.screening, FOCK_QUARTET, FOCK_SYMMETRY_FULL, true, &tasks),
                 fock_tasks_destroy(tasks));
}

static void check_fock_worker(void)
{
    struct fock_tiles *tiles;
    struct fock_worker *worker;
    double m = (double)setup.tiling->max_functions, two_tiles = 2 * m * m * sizeof(double);
    struct density_kind kind = density_of_spins(plan.problem->n_densities);
    const struct darray *D[2] = {setup.D[0], setup.D[0]};
    double before = heap_bytes();
    check_ok(fock_tiles_create(setup.screening, true, 0, &tiles));
    check_ok(fock_tiles_begin(tiles, &kind, D));
    double windows = kind.n_matrices * 4096.0; /* of MPI, which no estimate counts */
    check_taken("tiles", fock_tiles_bytes(setup.tiling, &kind, n_processes).own_bytes + windows,
                two_tiles + windows, before);
    before = heap_bytes();
    check_ok(fock_worker_create(setup.screening, SCREENING_DENSITY, FOCK_SYMMETRY_FULL, 0, tiles,
                                &worker));
    check_ok(fock_worker_begin(worker, &kind, 1, 0));
    /* How much the engines take is not known before. */
    check_taken("worker", (double)fock_worker_bytes(setup.tiling, &kind), 3 << 20, before);
    fock_worker_end(worker);
    fock_worker_destroy(worker);
    fock_tiles_destroy(tiles);
}

TEST(objects_take_what_they_say)
{
    for (int i = 0; i < N_CASES; i++) {
        begin_case(i);
        check_objects_of_an_scf();
        check_fock_tables();
        check_fock_worker();
        end_case();
    }
}

/* A worker for one matrix takes a hundred of a tile of s functions, whose blocks have the largest gaps. */
TEST(a_worker_of_large_tiles_takes_little)
{
    static const char s_functions[] = "H 0\nS 1 1\n1 1\nS 1 1\n0.3 1\n****\n";
    const struct density_kind kind = density_of_spins(1);
    struct hf_system hf;
    struct tiling *tiling;
    char text[65536];
    int length = snprintf(text, sizeof text, "500\n\n");
    for (int i = 0; i < 500; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "H 0 0 %d\n", 2 * i);
    hf_system_init(&hf, text, s_functions);
    check_ok(tiling_create(hf.shells, 1000, &tiling));
    double matrix = sizeof(double) * (double)(tiling->max_functions * tiling->max_functions);
    assert_true((double)fock_worker_bytes(tiling, &kind) < 120 * matrix);
    tiling_destroy(tiling);
    hf_system_fini(&hf);
}

/* The part of a distributed array is known exactly. */
TEST(tiles_take_the_longest_part)
{
    begin_case(0);
    double n = 0, longest;
    struct own_tile own = {0};
    while (own_tile_next(setup.tiling, setup.D[0], &own))
        n += (double)darray_block_size(setup.D[0], own.pair);
    MPI_Allreduce(&n, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    struct memory_need need = tile_matrix_bytes(setup.tiling, n_processes);
    check_close(need.shared_bytes, 8 * longest, 0);
    assert_int_equal(need.n_shared, 1);
    end_case();
}

static void note_most(const struct scf_iteration *iteration, void *most)
{
    (void)iteration;
    if (heap_bytes() > *(double *)most)
        *(double *)most = heap_bytes();
}

/* Between iterations, of methods that are all in turn in charge. */
TEST(an_scf_stays_below_its_estimate)
{
    static const int second_order[] = {SCF_NEVER, SCF_ALWAYS};
    const struct fock_settings builds = {.cache_bytes = 64000000};
    for (int i = 0; i < 2 * N_CASES; i++) {
        MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
        scf_setup_init(&setup, &cases[FIRST_QUICK + i / 2]);
        double before = heap_bytes(), most = 0;
        struct scf_settings settings = scf_settings_default();
        struct scf_result result;
        settings.second_order = second_order[i % 2];
        settings.observe = note_most;
        settings.observe_context = &most;
        check_ok(scf_setup_run(&setup, &settings, &result));
        double own = scf_bytes(&setup.problem, &settings, n_processes).own_bytes;
        double with_builds =
            own + fock_bytes(setup.tiling, &builds, FOCK_MAX_MATRICES, n_processes).own_bytes;
        assert_true(most - before < with_builds);
        assert_true(rank > 0 || most - before > 0.3 * own);
        scf_result_fini(&result);
        scf_setup_fini(&setup);
    }
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
