/* SPDX-License-Identifier: BSD-3-Clause */
/* Any class by libint's plain C interface: for each four shells of the groups the
 * data of every primitive quartet are filled in, libint builds the contracted Cartesian
 * integrals, and the angular maps turn them into basis functions.
 *
 * Source of the quantities: Obara & Saika, J. Chem. Phys. 84, 3963 (1986);
 * Head-Gordon & Pople, J. Chem. Phys. 89, 5777 (1988). */
#include "basis/integrals/boys.h"
#include "basis/integrals/two_electron_engine.h"

#include <libint2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Primitive quartets that libint takes at once. */
enum { MAX_DEPTH = 256 };

struct libint_engine {
    double cutoff;
    Libint_t *primitives; /* MAX_DEPTH */
    double *sum;          /* Cartesian integrals of one quartet of shells */
    double *scratch[2];   /* the same, while they become functions */
};

static bool libint_handles(const struct quartet_class *class)
{
    for (int i = 0; i < 4; i++)
        if (class->l[i] > LIBINT2_MAX_AM_eri)
            return false;
    return true;
}

static void libint_destroy(void *state)
{
    struct libint_engine *engine = state;
    if (!engine)
        return;
    if (engine->primitives)
        libint2_cleanup_eri(engine->primitives);
    free(engine->primitives);
    free(engine->sum);
    free(engine->scratch[0]);
    free(engine->scratch[1]);
    free(engine);
}

static enum status libint_create(const struct shells *shells, double cutoff, void **state)
{
    int max_l = shells->max_l < LIBINT2_MAX_AM_eri ? shells->max_l : LIBINT2_MAX_AM_eri;
    struct libint_engine *made = calloc(1, sizeof *made);
    *state = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the integral engine libint"));
    libint2_static_init(); /* fills tables, always alike: there is nothing to end */
    boys_prepare();
    size_t n = (size_t)n_cartesians(max_l);
    made->primitives = aligned_alloc(64, (MAX_DEPTH * sizeof(Libint_t) + 63) / 64 * 64);
    made->sum = malloc(n * n * n * n * sizeof(double));
    made->scratch[0] = malloc(n * n * n * n * sizeof(double));
    made->scratch[1] = malloc(n * n * n * n * sizeof(double));
    if (made->primitives)
        libint2_init_eri(made->primitives, max_l, NULL);
    if (!made->primitives || !made->sum || !made->scratch[0] || !made->scratch[1]) {
        libint_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for integrals over shells of l = %d", max_l);
    }
    made->cutoff = cutoff;
    *state = made;
    return STATUS_OK;
}

static int64_t libint_bytes(const struct shells *shells)
{
    int max_l = shells->max_l < LIBINT2_MAX_AM_eri ? shells->max_l : LIBINT2_MAX_AM_eri;
    int64_t n = n_cartesians(max_l), stack = (int64_t)libint2_need_memory_eri(max_l);
    return MAX_DEPTH * (int64_t)sizeof(Libint_t) +
           (stack + 3 * n * n * n * n) * (int64_t)sizeof(double);
}

/* Two shells, one of each group of a pair; the first has the higher l. */
struct shell_side {
    const struct pair_class *class;
    const struct shell_pair *pair;
    int factor;   /* number of the factor of these shells in a product */
    bool swapped; /* the first is a shell of the pair's second group */
    int l[2];
    int64_t stride[2]; /* between their functions in the quartet's integrals */
    int64_t place;     /* there, of the first functions */
};

/* The difference P - A or A - B, A the centre of the side's first shell. */
static double first_distance(const struct shell_side *side, int x, int32_t p)
{
    double PA = side->class->products.PA[x][p];
    return side->swapped ? PA + side->pair->AB[x] : PA;
}

static double shell_distance(const struct shell_side *side, int x)
{
    return side->swapped ? -side->pair->AB[x] : side->pair->AB[x];
}

