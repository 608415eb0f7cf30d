#include "hf/fock/fock_rows.h"

#include "support/base/clock.h"
#include "support/base/vector_clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW_GROUP = 4,         /* rows of V that are multiplied together */
    REST_INTEGRALS = 8192, /* between two calls of after_rows: some 20 microseconds */
    N_BLOCKS_OF_ROLES = 4, /* of D and A: ac, ad, bc, bd */
};

typedef double lanes __attribute__((vector_size(QUARTET_LANES * sizeof(double))));

/* Functions of a tile that occur, in the order in which they do. */
struct occurring {
    int32_t n;
    int32_t *function; /* within the tile */
    int32_t *number;   /* of each function of the tile; -1: does not occur */
};

/* Kets in blocks, one array a quantity. */
struct kets {
    int32_t n;
    int32_t *row, *column;       /* numbers of their functions */
    int32_t *place;              /* in V; those beyond n in its last elements */
    int32_t *n_rows, *n_columns; /* of kets up to this one */
    double *bound;
    double *orbit;  /* 1/2 for c = d; 0 beyond n */
    double *weight; /* Coulomb weight (screening.h) */
    double *D, *A;
};

struct fock_rows {
    const struct tiling *tiling;
    int64_t m;      /* functions of a tile at most, a multiple of QUARTET_LANES */
    int32_t stride; /* of V and of the blocks of D and A */
    struct occurring role[4];
    struct kets kets;
    double *V;           /* zero but for kets of marked blocks */
    double *integrals;   /* of a row, by ket */
    double *D[2], *A[2]; /* per spin: blocks ac, ad, bc, bd of m x m elements */
    double *weight[2];   /* of the rows and columns of V: exchange weights with a bra */
    int32_t *blocks;     /* of a row */
    int32_t n_marked;    /* all marked blocks are before it */
    unsigned char *marked;
    void *memory;
};

/* --- memory --- */

/* Gives out parts of a piece of memory, or only counts, where that is NULL. */
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

static void lay_out(struct fock_rows *rows, struct parts *parts)
{
    int64_t m = rows->m, n_kets = m * m;
    for (int role = 0; role < 4; role++) {
        rows->role[role].function = take_integers(parts, m);
        rows->role[role].number = take_integers(parts, m);
    }
    int32_t **integers[] = {&rows->kets.row, &rows->kets.column, &rows->kets.place,
                            &rows->kets.n_rows, &rows->kets.n_columns};
    for (int i = 0; i < 5; i++)
        *integers[i] = take_integers(parts, n_kets);
    double **numbers[] = {&rows->kets.bound, &rows->kets.orbit, &rows->kets.weight,
                          &rows->kets.D,     &rows->kets.A,     &rows->integrals};
    for (int i = 0; i < 6; i++)
        *numbers[i] = take_doubles(parts, n_kets);
    rows->V = take_doubles(parts, m * m + QUARTET_LANES);
    for (int spin = 0; spin < 2; spin++) {
        rows->D[spin] = take_doubles(parts, N_BLOCKS_OF_ROLES * m * m);
        rows->A[spin] = take_doubles(parts, N_BLOCKS_OF_ROLES * m * m);
        rows->weight[spin] = take_doubles(parts, m);
    }
    rows->blocks = take_integers(parts, n_kets / QUARTET_LANES);
    rows->marked = take_part(parts, n_kets / QUARTET_LANES, 1);
}

