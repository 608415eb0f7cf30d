/* Any class by libint's plain C interface: the data of every primitive quartet
 * are filled in, libint builds the contracted Cartesian integrals, and the
 * angular maps turn them into basis functions.
 *
 * Source of the quantities: Obara & Saika, J. Chem. Phys. 84, 3963 (1986);
 * Head-Gordon & Pople, J. Chem. Phys. 89, 5777 (1988). */
#include "basis/integrals/libint_session.h"
#include "basis/integrals/primitive_quartets.h"
#include "basis/integrals/two_electron_engine.h"

#include <libint2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The entries [begin, end) of the list that belong to one quartet of the batch; a
 * long contraction takes several lists. */
struct segment {
    int32_t quartet;
    int begin, end;
    bool first, last; /* of the quartet's segments */
};

struct libint_engine {
    double cutoff;
    struct primitive_quartets *list;
    struct segment segments[PRIMITIVE_CHUNK + 1];
    int n_segments;
    Libint_t *primitives; /* PRIMITIVE_CHUNK */
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
    free(engine->list);
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
    primitive_quartets_prepare();
    size_t n = (size_t)n_cartesians(max_l);
    made->primitives = aligned_alloc(64, (PRIMITIVE_CHUNK * sizeof(Libint_t) + 63) / 64 * 64);
    made->list = aligned_alloc(64, (sizeof *made->list + 63) / 64 * 64);
    made->sum = malloc(n * n * n * n * sizeof(double));
    made->scratch[0] = malloc(n * n * n * n * sizeof(double));
    made->scratch[1] = malloc(n * n * n * n * sizeof(double));
    if (made->primitives)
        libint2_init_eri(made->primitives, max_l, NULL);
    if (!made->list || !made->primitives || !made->sum || !made->scratch[0] || !made->scratch[1]) {
        libint_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for integrals over shells of l = %d", max_l);
    }
    made->list->n = 0;
    made->cutoff = cutoff;
    *state = made;
    return STATUS_OK;
}

/* Copies entry i of the evaluated list to where libint reads it. */
static void copy_primitive_quartet(const struct primitive_quartets *list, int i,
                                   const struct primitive_products *bra,
                                   const struct primitive_products *ket, int max_m, Libint_t *data)
{
    int32_t p = list->bra[i], q = list->ket[i];
    data->PA_x[0] = bra->PA[0][p];
    data->PA_y[0] = bra->PA[1][p];
    data->PA_z[0] = bra->PA[2][p];
    data->QC_x[0] = ket->PA[0][q];
    data->QC_y[0] = ket->PA[1][q];
    data->QC_z[0] = ket->PA[2][q];
    data->WP_x[0] = list->WP[0][i];
    data->WP_y[0] = list->WP[1][i];
    data->WP_z[0] = list->WP[2][i];
    data->WQ_x[0] = list->WQ[0][i];
    data->WQ_y[0] = list->WQ[1][i];
    data->WQ_z[0] = list->WQ[2][i];
    data->oo2z[0] = bra->half_inverse[p];
    data->oo2e[0] = ket->half_inverse[q];
    data->oo2ze[0] = 0.5 * list->inverse[i];
    data->roz[0] = list->ket_weight[i]; /* rho / zeta */
    data->roe[0] = list->bra_weight[i]; /* rho / eta */
    double *F = data->LIBINT_T_SS_EREP_SS(0);
    for (int m = 0; m <= max_m; m++)
        F[m] = list->F[m][i];
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

/* Raw Cartesian integrals in engine->sum -> basis functions. */
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
    memcpy(integrals, in, (size_t)n_total * sizeof(double));
}

/* The batch being computed and the properties of its class. */
struct libint_task {
    const struct quartet_batch *batch;
    int l[4], max_m;
    int64_t n_cartesian, n_integrals;
    double *integrals;
};

/* Builds one segment: sets or adds to engine->sum, and ends its quartet if it is
 * the last. */
