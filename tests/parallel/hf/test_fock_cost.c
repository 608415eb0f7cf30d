/* SPDX-License-Identifier: BSD-3-Clause */
/* The predicted cost of a quartet of tiles is the same on every process, and lies between
 * weighted counts of primitive quartets with limits that differ by the width of a bin. */
#include "hf/fock/fock_cost.h"

#include "basis/integrals/shell_pairs.h"
#include "basis/integrals/two_electron.h"
#include "tests/cases/hf_system.h"

#define THRESHOLD 1e-4

static struct hf_system hf;

static void start(void)
{
    check_ok(darray_start());
    hf_system_init(&hf, hf_system_molecule, hf_system_basis);
    hf_system_tile(&hf, 9, THRESHOLD);
}

static void stop(void)
{
    hf_system_fini(&hf);
    darray_stop();
}

/* A product of primitives. */
struct product {
    double v, weight;
};

struct products {
    int64_t n;
    struct product *list;
};

/* Those of tiles (I, J), I >= J, one for each pair of groups that such a task runs over. */
static struct products products_of(int64_t I, int64_t J, enum fock_symmetry symmetry)
{
    struct products made = {0};
    struct shell_pairs *pairs;
    struct shell_rectangle rectangle = {
        .first = {hf.tiling->first_group[I], hf.tiling->first_group[J]},
        .last = {hf.tiling->first_group[I + 1], hf.tiling->first_group[J + 1]},
        .triangle = I == J && symmetry == FOCK_SYMMETRY_FULL};
    double *bounds = malloc((size_t)(tile_n_groups(hf.tiling, I) * tile_n_groups(hf.tiling, J)) *
                            sizeof *bounds);
    darray_get(hf.screening->group_bounds, tile_pair_index(I, J), bounds);
    check_ok(shell_pairs_create(hf.shells, &rectangle, bounds, THRESHOLD / hf.screening->max_bound,
                                &pairs));
    for (int c = 0; c < pairs->n_classes; c++)
        for (int32_t p = 0; p < pairs->classes[c].n_pairs; p++)
            made.n += pairs->classes[c].pairs[p].n_primitives;
    made.list = malloc((size_t)(made.n + 1) * sizeof *made.list);
    made.n = 0;
    for (int c = 0; c < pairs->n_classes; c++) {
        const struct pair_class *class = &pairs->classes[c];
        for (int32_t p = 0; p < class->n_pairs; p++)
            for (int32_t i = 0; i < class->pairs[p].n_primitives; i++) {
                double weight = class->products.weight[class->pairs[p].first_primitive + i];
                double bound = class->pairs[p].bound / sqrt(THRESHOLD);
                double v = fmin(bound, weight / sqrt(two_electron_cutoff(THRESHOLD)));
                made.list[made.n++] = (struct product){v, class->l_first + class->l_second + 1};
            }
    }
    shell_pairs_destroy(pairs);
    free(bounds);
    return made;
}

/* Sum over the pairs of products with v v' >= limit. */
static double count(const struct products *bra, const struct products *ket, double limit)
{
    double sum = 0;
    for (int64_t i = 0; i < bra->n; i++)
        for (int64_t j = 0; j < ket->n; j++)
            if (bra->list[i].v * ket->list[j].v >= limit)
                sum += bra->list[i].weight * ket->list[j].weight;
    return sum;
}

static void check_quartet(const struct fock_cost *cost, enum fock_symmetry symmetry,
                          const struct tile_quartet *quartet)
{
    struct products bra = products_of(quartet->I, quartet->J, symmetry);
    struct products ket = products_of(quartet->K, quartet->L, symmetry);
    bool same = quartet->I == quartet->K && quartet->J == quartet->L;
    double share = same && symmetry == FOCK_SYMMETRY_FULL ? 0.5 : 1;
    /* A bin is a 24th of the range between the largest v and its inverse. */
    double width = pow(hf.screening->max_bound / sqrt(THRESHOLD), 2.0 / 24);
    double fewest = share * count(&bra, &ket, width * width);
    double most = share * count(&bra, &ket, 1 / (width * width));
    double found = fock_cost_of_quartet(cost, quartet);
    double least = 2000; /* of a quartet of tiles without any */
    assert_true(found >= least + fewest * (1 - 1e-6));
    assert_true(found <= least + most * (1 + 1e-6));
    free(bra.list);
    free(ket.list);

    double extremes[2] = {found, -found};
    MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    assert_true(extremes[0] == found && extremes[1] == -found);
}

TEST(costs_are_counts_and_the_same_everywhere)
{
    for (int symmetry = FOCK_SYMMETRY_FULL; symmetry <= FOCK_SYMMETRY_NONE; symmetry++) {
        struct fock_cost *cost;
        check_ok(
            fock_cost_create(hf.screening, (enum fock_symmetry)symmetry, MPI_COMM_WORLD, &cost));
        for (int64_t bra = 0; bra < tiling_n_pairs(hf.tiling); bra++)
            for (int64_t ket = 0; ket <= bra; ket++) {
                struct tile_quartet quartet;
                tile_pair_of_index(bra, &quartet.I, &quartet.J);
                tile_pair_of_index(ket, &quartet.K, &quartet.L);
                check_quartet(cost, (enum fock_symmetry)symmetry, &quartet);
            }
        fock_cost_destroy(cost);
    }
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