static int64_t functions_in_blocks(const struct tiling *tiling)
{
    return (tiling->max_functions + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
}

int64_t fock_rows_bytes(const struct tiling *tiling)
{
    struct fock_rows rows = {.m = functions_in_blocks(tiling)};
    struct parts parts = {0};
    lay_out(&rows, &parts);
    return parts.used;
}

enum status fock_rows_create(const struct tiling *tiling, struct fock_rows **rows)
{
    struct fock_rows *made = calloc(1, sizeof *made);
    *rows = NULL;
    TRY(CHECK_MEMORY(made, "no memory for rows of integrals"));
    *made = (struct fock_rows){.tiling = tiling, .m = functions_in_blocks(tiling)};
    size_t bytes = (size_t)fock_rows_bytes(tiling);
    struct parts parts = {.memory = aligned_alloc(64, bytes)};
    made->memory = parts.memory;
    if (!made->memory) {
        fock_rows_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for rows of integrals");
    }
    lay_out(made, &parts);
    *rows = made;
    return STATUS_OK;
}

void fock_rows_destroy(struct fock_rows *rows)
{
    if (rows)
        free(rows->memory);
    free(rows);
}

/* --- functions and kets that occur --- */

static int32_t number_function(struct occurring *occurring, int64_t function)
{
    int32_t *number = &occurring->number[function];
    if (*number < 0) {
        *number = occurring->n;
        occurring->function[occurring->n++] = (int32_t)function;
    }
    return *number;
}

/* Pairs of a class with a bound product of at least the threshold with this other bound. */
static int32_t count_pairs(const struct pair_class *class, double bound, double threshold)
{
    int32_t low = 0, high = class->n_pairs;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (class->pairs[middle].bound * bound >= threshold)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void clear_occurring(struct fock_rows *rows, const struct quartet_views *views)
{
    for (int role = 0; role < 4; role++) {
        int64_t n = tile_n_functions(rows->tiling, views->tile[role]);
        rows->role[role].n = 0;
        memset(rows->role[role].number, -1, (size_t)n * sizeof *rows->role[role].number);
    }
}

/* The n first pairs of the class as kets, and an empty V. */
static void set_kets(struct fock_rows *rows, const struct quartet_views *views,
                     const struct pair_class *class, int32_t n)
{
    struct kets *kets = &rows->kets;
    struct occurring *C = &rows->role[2], *D = &rows->role[3];
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
        kets->D[k] = 2 * cd->D->coulomb[c * cd->stride[0] + d * cd->stride[1]];
        kets->weight[k] = fabs(kets->D[k]);
        kets->A[k] = 0;
    }
    rows->stride = (D->n + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
    int32_t n_elements = (C->n + ROW_GROUP - 1) / ROW_GROUP * ROW_GROUP * rows->stride;
    memset(rows->V, 0, (size_t)(n_elements + QUARTET_LANES) * sizeof(double));
    for (int32_t k = 0; k < n; k++)
        kets->place[k] = kets->row[k] * rows->stride + kets->column[k];
    int32_t end = (n + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
    for (int32_t k = n; k < end; k++) {
        kets->row[k] = kets->column[k] = 0;
        kets->place[k] = n_elements + k % QUARTET_LANES;
        kets->bound[k] = kets->orbit[k] = kets->weight[k] = kets->D[k] = kets->A[k] = 0;
    }
    rows->n_marked = 0;
    memset(rows->marked, 0, (size_t)(end / QUARTET_LANES));
}

/* Which roles a block of D and A has: ac, ad, bc, bd. */
static const int block_roles[N_BLOCKS_OF_ROLES][2] = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};

static double *block_of(const struct fock_rows *rows, double *blocks, int block)
{
    return blocks + block * rows->m * rows->m;
}

/* Copies the elements of D that occur, and clears those of A. A row is as long as those of V, also
 * where it goes with rows of V. */
static void copy_exchange(struct fock_rows *rows, const struct quartet_views *views, int spin)
{
    for (int block = 0; block < N_BLOCKS_OF_ROLES; block++) {
        const int *roles = block_roles[block];
        const struct occurring *x = &rows->role[roles[0]], *y = &rows->role[roles[1]];
        const struct tile_view *view = &views->view[roles[0]][roles[1]];
        const double *from = view->D->exchange[spin];
        double *D = block_of(rows, rows->D[spin], block);
        double *A = block_of(rows, rows->A[spin], block);
        for (int32_t i = 0; i < x->n; i++, D += rows->m, A += rows->m) {
            int64_t at = x->function[i] * view->stride[0];
            for (int32_t j = 0; j < y->n; j++)
                D[j] = from[at + y->function[j] * view->stride[1]];
            for (int64_t j = y->n; j < rows->m; j++)
                D[j] = 0;
            memset(A, 0, (size_t)rows->m * sizeof *A);
        }
    }
}

/* Adds all A to the views. */
static void add_sums(const struct fock_rows *rows, const struct quartet_views *views)
{
    const struct kets *kets = &rows->kets;
    const struct tile_view *cd = &views->view[2][3];
    for (int32_t k = 0; k < kets->n; k++)
        cd->coulomb[rows->role[2].function[kets->row[k]] * cd->stride[0] +
                    rows->role[3].function[kets->column[k]] * cd->stride[1]] += kets->A[k];
    double factor = views->n_spins == 1 ? -0.5 : -1;
    for (int spin = 0; spin < views->n_spins; spin++)
        for (int block = 0; block < N_BLOCKS_OF_ROLES; block++) {
            const int *roles = block_roles[block];
            const struct occurring *x = &rows->role[roles[0]], *y = &rows->role[roles[1]];
            const struct tile_view *view = &views->view[roles[0]][roles[1]];
            const double *A = block_of(rows, rows->A[spin], block);
            for (int32_t i = 0; i < x->n; i++, A += rows->m) {
                double *to = view->exchange[spin] + x->function[i] * view->stride[0];
                for (int32_t j = 0; j < y->n; j++)
                    to[y->function[j] * view->stride[1]] += factor * A[j];
            }
        }
}

/* --- a row --- */

/* The bra's functions, by number and within the tiles, and its density. */
struct row_bra {
    double bound, D;
    int32_t a, b;
    double orbit; /* 1/2 for a = b */
};

/* Exchange weights of the rows and columns of V with the bra (screening.h). */
static void set_row_weights(struct fock_rows *rows, const struct row_bra *bra, int n_spins)
{
    double factor = n_spins == 1 ? 0.5 : 1;
    for (int side = 0; side < 2; side++) {
        double *weight = rows->weight[side];
        for (int spin = 0; spin < n_spins; spin++) {
            const double *of_a = block_of(rows, rows->D[spin], side) + bra->a * rows->m;
            const double *of_b = block_of(rows, rows->D[spin], 2 + side) + bra->b * rows->m;
            for (int32_t i = 0; i < rows->role[2 + side].n; i++) {
                double largest = factor * fmax(fabs(of_a[i]), fabs(of_b[i]));
                weight[i] = spin == 0 || largest > weight[i] ? largest : weight[i];
            }
        }
    }
}

/* Whether any ket of a block makes a significant quartet. */
static bool block_is_significant(const struct fock_rows *rows, int32_t block,
                                 const struct row_bra *bra, double threshold)
{
    const struct kets *kets = &rows->kets;
    const double *of_rows = rows->weight[0], *of_columns = rows->weight[1];
    double bra_weight = 2 * fabs(bra->D);
    bool any = false;
    for (int32_t k = block * QUARTET_LANES; k < (block + 1) * QUARTET_LANES; k++) {
        double of_c = of_rows[kets->row[k]], of_d = of_columns[kets->column[k]];
        any |= quartet_is_significant(bra->bound * kets->bound[k],
                                      kets->weight[k] > bra_weight ? kets->weight[k] : bra_weight,
                                      of_c > of_d ? of_c : of_d, threshold);
    }
    return any;
}

/* Blocks of the first n_kets to be computed; returns their number. */
static int32_t select_blocks(struct fock_rows *rows, const struct fock_rows_task *task,
                             const struct row_bra *bra, int32_t n_kets, int n_spins)
{
    int32_t n = 0, end = (n_kets + QUARTET_LANES - 1) / QUARTET_LANES;
    bool by_density = task->rule == SCREENING_DENSITY;
    if (by_density)
        set_row_weights(rows, bra, n_spins);
    for (int32_t block = 0; block < end; block++) {
        rows->blocks[n] = block;
        n += !by_density || block_is_significant(rows, block, bra, task->threshold);
    }
    return n;
}

/* Clears V where the row before put something and this one does not. */
static void clear_others(struct fock_rows *rows, int32_t n_blocks)
{
    enum { EMPTY, OLD, NEW };
    for (int32_t i = 0; i < n_blocks; i++)
        rows->marked[rows->blocks[i]] = NEW;
    for (int32_t block = 0; block < rows->n_marked; block++)
        if (rows->marked[block] == OLD) {
            for (int32_t k = block * QUARTET_LANES; k < (block + 1) * QUARTET_LANES; k++)
                rows->V[rows->kets.place[k]] = 0;
            rows->marked[block] = EMPTY;
        }
    for (int32_t i = 0; i < n_blocks; i++)
        rows->marked[rows->blocks[i]] = OLD;
    rows->n_marked = n_blocks > 0 ? rows->blocks[n_blocks - 1] + 1 : 0;
}

/* v[k] *= the orbit's weight, A_cd += 2 D_ab v; returns the sum of 2 D_cd v. */
VECTOR_CLONES
static double add_coulomb_row(const struct kets *kets, const int32_t *blocks, int32_t n_blocks,
                              const struct row_bra *bra, double *v)
{
    lanes sum = {0};
    const lanes *D = (const lanes *)kets->D, *orbit = (const lanes *)kets->orbit;
    lanes *A = (lanes *)kets->A, *integrals = (lanes *)v;
    for (int32_t i = 0; i < n_blocks; i++) {
        int32_t b = blocks[i];
        lanes x = integrals[b] * (orbit[b] * bra->orbit);
        integrals[b] = x;
        sum += x * D[b];
        A[b] += x * (2 * bra->D);
    }
    double total = 0;
    for (int i = 0; i < QUARTET_LANES; i++)
        total += sum[i];
    return total;
}

#define INLINE static inline __attribute__((always_inline))

/* The sums of eight vectors. */
INLINE void sum_lanes(const lanes s[8], lanes *sums)
{
    lanes t[4], u[2];
    for (int64_t i = 0; i < 4; i++)
        t[i] = __builtin_shufflevector(s[2 * i], s[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(s[2 * i], s[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    for (int64_t i = 0; i < 2; i++)
        u[i] = __builtin_shufflevector(t[2 * i], t[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(t[2 * i], t[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    *sums = __builtin_shufflevector(u[0], u[1], 0, 1, 2, 3, 8, 9, 10, 11) +
            __builtin_shufflevector(u[0], u[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

/* Rows of D and A that belong to a bra: of a with c and d, of b with c and d. */
struct exchange_rows {
    const double *D[N_BLOCKS_OF_ROLES];
    double *A[N_BLOCKS_OF_ROLES];
};

/* A_ac += V_cd D_bd, A_bc += V_cd D_ad, A_ad += D_bc V_cd, A_bd += D_ac V_cd for the first rows and
 * blocks of columns of V. */
VECTOR_CLONES
static void add_exchange_rows(const struct exchange_rows *rows, const double *V, int32_t stride,
                              int32_t n_rows, int32_t n_blocks)
{
    const double *D_ac = rows->D[0], *D_bc = rows->D[2];
    const lanes *D_ad = (const lanes *)rows->D[1], *D_bd = (const lanes *)rows->D[3];
    lanes *A_ad = (lanes *)rows->A[1], *A_bd = (lanes *)rows->A[3];
    for (int32_t c = 0; c < n_rows; c += ROW_GROUP) {
        lanes s[2 * ROW_GROUP] = {{0}}, sums;
        for (int32_t block = 0; block < n_blocks; block++) {
            lanes of_a = D_ad[block], of_b = D_bd[block], to_a = A_ad[block], to_b = A_bd[block];
            for (int i = 0; i < ROW_GROUP; i++) {
                lanes v = ((const lanes *)(V + (int64_t)(c + i) * stride))[block];
                s[i] += v * of_b;
                s[ROW_GROUP + i] += v * of_a;
                to_a += v * D_bc[c + i];
                to_b += v * D_ac[c + i];
            }
            A_ad[block] = to_a;
            A_bd[block] = to_b;
        }
        sum_lanes(s, &sums);
        for (int i = 0; i < ROW_GROUP; i++) {
            rows->A[0][c + i] += sums[i];
            rows->A[2][c + i] += sums[ROW_GROUP + i];
        }
    }
}

static void add_exchange_of_row(struct fock_rows *rows, const struct row_bra *bra, int32_t n_kets,
                                int n_spins)
{
    int32_t last =
        rows->n_marked * QUARTET_LANES < n_kets ? rows->n_marked * QUARTET_LANES : n_kets;
    int32_t n_rows = rows->kets.n_rows[last - 1], n_columns = rows->kets.n_columns[last - 1];
    for (int spin = 0; spin < n_spins; spin++) {
        struct exchange_rows parts;
        for (int block = 0; block < N_BLOCKS_OF_ROLES; block++) {
            int64_t at = (block_roles[block][0] == 0 ? bra->a : bra->b) * rows->m;
            parts.D[block] = block_of(rows, rows->D[spin], block) + at;
            parts.A[block] = block_of(rows, rows->A[spin], block) + at;
        }
        add_exchange_rows(&parts, rows->V, rows->stride, n_rows,
                          (n_columns + QUARTET_LANES - 1) / QUARTET_LANES);
    }
}

static void compute_row_integrals(const struct rows_of_classes *rows, const struct s_row *row,
                                  double *integrals)
{
    struct class_cost *cost = rows->cost;
    double start_s = cost ? clock_now_s() : 0;
    two_electron_compute_row(rows->two_electron, row, integrals);
    if (!cost)
        return;
    double n = (double)row_n_quartets(row);
    cost->integral_s += clock_now_s() - start_s;
    cost->quartets += n;
    cost->integrals += n;
    cost->primitives += n;
    cost->lanes += (double)row->n_blocks * QUARTET_LANES;
}

/* Computes the quartets of bra number i with the first n_kets; returns how many. */
static int64_t compute_row(struct fock_rows *rows, const struct quartet_views *views,
                           const struct fock_rows_task *task, int32_t i, int32_t n_kets)
{
    const struct shell_pair *pair = &task->rows->bra->pairs[i];
    const struct tile_view *ab = &views->view[0][1];
    int64_t a = view_function(views, 0, pair->function[0]);
    int64_t b = view_function(views, 1, pair->function[1]);
    int64_t at_ab = a * ab->stride[0] + b * ab->stride[1];
    struct row_bra bra = {.bound = pair->bound,
                          .D = ab->D->coulomb[at_ab],
                          .a = rows->role[0].number[a],
                          .b = rows->role[1].number[b],
                          .orbit = pair->first == pair->second ? 0.5 : 1};
    struct s_row row = {.bra_class = task->rows->bra,
                        .ket_class = task->rows->ket,
                        .bra = i,
                        .n_kets = n_kets,
                        .n_blocks = select_blocks(rows, task, &bra, n_kets, views->n_spins),
                        .blocks = rows->blocks};
    if (row.n_blocks == 0)
        return 0;
    double *v = rows->integrals;
    compute_row_integrals(task->rows, &row, v);
    if (task->rows->triangle && n_kets == i + 1)
        v[i] /= 2; /* the quartet (P|P) */
    ab->coulomb[at_ab] += add_coulomb_row(&rows->kets, rows->blocks, row.n_blocks, &bra, v);
    clear_others(rows, row.n_blocks);
    for (int32_t n = 0; n < row.n_blocks; n++)
        for (int32_t k = rows->blocks[n] * QUARTET_LANES, end = k + QUARTET_LANES; k < end; k++)
            rows->V[rows->kets.place[k]] = v[k];
    add_exchange_of_row(rows, &bra, n_kets, views->n_spins);
    return row_n_quartets(&row);
}

static int64_t compute_rows_of_classes(struct fock_rows *rows, const struct quartet_views *views,
                                       const struct fock_rows_task *task,
                                       void (*after_rows)(void *context), void *context)
{
    const struct pair_class *bra = task->rows->bra, *ket = task->rows->ket;
    int32_t n_bras = count_pairs(bra, ket->pairs[0].bound, task->threshold);
    int32_t n_kets = count_pairs(ket, bra->pairs[0].bound, task->threshold);
    if (n_bras == 0)
        return 0;
    clear_occurring(rows, views);
    set_kets(rows, views, ket, n_kets);
    for (int32_t i = 0; i < n_bras; i++) {
        number_function(&rows->role[0], view_function(views, 0, bra->pairs[i].function[0]));
        number_function(&rows->role[1], view_function(views, 1, bra->pairs[i].function[1]));
    }
    for (int spin = 0; spin < views->n_spins; spin++)
        copy_exchange(rows, views, spin);
    int64_t n_integrals = 0, rested = 0;
    for (int32_t i = 0; i < n_bras; i++) {
        while (bra->pairs[i].bound * ket->pairs[n_kets - 1].bound < task->threshold)
            n_kets--;
        int32_t end = task->rows->triangle && i + 1 < n_kets ? i + 1 : n_kets;
        n_integrals += compute_row(rows, views, task, i, end);
        if (n_integrals - rested >= REST_INTEGRALS) {
            rested = n_integrals;
            after_rows(context);
        }
    }
    add_sums(rows, views);
    return n_integrals;
}

int64_t fock_rows_compute(struct fock_rows *rows, const struct quartet_views *views,
                          const struct fock_rows_task *task, void (*after_rows)(void *context),
                          void *context)
{
    struct class_cost *cost = task->rows->cost;
    if (!cost)
        return compute_rows_of_classes(rows, views, task, after_rows, context);
    double start_s = clock_now_s(), integral_s = cost->integral_s;
    int64_t n = compute_rows_of_classes(rows, views, task, after_rows, context);
    cost->digestion_s += clock_now_s() - start_s - (cost->integral_s - integral_s);
    return n;
}