/* The data of primitive products p and q. */
static void set_primitive_quartet(const struct shell_side *bra_side, int32_t p,
                                  const struct shell_side *ket_side, int32_t q, int max_m,
                                  Libint_t *data)
{
    const struct primitive_products *bra = &bra_side->class->products;
    const struct primitive_products *ket = &ket_side->class->products;
    double zeta = bra->zeta[p], eta = ket->zeta[q], inverse = 1 / (zeta + eta);
    double zeta_part = zeta * inverse, eta_part = eta * inverse, PQ[3], PQ2 = 0;
    for (int x = 0; x < 3; x++) {
        PQ[x] = bra->P[x][p] - ket->P[x][q];
        PQ2 += PQ[x] * PQ[x];
    }
    data->PA_x[0] = first_distance(bra_side, 0, p);
    data->PA_y[0] = first_distance(bra_side, 1, p);
    data->PA_z[0] = first_distance(bra_side, 2, p);
    data->QC_x[0] = first_distance(ket_side, 0, q);
    data->QC_y[0] = first_distance(ket_side, 1, q);
    data->QC_z[0] = first_distance(ket_side, 2, q);
    data->WP_x[0] = -eta_part * PQ[0];
    data->WP_y[0] = -eta_part * PQ[1];
    data->WP_z[0] = -eta_part * PQ[2];
    data->WQ_x[0] = zeta_part * PQ[0];
    data->WQ_y[0] = zeta_part * PQ[1];
    data->WQ_z[0] = zeta_part * PQ[2];
    data->oo2z[0] = bra->half_inverse[p];
    data->oo2e[0] = ket->half_inverse[q];
    data->oo2ze[0] = 0.5 * inverse;
    data->roz[0] = eta_part; /* rho / zeta */
    data->roe[0] = zeta_part;
    double F[BOYS_MAX_M + 1];
    double factor = bra->factors[p * bra_side->class->n_factors + bra_side->factor] *
                    ket->factors[q * ket_side->class->n_factors + ket_side->factor] * sqrt(inverse);
    boys(max_m, zeta * eta_part * PQ2, F);
    double *to = data->LIBINT_T_SS_EREP_SS(0);
    for (int m = 0; m <= max_m; m++)
        to[m] = factor * F[m];
}

/* out[left][f][right] = sum_c map[f][c] in[left][c][right] */
static void map_index(const struct angular_map *map, int n_left, int n_cartesian, int n_right,
                      const double *restrict in, double *restrict out)
{
    for (int left = 0; left < n_left; left++) {
        const double *from = in + (size_t)left * n_cartesian * n_right;
        for (int f = 0; f < map->n_functions; f++, out += n_right) {
            int t = map->first[f];
            const double *column = from + (size_t)map->index[t] * n_right;
            for (int right = 0; right < n_right; right++)
                out[right] = map->value[t] * column[right];
            while (++t < map->first[f + 1]) {
                column = from + (size_t)map->index[t] * n_right;
                for (int right = 0; right < n_right; right++)
                    out[right] += map->value[t] * column[right];
            }
        }
    }
}

/* Four shells being computed. */
struct libint_task {
    struct shell_side bra, ket;
    int l[4], max_m;
    size_t n_cartesian;
    bool begun; /* the sum has been set */
};

/* Row-major functions of the four shells to their places. */
static void place_functions(const struct libint_task *task, const int n[4], const double *in,
                            double *integrals)
{
    const int64_t stride[4] = {task->bra.stride[0], task->bra.stride[1], task->ket.stride[0],
                               task->ket.stride[1]};
    double *to = integrals + (task->bra.place + task->ket.place) * QUARTET_LANES;
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++)
                for (int m = 0; m < n[3]; m++)
                    to[(i * stride[0] + j * stride[1] + k * stride[2] + m * stride[3]) *
                       QUARTET_LANES] = *in++;
}

/* Raw Cartesian integrals in engine->sum -> basis functions, one lane of a batch. */
static void map_shells(struct libint_engine *engine, const struct libint_task *task,
                       double *integrals)
{
    int n[4];
    for (int i = 0; i < 4; i++)
        n[i] = n_cartesians(task->l[i]);
    const double *in = engine->sum;
    int target = 0;
    /* The first index first: it shortens every later step, and its inner loop
     * is the longest. */
    for (int i = 0; i < 4; i++) {
        const struct pair_class *class = i < 2 ? task->bra.class : task->ket.class;
        bool spherical = class->type[0]->spherical || class->type[1]->spherical;
        const struct angular_map *map = angular_map(task->l[i], spherical);
        if (map->identity)
            continue;
        int n_left = 1, n_right = 1;
        for (int k = 0; k < i; k++)
            n_left *= n[k];
        for (int k = i + 1; k < 4; k++)
            n_right *= n[k];
        map_index(map, n_left, n[i], n_right, in, engine->scratch[target]);
        n[i] = map->n_functions;
        in = engine->scratch[target];
        target = 1 - target;
    }
    place_functions(task, n, in, integrals);
}

