/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/prediction/tile_samples.h"

#include "basis/integrals/hermite_pairs.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/mpi/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Classes of less work are predicted from others where no sample holds them. */
#define LEAST_FRACTION 1e-3

/* Samples in proportion to work: enough for the time that is spent on them, of each process. */
enum { DRAWS = 256, DRAWS_OF_PROCESS = 16, MOST_DRAWS = 4096 };

/* Fraction of the golden ratio: its multiples fill [0, 1) evenly. */
#define GOLDEN 0.6180339887498949

/* Work in Hermite integrals of a primitive quartet: of one that is transformed to a function of the pair with
 * fewer functions, of a primitive quartet besides, and of the use of an integral. So chosen that the quarter of
 * the classes with the most work predicts the seconds of all within a fifth, of Fe in cc-pVDZ (general
 * contractions), N2 in cc-pVQZ and water in cc-pVTZ. */
#define TRANSFORMATION_WORK 0.1
#define PRIMITIVE_WORK      30
#define INTEGRAL_WORK       4

struct drawing {
    const struct class_counts *counts;
    struct tile_sample *samples;
    int64_t n;
};

/* A class and its work, for sorting. */
struct weighed_class {
    int t, u;
    double work;
};

double tile_samples_work(const struct class_counts *counts, int t, int u)
{
    const struct class_count *count = &counts->of[t * counts->n_pair_types + u];
    int n_t = class_counts_pair_functions(counts, t), n_u = class_counts_pair_functions(counts, u);
    double hermite = (double)hermite_count(class_counts_pair_l(counts, t)) *
                     hermite_count(class_counts_pair_l(counts, u));
    double of_primitive =
        PRIMITIVE_WORK + hermite * (1 + TRANSFORMATION_WORK * (n_t < n_u ? n_t : n_u));
    return of_primitive * count->primitives + INTEGRAL_WORK * (double)n_t * n_u * count->quartets;
}

static struct tile_quartet quartet_of_pairs(const struct listed_pair *p,
                                            const struct listed_pair *q)
{
    struct tile_quartet quartet;
    int64_t high = p->tile_pair > q->tile_pair ? p->tile_pair : q->tile_pair;
    int64_t low = p->tile_pair > q->tile_pair ? q->tile_pair : p->tile_pair;
    tile_pair_of_index(high, &quartet.I, &quartet.J);
    tile_pair_of_index(low, &quartet.K, &quartet.L);
    return quartet;
}

