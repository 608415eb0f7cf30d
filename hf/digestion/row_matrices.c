/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout, for a bra (ab) and kets k = 0, 1, ... = (cd) by descending bound. Functions are
 * numbered in the order in which they first occur (struct occurring_functions), so that large
 * integrals lie together at the upper left:
 *
 *     kets, one array a quantity     V, integrals of one bra: row c, column d, place[k] in it
 *
 *     block 0: k = 0 ... 7                 d0  d1  d2  ...   | up to a multiple of QUARTET_LANES
 *     block 1: k = 8 ... 15            c0  v0  v2  v5    0   | = stride
 *     ...                              c1  v1  v4   0    0   |
 *     last: empty lanes have           ... zero rows up to a multiple of ROW_GROUP
 *     orbit, D, bound of 0             QUARTET_LANES elements for the empty lanes of the last block
 *
 * Each D[i] and A[i] is four matrices of m x m elements, ac, ad, bc and bd: row and column are
 * such numbers, so that a row of V meets consecutive elements of them. */
#include "hf/digestion/row_matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hands out parts of one piece of memory, or only counts them, where that is NULL. */
struct parts {
    char *memory;
    int64_t used;
};

static void *take_part(struct parts *parts, int64_t n, int64_t size)
{
    void *part = parts->memory ? parts->memory + parts->used : NULL;
    parts->used += (n * size + 63) / 64 * 64;
    return part;
}

static double *take_doubles(struct parts *parts, int64_t n)
{
    return take_part(parts, n, (int64_t)sizeof(double));
}

static int32_t *take_integers(struct parts *parts, int64_t n)
{
    return take_part(parts, n, (int64_t)sizeof(int32_t));
}

static void lay_out(struct row_matrices *matrices, struct parts *parts)
{
    int64_t m = matrices->m, n_kets = m * m;
    for (int role = 0; role < 4; role++) {
        matrices->role[role].function = take_integers(parts, m);
        matrices->role[role].number = take_integers(parts, m);
    }
    int32_t **integers[] = {&matrices->kets.row, &matrices->kets.column, &matrices->kets.place,
                            &matrices->kets.n_rows, &matrices->kets.n_columns};
    for (int i = 0; i < 5; i++)
        *integers[i] = take_integers(parts, n_kets);
    double **numbers[] = {&matrices->kets.bound, &matrices->kets.orbit, &matrices->kets.weight,
                          &matrices->integrals};
    for (int i = 0; i < 4; i++)
        *numbers[i] = take_doubles(parts, n_kets);
    for (int c = 0; c < FOCK_MAX_COULOMB; c++) {
        matrices->kets.D[c] = take_doubles(parts, n_kets);
        matrices->kets.A[c] = take_doubles(parts, n_kets);
    }
    matrices->V = take_doubles(parts, m * m + QUARTET_LANES);
    for (int i = 0; i < matrices->n_matrices; i++) {
        matrices->D[i] = take_doubles(parts, N_EXCHANGE_BLOCKS * m * m);
        matrices->A[i] = take_doubles(parts, N_EXCHANGE_BLOCKS * m * m);
    }
    for (int side = 0; side < 2; side++)
        matrices->weight[side] = take_doubles(parts, m);
    matrices->blocks = take_integers(parts, n_kets / QUARTET_LANES);
    matrices->marked = take_part(parts, n_kets / QUARTET_LANES, 1);
}

