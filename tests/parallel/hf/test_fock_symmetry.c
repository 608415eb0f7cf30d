/* SPDX-License-Identifier: BSD-3-Clause */
/* Fock builds that use the symmetry of the molecule give the matrices of builds that do not, for
 * densities of any symmetry; and the parts of a matrix are its parts. */
#include "basis/input/point_group.h"
#include "hf/fock/fock_build.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/sha256.h"
#include "tests/cases/darray_case.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/pool_cases.h"

/* Low enough that rounding is all that is between the two. */
#define THRESHOLD 1e-13

/* Shells up to f, general contractions among them; molecular axes along the coordinate axes or
 * not; centres on planes and axes or not. */
static const char basis_text[] =
    "C 0\nS 3 1\n13.7 0.154\n2.8 0.535\n0.44 0.444\nS 3 1\n13.7 -0.05\n2.8 -0.2\n0.44 0.6\n"
    "SP 2 1\n5.03 -0.1 0.156\n1.17 0.4 0.608\nD 1 1\n0.9 1\nF 1 1\n0.7 1\n****\n"
    "H 0\nS 2 1\n3.43 0.154\n0.62 0.535\nP 1 1\n0.75 1\n****\n";

static const char *const molecules[] = {
    "6\n\nC 0 0 1.25\nC 0 0 -1.25\nH 0 1.7 2.3\nH 0 -1.7 2.3\nH 0 1.7 -2.3\nH 0 -1.7 -2.3\n",
    "5\n\nC 0 0 0\nH 1.2 1.2 1.2\nH 1.2 -1.2 -1.2\nH -1.2 1.2 -1.2\nH -1.2 -1.2 1.2\n",
    "4\n\nC 1.3 0.2 0\nC -1.3 -0.2 0\nH 1.9 -0.9 1.6\nH -1.9 0.9 1.6\n",
    ("8\n\nH 1.5 1.3 1.7\nH -1.5 1.3 1.7\nH 1.5 -1.3 1.7\nH 1.5 1.3 -1.7\nH -1.5 -1.3 1.7\n"
     "H -1.5 1.3 -1.7\nH 1.5 -1.3 -1.7\nH -1.5 -1.3 -1.7\n"),
    /* Groups C5 and C3v, rounded: without and with a subgroup up to D2h. */
    ("10\n\n"
     "H 3.00000000 0.00000000 0\nH 0.92705098 2.85316955 0\n"
     "H -2.42705098 1.76335576 0\nH -2.42705098 -1.76335576 0\n"
     "H 0.92705098 -2.85316955 0\nH 3.15261041 0.97521668 1.3\n"
     "H 0.04672401 3.29966921 1.3\nH -3.12373339 1.06409104 1.3\n"
     "H -1.97729742 -2.64202478 1.3\nH 1.90169637 -2.69695215 1.3\n"),
    "4\n\nC 0 0 0.4\nH 1.7 0 -0.3\nH -0.85 1.47224319 -0.3\nH -0.85 -1.47224319 -0.3\n",
};
enum { N_MOLECULES = sizeof molecules / sizeof *molecules };

struct symmetric_case {
    struct hf_system hf;
    struct point_group group;
    struct tile_symmetry *symmetry;
};

/* Turned by an angle about an axis between the coordinates' ones. */
static void turn_molecule(struct molecule *molecule, double angle)
{
    double c = cos(angle), s = sin(angle);
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        double *r = molecule->atoms[i].position;
        const double y = c * r[1] - s * r[2], z = s * r[1] + c * r[2];
        r[1] = y;
        r[2] = z;
        const double x = c * r[0] - s * r[1], v = s * r[0] + c * r[1];
        r[0] = x;
        r[1] = v;
    }
}

