/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/full_point_group.h"

#include "basis/input/ranked_centers.h"
#include "basis/input/vector3.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Distances (Bohr) within which images are found before centres are moved. */
#define ROUGH_TOLERANCE 1e-5

enum {
    MAX_FOUND = 2 * POINT_GROUP_MAX_OPERATIONS, /* rotations are half of a group, or all of it */
    MAX_ROUNDS = 12 /* of moving centres, which converges quadratically */
};

/* Operation k: centre a becomes images[k * n_atoms + a], by matrix[k] about the middle. */
struct finder {
    struct ranked_centers centers;
    int64_t reference[2];   /* centres that are not on a line with the middle */
    bool planar;            /* all centres are in one plane with it */
    double normal[3];       /* of the plane of the references: their vector product */
    int order;              /* operations found */
    int64_t *images;        /* of MAX_FOUND operations and of the one that is looked at */
    double (*matrix)[3][3]; /* likewise; of twice as many for the name */
    bool *taken;            /* scratch: centres that are images */
    double (*original)[3];  /* positions before centres are moved */
    double (*symmetric)[3]; /* scratch: positions */
};

/* B = A^-T */
static bool invert_transposed(const double A[3][3], double B[3][3])
{
    double d = determinant(A);
    if (!(fabs(d) > 0) || !isfinite(1 / d))
        return false;
    for (int i = 0; i < 3; i++) {
        vector_product(A[(i + 1) % 3], A[(i + 2) % 3], B[i]);
        for (int j = 0; j < 3; j++)
            B[i][j] /= d;
    }
    return true;
}

/* The orthogonal matrix next to A, of the same handedness, which takes A's place: the polar factor, by
 * Newton's iteration. Source: N. J. Higham, SIAM J. Sci. Stat. Comput. 7, 1160 (1986). */
static bool make_orthogonal(double A[3][3])
{
    double scale = sqrt((dot(A[0], A[0]) + dot(A[1], A[1]) + dot(A[2], A[2])) / 3), change = 1;
    for (int i = 0; i < 9 && scale > 0; i++)
        A[i / 3][i % 3] /= scale;
    for (int round = 0; round < 100 && change > 1e-15; round++) {
        double B[3][3];
        if (!invert_transposed((const double(*)[3])A, B))
            return false;
        change = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double mean = (A[i][j] + B[i][j]) / 2;
                change = fmax(change, fabs(mean - A[i][j]));
                A[i][j] = mean;
            }
    }
    return change < 1e-14;
}

/* A += u v^T */
static void add_outer_product(const double u[3], const double v[3], double A[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] += u[i] * v[j];
}

/* The orthogonal matrix that takes all centres closest to their images. The plane of a planar molecule
 * keeps its side: reflections in perpendicular planes are rotations. */
static bool fit_matrix(const struct finder *finder, const int64_t images[], double matrix[3][3])
{
    double(*position)[3] = finder->centers.position;
    const int64_t *r = finder->reference;
    double turned[3];
    memset(matrix, 0, sizeof(double[3][3]));
    for (int64_t a = 0; a < finder->centers.molecule->n_atoms; a++)
        add_outer_product(position[images[a]], position[a], matrix);
    if (finder->planar) {
        vector_product(position[images[r[0]]], position[images[r[1]]], turned);
        add_outer_product(turned, finder->normal, matrix);
    }
    return make_orthogonal(matrix);
}

/* Sets the images under a matrix; whether they are a permutation of alike centres. */
static bool permute_centers(const struct finder *finder, const double matrix[3][3],
                            int64_t images[])
{
    int64_t n = finder->centers.molecule->n_atoms;
    memset(finder->taken, 0, (size_t)n * sizeof *finder->taken);
    for (int64_t a = 0; a < n; a++) {
        images[a] = ranked_centers_image(&finder->centers, matrix, a);
        if (images[a] < 0 || finder->taken[images[a]])
            return false;
        finder->taken[images[a]] = true;
    }
    return true;
}

/* The matrix that takes the references and their vector product to these, times the sign. */
static bool match_references(const struct finder *finder, const double a[3], const double b[3],
                             int sign, double matrix[3][3])
{
    double(*position)[3] = finder->centers.position;
    const double *u = position[finder->reference[0]], *v = position[finder->reference[1]];
    double from[3][3], to[3][3], inverse[3][3];
    memcpy(from[0], u, sizeof from[0]);
    memcpy(from[1], v, sizeof from[1]);
    memcpy(from[2], finder->normal, sizeof from[2]);
    memcpy(to[0], a, sizeof to[0]);
    memcpy(to[1], b, sizeof to[1]);
    vector_product(a, b, to[2]);
    for (int i = 0; i < 3; i++)
        to[2][i] *= sign;
    /* matrix from^T = to^T: the sum of to[i] and the rows of from^-T */
    if (!invert_transposed((const double(*)[3])from, inverse))
        return false;
    memset(matrix, 0, sizeof(double[3][3]));
    for (int i = 0; i < 3; i++)
        add_outer_product(to[i], inverse[i], matrix);
    return make_orthogonal(matrix);
}