static int64_t functions_in_blocks(const struct tiling *tiling)
{
    return (tiling->max_functions + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
}

int64_t row_matrices_bytes(const struct tiling *tiling, int n_matrices)
{
    struct row_matrices matrices = {.n_matrices = n_matrices, .m = functions_in_blocks(tiling)};
    struct parts parts = {0};
    lay_out(&matrices, &parts);
    return parts.used;
}

enum status row_matrices_create(const struct tiling *tiling, int n_matrices,
                                struct row_matrices **matrices)
{
    struct row_matrices *made = *matrices = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for rows of integrals"));
    *made = (struct row_matrices){
        .tiling = tiling, .n_matrices = n_matrices, .m = functions_in_blocks(tiling)};
    made->memory = aligned_alloc(64, (size_t)row_matrices_bytes(tiling, n_matrices));
    TRY(CHECK_MEMORY(made->memory, "no memory for rows of integrals"));
    lay_out(made, &(struct parts){.memory = made->memory});
    return STATUS_OK;
}

void row_matrices_destroy(struct row_matrices *matrices)
{
    if (matrices)
        free(matrices->memory);
    free(matrices);
}

static int32_t number_function(struct occurring_functions *occurring, int64_t function)
{
    int32_t *number = &occurring->number[function];
    if (*number < 0) {
        *number = occurring->n;
        occurring->function[occurring->n++] = (int32_t)function;
    }
    return *number;
}

static void clear_occurring(struct row_matrices *matrices, const struct quartet_views *views)
{
    for (int role = 0; role < 4; role++) {
        int64_t n = tile_n_functions(matrices->tiling, views->tile[role]);
        matrices->role[role].n = 0;
        memset(matrices->role[role].number, -1, (size_t)n * sizeof *matrices->role[role].number);
    }
}

/* Takes the first n pairs of the class as kets, and empties V. */
static void set_kets(struct row_matrices *matrices, const struct quartet_views *views,
                     const struct pair_class *class, int32_t n)
{
    struct row_kets *kets = &matrices->kets;
    struct occurring_functions *C = &matrices->role[2], *D = &matrices->role[3];
    const struct tile_view *cd = &views->view[2][3];
    kets->n = n;
    for (int32_t k = 0; k < n; k++) {
        const struct shell_pair *pair = &class->pairs[k];
        int64_t c = view_function(views, 2, pair->function[0]);
        int64_t d = view_function(views, 3, pair->function[1]);
        kets->row[k] = number_function(C, c);
        kets->column[k] = number_function(D, d);
        kets->n_rows[k] = C->n;
        kets->n_columns[k] = D->n;
        kets->bound[k] = pair->bound;
        kets->orbit[k] = pair->first == pair->second ? 0.5 : 1;
        kets->weight[k] = 0;
        for (int i = 0; i < FOCK_MAX_COULOMB; i++) {
            bool used = i < views->kind.n_coulomb;
            int64_t at = c * cd->stride[0] + d * cd->stride[1];
            kets->D[i][k] = used ? 2 * views->kind.coulomb_scale * cd->D->coulomb[i][at] : 0;
            kets->weight[k] = fmax(kets->weight[k], fabs(kets->D[i][k]));
            kets->A[i][k] = 0;
        }
    }
    matrices->stride = (D->n + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
    int32_t n_elements = (C->n + ROW_GROUP - 1) / ROW_GROUP * ROW_GROUP * matrices->stride;
    memset(matrices->V, 0, (size_t)(n_elements + QUARTET_LANES) * sizeof(double));
    for (int32_t k = 0; k < n; k++)
        kets->place[k] = kets->row[k] * matrices->stride + kets->column[k];
    int32_t end = (n + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
    for (int32_t k = n; k < end; k++) {
        kets->row[k] = kets->column[k] = 0;
        kets->place[k] = n_elements + k % QUARTET_LANES;
        kets->bound[k] = kets->orbit[k] = kets->weight[k] = 0;
        for (int i = 0; i < FOCK_MAX_COULOMB; i++)
            kets->D[i][k] = kets->A[i][k] = 0;
    }
    matrices->n_marked = 0;
    memset(matrices->marked, 0, (size_t)(end / QUARTET_LANES));
}

const int exchange_block_roles[N_EXCHANGE_BLOCKS][2] = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};

/* Copies the elements of D that occur, and clears those of A. All rows have m elements, with zeros
 * at the end of D's, whether they meet rows of V (d) or its columns (c). */
static void copy_exchange(struct row_matrices *matrices, const struct quartet_views *views,
                          int matrix)
{
    for (int block = 0; block < N_EXCHANGE_BLOCKS; block++) {
        const int *roles = exchange_block_roles[block];
        const struct occurring_functions *x = &matrices->role[roles[0]],
                                         *y = &matrices->role[roles[1]];
        const struct tile_view *view = &views->view[roles[0]][roles[1]];
        const double *from = view->D->exchange[matrix];
        double *D = exchange_block_of(matrices, matrices->D[matrix], block);
        double *A = exchange_block_of(matrices, matrices->A[matrix], block);
        for (int32_t i = 0; i < x->n; i++, D += matrices->m, A += matrices->m) {
            int64_t at = x->function[i] * view->stride[0];
            for (int32_t j = 0; j < y->n; j++)
                D[j] = from[at + y->function[j] * view->stride[1]];
            for (int64_t j = y->n; j < matrices->m; j++)
                D[j] = 0;
            memset(A, 0, (size_t)matrices->m * sizeof *A);
        }
    }
}

void row_matrices_end(const struct row_matrices *matrices, const struct quartet_views *views)
{
    const struct row_kets *kets = &matrices->kets;
    const struct tile_view *cd = &views->view[2][3];
    for (int i = 0; i < views->kind.n_coulomb; i++)
        for (int32_t k = 0; k < kets->n; k++)
            cd->coulomb[i][matrices->role[2].function[kets->row[k]] * cd->stride[0] +
                           matrices->role[3].function[kets->column[k]] * cd->stride[1]] +=
                kets->A[i][k];
    double factor = views->kind.exchange_scale;
    for (int matrix = 0; matrix < views->kind.n_matrices; matrix++)
        for (int block = 0; block < N_EXCHANGE_BLOCKS; block++) {
            const int *roles = exchange_block_roles[block];
            const struct occurring_functions *x = &matrices->role[roles[0]],
                                             *y = &matrices->role[roles[1]];
            const struct tile_view *view = &views->view[roles[0]][roles[1]];
            const double *A = exchange_block_of(matrices, matrices->A[matrix], block);
            for (int32_t i = 0; i < x->n; i++, A += matrices->m) {
                double *to = view->exchange[matrix] + x->function[i] * view->stride[0];
                for (int32_t j = 0; j < y->n; j++)
                    to[y->function[j] * view->stride[1]] += factor * A[j];
            }
        }
}

/* Clears the blocks of V that the previous row filled and this one does not. */
static void clear_others(struct row_matrices *matrices, int32_t n_blocks)
{
    enum { EMPTY, OLD, NEW };
    for (int32_t i = 0; i < n_blocks; i++)
        matrices->marked[matrices->blocks[i]] = NEW;
    for (int32_t block = 0; block < matrices->n_marked; block++)
        if (matrices->marked[block] == OLD) {
            for (int32_t k = block * QUARTET_LANES; k < (block + 1) * QUARTET_LANES; k++)
                matrices->V[matrices->kets.place[k]] = 0;
            matrices->marked[block] = EMPTY;
        }
    for (int32_t i = 0; i < n_blocks; i++)
        matrices->marked[matrices->blocks[i]] = OLD;
    matrices->n_marked = n_blocks > 0 ? matrices->blocks[n_blocks - 1] + 1 : 0;
}

void row_matrices_put(struct row_matrices *matrices, int32_t n_blocks)
{
    clear_others(matrices, n_blocks);
    for (int32_t n = 0; n < n_blocks; n++) {
        int32_t first = matrices->blocks[n] * QUARTET_LANES;
        for (int32_t k = first; k < first + QUARTET_LANES; k++)
            matrices->V[matrices->kets.place[k]] = matrices->integrals[k];
    }
}

void row_matrices_begin(struct row_matrices *matrices, const struct quartet_views *views,
                        const struct pair_class *bra, int32_t n_bras, const struct pair_class *ket,
                        int32_t n_kets)
{
    clear_occurring(matrices, views);
    set_kets(matrices, views, ket, n_kets);
    for (int32_t i = 0; i < n_bras; i++) {
        number_function(&matrices->role[0], view_function(views, 0, bra->pairs[i].function[0]));
        number_function(&matrices->role[1], view_function(views, 1, bra->pairs[i].function[1]));
    }
    for (int matrix = 0; matrix < views->kind.n_matrices; matrix++)
        copy_exchange(matrices, views, matrix);
}