/* The ket at which the sum of primitives over the walk's kets exceeds the fraction. */
static int64_t find_ket(const struct class_counts *counts, int u, const struct class_walk *walk,
                        double fraction)
{
    int64_t low = counts->first[u], high = low + walk->n;
    double from = counts->before[low].primitives;
    double target = from + fraction * (counts->before[high].primitives - from);
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (counts->before[middle].primitives <= target)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Draws n quartets of a class, evenly over its primitive quartets. */
static void draw_of_class(struct drawing *drawing, const struct weighed_class *class, int64_t n,
                          int64_t number)
{
    const struct class_counts *counts = drawing->counts;
    double total = counts->of[class->t * counts->n_pair_types + class->u].primitives;
    struct class_walk walk = {0};
    int64_t drawn = 0;
    while (drawn < n && class_walk_next(counts, class->t, class->u, &walk))
        while (drawn < n && walk.sum.primitives > ((double)drawn + 0.5) / (double)n * total) {
            double fraction = fmod(((double)drawn + 1) * GOLDEN, 1);
            int64_t ket = find_ket(counts, class->u, &walk, fraction);
            drawing->samples[drawing->n++] = (struct tile_sample){
                quartet_of_pairs(&counts->pairs[walk.bra], &counts->pairs[ket]), number};
            drawn++;
        }
}

static int by_descending_work(const void *left, const void *right)
{
    double a = ((const struct weighed_class *)left)->work;
    double b = ((const struct weighed_class *)right)->work;
    return (a < b) - (a > b);
}

/* The classes by descending work; returns the sum. */
static double weigh_classes(const struct class_counts *counts, struct weighed_class *classes)
{
    double total = 0;
    int n = 0;
    for (int t = 0; t < counts->n_pair_types; t++)
        for (int u = 0; u <= t; u++) {
            classes[n] = (struct weighed_class){t, u, tile_samples_work(counts, t, u)};
            total += classes[n++].work;
        }
    qsort(classes, (size_t)n, sizeof *classes, by_descending_work);
    return total;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Puts samples into an order in which neighbours are of different classes. scratch: n */
static void mix_samples(struct tile_sample *samples, int64_t n, struct tile_sample *scratch)
{
    int64_t stride = (int64_t)((double)n * GOLDEN) | 1;
    while (common_divisor(n, stride) != 1)
        stride += 2;
    memcpy(scratch, samples, (size_t)n * sizeof *samples);
    for (int64_t i = 0; i < n; i++)
        samples[i] = scratch[i * stride % n];
}

static bool same_quartet(const struct tile_quartet *a, const struct tile_quartet *b)
{
    return a->I == b->I && a->J == b->J && a->K == b->K && a->L == b->L;
}

/* Removes samples whose tile quartet came before. */
static void remove_repeated_samples(struct drawing *drawing)
{
    int64_t n = 0;
    for (int64_t i = 0; i < drawing->n; i++) {
        int64_t j = 0;
        while (j < n && !same_quartet(&drawing->samples[i].quartet, &drawing->samples[j].quartet))
            j++;
        if (j == n)
            drawing->samples[n++] = drawing->samples[i];
    }
    drawing->n = n;
}

/* classes, scratch: room for all. */
static void draw_samples(struct drawing *drawing, int64_t n_draws, struct weighed_class *classes,
                         struct tile_sample *scratch)
{
    const struct class_counts *counts = drawing->counts;
    int n_classes = counts->n_pair_types * (counts->n_pair_types + 1) / 2;
    double total = weigh_classes(counts, classes);
    for (int c = 0; c < n_classes && classes[c].work > LEAST_FRACTION * total; c++)
        draw_of_class(drawing, &classes[c], 1, classes[c].t * counts->n_pair_types + classes[c].u);
    int64_t n_first = drawing->n;
    for (int c = 0; c < n_classes && classes[c].work > 0; c++)
        draw_of_class(drawing, &classes[c], (int64_t)((double)n_draws * classes[c].work / total),
                      -1);
    if (drawing->n > n_first)
        mix_samples(drawing->samples + n_first, drawing->n - n_first, scratch);
    remove_repeated_samples(drawing);
}

static enum status create_list(const struct class_counts *counts, int64_t n_draws,
                               struct drawing *drawing)
{
    int64_t n_classes = (int64_t)counts->n_pair_types * (counts->n_pair_types + 1) / 2;
    size_t n_most = (size_t)(n_classes + n_draws);
    struct weighed_class *classes = calloc((size_t)n_classes, sizeof *classes);
    struct tile_sample *scratch = calloc(n_most, sizeof *scratch);
    *drawing = (struct drawing){.counts = counts, .samples = calloc(n_most, sizeof *scratch)};
    bool made = classes && scratch && drawing->samples;
    if (made)
        draw_samples(drawing, n_draws, classes, scratch);
    free(classes);
    free(scratch);
    return made ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for a sample of tile quartets");
}

enum status tile_samples_create(const struct class_counts *counts, MPI_Comm comm,
                                struct tile_sample **samples, int64_t *n)
{
    int n_processes;
    MPI_Comm_size(comm, &n_processes);
    int64_t n_draws = DRAWS + (int64_t)DRAWS_OF_PROCESS * n_processes;
    struct drawing drawing = {0};
    *samples = NULL;
    *n = 0;
    enum status status =
        counts->pairs ? create_list(counts, n_draws < MOST_DRAWS ? n_draws : MOST_DRAWS, &drawing)
                      : STATUS_OK;
    struct gather_part part = {.items = drawing.samples,
                               .n_items = drawing.n,
                               .item_size = sizeof *drawing.samples,
                               .what = "sampled tile quartets"};
    void *all = NULL;
    status = status_agree(comm, status);
    if (status == STATUS_OK)
        status = gather_to_all(comm, &part, &all, n);
    free(drawing.samples);
    *samples = all;
    return status;
}

/* Bounds of the tile pairs, in scratch; those of ordered pairs twice. Returns their number. */
static int64_t sort_tile_bounds(const struct screening *screening, bool ordered, double *bounds)
{
    int64_t n = 0, n_tiles = screening->tiling->n_tiles;
    for (int64_t I = 0; I < n_tiles; I++)
        for (int64_t J = 0; J <= I; J++) {
            double bound = screening->tile_bounds[tile_pair_index(I, J)];
            bounds[n++] = bound;
            if (ordered && J < I)
                bounds[n++] = bound;
        }
    qsort(bounds, (size_t)n, sizeof *bounds, array_descending);
    return n;
}

enum status tile_samples_count(const struct screening *screening, enum fock_symmetry symmetry,
                               MPI_Comm comm, double *n)
{
    bool ordered = symmetry == FOCK_SYMMETRY_NONE;
    size_t n_bytes = 2 * (size_t)tiling_n_pairs(screening->tiling) * sizeof(double);
    double *bounds = agree_calloc(comm, n_bytes, "the bounds of tiles");
    *n = 0;
    if (!bounds)
        return STATUS_NO_MEMORY;
    int64_t n_bounds = sort_tile_bounds(screening, ordered, bounds), end = n_bounds;
    for (int64_t p = 0; p < n_bounds; p++) {
        while (end > 0 && bounds[p] * bounds[end - 1] < screening->threshold)
            end--;
        *n += (double)(!ordered && p + 1 < end ? p + 1 : end);
    }
    free(bounds);
    return STATUS_OK;
}
