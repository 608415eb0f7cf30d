/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_tasks.h"

#include "support/base/array.h"

#include <stdlib.h>

/* A pair of tiles: ordered ones under FOCK_SYMMETRY_NONE, I >= J under FOCK_SYMMETRY_FULL. The bra
 * is the pair of higher id. */
struct tile_pair {
    int32_t I, J;
    int64_t id; /* tile_pair_index only under FOCK_SYMMETRY_FULL */
    double bound;
};

/* A way to cut a build into tasks. All that depends on the decomposition is here. */
struct decomposition {
    __int128 (*count)(int64_t n_tiles, enum fock_symmetry symmetry);
    /* Sets sorted and n_non_null and, with inspect, kept_ids or first_position.
     * Errors: STATUS_NO_MEMORY. */
    enum status (*find)(struct fock_tasks *tasks, bool inspect);
    bool (*is_null)(const struct fock_tasks *tasks, int64_t id);
    struct tile_quartet (*first_quartet)(const struct fock_tasks *tasks, int64_t id);
    /* As fock_tasks_visit; clears *null at the first quartet. */
    enum status (*visit)(const struct fock_tasks *tasks, int64_t id,
                         enum status (*visit)(const struct tile_quartet *, void *), void *context,
                         bool *null);
};

struct fock_tasks {
    const struct decomposition *decomposition;
    enum fock_symmetry symmetry;
    double threshold;
    int64_t n_tiles, n_pairs;
    int64_t n_all, n_non_null;
    const double *tile_bounds; /* of the screening; borrowed */

    /* Pairs by descending bound. Decomposition quartet: all of them. Decomposition pair: by row,
     * row r beginning at first_in_row[r]. */
    struct tile_pair *sorted;
    int64_t *first_in_row;

    /* From position to id, NULL where that is the same. Inspected quartets: the pair of id
     * p has the positions from first_position[p] to first_position[p + 1], its partners
     * being sorted[0], sorted[1], ... */
    int64_t *kept_ids;
    int64_t n_kept;
    int64_t *first_position;
};

/* Ids of combinations of two numbers below n: their number, the id of one, and back. */
static __int128 n_combinations(__int128 n, enum fock_symmetry symmetry)
{
    return symmetry == FOCK_SYMMETRY_FULL ? n * (n + 1) / 2 : n * n;
}

static int64_t combine_ids(const struct fock_tasks *tasks, int64_t n, int64_t p, int64_t q)
{
    return tasks->symmetry == FOCK_SYMMETRY_FULL ? tile_pair_index_unordered(p, q) : p * n + q;
}

static void split_id(const struct fock_tasks *tasks, int64_t n, int64_t id, int64_t *p, int64_t *q)
{
    if (tasks->symmetry == FOCK_SYMMETRY_FULL) {
        tile_pair_of_index(id, p, q);
    } else {
        *p = id / n;
        *q = id % n;
    }
}

static struct tile_pair pair_of_id(const struct fock_tasks *tasks, int64_t id)
{
    int64_t I, J;
    split_id(tasks, tasks->n_tiles, id, &I, &J);
    double bound = tasks->tile_bounds[tile_pair_index_unordered(I, J)];
    return (struct tile_pair){(int32_t)I, (int32_t)J, id, bound};
}