/* Adds the integrals of the primitive quartets listed, and forgets these. */
static void add_listed(struct libint_engine *engine, struct libint_task *task, int *n_listed)
{
    Libint_t *data = engine->primitives;
    const int *l = task->l;
    if (*n_listed == 0)
        return;
    data->AB_x[0] = shell_distance(&task->bra, 0);
    data->AB_y[0] = shell_distance(&task->bra, 1);
    data->AB_z[0] = shell_distance(&task->bra, 2);
    data->CD_x[0] = shell_distance(&task->ket, 0);
    data->CD_y[0] = shell_distance(&task->ket, 1);
    data->CD_z[0] = shell_distance(&task->ket, 2);
    data->contrdepth = *n_listed;
    libint2_build_eri[l[0]][l[1]][l[2]][l[3]](data);
    for (size_t i = 0; i < task->n_cartesian; i++)
        engine->sum[i] = (task->begun ? engine->sum[i] : 0) + data->targets[0][i];
    task->begun = true;
    *n_listed = 0;
}

/* The integrals of four shells: as libint wants them, the lower angular momentum is the bra. */
static void compute_shells(struct libint_engine *engine, const struct shell_side *bra,
                           const struct shell_side *ket, double *integrals)
{
    bool exchanged = bra->l[0] + bra->l[1] > ket->l[0] + ket->l[1];
    struct libint_task task = {
        .bra = exchanged ? *ket : *bra, .ket = exchanged ? *bra : *ket, .n_cartesian = 1};
    for (int i = 0; i < 4; i++) {
        task.l[i] = i < 2 ? task.bra.l[i] : task.ket.l[i - 2];
        task.max_m += task.l[i];
        task.n_cartesian *= (size_t)n_cartesians(task.l[i]);
    }
    const struct shell_pair *of_p = task.bra.pair, *of_q = task.ket.pair;
    const double *bra_weight = task.bra.class->products.weight;
    const double *ket_weight = task.ket.class->products.weight;
    int n_listed = 0;
    for (int32_t p = of_p->first_primitive; p < of_p->first_primitive + of_p->n_primitives; p++)
        for (int32_t q = of_q->first_primitive; q < of_q->first_primitive + of_q->n_primitives;
             q++) {
            if (bra_weight[p] * ket_weight[q] < engine->cutoff)
                break; /* they come largest first */
            if (n_listed == MAX_DEPTH)
                add_listed(engine, &task, &n_listed);
            set_primitive_quartet(&task.bra, p, &task.ket, q, task.max_m,
                                  &engine->primitives[n_listed++]);
        }
    add_listed(engine, &task, &n_listed);
    if (!task.begun)
        memset(engine->sum, 0, task.n_cartesian * sizeof(double));
    map_shells(engine, &task, integrals);
}

/* Moves on to the next two shells of a pair, from factor -1 to the first ones; false after the
 * last. unit: integrals between two functions of the second group. */
static bool next_shells(int64_t unit, struct shell_side *side)
{
    const struct group_type *const *type = side->class->type;
    if (++side->factor == side->class->n_factors)
        return false;
    int shell[2] = {side->factor / type[1]->n_shells, side->factor % type[1]->n_shells};
    int64_t stride[2] = {unit * type[1]->n_functions, unit};
    side->place = 0;
    for (int k = 0; k < 2; k++) {
        for (int s = 0; s < shell[k]; s++)
            side->place += stride[k] * angular_map(type[k]->l[s], type[k]->spherical)->n_functions;
    }
    side->swapped = type[0]->l[shell[0]] < type[1]->l[shell[1]];
    for (int k = 0; k < 2; k++) {
        int group = side->swapped ? !k : k;
        side->l[k] = type[group]->l[shell[group]];
        side->stride[k] = stride[group];
    }
    return true;
}

static void libint_compute(void *state, const struct quartet_batch *batch, double *integrals)
{
    int64_t n = quartet_n_integrals(batch->bra, batch->ket);
    int64_t n_ket = (int64_t)batch->ket->n_first * batch->ket->n_second;
    for (int32_t i = 0; i < batch->n_quartets; i++) {
        const struct quartet *quartet = &batch->quartets[i];
        struct shell_side bra = {
            .class = batch->bra, .pair = &batch->bra->pairs[quartet->bra], .factor = -1};
        while (next_shells(n_ket, &bra)) {
            struct shell_side ket = {
                .class = batch->ket, .pair = &batch->ket->pairs[quartet->ket], .factor = -1};
            while (next_shells(1, &ket))
                compute_shells(state, &bra, &ket, integrals + batch_place(n, i, 0));
        }
    }
}

const struct two_electron_engine two_electron_libint = {.name = "libint",
                                                        .handles = libint_handles,
                                                        .create = libint_create,
                                                        .destroy = libint_destroy,
                                                        .bytes = libint_bytes,
                                                        .compute = libint_compute};