static void case_init(struct symmetric_case *c, const char *molecule, double angle,
                      enum basis_form form)
{
    const struct molecule_settings settings = {.unit = LENGTH_BOHR};
    struct hf_system *hf = &c->hf;
    *c = (struct symmetric_case){0};
    check_ok(molecule_parse(molecule, strlen(molecule), "test.xyz", &settings, &hf->molecule));
    turn_molecule(&hf->molecule, angle);
    double moved;
    check_ok(point_group_find(&hf->molecule, POINT_GROUP_MOST_MOVED, &c->group, &moved));
    assert_true(moved < 1e-8);
    check_ok(basis_set_parse(basis_text, strlen(basis_text), "test.gbs", &hf->set));
    check_ok(shells_create(&hf->molecule, &hf->set, form, &hf->shells));
    hf_system_tile(hf, 14, THRESHOLD);
    assert_true(c->group.order > 1);
    check_ok(tile_symmetry_create(hf->tiling, &c->group, &c->symmetry));
}

static void case_fini(struct symmetric_case *c)
{
    tile_symmetry_destroy(c->symmetry);
    point_group_fini(&c->group);
    hf_system_fini(&c->hf);
}

static struct darray *new_matrix(const struct symmetric_case *c)
{
    return tiles_create(c->hf.tiling, NULL);
}

static struct darray *random_matrix(const struct symmetric_case *c, unsigned seed)
{
    double *whole = whole_matrix_random(c->hf.shells->n_functions, seed);
    struct darray *matrix = tiles_create(c->hf.tiling, whole);
    free(whole);
    return matrix;
}

static double find_difference(const struct symmetric_case *c, const struct darray *A,
                              const struct darray *B)
{
    int64_t n = c->hf.shells->n_functions;
    double *a = tiles_whole(c->hf.tiling, A), *b = tiles_whole(c->hf.tiling, B);
    double largest = largest_difference(n * n, a, 1, b);
    free(a);
    free(b);
    return largest;
}

/* A part under the commuting operations. WHOLE: the totally symmetric part under all operations. */
enum { WHOLE = 100 };

static struct darray *part_of(const struct symmetric_case *c, int r, const struct darray *A)
{
    double factors[POINT_GROUP_MAX_ORDER];
    int n = r == WHOLE ? c->group.order : c->group.n_commuting;
    struct darray *part = new_matrix(c);
    for (int k = 0; k < n; k++)
        factors[k] = r == WHOLE ? 1.0 / n : (double)point_group_character(r, k) / n;
    check_ok(tile_symmetry_add(c->symmetry, n, TILE_DENSITY, factors, A, 0, part));
    return part;
}