/* Larger bound first, equal ones by id: the order is the same everywhere. */
static int compare_pair_bounds(const void *left, const void *right)
{
    const struct tile_pair *a = left, *b = right;
    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static enum status check_allocated(const struct fock_tasks *tasks, const void *array)
{
    return CHECK_MEMORY(array, "no memory for %lld tile pairs", (long long)tasks->n_pairs);
}

/* The quartet of two pairs: if symmetric, the pair of the higher id is the bra,
 * however the task was found. */
static struct tile_quartet join_pairs(const struct fock_tasks *tasks, const struct tile_pair *p,
                                      const struct tile_pair *q)
{
    if (tasks->symmetry == FOCK_SYMMETRY_FULL && p->id < q->id) {
        const struct tile_pair *swap = p;
        p = q;
        q = swap;
    }
    return (struct tile_quartet){p->I, p->J, q->I, q->J};
}

/* A `find` that asks is_null for every id. */
static enum status find_by_id(struct fock_tasks *tasks, bool inspect)
{
    for (int64_t id = 0; id < tasks->n_all; id++)
        tasks->n_non_null += !tasks->decomposition->is_null(tasks, id);
    if (!inspect)
        return STATUS_OK;
    tasks->kept_ids = malloc((size_t)(tasks->n_non_null + 1) * sizeof *tasks->kept_ids);
    TRY(CHECK_MEMORY(tasks->kept_ids, "no memory for %lld tasks", (long long)tasks->n_non_null));
    for (int64_t id = 0; id < tasks->n_all; id++)
        if (!tasks->decomposition->is_null(tasks, id))
            tasks->kept_ids[tasks->n_kept++] = id;
    return STATUS_OK;
}

/* Decomposition quartet: a task is a combination of two pairs. */

static __int128 count_quartets(int64_t n_tiles, enum fock_symmetry symmetry)
{
    return n_combinations(n_combinations(n_tiles, symmetry), symmetry);
}

/* Counts the partners of each pair: pairs of the sorted list that pass with it and, if symmetric,
 * do not come after it. */
static enum status find_quartets(struct fock_tasks *tasks, bool inspect)
{
    tasks->first_position = calloc((size_t)tasks->n_pairs + 1, sizeof *tasks->first_position);
    TRY(check_allocated(tasks, tasks->first_position));
    for (int64_t id = 0; id < tasks->n_pairs; id++)
        tasks->sorted[id] = pair_of_id(tasks, id);
    qsort(tasks->sorted, (size_t)tasks->n_pairs, sizeof *tasks->sorted, compare_pair_bounds);
    int64_t partners = tasks->n_pairs;
    for (int64_t rank = 0; rank < tasks->n_pairs; rank++) {
        const struct tile_pair *pair = &tasks->sorted[rank];
        while (partners > 0 && pair->bound * tasks->sorted[partners - 1].bound < tasks->threshold)
            partners--;
        int64_t count = partners;
        if (tasks->symmetry == FOCK_SYMMETRY_FULL && count > rank + 1)
            count = rank + 1;
        tasks->first_position[pair->id + 1] = count;
    }
    for (int64_t p = 0; p < tasks->n_pairs; p++)
        tasks->first_position[p + 1] += tasks->first_position[p];
    tasks->n_non_null = tasks->first_position[tasks->n_pairs];
    if (!inspect) {
        free(tasks->first_position);
        tasks->first_position = NULL;
    }
    return STATUS_OK;
}

/* The id of an inspected quartet. */
static int64_t search_id(const struct fock_tasks *tasks, int64_t position)
{
    int64_t pair = array_find_last(tasks->first_position, tasks->n_pairs, position);
    const struct tile_pair *partner = &tasks->sorted[position - tasks->first_position[pair]];
    return combine_ids(tasks, tasks->n_pairs, pair, partner->id);
}

/* The two pairs of a task; returns whether it is null. */
static bool pairs_of_quartet(const struct fock_tasks *tasks, int64_t id, struct tile_pair pairs[2])
{
    int64_t p, q;
    split_id(tasks, tasks->n_pairs, id, &p, &q);
    pairs[0] = pair_of_id(tasks, p);
    pairs[1] = pair_of_id(tasks, q);
    return pairs[0].bound * pairs[1].bound < tasks->threshold;
}

static bool quartet_is_null(const struct fock_tasks *tasks, int64_t id)
{
    struct tile_pair pairs[2];
    return pairs_of_quartet(tasks, id, pairs);
}

static struct tile_quartet only_quartet(const struct fock_tasks *tasks, int64_t id)
{
    struct tile_pair pairs[2];
    pairs_of_quartet(tasks, id, pairs);
    return join_pairs(tasks, &pairs[0], &pairs[1]);
}

static enum status visit_quartet(const struct fock_tasks *tasks, int64_t id,
                                 enum status (*visit)(const struct tile_quartet *, void *),
                                 void *context, bool *null)
{
    struct tile_pair pairs[2];
    *null = pairs_of_quartet(tasks, id, pairs);
    if (*null)
        return STATUS_OK;
    struct tile_quartet quartet = join_pairs(tasks, &pairs[0], &pairs[1]);
    return visit(&quartet, context);
}

/* Decomposition pair: a task is a combination of two tiles, each with its row of pairs. */

static __int128 count_row_tasks(int64_t n_tiles, enum fock_symmetry symmetry)
{
    return n_combinations(n_tiles, symmetry);
}

/* The row of an unordered pair {A, B}, chosen by parity so that rows have about
 * equally many. Source: Liu, Patel & Chow, IPDPS 2014 (GTFock), section III. */
static bool first_is_row(int64_t A, int64_t B)
{
    return A == B || ((A > B) == ((A + B) % 2 == 1));
}

static int64_t row_of_pair(const struct fock_tasks *tasks, const struct tile_pair *pair)
{
    if (tasks->symmetry == FOCK_SYMMETRY_NONE)
        return pair->I;
    return first_is_row(pair->I, pair->J) ? pair->I : pair->J;
}

/* A counting sort by row: after it, first_in_row[r + 1] is the start of row r. Then
 * each row by bound. */
static enum status sort_rows(struct fock_tasks *tasks)
{
    tasks->first_in_row = calloc((size_t)tasks->n_tiles + 2, sizeof *tasks->first_in_row);
    TRY(check_allocated(tasks, tasks->first_in_row));
    for (int64_t id = 0; id < tasks->n_pairs; id++) {
        struct tile_pair pair = pair_of_id(tasks, id);
        tasks->first_in_row[row_of_pair(tasks, &pair) + 2]++;
    }
    for (int64_t r = 0; r < tasks->n_tiles; r++)
        tasks->first_in_row[r + 2] += tasks->first_in_row[r + 1];
    for (int64_t id = 0; id < tasks->n_pairs; id++) {
        struct tile_pair pair = pair_of_id(tasks, id);
        tasks->sorted[tasks->first_in_row[row_of_pair(tasks, &pair) + 1]++] = pair;
    }
    for (int64_t r = 0; r < tasks->n_tiles; r++) {
        int64_t first = tasks->first_in_row[r], last = tasks->first_in_row[r + 1];
        qsort(tasks->sorted + first, (size_t)(last - first), sizeof *tasks->sorted,
              compare_pair_bounds);
    }
    return STATUS_OK;
}

/* The largest bound of a row, 0 if it has no pair. */
static double row_bound(const struct fock_tasks *tasks, int64_t row)
{
    int64_t first = tasks->first_in_row[row];
    return first < tasks->first_in_row[row + 1] ? tasks->sorted[first].bound : 0;
}

static bool row_task_is_null(const struct fock_tasks *tasks, int64_t id)
{
    int64_t I, K;
    split_id(tasks, tasks->n_tiles, id, &I, &K);
    return row_bound(tasks, I) * row_bound(tasks, K) < tasks->threshold;
}

static enum status find_row_tasks(struct fock_tasks *tasks, bool inspect)
{
    TRY(sort_rows(tasks));
    return find_by_id(tasks, inspect);
}

static struct tile_quartet diagonal_quartet(const struct fock_tasks *tasks, int64_t id)
{
    int64_t I, K;
    split_id(tasks, tasks->n_tiles, id, &I, &K);
    return (struct tile_quartet){I, I, K, K};
}

/* Visits all non-null quartets (I*|K*), pairs of each row by descending bound. */
static enum status visit_rows(const struct fock_tasks *tasks, int64_t id,
                              enum status (*visit)(const struct tile_quartet *, void *),
                              void *context, bool *null)
{
    int64_t I, K;
    split_id(tasks, tasks->n_tiles, id, &I, &K);
    bool triangle = tasks->symmetry == FOCK_SYMMETRY_FULL && I == K;
    for (int64_t p = tasks->first_in_row[I]; p < tasks->first_in_row[I + 1]; p++) {
        for (int64_t q = tasks->first_in_row[K]; q < tasks->first_in_row[K + 1]; q++) {
            if (tasks->sorted[p].bound * tasks->sorted[q].bound < tasks->threshold ||
                (triangle && q > p))
                break;
            *null = false;
            struct tile_quartet quartet = join_pairs(tasks, &tasks->sorted[p], &tasks->sorted[q]);
            TRY(visit(&quartet, context));
        }
    }
    return STATUS_OK;
}

static const struct decomposition decompositions[FOCK_N_DECOMPOSITIONS] = {
    [FOCK_QUARTET] = {count_quartets, find_quartets, quartet_is_null, only_quartet, visit_quartet},
    [FOCK_PAIR] = {count_row_tasks, find_row_tasks, row_task_is_null, diagonal_quartet, visit_rows},
};

double fock_tasks_count(int64_t n_tiles, enum fock_decomposition decomposition,
                        enum fock_symmetry symmetry)
{
    return (double)decompositions[decomposition].count(n_tiles, symmetry);
}

static enum status find_fock_tasks(struct fock_tasks *tasks, bool inspect)
{
    tasks->sorted = malloc((size_t)tasks->n_pairs * sizeof *tasks->sorted);
    TRY(check_allocated(tasks, tasks->sorted));
    return tasks->decomposition->find(tasks, inspect);
}

enum status fock_tasks_create(const struct screening *screening,
                              enum fock_decomposition decomposition, enum fock_symmetry symmetry,
                              bool inspect, struct fock_tasks **tasks)
{
    int64_t n_tiles = screening->tiling->n_tiles;
    __int128 n_all = decompositions[decomposition].count(n_tiles, symmetry);
    *tasks = NULL;
    if (n_all > (__int128)1 << 62)
        return FAIL(STATUS_LIMIT, "%lld tiles make more than 2^62 tasks: use a larger --tile",
                    (long long)n_tiles);
    struct fock_tasks *made = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for the tasks"));
    *made = (struct fock_tasks){.decomposition = &decompositions[decomposition],
                                .symmetry = symmetry,
                                .threshold = screening->threshold,
                                .tile_bounds = screening->tile_bounds,
                                .n_tiles = n_tiles,
                                .n_pairs = (int64_t)n_combinations(n_tiles, symmetry),
                                .n_all = (int64_t)n_all};
    enum status status = find_fock_tasks(made, inspect);
    if (status == STATUS_OK)
        *tasks = made;
    else
        fock_tasks_destroy(made);
    return status;
}

void fock_tasks_destroy(struct fock_tasks *tasks)
{
    if (!tasks)
        return;
    free(tasks->sorted);
    free(tasks->first_in_row);
    free(tasks->first_position);
    free(tasks->kept_ids);
    free(tasks);
}

void fock_tasks_keep(struct fock_tasks *tasks, int64_t n, int64_t *ids)
{
    free(tasks->kept_ids);
    tasks->kept_ids = ids;
    tasks->n_kept = n;
}

int64_t fock_tasks_n(const struct fock_tasks *tasks)
{
    if (tasks->kept_ids)
        return tasks->n_kept;
    return tasks->first_position ? tasks->n_non_null : tasks->n_all;
}

int64_t fock_tasks_n_all(const struct fock_tasks *tasks)
{
    return tasks->n_all;
}

int64_t fock_tasks_n_non_null(const struct fock_tasks *tasks)
{
    return tasks->n_non_null;
}

int64_t fock_tasks_id(const struct fock_tasks *tasks, int64_t position)
{
    if (tasks->kept_ids)
        return tasks->kept_ids[position];
    return tasks->first_position ? search_id(tasks, position) : position;
}

enum status fock_tasks_visit(const struct fock_tasks *tasks, int64_t position,
                             enum status (*visit)(const struct tile_quartet *quartet,
                                                  void *context),
                             void *context, bool *null)
{
    bool is_null = true;
    enum status status = tasks->decomposition->visit(tasks, fock_tasks_id(tasks, position), visit,
                                                     context, &is_null);
    if (null)
        *null = is_null;
    return status;
}

bool fock_tasks_is_null(const struct fock_tasks *tasks, int64_t position)
{
    return tasks->decomposition->is_null(tasks, fock_tasks_id(tasks, position));
}

void fock_tasks_first_quartet(const struct fock_tasks *tasks, int64_t position,
                              struct tile_quartet *quartet)
{
    *quartet = tasks->decomposition->first_quartet(tasks, fock_tasks_id(tasks, position));
}

int64_t fock_tasks_bytes(const struct tiling *tiling, enum fock_symmetry symmetry)
{
    const struct fock_tasks *tasks = NULL;
    int64_t n_pairs = (int64_t)n_combinations(tiling->n_tiles, symmetry);
    return (int64_t)sizeof *tasks + n_pairs * (int64_t)sizeof *tasks->sorted +
           (n_pairs + 1) * (int64_t)sizeof *tasks->first_position;
}