static void build_segment(struct libint_engine *engine, const struct libint_task *task,
                          const struct segment *segment)
{
    const struct quartet_batch *batch = task->batch;
    const struct quartet *quartet = &batch->quartets[segment->quartet];
    const double *AB = batch->bra->pairs[quartet->bra].AB;
    const double *CD = batch->ket->pairs[quartet->ket].AB;
    const int *l = task->l;
    if (segment->end > segment->begin) {
        Libint_t *data = engine->primitives;
        data->AB_x[0] = AB[0];
        data->AB_y[0] = AB[1];
        data->AB_z[0] = AB[2];
        data->CD_x[0] = CD[0];
        data->CD_y[0] = CD[1];
        data->CD_z[0] = CD[2];
        for (int i = segment->begin; i < segment->end; i++)
            copy_primitive_quartet(engine->list, i, &batch->bra->products, &batch->ket->products,
                                   task->max_m, &data[i - segment->begin]);
        data->contrdepth = segment->end - segment->begin;
        libint2_build_eri[l[0]][l[1]][l[2]][l[3]](data);
    }
    const double *target = engine->primitives->targets[0];
    size_t size = (size_t)task->n_cartesian * sizeof(double);
    if (segment->first && segment->end > segment->begin)
        memcpy(engine->sum, target, size);
    else if (segment->first)
        memset(engine->sum, 0, size);
    else
        for (int64_t i = 0; i < task->n_cartesian; i++)
            engine->sum[i] += target[i];
    if (segment->last)
        map_quartet(engine, l, batch->bra->spherical,
                    task->integrals + segment->quartet * task->n_integrals);
}

static void build_listed_segments(struct libint_engine *engine, const struct libint_task *task)
{
    if (engine->list->n > 0)
        primitive_quartets_evaluate(engine->list, &task->batch->bra->products,
                                    &task->batch->ket->products, task->max_m);
    for (int i = 0; i < engine->n_segments; i++)
        build_segment(engine, task, &engine->segments[i]);
    engine->list->n = 0;
    engine->n_segments = 0;
}

/* Lists the primitive quartets of quartet i that matter. */
static void list_quartet(struct libint_engine *engine, const struct libint_task *task, int32_t i)
{
    const struct quartet_batch *batch = task->batch;
    struct primitive_quartets *list = engine->list;
    const struct shell_pair *bra = &batch->bra->pairs[batch->quartets[i].bra];
    const struct shell_pair *ket = &batch->ket->pairs[batch->quartets[i].ket];
    const double *weight_bra = batch->bra->products.weight + bra->first_primitive;
    const double *weight_ket = batch->ket->products.weight + ket->first_primitive;
    struct segment segment = {.quartet = i, .begin = list->n, .first = true};
    for (int32_t p = 0; p < bra->n_primitives; p++) {
        for (int32_t q = 0; q < ket->n_primitives; q++) {
            if (weight_bra[p] * weight_ket[q] < engine->cutoff)
                break; /* they come largest first */
            if (list->n == PRIMITIVE_CHUNK) {
                if (list->n > segment.begin) {
                    segment.end = list->n;
                    engine->segments[engine->n_segments++] = segment;
                    segment.first = false;
                }
                build_listed_segments(engine, task);
                segment.begin = 0;
            }
            list->bra[list->n] = bra->first_primitive + p;
            list->ket[list->n++] = ket->first_primitive + q;
        }
    }
    segment.end = list->n;
    segment.last = true;
    engine->segments[engine->n_segments++] = segment;
}

static void libint_compute(void *state, const struct quartet_batch *batch, double *integrals)
{
    struct libint_engine *engine = state;
    struct libint_task task = {
        .batch = batch,
        .l = {batch->bra->l_first, batch->bra->l_second, batch->ket->l_first, batch->ket->l_second},
        .n_cartesian = 1,
        .n_integrals = quartet_n_integrals(batch->bra, batch->ket),
        .integrals = integrals};
    for (int i = 0; i < 4; i++) {
        task.max_m += task.l[i];
        task.n_cartesian *= n_cartesians(task.l[i]);
    }
    for (int32_t i = 0; i < batch->n_quartets; i++) {
        list_quartet(engine, &task, i);
        /* A quartet without primitives takes a segment but no entry. */
        if (engine->n_segments == PRIMITIVE_CHUNK)
            build_listed_segments(engine, &task);
    }
    build_listed_segments(engine, &task);
}

const struct two_electron_engine two_electron_libint = {.name = "libint",
                                                        .handles = libint_handles,
                                                        .create = libint_create,
                                                        .destroy = libint_destroy,
                                                        .compute = libint_compute};
