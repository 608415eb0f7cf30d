/* SPDX-License-Identifier: BSD-3-Clause */
/* The ..._bytes of what an SCF and a Fock build create are what the heap gives them: to 2 % and
 * 4 kB (headers of the allocator, small tables) on process 0, which has the largest matrices, and
 * no less than it gives on the others. Scratch that an estimate counts in addition is named. */
#include "hf/digestion/fock_tiles.h"
#include "hf/fock/fock_worker.h"
#include "hf/scf/scf_second_order.h"
#include "hf/scf/scf_solver.h"
#include "hf/scf/scf_stability.h"
#include "tests/cases/scf_case.h"

#include <malloc.h>

static const struct scf_case cases[] = {
    {"3\n\nO 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n", 0, 1, "cc-pvtz", 1, 0},
    {"2\n\nO 0 0 0\nO 0 0.4 1.1\n", 0, 3, "cc-pvtz", 2, 0}};
enum { N_CASES = 2 };

/* Whose SCF takes little time. */
static const struct scf_case quick_cases[N_CASES] = {
    {"3\n\nO 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n", 0, 1, "cc-pvdz", 1, 0},
    {"2\n\nO 0 0 0\nO 0 0.4 1.1\n", 0, 3, "6-31g", 2, 0}};

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

static void check_basis_and_state(void)
{
    struct scf_basis *another_basis;
    struct scf_state *another;
    double before = heap_bytes();
    check_ok(scf_basis_create(&setup.problem, SCF_DEFAULT_DEPENDENCE, &another_basis));
    check_taken("basis", scf_basis_bytes(&plan, n_processes).own_bytes, 0, before);
    scf_basis_destroy(another_basis);
    before = heap_bytes();
    check_ok(scf_state_create(basis, &another));
    check_taken("state", (double)scf_state_bytes(&plan), 0, before);
    scf_state_destroy(another);
    struct scf_occupation *occupation;
    before = heap_bytes();
    check_ok(scf_occupation_create(basis, &occupation));
    check_taken("occupation", (double)scf_occupation_bytes(&plan), 0, before);
    scf_occupation_destroy(occupation);
}

static void check_methods(void)
{
    struct diis *diis;
    struct scf_hessian hessian;
    struct scf_second_order *second_order;
    const struct dense_grid *grid = setup.grid;
    int64_t n = plan.n_functions,
            v = plan.n_orbitals - plan.n_occupied[plan.problem->n_densities - 1];
    double before = heap_bytes();
    check_ok(diis_create(grid, plan.problem->n_densities, n, 8, &diis));
    check_taken("DIIS", (double)diis_bytes(grid, plan.problem->n_densities, n, 8), 0, before);
    diis_destroy(diis);
    before = heap_bytes();
    check_ok(scf_hessian_init(basis, fock, scf, &hessian));
    check_taken("Hessian", (double)scf_hessian_bytes(&plan, 1), (double)dense_bytes(grid, n, v),
                before);
    scf_hessian_fini(&hessian);
    before = heap_bytes();
    check_ok(scf_second_order_create(basis, fock, FOCK_MAX_MATRICES, &second_order));
    double second_order_bytes = (double)scf_second_order_bytes(&plan, FOCK_MAX_MATRICES);
    check_taken("second order", second_order_bytes,
                second_order_bytes - (double)scf_state_bytes(&plan), before);
    scf_second_order_destroy(second_order);
}

/* Vectors, of the methods and of the test of stability. */
static void check_rotations(void)
{
    enum { N_ROTATIONS = 6 };
    struct scf_rotation rotations[N_ROTATIONS];
    double before = heap_bytes(), bytes = (double)(N_ROTATIONS * scf_rotation_bytes(&plan));
    check_ok(scf_rotations_init(basis, N_ROTATIONS, rotations));
    check_taken("rotations", bytes, 0, before);
    assert_true((double)scf_stability_bytes(&plan) > bytes);
    scf_rotations_fini(N_ROTATIONS, rotations);
}

TEST(the_methods_take_what_they_say)
{
    for (int i = 0; i < N_CASES; i++) {
        begin_case(i);
        check_basis_and_state();
        check_methods();
        check_rotations();
        end_case();
    }
}

static void check_fock_tables(void)
{
    struct screening *screening;
    struct fock_tasks *tasks;
    double before = heap_bytes();
    check_ok(screening_create(setup.tiling, 1e-10, NULL, MPI_COMM_WORLD, &screening));
    check_taken("screening", screening_bytes(setup.tiling, n_processes).own_bytes, 0, before);
    before = heap_bytes();
    check_ok(fock_tasks_create(screening, FOCK_QUARTET, FOCK_SYMMETRY_FULL, true, &tasks));
    check_taken("tasks", (double)fock_tasks_bytes(setup.tiling, FOCK_SYMMETRY_FULL), 0, before);
    fock_tasks_destroy(tasks);
    screening_destroy(screening);
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

TEST(a_fock_build_takes_what_it_says)
{
    for (int i = 0; i < N_CASES; i++) {
        begin_case(i);
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
    struct molecule molecule;
    struct basis_set set;
    struct shells *shells;
    struct tiling *tiling;
    char text[65536];
    int length = snprintf(text, sizeof text, "500\n\n");
    for (int i = 0; i < 500; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "H 0 0 %d\n", 2 * i);
    const struct molecule_settings settings = {.unit = LENGTH_BOHR};
    check_ok(molecule_parse(text, (size_t)length, "test.xyz", &settings, &molecule));
    check_ok(basis_set_parse(s_functions, strlen(s_functions), "test.gbs", &set));
    check_ok(shells_create(&molecule, &set, BASIS_FORM_UNSTATED, &shells));
    check_ok(tiling_create(shells, 1000, &tiling));
    double matrix = sizeof(double) * (double)(tiling->max_functions * tiling->max_functions);
    assert_true((double)fock_worker_bytes(tiling, &kind) < 120 * matrix);
    tiling_destroy(tiling);
    shells_destroy(shells);
    basis_set_fini(&set);
    molecule_fini(&molecule);
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
        scf_setup_init(&setup, &quick_cases[i / 2]);
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
