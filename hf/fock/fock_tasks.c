#include "hf/fock/fock_tasks.h"

#include <stdlib.h>

/* One tile pair of the problem: ordered ones under FOCK_SYMMETRY_NONE, I >= J
 * under FOCK_SYMMETRY_FULL. Its number fixes which pair of a quartet is the bra. */
struct tile_pair {
    int32_t I, J;
    int64_t number;
    double bound;
};

struct fock_tasks {
    enum fock_decomposition decomposition;
    enum fock_symmetry symmetry;
    double threshold;
    int64_t n_tiles, n_pairs;
    int64_t n_all, n_non_null;
    const double *tile_bounds; /* of the screening; borrowed */

    /* Pairs by descending bound. Decomposition quartet: all of them. Decomposition
     * pair: by row, those of row r from first_in_row[r]. */
    struct tile_pair *sorted;
    int64_t *first_in_row;

    /* Inspected quartets: pair number p has the tasks from first_task[p] to
     * first_task[p + 1], its partners being sorted[0], sorted[1], ... */
    int64_t *first_task;

    /* Explicit list of kept tasks; NULL when all are, or first_task serves. */
    int64_t *kept;
    int64_t n_kept;
};

static double bound_of(const struct fock_tasks *tasks, int64_t I, int64_t J)
{
    return tasks->tile_bounds[tile_pair_index_unordered(I, J)];
}