static bool are_same(const int64_t a[], const int64_t b[], int64_t n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/* Keeps the operation that takes the references to these two, if the molecule has it; the identity
 * first. */
static void consider_images(struct finder *finder, int64_t a, int64_t b, int sign)
{
    double(*position)[3] = finder->centers.position;
    int64_t n = finder->centers.molecule->n_atoms, *images = finder->images + finder->order * n;
    if (finder->order == MAX_FOUND ||
        !match_references(finder, position[a], position[b], sign, finder->matrix[finder->order]) ||
        !permute_centers(finder, (const double(*)[3])finder->matrix[finder->order], images))
        return;
    for (int k = 0; k < finder->order; k++)
        if (are_same(finder->images + k * n, images, n))
            return;
    finder->order++;
}

static void find_operations(struct finder *finder)
{
    const struct ranked_centers *centers = &finder->centers;
    const struct atom *atoms = centers->molecule->atoms;
    const int64_t *r = finder->reference;
    struct rank_range of_first = ranked_centers_as_far(centers, r[0]);
    struct rank_range of_second = ranked_centers_as_far(centers, r[1]);
    double product = dot(centers->position[r[0]], centers->position[r[1]]);
    double size = sqrt(dot(centers->position[r[0]], centers->position[r[0]])) +
                  sqrt(dot(centers->position[r[1]], centers->position[r[1]]));
    consider_images(finder, r[0], r[1], 1);
    for (int64_t i = of_first.first; i < of_first.end; i++)
        for (int64_t j = of_second.first; j < of_second.end; j++) {
            int64_t a = centers->ranked[i].atom, b = centers->ranked[j].atom;
            double of_images = dot(centers->position[a], centers->position[b]);
            if (!are_alike_atoms(&atoms[a], &atoms[r[0]]) ||
                !are_alike_atoms(&atoms[b], &atoms[r[1]]) ||
                fabs(of_images - product) > 4 * centers->tolerance * size)
                continue;
            consider_images(finder, a, b, 1);
            if (!finder->planar)
                consider_images(finder, a, b, -1);
        }
}

/* Number of the operation that is k after l; -1: none. */
static int find_operation_product(const struct finder *finder, int k, int l)
{
    int64_t n = finder->centers.molecule->n_atoms;
    const int64_t *of_k = finder->images + k * n, *of_l = finder->images + l * n;
    for (int m = 0; m < finder->order; m++) {
        const int64_t *of_m = finder->images + m * n;
        int64_t a = 0;
        while (a < n && of_m[a] == of_k[of_l[a]])
            a++;
        if (a == n)
            return m;
    }
    return -1;
}

static bool is_closed(const struct finder *finder)
{
    for (int k = 0; k < finder->order; k++)
        for (int l = 0; l < finder->order; l++)
            if (find_operation_product(finder, k, l) < 0)
                return false;
    return true;
}

static void keep_rotations(struct finder *finder)
{
    int64_t n = finder->centers.molecule->n_atoms;
    int kept = 0;
    for (int k = 0; k < finder->order; k++) {
        if (determinant((const double(*)[3])finder->matrix[k]) < 0)
            continue;
        memmove(finder->images + kept * n, finder->images + k * n,
                (size_t)n * sizeof *finder->images);
        memmove(finder->matrix[kept++], finder->matrix[k], sizeof(double[3][3]));
    }
    finder->order = kept;
}

/* Fits all matrices to the positions: the largest distance, along an axis, between a centre that was
 * moved and its image; infinite without a fit. */
static double fit_operations(struct finder *finder)
{
    double(*position)[3] = finder->centers.position;
    int64_t n = finder->centers.molecule->n_atoms;
    double largest = 0;
    vector_product(position[finder->reference[0]], position[finder->reference[1]], finder->normal);
    for (int k = 0; k < finder->order; k++) {
        const int64_t *images = finder->images + k * n;
        if (!fit_matrix(finder, images, finder->matrix[k]))
            return INFINITY;
        for (int64_t a = 0; a < n; a++)
            for (int i = 0; i < 3; i++)
                largest = fmax(
                    largest, fabs(dot(finder->matrix[k][i], position[a]) - position[images[a]][i]));
    }
    return largest;
}

/* Moves each centre to the mean of what the inverse operations make of its images. */
static void average_positions(struct finder *finder)
{
    double(*position)[3] = finder->centers.position;
    int64_t n = finder->centers.molecule->n_atoms;
    memset(finder->symmetric, 0, (size_t)n * sizeof *finder->symmetric);
    for (int k = 0; k < finder->order; k++)
        for (int64_t a = 0; a < n; a++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    finder->symmetric[a][j] += finder->matrix[k][i][j] *
                                               position[finder->images[k * n + a]][i] /
                                               finder->order;
    memcpy(position, finder->symmetric, (size_t)n * sizeof *position);
}

/* Moves centres until operations take them to their images but for rounding; the largest change of a
 * coordinate. Infinite where that fails. */
static double move_onto_symmetry(struct finder *finder)
{
    int64_t n = finder->centers.molecule->n_atoms;
    double off = fit_operations(finder), moved = 0;
    memcpy(finder->original, finder->centers.position, (size_t)n * sizeof *finder->original);
    if (off < POINT_GROUP_TOLERANCE / 2)
        return 0;
    for (int round = 0; round < MAX_ROUNDS && off > POINT_GROUP_TOLERANCE / 100; round++) {
        average_positions(finder);
        off = fit_operations(finder);
    }
    for (int64_t a = 0; a < n; a++)
        for (int i = 0; i < 3; i++)
            moved = fmax(moved, fabs(finder->centers.position[a][i] - finder->original[a][i]));
    return off < POINT_GROUP_TOLERANCE / 2 ? moved : INFINITY;
}

/* Finds the operations, and moves the positions about the middle onto them. */
static double find_and_move(struct finder *finder, double most_moved)
{
    finder->reference[0] = ranked_centers_reference(&finder->centers, NULL);
    if (finder->reference[0] < 0)
        return 0;
    const double *along = finder->centers.position[finder->reference[0]];
    finder->reference[1] = ranked_centers_reference(&finder->centers, along);
    if (finder->reference[1] < 0)
        return 0;
    vector_product(along, finder->centers.position[finder->reference[1]], finder->normal);
    double length = sqrt(dot(finder->normal, finder->normal));
    finder->planar = true;
    for (int64_t a = 0; a < finder->centers.molecule->n_atoms; a++)
        finder->planar &=
            fabs(dot(finder->centers.position[a], finder->normal)) < ROUGH_TOLERANCE * length;
    find_operations(finder);
    if (finder->order > POINT_GROUP_MAX_OPERATIONS)
        keep_rotations(finder);
    bool usable = finder->order <= POINT_GROUP_MAX_OPERATIONS && is_closed(finder);
    double moved = usable ? move_onto_symmetry(finder) : INFINITY;
    if (moved > most_moved)
        finder->order = 0;
    return finder->order > 1 ? moved : 0;
}

static void move_atoms(const struct finder *finder, struct molecule *molecule)
{
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        for (int i = 0; i < 3; i++)
            molecule->atoms[a].position[i] =
                finder->centers.middle[i] + finder->centers.position[a][i];
}

static enum status set_group(const struct finder *finder, struct point_group *group)
{
    int64_t n = finder->centers.molecule->n_atoms;
    int order = finder->order > 1 ? finder->order : 1;
    *group = (struct point_group){.n_atoms = n, .order = order};
    group->images = malloc((size_t)(order * n) * sizeof *group->images);
    TRY(CHECK_MEMORY(group->images, "no memory for the symmetry of %lld centres", (long long)n));
    for (int64_t a = 0; a < n; a++)
        group->images[a] = a;
    for (int i = 0; i < 3; i++)
        group->matrix[0][i][i] = 1;
    for (int k = 1; k < order; k++) {
        memcpy(group->matrix[k], finder->matrix[k], sizeof group->matrix[k]);
        memcpy(group->images + k * n, finder->images + k * n, (size_t)n * sizeof *group->images);
        for (int l = 1; l < order; l++)
            if (find_operation_product(finder, k, l) == 0)
                group->inverse[k] = l;
    }
    return STATUS_OK;
}

/* Names the group of all operations that were found, with the reflection in the plane of a planar
 * molecule. */
static void name_group(const struct finder *finder, struct point_group *group)
{
    double(*all)[3][3] = finder->matrix;
    int n = finder->order;
    double square = dot(finder->normal, finder->normal);
    for (int k = 0; k < finder->order && finder->planar; k++, n++) {
        memcpy(all[n], all[k], sizeof all[n]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++)
                    all[n][i][j] -=
                        2 * finder->normal[i] * finder->normal[l] * all[k][l][j] / square;
    }
    schoenflies_name(n, (const double(*)[3][3])all, group->name);
}

enum status full_point_group_find(struct molecule *molecule, double most_moved,
                                  struct point_group *group, double *moved)
{
    struct finder finder = {0};
    size_t n = (size_t)molecule->n_atoms;
    *group = (struct point_group){0};
    *moved = 0;
    TRY(ranked_centers_init(molecule, ROUGH_TOLERANCE, &finder.centers));
    finder.images = malloc((MAX_FOUND + 1) * n * sizeof *finder.images);
    finder.matrix = malloc((2 * MAX_FOUND + 1) * sizeof *finder.matrix);
    finder.original = malloc(n * sizeof *finder.original);
    finder.symmetric = malloc(n * sizeof *finder.symmetric);
    finder.taken = malloc(n * sizeof *finder.taken);
    enum status status = CHECK_MEMORY(finder.images && finder.matrix && finder.original &&
                                          finder.symmetric && finder.taken,
                                      "no memory for the symmetry of %zu centres", n);
    if (status == STATUS_OK) {
        *moved = find_and_move(&finder, most_moved);
        if (*moved > 0)
            move_atoms(&finder, molecule);
        status = set_group(&finder, group);
    }
    if (status == STATUS_OK && group->order > 1)
        name_group(&finder, group);
    free(finder.images);
    free(finder.matrix);
    free(finder.original);
    free(finder.symmetric);
    free(finder.taken);
    ranked_centers_fini(&finder.centers);
    return status;
}
