/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/mo_plan.h"

#include "tce/integrals/ao_integrals.h"
#include "tce/tensor/tensor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Functions in a tile: enough for DGEMM and transfers of some size, few enough for small
 * molecules to give tasks to many processes. Fewer where the integrals of a pair of
 * tiles would take more than MATRICES_BYTES. The same for any number of processes: the last
 * bits of a product may depend on the sizes. */
enum { MAX_TILE = 8 };
#define MATRICES_BYTES 128e6

static int64_t tile_target(int64_t n_functions)
{
    double n = (double)n_functions;
    double target = floor(sqrt(MATRICES_BYTES / sizeof(double)) / n);
    return target < 1 ? 1 : target > MAX_TILE ? MAX_TILE : (int64_t)target;
}

static const struct index_space *index_space_of(const struct mo_plan *plan, enum mo_space space)
{
    return space == MO_OCCUPIED ? plan->problem.occupied : plan->problem.virtual;
}

enum mo_space mo_target_space(const struct mo_target *target, int d)
{
    assert(target->pattern[d] == 'o' || target->pattern[d] == 'v');
    return target->pattern[d] == 'o' ? MO_OCCUPIED : MO_VIRTUAL;
}

struct orbital_range mo_plan_range(const struct mo_plan *plan, enum mo_space space, int spin)
{
    const struct orbital_space *orbitals = &plan->problem.orbitals->spin[spin];
    return space == MO_OCCUPIED
               ? (struct orbital_range){0, orbitals->n_occupied}
               : (struct orbital_range){orbitals->n_occupied, orbitals->n_orbitals};
}

int32_t mo_plan_n_tiles(const struct mo_plan *plan, enum mo_space space)
{
    return index_space_of(plan, space) ? index_space_of(plan, space)->n_tiles : 0;
}

struct orbital_tile mo_plan_tile(const struct mo_plan *plan, enum mo_space space, int32_t tile)
{
    const int64_t *first = index_space_of(plan, space)->first;
    int spin = index_space_of(plan, space)->spin[tile] < 0 ? 1 : 0;
    int64_t start = mo_plan_range(plan, space, spin).first;
    if (spin == 1)
        start -= orbital_range_size(mo_plan_range(plan, space, 0));
    return (struct orbital_tile){space, tile, spin, {start + first[tile], start + first[tile + 1]}};
}

struct orbital_range orbital_range_union(struct orbital_range left, struct orbital_range right)
{
    if (left.first == left.last || right.first == right.last)
        return left.first == left.last ? right : left;
    return (struct orbital_range){left.first < right.first ? left.first : right.first,
                                  left.last > right.last ? left.last : right.last};
}

/* Whether a target's first two indices are of these spaces, in any order. */
static bool is_wanted(const struct mo_plan *plan, enum mo_space x, enum mo_space y)
{
    for (int i = 0; i < plan->problem.n_targets; i++) {
        enum mo_space first = mo_target_space(&plan->problem.targets[i], 0);
        enum mo_space second = mo_target_space(&plan->problem.targets[i], 1);
        if ((first == x && second == y) || (first == y && second == x))
            return true;
    }
    return false;
}

/* Adds a pair of tiles of one spin; between different spins (mu nu|rs) is zero. */
static void add_orbital_pair(struct mo_plan *plan, struct orbital_tile R, struct orbital_tile S)
{
    struct orbital_pair pair = {R, S};
    if (R.spin != S.spin)
        return;
    plan->orbital_pairs[plan->n_orbital_pairs++] = pair;
    if (orbital_pair_size(&pair) > plan->max_orbital_pair)
        plan->max_orbital_pair = orbital_pair_size(&pair);
}

static void list_orbital_pairs(struct mo_plan *plan)
{
    for (enum mo_space x = MO_OCCUPIED; x < N_MO_SPACES; x++)
        for (int32_t r = 0; r < mo_plan_n_tiles(plan, x); r++)
            for (enum mo_space y = MO_OCCUPIED; y <= x; y++)
                for (int32_t s = 0;
                     is_wanted(plan, x, y) && s < (x == y ? r + 1 : mo_plan_n_tiles(plan, y)); s++)
                    add_orbital_pair(plan, mo_plan_tile(plan, x, r), mo_plan_tile(plan, y, s));
}

/* --- batches --- */

/* Bytes of the (mu nu|rs) of so many pairs (r, s). */
static double half_bytes_of(const struct mo_plan *plan, int64_t n_pairs)
{
    double n = (double)plan->problem.orbitals->spin[0].n_functions;
    return n * (n + 1) / 2 * (double)n_pairs * sizeof(double);
}

static void append_batch(struct mo_plan *plan, int64_t first, int64_t end)
{
    struct orbital_batch *batch = &plan->batches[plan->n_batches++];
    *batch = (struct orbital_batch){.first = first, .end = end};
    plan->n_slots = end - first > plan->n_slots ? end - first : plan->n_slots;
    for (int64_t k = first; k < end; k++) {
        const struct orbital_pair *pair = &plan->orbital_pairs[k];
        int64_t *slot = &plan->slot_size[k - first];
        *slot = orbital_pair_size(pair) > *slot ? orbital_pair_size(pair) : *slot;
        struct orbital_range *rows = &batch->rows[pair->R.spin];
        struct orbital_range *columns = &batch->columns[pair->R.spin];
        *rows = orbital_range_union(*rows, pair->R.range);
        *columns = orbital_range_union(*columns, pair->S.range);
    }
}

