/* Any class by libint's plain C interface: the data of every primitive quartet
 * are filled in, libint builds the contracted Cartesian integrals, and the
 * angular maps turn them into basis functions.
 *
 * Source of the quantities: Obara & Saika, J. Chem. Phys. 84, 3963 (1986);
 * Head-Gordon & Pople, J. Chem. Phys. 89, 5777 (1988). */
#include "basis/integrals/boys.h"
#include "basis/integrals/libint_session.h"
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
    double *sum;          /* Cartesian integrals of one quartet */
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
    libint_session_close();
}

static enum status libint_create(const struct shells *shells, double cutoff, void **state)
{
    int max_l = shells->max_l < LIBINT2_MAX_AM_eri ? shells->max_l : LIBINT2_MAX_AM_eri;
    struct libint_engine *made = calloc(1, sizeof *made);
    *state = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the integral engine libint"));
    libint_session_open();
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

/* The data of primitive products p and q. */
static void set_primitive_quartet(const struct primitive_products *bra, int32_t p,
                                  const struct primitive_products *ket, int32_t q, int max_m,
                                  Libint_t *data)
{
    double zeta = bra->zeta[p], eta = ket->zeta[q], inverse = 1 / (zeta + eta);
    double zeta_part = zeta * inverse, eta_part = eta * inverse, PQ[3], PQ2 = 0;
    for (int x = 0; x < 3; x++) {
        PQ[x] = bra->P[x][p] - ket->P[x][q];
        PQ2 += PQ[x] * PQ[x];
    }
    data->PA_x[0] = bra->PA[0][p];
    data->PA_y[0] = bra->PA[1][p];
    data->PA_z[0] = bra->PA[2][p];
    data->QC_x[0] = ket->PA[0][q];
    data->QC_y[0] = ket->PA[1][q];
    data->QC_z[0] = ket->PA[2][q];
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
    double F[BOYS_MAX_M + 1], factor = bra->factor[p] * ket->factor[q] * sqrt(inverse);
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

/* Raw Cartesian integrals in engine->sum -> basis functions, one lane of a batch. */
static void map_quartet(struct libint_engine *engine, const int l[4], bool spherical,
                        double *integrals)
{
    int n[4], n_total = 1;
    for (int i = 0; i < 4; i++)
        n_total *= n[i] = n_cartesians(l[i]);
    const double *in = engine->sum;
    int target = 0;
    /* The first index first: it shortens every later step, and its inner loop
     * is the longest. */
    for (int i = 0; i < 4; i++) {
        const struct angular_map *map = angular_map(l[i], spherical);
        if (map->identity)
            continue;
        int n_left = 1, n_right = 1;
        for (int k = 0; k < i; k++)
            n_left *= n[k];
        for (int k = i + 1; k < 4; k++)
            n_right *= n[k];
        map_index(map, n_left, n[i], n_right, in, engine->scratch[target]);
        n_total = n_total / n[i] * map->n_functions;
        n[i] = map->n_functions;
        in = engine->scratch[target];
        target = 1 - target;
    }
    for (int64_t i = 0; i < n_total; i++)
        integrals[i * QUARTET_LANES] = in[i];
}

/* A quartet being computed and the properties of its class. */
struct libint_task {
    const struct pair_class *bra, *ket;
    const struct shell_pair *bra_pair, *ket_pair;
    int l[4], max_m;
    size_t n_cartesian;
    bool begun; /* the sum has been set */
};

/* Adds the integrals of the primitive quartets listed, and forgets these. */
static void add_listed(struct libint_engine *engine, struct libint_task *task, int *n_listed)
{
    Libint_t *data = engine->primitives;
    const double *AB = task->bra_pair->AB, *CD = task->ket_pair->AB;
    const int *l = task->l;
    if (*n_listed == 0)
        return;
    data->AB_x[0] = AB[0];
    data->AB_y[0] = AB[1];
    data->AB_z[0] = AB[2];
    data->CD_x[0] = CD[0];
    data->CD_y[0] = CD[1];
    data->CD_z[0] = CD[2];
    data->contrdepth = *n_listed;
    libint2_build_eri[l[0]][l[1]][l[2]][l[3]](data);
    for (size_t i = 0; i < task->n_cartesian; i++)
        engine->sum[i] = (task->begun ? engine->sum[i] : 0) + data->targets[0][i];
    task->begun = true;
    *n_listed = 0;
}

static void compute_quartet(struct libint_engine *engine, struct libint_task *task,
                            double *integrals)
{
    const struct primitive_products *bra = &task->bra->products, *ket = &task->ket->products;
    int32_t first_p = task->bra_pair->first_primitive, first_q = task->ket_pair->first_primitive;
    int n_listed = 0;
    task->begun = false;
    for (int32_t p = first_p; p < first_p + task->bra_pair->n_primitives; p++)
        for (int32_t q = first_q; q < first_q + task->ket_pair->n_primitives; q++) {
            if (bra->weight[p] * ket->weight[q] < engine->cutoff)
                break; /* they come largest first */
            if (n_listed == MAX_DEPTH)
                add_listed(engine, task, &n_listed);
            set_primitive_quartet(bra, p, ket, q, task->max_m, &engine->primitives[n_listed++]);
        }
    add_listed(engine, task, &n_listed);
    if (!task->begun)
        memset(engine->sum, 0, task->n_cartesian * sizeof(double));
    map_quartet(engine, task->l, task->bra->spherical, integrals);
}

static void libint_compute(void *state, const struct quartet_batch *batch, double *integrals)
{
    int64_t n_integrals = quartet_n_integrals(batch->bra, batch->ket);
    struct libint_task task = {
        .bra = batch->bra,
        .ket = batch->ket,
        .l = {batch->bra->l_first, batch->bra->l_second, batch->ket->l_first, batch->ket->l_second},
        .n_cartesian = 1};
    for (int i = 0; i < 4; i++) {
        task.max_m += task.l[i];
        task.n_cartesian *= (size_t)n_cartesians(task.l[i]);
    }
    for (int32_t i = 0; i < batch->n_quartets; i++) {
        task.bra_pair = &batch->bra->pairs[batch->quartets[i].bra];
        task.ket_pair = &batch->ket->pairs[batch->quartets[i].ket];
        compute_quartet(state, &task, integrals + batch_place(n_integrals, i, 0));
    }
}

const struct two_electron_engine two_electron_libint = {.name = "libint",
                                                        .handles = libint_handles,
                                                        .create = libint_create,
                                                        .destroy = libint_destroy,
                                                        .compute = libint_compute};
