/* SPDX-License-Identifier: BSD-3-Clause */
/* Schwarz bounds and the number of integrals that pass them, against the slow
 * integrals and plain loops. */
#include "hf/tiles/screening.h"
#include "tests/cases/hf_system.h"
#include "tests/reference/integrals_reference.h"

/* Products of primitives so small that they change no integral are left out of
 * bounds too. */
#define LEAST_BOUND 1e-18

static struct hf_system small;

static void start(void)
{
    check_ok(darray_start());
    hf_system_init(&small, hf_system_molecule, hf_system_basis);
}

static void stop(void)
{
    hf_system_fini(&small);
    darray_stop();
}

/* sqrt((mn|mn)) of all pairs of functions by the reference, row-major; the caller frees it. */
static double *reference_bounds(const struct shells *shells)
{
    enum { MAX = 6 }; /* functions of a d shell */
    double block[MAX * MAX * MAX * MAX];
    int64_t n = shells->n_functions;
    double *bounds = calloc((size_t)(n * n), sizeof *bounds);
    for (int64_t a = 0; a < shells->n_shells; a++)
        for (int64_t b = 0; b < shells->n_shells; b++) {
            const struct shell *A = &shells->shells[a], *B = &shells->shells[b];
            reference_two_electron(A, B, A, B, block);
            int n_pair = A->n_functions * B->n_functions;
            for (int i = 0; i < A->n_functions; i++)
                for (int j = 0; j < B->n_functions; j++)
                    bounds[(A->first_function + i) * n + B->first_function + j] =
                        sqrt(fabs(block[(i * B->n_functions + j) * (n_pair + 1)]));
        }
    return bounds;
}

/* Bound of two groups from their functions; the first functions of both into first, the ends into
 * last. */
static double group_bound(const struct shells *shells, const double *bounds, int64_t a, int64_t b,
                          int64_t first[2], int64_t last[2])
{
    const int64_t group[2] = {a, b};
    int64_t n = shells->n_functions;
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        first[i] = shells->groups[group[i]].first_function;
        last[i] = first[i] + shells->types[shells->groups[group[i]].type].n_functions;
    }
    for (int64_t i = first[0]; i < last[0]; i++)
        for (int64_t j = first[1]; j < last[1]; j++)
            sum += bounds[i * n + j] * bounds[i * n + j];
    return sqrt(sum);
}

static void check_tile_pair(const struct screening *screening, const double *bounds, int64_t I,
                            int64_t J)
{
    const struct tiling *tiling = screening->tiling;
    const struct shells *shells = tiling->shells;
    int64_t pair = tile_pair_index(I, J);
    double *stored =
               calloc((size_t)darray_block_size(screening->group_bounds, pair) + 1, sizeof *stored),
           largest = 0;
    darray_get(screening->group_bounds, pair, stored);
    const double *next = stored;
    for (int64_t a = tiling->first_group[I]; a < tiling->first_group[I + 1]; a++)
        for (int64_t b = tiling->first_group[J]; b < tiling->first_group[J + 1]; b++, next++) {
            int64_t first[2], last[2];
            double bound = group_bound(shells, bounds, a, b, first, last);
            check_close(*next, bound, 1e-10 * bound + LEAST_BOUND);
            largest = fmax(largest, *next);
        }
    assert_true(screening->tile_bounds[pair] == largest);
    assert_true(screening->max_bound >= largest);
    free(stored);
}

TEST(bounds_are_norms_of_their_blocks)
{
    const int64_t targets[] = {1, 5, 40};
    double *bounds = reference_bounds(small.shells);
    for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
        hf_system_tile(&small, targets[t], 1e-10);
        double largest = 0;
        for (int64_t I = 0; I < small.tiling->n_tiles; I++)
            for (int64_t J = 0; J <= I; J++) {
                check_tile_pair(small.screening, bounds, I, J);
                largest = fmax(largest, small.screening->tile_bounds[tile_pair_index(I, J)]);
            }
        assert_true(small.screening->max_bound == largest);
    }
    free(bounds);
}

/* Every element becomes the bound of its block of groups. */
static void widen_to_groups(const struct shells *shells, double *bounds)
{
    int64_t n = shells->n_functions;
    for (int64_t a = 0; a < shells->n_groups; a++)
        for (int64_t b = 0; b < shells->n_groups; b++) {
            int64_t first[2], last[2];
            double bound = group_bound(shells, bounds, a, b, first, last);
            for (int64_t i = first[0]; i < last[0]; i++)
                for (int64_t j = first[1]; j < last[1]; j++)
                    bounds[i * n + j] = bound;
        }
}

/* By the definition, over all quartets of functions. bounds: of their groups. */
static struct integral_count count_all(const double *bounds, int64_t n, double threshold)
{
    struct integral_count count = {0};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < n; k++)
                for (int64_t l = 0; l < n; l++) {
                    bool counts = bounds[i * n + j] * bounds[k * n + l] >= threshold;
                    bool unique =
                        i >= j && k >= l && tile_pair_index(i, j) >= tile_pair_index(k, l);
                    count.all += counts;
                    count.unique += counts && unique;
                }
    return count;
}

static void check_count(struct hf_system *system, int64_t target, double threshold,
                        const struct integral_count *expected)
{
    struct integral_count count;
    hf_system_tile(system, target, threshold);
    check_ok(screening_count_integrals(system->screening, MPI_COMM_WORLD, &count));
    assert_int_equal(count.all, expected->all);
    assert_int_equal(count.unique, expected->unique);
}

TEST(integrals_are_counted_as_if_one_by_one)
{
    const double thresholds[] = {100, 1, 1e-2, 1e-4, 1e-6, 1e-9, 1e-14};
    int64_t n = small.shells->n_functions;
    double *bounds = reference_bounds(small.shells);
    widen_to_groups(small.shells, bounds);
    for (size_t t = 0; t < sizeof thresholds / sizeof thresholds[0]; t++) {
        struct integral_count expected = count_all(bounds, n, thresholds[t]);
        check_count(&small, 5, thresholds[t], &expected);
        check_count(&small, 40, thresholds[t], &expected);
    }
    free(bounds);
}

/* Multiples of a unit would split the degenerate orbitals of an atom. */
TEST(integrals_of_an_atom_are_not_rounded)
{
    struct hf_system atom;
    hf_system_init(&atom, "1\n\nBe 0 0 1\n", "Be 0\nS 1 1\n2 1\nD 1 1\n1 1\n****\n");
    hf_system_tile(&atom, 40, 1e-10);
    hf_system_tile(&small, 40, 1e-10);
    assert_true(atom.screening->unit == 0);
    assert_true(small.screening->unit > 0);
    hf_system_fini(&atom);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