/* As few as the limit allows. */
static enum status list_batches(struct mo_plan *plan)
{
    double limit = plan->problem.half_bytes;
    int64_t first = 0, n_pairs = 0;
    plan->batches = calloc((size_t)plan->n_orbital_pairs + 1, sizeof *plan->batches);
    plan->slot_size = calloc((size_t)plan->n_orbital_pairs + 1, sizeof *plan->slot_size);
    TRY(CHECK_MEMORY(plan->batches && plan->slot_size,
                     "no memory for the pairs of tiles of orbitals"));
    for (int64_t k = 0; k < plan->n_orbital_pairs; k++) {
        int64_t size = orbital_pair_size(&plan->orbital_pairs[k]);
        if (limit > 0 && k > first && half_bytes_of(plan, n_pairs + size) > limit) {
            append_batch(plan, first, k);
            first = k;
            n_pairs = 0;
        }
        n_pairs += size;
    }
    if (plan->n_orbital_pairs > 0)
        append_batch(plan, first, plan->n_orbital_pairs);
    return STATUS_OK;
}

static enum status list_pairs(struct mo_plan *plan, const struct mo_integrals_problem *problem)
{
    plan->problem = *problem;
    size_t n_tiles =
        (size_t)(mo_plan_n_tiles(plan, MO_OCCUPIED) + (int64_t)mo_plan_n_tiles(plan, MO_VIRTUAL));
    plan->orbital_pairs = calloc(n_tiles * (n_tiles + 1) / 2, sizeof *plan->orbital_pairs);
    TRY(CHECK_MEMORY(plan->orbital_pairs, "no memory for the pairs of %zu tiles of orbitals",
                     n_tiles));
    list_orbital_pairs(plan);
    return list_batches(plan);
}

/* Finds the largest tile pair and the largest block of a target. */
static void find_largest(struct mo_plan *plan)
{
    for (int64_t M = 0; M < plan->tiling->n_tiles; M++)
        for (int64_t N = 0; N <= M; N++) {
            int64_t n = function_pairs_count(plan->tiling, M, N);
            plan->max_function_pairs = n > plan->max_function_pairs ? n : plan->max_function_pairs;
        }
    for (int i = 0; i < plan->problem.n_targets; i++) {
        int64_t n = 1;
        for (int d = 0; d < 4; d++)
            n *= index_space_of(plan, mo_target_space(&plan->problem.targets[i], d))->max_tile;
        plan->max_block = n > plan->max_block ? n : plan->max_block;
    }
}

enum status mo_plan_create(const struct mo_integrals_problem *problem, struct mo_plan **plan)
{
    const struct shells *shells = problem->screening->tiling->shells;
    assert(!problem->occupied ||
           problem->occupied->size == orbital_spaces_n_occupied(problem->orbitals));
    assert(!problem->virtual ||
           problem->virtual->size == orbital_spaces_n_virtual(problem->orbitals));
    *plan = calloc(1, sizeof **plan);
    TRY(CHECK_MEMORY(*plan, "no memory for the plan of a transformation"));
    TRY(list_pairs(*plan, problem));
    TRY(tiling_create(shells, tile_target(shells->n_functions), &(*plan)->tiling));
    find_largest(*plan);
    return STATUS_OK;
}

void mo_plan_destroy(struct mo_plan *plan)
{
    if (!plan)
        return;
    tiling_destroy(plan->tiling);
    free(plan->orbital_pairs);
    free(plan->batches);
    free(plan->slot_size);
    free(plan);
}

double mo_plan_half_bytes(const struct mo_plan *plan)
{
    int64_t n_pairs = 0;
    for (int64_t slot = 0; slot < plan->n_slots; slot++)
        n_pairs += plan->slot_size[slot];
    return half_bytes_of(plan, n_pairs);
}

int64_t mo_plan_matrices_size(const struct mo_plan *plan)
{
    int64_t n = plan->problem.orbitals->spin[0].n_functions;
    int64_t n_matrices = plan->max_function_pairs > plan->max_orbital_pair
                             ? plan->max_function_pairs
                             : plan->max_orbital_pair;
    return n_matrices * n * n;
}

int64_t mo_plan_block_size(const struct mo_plan *plan)
{
    int64_t half = plan->max_function_pairs * plan->max_orbital_pair;
    return half > plan->max_block ? half : plan->max_block;
}

double mo_plan_process_bytes(const struct mo_plan *plan)
{
    double n_doubles =
        plan->problem.orbitals->n_orbital_sets * (double)mo_plan_matrices_size(plan) +
        (double)mo_plan_block_size(plan) +
        (double)orbital_transform_work(&plan->problem.orbitals->spin[0]);
    double packing_bytes = 0;
    for (int i = 0; i < plan->problem.n_targets; i++)
        if (plan->problem.targets[i].packing)
            packing_bytes += packing_scratch_bytes(
                plan->problem.targets[i].packing, plan->problem.targets[i].labels, plan->max_block);
    return packing_bytes + n_doubles * sizeof(double) +
           tensor_index_bytes(tiling_n_pairs(plan->tiling) * plan->n_slots) +
           ao_integrals_bytes(plan->tiling->shells);
}
