/* Counts the integrals that pass the Schwarz test without visiting them: with
 * the function pairs sorted by bound, the partners of a pair are a prefix. */
#include "basis/integrals/two_electron.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/mpi/gather.h"

#include <math.h>
#include <stdlib.h>

/* Bounds of function pairs m >= n that can pass at all; diagonal ones apart,
 * because an off-diagonal pair stands for two ordered ones. */
struct pair_list {
    double *bounds;
    int64_t n, capacity;
};

static enum status append_bound(struct pair_list *list, double bound)
{
    TRY(array_reserve(&list->bounds, list->n + 1, &list->capacity, sizeof *list->bounds));
    list->bounds[list->n++] = bound;
    return STATUS_OK;
}

/* Appends the pairs of tile (I, J) from its bounds over functions. */
static enum status append_tile(const struct tiling *tiling, int64_t I, int64_t J,
                               const double *function_bounds, double least,
                               struct pair_list *off_diagonal, struct pair_list *diagonal)
{
    int64_t n_I = tile_n_functions(tiling, I), n_J = tile_n_functions(tiling, J);
    for (int64_t i = 0; i < n_I; i++) {
        for (int64_t j = 0; j < (I == J ? i + 1 : n_J); j++) {
            double bound = function_bounds[i * n_J + j];
            if (bound >= least)
                TRY(append_bound(I == J && i == j ? diagonal : off_diagonal, bound));
        }
    }
    return STATUS_OK;
}

/* The pairs of the tiles that this process owns. */
static enum status list_own_pairs(const struct screening *screening, struct pair_list *off_diagonal,
                                  struct pair_list *diagonal)
{
    const struct tiling *tiling = screening->tiling;
    int64_t m = tiling->max_functions;
    double least = screening->threshold / screening->max_bound;
    struct two_electron *engine;
    TRY(two_electron_create(tiling->shells, 0, screening->engines, &engine));
    double *shell_bounds = malloc((size_t)(m * m) * sizeof(double));
    double *function_bounds = malloc((size_t)(m * m) * sizeof(double));
    enum status status =
        CHECK_MEMORY(shell_bounds && function_bounds, "no memory for the bounds of a tile");
    struct own_tile own = {0};
    while (status == STATUS_OK && own_tile_next(tiling, screening->shell_bounds, &own)) {
        if (screening->tile_bounds[own.pair] < least)
            continue;
        struct shell_rectangle rectangle = tile_rectangle(tiling, own.I, own.J, own.I == own.J);
        status =
            two_electron_bounds(engine, tiling->shells, &rectangle, shell_bounds, function_bounds);
        if (status == STATUS_OK)
            status =
                append_tile(tiling, own.I, own.J, function_bounds, least, off_diagonal, diagonal);
    }
    free(shell_bounds);
    free(function_bounds);
    two_electron_destroy(engine);
    return status;
}

/* Moves the lists of all processes to rank 0, where list becomes the whole. Collective. */
static enum status gather_bounds(MPI_Comm comm, struct pair_list *list)
{
    const struct gather_part part = {.items = list->bounds,
                                     .n_items = list->n,
                                     .item_size = sizeof *list->bounds,
                                     .what = "function pairs"};
    void *all;
    int64_t n;
    TRY(gather_to_first(comm, &part, &all, &n));
    free(list->bounds);
    *list = (struct pair_list){.bounds = all, .n = n, .capacity = n};
    return STATUS_OK;
}

static int descending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

/* Number of (p, q), p of one sorted list and q of the other, that pass. */
static int64_t count_products(const struct pair_list *ps, const struct pair_list *qs,
                              double threshold)
{
    int64_t count = 0, partners = qs->n;
    for (int64_t p = 0; p < ps->n; p++) {
        while (partners > 0 && ps->bounds[p] * qs->bounds[partners - 1] < threshold)
            partners--;
        count += partners;
    }
    return count;
}

/* Number of p that pass with themselves. */
static int64_t count_squares(const struct pair_list *ps, double threshold)
{
    int64_t count = 0;
    while (count < ps->n && ps->bounds[count] * ps->bounds[count] >= threshold)
        count++;
    return count;
}

static void count_sorted(struct pair_list *off, struct pair_list *diagonal, double threshold,
                         struct integral_count *count)
{
    qsort(off->bounds, (size_t)off->n, sizeof(double), descending);
    qsort(diagonal->bounds, (size_t)diagonal->n, sizeof(double), descending);
    int64_t off_off = count_products(off, off, threshold);
    int64_t off_diagonal = count_products(off, diagonal, threshold);
    int64_t diagonal_diagonal = count_products(diagonal, diagonal, threshold);
    int64_t squares = count_squares(off, threshold) + count_squares(diagonal, threshold);
    count->all = 4 * off_off + 4 * off_diagonal + diagonal_diagonal;
    count->unique = (off_off + 2 * off_diagonal + diagonal_diagonal + squares) / 2;
}

enum status screening_count_integrals(const struct screening *screening, MPI_Comm comm,
                                      struct integral_count *count)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    struct pair_list off = {0}, diagonal = {0};
    *count = (struct integral_count){0};
    enum status status = status_agree(comm, list_own_pairs(screening, &off, &diagonal));
    if (status == STATUS_OK)
        status = gather_bounds(comm, &off);
    if (status == STATUS_OK)
        status = gather_bounds(comm, &diagonal);
    if (status == STATUS_OK) {
        if (rank == 0)
            count_sorted(&off, &diagonal, screening->threshold, count);
        MPI_Bcast(count, 2, MPI_INT64_T, 0, comm);
    }
    free(off.bounds);
    free(diagonal.bounds);
    return status;
}