/* Larger bound first, equal ones by number: the order is the same everywhere. */
static int compare_pairs(const void *left, const void *right)
{
    const struct tile_pair *a = left, *b = right;
    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static struct tile_pair pair_of_number(const struct fock_tasks *tasks, int64_t number)
{
    int64_t I, J;
    if (tasks->symmetry == FOCK_SYMMETRY_FULL) {
        tile_pair_of_index(number, &I, &J);
    } else {
        I = number / tasks->n_tiles;
        J = number % tasks->n_tiles;
    }
    return (struct tile_pair){(int32_t)I, (int32_t)J, number, bound_of(tasks, I, J)};
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

/* Fills sorted, and first_in_row for the pair decomposition. */
static enum status sort_pairs(struct fock_tasks *tasks)
{
    tasks->sorted = malloc((size_t)tasks->n_pairs * sizeof *tasks->sorted);
    tasks->first_in_row = calloc((size_t)tasks->n_tiles + 2, sizeof *tasks->first_in_row);
    if (!tasks->sorted || !tasks->first_in_row)
        return FAIL(STATUS_NO_MEMORY, "no memory for %lld tile pairs", (long long)tasks->n_pairs);
    if (tasks->decomposition == FOCK_QUARTET) {
        for (int64_t p = 0; p < tasks->n_pairs; p++)
            tasks->sorted[p] = pair_of_number(tasks, p);
        qsort(tasks->sorted, (size_t)tasks->n_pairs, sizeof *tasks->sorted, compare_pairs);
        return STATUS_OK;
    }
    /* Counting sort by row: after it, first_in_row[r + 1] is the start of row r. */
    for (int64_t p = 0; p < tasks->n_pairs; p++) {
        struct tile_pair pair = pair_of_number(tasks, p);
        tasks->first_in_row[row_of_pair(tasks, &pair) + 2]++;
    }
    for (int64_t r = 0; r < tasks->n_tiles; r++)
        tasks->first_in_row[r + 2] += tasks->first_in_row[r + 1];
    for (int64_t p = 0; p < tasks->n_pairs; p++) {
        struct tile_pair pair = pair_of_number(tasks, p);
        tasks->sorted[tasks->first_in_row[row_of_pair(tasks, &pair) + 1]++] = pair;
    }
    for (int64_t r = 0; r < tasks->n_tiles; r++) {
        int64_t first = tasks->first_in_row[r], last = tasks->first_in_row[r + 1];
        qsort(tasks->sorted + first, (size_t)(last - first), sizeof *tasks->sorted, compare_pairs);
    }
    return STATUS_OK;
}

/* Number of partners of each pair under the decomposition quartet: those of
 * the sorted list that pass with it and, if symmetric, do not come after it. */
static enum status count_partners(struct fock_tasks *tasks)
{
    tasks->first_task = calloc((size_t)tasks->n_pairs + 1, sizeof *tasks->first_task);
    if (!tasks->first_task)
        return FAIL(STATUS_NO_MEMORY, "no memory for %lld tile pairs", (long long)tasks->n_pairs);
    int64_t partners = tasks->n_pairs;
    for (int64_t rank = 0; rank < tasks->n_pairs; rank++) {
        const struct tile_pair *pair = &tasks->sorted[rank];
        while (partners > 0 && pair->bound * tasks->sorted[partners - 1].bound < tasks->threshold)
            partners--;
        int64_t count = partners;
        if (tasks->symmetry == FOCK_SYMMETRY_FULL && count > rank + 1)
            count = rank + 1;
        tasks->first_task[pair->number + 1] = count;
    }
    for (int64_t p = 0; p < tasks->n_pairs; p++)
        tasks->first_task[p + 1] += tasks->first_task[p];
    tasks->n_non_null = tasks->first_task[tasks->n_pairs];
    return STATUS_OK;
}

/* Rows of the task (I:|K:). */
static void rows_of_task(const struct fock_tasks *tasks, int64_t task, int64_t *I, int64_t *K)
{
    if (tasks->symmetry == FOCK_SYMMETRY_FULL) {
        tile_pair_of_index(task, I, K);
    } else {
        *I = task / tasks->n_tiles;
        *K = task % tasks->n_tiles;
    }
}

/* The largest bound of a row, 0 if it has no pair. */
static double row_bound(const struct fock_tasks *tasks, int64_t row)
{
    int64_t first = tasks->first_in_row[row];
    return first < tasks->first_in_row[row + 1] ? tasks->sorted[first].bound : 0;
}

static bool row_task_is_null(const struct fock_tasks *tasks, int64_t task)
{
    int64_t I, K;
    rows_of_task(tasks, task, &I, &K);
    return row_bound(tasks, I) * row_bound(tasks, K) < tasks->threshold;
}

/* Counts the non-null tasks of the decomposition pair, and lists them if asked. */
static enum status find_row_tasks(struct fock_tasks *tasks, bool list)
{
    for (int64_t task = 0; task < tasks->n_all; task++)
        tasks->n_non_null += !row_task_is_null(tasks, task);
    if (!list)
        return STATUS_OK;
    tasks->kept = malloc((size_t)(tasks->n_non_null + 1) * sizeof *tasks->kept);
    if (!tasks->kept)
        return FAIL(STATUS_NO_MEMORY, "no memory for %lld tasks", (long long)tasks->n_non_null);
    for (int64_t task = 0; task < tasks->n_all; task++)
        if (!row_task_is_null(tasks, task))
            tasks->kept[tasks->n_kept++] = task;
    return STATUS_OK;
}

static __int128 number_of_tasks(int64_t n_tiles, enum fock_decomposition decomposition,
                                enum fock_symmetry symmetry)
{
    __int128 n = n_tiles;
    for (int level = decomposition == FOCK_QUARTET ? 2 : 1; level > 0; level--)
        n = symmetry == FOCK_SYMMETRY_FULL ? n * (n + 1) / 2 : n * n;
    return n;
}

double fock_tasks_count(int64_t n_tiles, enum fock_decomposition decomposition,
                        enum fock_symmetry symmetry)
{
    return (double)number_of_tasks(n_tiles, decomposition, symmetry);
}

static enum status count_all(struct fock_tasks *tasks)
{
    __int128 all = number_of_tasks(tasks->n_tiles, tasks->decomposition, tasks->symmetry);
    if (all > (__int128)1 << 62)
        return FAIL(STATUS_LIMIT, "%lld tiles make more than 2^62 tasks: use a larger --tile",
                    (long long)tasks->n_tiles);
    tasks->n_all = (int64_t)all;
    return STATUS_OK;
}

enum status fock_tasks_create(const struct screening *screening,
                              enum fock_decomposition decomposition, enum fock_symmetry symmetry,
                              bool inspect, struct fock_tasks **tasks)
{
    int64_t n_tiles = screening->tiling->n_tiles;
    struct fock_tasks *made = calloc(1, sizeof *made);
    *tasks = NULL;
    if (!made)
        return FAIL(STATUS_NO_MEMORY, "no memory for the tasks");
    made->decomposition = decomposition;
    made->symmetry = symmetry;
    made->threshold = screening->threshold;
    made->tile_bounds = screening->tile_bounds;
    made->n_tiles = n_tiles;
    made->n_pairs =
        symmetry == FOCK_SYMMETRY_FULL ? n_tiles * (n_tiles + 1) / 2 : n_tiles * n_tiles;
    enum status status = count_all(made);
    if (status == STATUS_OK)
        status = sort_pairs(made);
    if (status == STATUS_OK)
        status =
            decomposition == FOCK_QUARTET ? count_partners(made) : find_row_tasks(made, inspect);
    if (status != STATUS_OK) {
        fock_tasks_destroy(made);
        return status;
    }
    if (!inspect) {
        free(made->first_task);
        made->first_task = NULL;
    }
    *tasks = made;
    return STATUS_OK;
}

void fock_tasks_destroy(struct fock_tasks *tasks)
{
    if (!tasks)
        return;
    free(tasks->sorted);
    free(tasks->first_in_row);
    free(tasks->first_task);
    free(tasks->kept);
    free(tasks);
}

void fock_tasks_keep(struct fock_tasks *tasks, int64_t n, int64_t *ids)
{
    free(tasks->kept);
    tasks->kept = ids;
    tasks->n_kept = n;
}

int64_t fock_tasks_n(const struct fock_tasks *tasks)
{
    if (tasks->kept)
        return tasks->n_kept;
    return tasks->first_task ? tasks->n_non_null : tasks->n_all;
}

int64_t fock_tasks_n_all(const struct fock_tasks *tasks)
{
    return tasks->n_all;
}

int64_t fock_tasks_n_non_null(const struct fock_tasks *tasks)
{
    return tasks->n_non_null;
}

/* The quartet of two pairs: if symmetric, the pair of the higher number is the
 * bra, however the task was found. */
static struct tile_quartet join(const struct fock_tasks *tasks, const struct tile_pair *p,
                                const struct tile_pair *q)
{
    if (tasks->symmetry == FOCK_SYMMETRY_FULL && p->number < q->number) {
        const struct tile_pair *swap = p;
        p = q;
        q = swap;
    }
    return (struct tile_quartet){p->I, p->J, q->I, q->J};
}

/* The two pairs of a task of the decomposition quartet. */
static void pairs_of_task(const struct fock_tasks *tasks, int64_t task, struct tile_pair *p,
                          struct tile_pair *q)
{
    if (tasks->first_task) {
        int64_t low = 0, high = tasks->n_pairs;
        while (high - low > 1) {
            int64_t middle = (low + high) / 2;
            if (tasks->first_task[middle] <= task)
                low = middle;
            else
                high = middle;
        }
        *p = pair_of_number(tasks, low);
        *q = tasks->sorted[task - tasks->first_task[low]];
        return;
    }
    int64_t numbers[2];
    if (tasks->symmetry == FOCK_SYMMETRY_FULL) {
        tile_pair_of_index(task, &numbers[0], &numbers[1]);
    } else {
        numbers[0] = task / tasks->n_pairs;
        numbers[1] = task % tasks->n_pairs;
    }
    *p = pair_of_number(tasks, numbers[0]);
    *q = pair_of_number(tasks, numbers[1]);
}

/* All non-null quartets (I*|K*), pairs of each row by descending bound. */
static enum status visit_rows(const struct fock_tasks *tasks, int64_t task,
                              enum status (*visit)(const struct tile_quartet *, void *),
                              void *context, bool *null)
{
    int64_t I, K;
    rows_of_task(tasks, task, &I, &K);
    bool triangle = tasks->symmetry == FOCK_SYMMETRY_FULL && I == K;
    for (int64_t p = tasks->first_in_row[I]; p < tasks->first_in_row[I + 1]; p++) {
        for (int64_t q = tasks->first_in_row[K]; q < tasks->first_in_row[K + 1]; q++) {
            if (tasks->sorted[p].bound * tasks->sorted[q].bound < tasks->threshold ||
                (triangle && q > p))
                break;
            *null = false;
            struct tile_quartet quartet = join(tasks, &tasks->sorted[p], &tasks->sorted[q]);
            TRY(visit(&quartet, context));
        }
    }
    return STATUS_OK;
}

/* What the numbers of kept tasks refer to: all tasks, or the inspected quartets. */
static int64_t listed_task(const struct fock_tasks *tasks, int64_t task)
{
    return tasks->kept ? tasks->kept[task] : task;
}

int64_t fock_tasks_id(const struct fock_tasks *tasks, int64_t task)
{
    int64_t listed = listed_task(tasks, task);
    if (!tasks->first_task)
        return listed;
    struct tile_pair p, q;
    pairs_of_task(tasks, listed, &p, &q);
    if (tasks->symmetry == FOCK_SYMMETRY_NONE)
        return p.number * tasks->n_pairs + q.number;
    return tile_pair_index_unordered(p.number, q.number);
}

enum status fock_tasks_visit(const struct fock_tasks *tasks, int64_t task,
                             enum status (*visit)(const struct tile_quartet *quartet,
                                                  void *context),
                             void *context, bool *null)
{
    bool nothing = true;
    enum status status = STATUS_OK;
    int64_t listed = listed_task(tasks, task);
    if (tasks->decomposition == FOCK_PAIR) {
        status = visit_rows(tasks, listed, visit, context, &nothing);
    } else {
        struct tile_pair p, q;
        pairs_of_task(tasks, listed, &p, &q);
        if (p.bound * q.bound >= tasks->threshold) {
            nothing = false;
            struct tile_quartet quartet = join(tasks, &p, &q);
            status = visit(&quartet, context);
        }
    }
    if (null)
        *null = nothing;
    return status;
}

bool fock_tasks_is_null(const struct fock_tasks *tasks, int64_t task)
{
    int64_t listed = listed_task(tasks, task);
    if (tasks->decomposition == FOCK_PAIR)
        return row_task_is_null(tasks, listed);
    struct tile_pair p, q;
    pairs_of_task(tasks, listed, &p, &q);
    return p.bound * q.bound < tasks->threshold;
}

void fock_tasks_first_quartet(const struct fock_tasks *tasks, int64_t task,
                              struct tile_quartet *quartet)
{
    int64_t listed = listed_task(tasks, task);
    if (tasks->decomposition == FOCK_PAIR) {
        int64_t I, K;
        rows_of_task(tasks, listed, &I, &K);
        *quartet = (struct tile_quartet){I, I, K, K};
        return;
    }
    struct tile_pair p, q;
    pairs_of_task(tasks, listed, &p, &q);
    *quartet = join(tasks, &p, &q);
}