/* Taking the symmetric part again changes nothing. */
static void check_symmetric_part(const struct symmetric_case *c)
{
    double rest[2][2];
    struct darray *A = random_matrix(c, 6);
    struct darray *part = part_of(c, WHOLE, A), *again = part_of(c, WHOLE, part);
    assert_true(find_difference(c, part, again) < 1e-13);
    check_ok(tile_symmetry_find_rest(c->symmetry, A, rest[0]));
    check_ok(tile_symmetry_find_rest(c->symmetry, part, rest[1]));
    MPI_Allreduce(MPI_IN_PLACE, rest, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    assert_true(rest[0][0] > 0.01 && rest[0][1] > 0.01);
    assert_true(rest[1][0] > 0.01 && rest[1][1] < 1e-13);
    darray_destroy(A);
    darray_destroy(part);
    darray_destroy(again);
}

/* Parts add up to the matrix; a part is a part of itself and of no other kind. */
static void check_parts(const struct symmetric_case *c)
{
    struct darray *A = random_matrix(c, 5), *sum = new_matrix(c);
    double largest[POINT_GROUP_MAX_COMMUTING];
    for (int r = 0; r < c->group.n_commuting; r++) {
        struct darray *part = part_of(c, r, A);
        tile_matrix_add(c->hf.tiling, 1, part, 1, sum);
        darray_sync();
        check_ok(tile_symmetry_find_parts(c->symmetry, part, largest));
        MPI_Allreduce(MPI_IN_PLACE, largest, c->group.n_commuting, MPI_DOUBLE, MPI_MAX,
                      MPI_COMM_WORLD);
        for (int q = 0; q < c->group.n_commuting; q++)
            assert_true(q == r ? largest[q] > 0.01 : largest[q] < 1e-13);
        darray_destroy(part);
    }
    assert_true(find_difference(c, A, sum) < 1e-13);
    darray_destroy(A);
    darray_destroy(sum);
}

/* Densities of a pass: kinds of tests of several matrices, and which part of random ones each has; -1:
 * all parts. */
struct kind_case {
    struct density_kind kind;
    int representation[FOCK_MAX_MATRICES];
};

static const struct kind_case kinds[] = {
    {{1, 1, 1, true, 1, -0.5}, {0}},
    {{1, 1, 1, true, 1, -0.5}, {-1}},
    {{2, 1, 2, false, 1, -1}, {0, 0}},
    {{2, 1, 2, false, 1, -1}, {0, 1}},
    {{4, 2, 2, false, 1, -1}, {-1, 0, 1, -1}},
    {{4, 1, 1, false, 1, -1}, {1, -1, 0, 1}},
    {{4, 0, 1, false, 1, -1}, {-1, -1, -1, -1}},
    {{3, 2, 1, false, 1, -1}, {0, 1, -1}},
    {{2, 1, 2, false, 1, -1}, {WHOLE, WHOLE}},
    {{1, 1, 1, true, 1, -0.5}, {WHOLE}},
    {{2, 2, 1, false, 1, -1}, {WHOLE, 0}},
};

static void set_densities(const struct symmetric_case *c, const struct kind_case *kind,
                          struct darray *D[])
{
    for (int i = 0; i < kind->kind.n_matrices; i++) {
        int r = kind->representation[i];
        struct darray *all = random_matrix(c, 7 + (unsigned)i);
        D[i] = r < 0 ? all : part_of(c, r == WHOLE || r < c->group.n_commuting ? r : 0, all);
        if (r >= 0)
            darray_destroy(all);
    }
}

static int64_t last_integrals(const struct fock *fock)
{
    return fock_records(fock)[fock_n_builds(fock) - 1].integrals;
}

/* Builds from symmetric and other densities in turns find what each has kept. */
static void check_mixture(const struct symmetric_case *c, struct fock *fock)
{
    const struct density_kind one = density_of_spins(1);
    struct darray *other = random_matrix(c, 40), *part = part_of(c, WHOLE, other), *G[3];
    for (int i = 0; i < 3; i++)
        G[i] = new_matrix(c);
    const struct darray *densities[] = {part, other, part};
    for (int i = 0; i < 3; i++)
        check_ok(fock_build_several(fock, &one, &densities[i], &G[i]));
    assert_true(find_difference(c, G[0], G[2]) == 0);
    assert_true(find_difference(c, G[0], G[1]) > 0.01);
    for (int i = 0; i < 3; i++)
        darray_destroy(G[i]);
    darray_destroy(other);
    darray_destroy(part);
}

/* Builds without and with symmetry, twice with, so that kept integrals are read. */
static void check_kind(struct symmetric_case *c, const struct kind_case *kind,
                       const struct fock_settings *settings, const char *mode)
{
    struct taskpool_settings pool = pool_case_settings(mode);
    struct darray *D[FOCK_MAX_MATRICES], *F[2][FOCK_MAX_MATRICES];
    struct fock *fock;
    check_ok(fock_create(c->hf.screening, settings, &pool, MPI_COMM_WORLD, &fock));
    set_densities(c, kind, D);
    for (int i = 0; i < kind->kind.n_matrices; i++)
        for (int way = 0; way < 2; way++)
            F[way][i] = new_matrix(c);
    const struct darray *const *in = (const struct darray *const *)D;
    check_ok(fock_build_several(fock, &kind->kind, in, F[0]));
    int64_t all = last_integrals(fock);
    check_ok(fock_use_symmetry(fock, c->symmetry));
    char digest[2][SHA256_HEX_SIZE];
    for (int build = 0; build < 2; build++) {
        check_ok(fock_build_several(fock, &kind->kind, in, F[1]));
        for (int i = 0; i < kind->kind.n_matrices; i++)
            assert_true(find_difference(c, F[0][i], F[1][i]) < 1e-9);
        check_ok(tile_matrix_sha256(c->hf.tiling, F[1][0], digest[build]));
    }
    assert_string_equal(digest[0], digest[1]);
    if (kind->kind.total && kind->representation[0] == 0 && c->group.n_commuting > 1)
        assert_true(last_integrals(fock) < 0.7 * (double)all);
    if (kind->kind.total && kind->representation[0] == WHOLE)
        assert_true(last_integrals(fock) < 0.6 * (double)all);
    if (kind->kind.total && kind->representation[0] == WHOLE)
        check_mixture(c, fock);
    check_ok(fock_use_symmetry(fock, NULL));
    check_ok(fock_build_several(fock, &kind->kind, in, F[1]));
    assert_true(last_integrals(fock) == all);
    assert_true(find_difference(c, F[0][0], F[1][0]) == 0);
    for (int i = 0; i < kind->kind.n_matrices; i++) {
        darray_destroy(D[i]);
        darray_destroy(F[0][i]);
        darray_destroy(F[1][i]);
    }
    fock_destroy(fock);
}

/* Rounding errors of a symmetric density are left out, and change its energy in second order only. */
static void check_noise(struct symmetric_case *c)
{
    const struct fock_settings settings = {.cache_bytes = 1000000};
    const struct density_kind kind = density_of_spins(1);
    struct taskpool_settings pool = pool_case_settings("--sched=static");
    struct darray *whole = random_matrix(c, 3), *D = part_of(c, 0, whole), *F[2];
    struct fock *fock;
    double energy[2];
    struct darray *symmetric = new_matrix(c);
    tile_matrix_add(c->hf.tiling, 1, D, 0, symmetric);
    tile_matrix_add(c->hf.tiling, 4e-9, whole, 1, D);
    darray_sync();
    check_ok(fock_create(c->hf.screening, &settings, &pool, MPI_COMM_WORLD, &fock));
    for (int way = 0; way < 2; way++) {
        F[way] = new_matrix(c);
        check_ok(fock_use_symmetry(fock, way == 1 ? c->symmetry : NULL));
        check_ok(fock_build_several(fock, &kind, (const struct darray *const *)&D, &F[way]));
        energy[way] = tile_matrix_dot(c->hf.tiling, symmetric, F[way]);
    }
    check_close(energy[1], energy[0], 1e-12 * fabs(energy[0]));
    fock_destroy(fock);
    darray_destroy(D);
    darray_destroy(whole);
    darray_destroy(symmetric);
    darray_destroy(F[0]);
    darray_destroy(F[1]);
}

static void check_case(const char *molecule, double angle, enum basis_form form)
{
    struct symmetric_case c;
    case_init(&c, molecule, angle, form);
    check_parts(&c);
    check_symmetric_part(&c);
    check_noise(&c);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct fock_settings settings = {.prune = (int)k % 3,
                                         .decomposition = (int)k / 2 % FOCK_N_DECOMPOSITIONS,
                                         .cache_bytes = 1000000,
                                         .kept_bytes = k % 2 ? 30000000 : 0};
        check_kind(&c, &kinds[k], &settings, k % 3 ? "--sched=steal" : "--sched=static");
    }
    case_fini(&c);
}

TEST(builds_with_symmetry_give_the_matrices_without)
{
    for (int m = 0; m < N_MOLECULES; m++)
        check_case(molecules[m], 0, BASIS_FORM_SPHERICAL);
}

/* Functions are turned into others, and a Cartesian one's image is no orthogonal transformation. */
TEST(molecules_in_any_orientation_do)
{
    check_case(molecules[0], 0.6, BASIS_FORM_CARTESIAN);
    check_case(molecules[1], 1.1, BASIS_FORM_SPHERICAL);
    check_case(molecules[2], -0.4, BASIS_FORM_CARTESIAN);
    check_case(molecules[5], 0.7, BASIS_FORM_CARTESIAN);
}

TEST_SETUP(darray_case_start)

TEST_TEARDOWN(darray_case_stop)
