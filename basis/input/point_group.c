/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/point_group.h"

#include "basis/input/ranked_centers.h"
#include "basis/input/vector3.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Distances (Bohr) within which images are found before centres are moved. */
#define ROUGH_TOLERANCE 1e-5

enum {
    MAX_FOUND = 2 * POINT_GROUP_MAX_ORDER, /* rotations are half of a group, or all of it */
    MAX_ROUNDS = 12                        /* of moving centres, which converges quadratically */
};

/* Operation k: centre a becomes images[k * n_atoms + a], by matrix[k] about the middle. */
struct finder {
    struct ranked_centers centers;
    int64_t reference[2];   /* centres that are not on a line with the middle; -1: not found */
    bool planar;            /* all centres are in one plane with it, whose sides operations keep:
                             * reflections in perpendicular planes are rotations */
    double normal[3];       /* of the plane of the references: their vector product */
    int order;              /* operations found */
    int n_commuting;        /* the first of them, once they are sorted */
    int64_t *images;        /* of MAX_FOUND operations and of the one that is looked at */
    double (*matrix)[3][3]; /* likewise; of twice as many for the name */
    int64_t *spare_images;  /* scratch of the same sizes */
    double (*spare_matrix)[3][3];
    int16_t (*product)[MAX_FOUND]; /* [k][l]: number of the operation that is k after l; -1: none */
    bool *taken;                   /* scratch: centres that are images */
    double (*original)[3];         /* positions before centres are moved */
    double (*symmetric)[3];        /* scratch: positions */
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

/* A share for the normal of the references in fits, beside the sum over all centres: enough to decide on
 * which side of its plane a planar molecule is. */
#define NORMAL_WEIGHT 0.01

/* Makes a matrix the orthogonal one of its handedness that takes all centres closest to their images. */
static bool fit_matrix(const struct finder *finder, const int64_t images[], double matrix[3][3])
{
    double(*position)[3] = finder->centers.position;
    const int64_t *r = finder->reference;
    double turned[3], sum = 0, side = determinant((const double(*)[3])matrix) < 0 ? -1 : 1;
    memset(matrix, 0, sizeof(double[3][3]));
    for (int64_t a = 0; a < finder->centers.molecule->n_atoms; a++) {
        add_outer_product(position[images[a]], position[a], matrix);
        sum += dot(position[a], position[a]);
    }
    vector_product(position[images[r[0]]], position[images[r[1]]], turned);
    for (int i = 0; i < 3; i++)
        turned[i] *= side * NORMAL_WEIGHT * sum / dot(finder->normal, finder->normal);
    add_outer_product(turned, finder->normal, matrix);
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

/* A linear molecule or an atom: its centres are permuted by the inversion alone. */
static void find_inversion(struct finder *finder)
{
    int64_t n = finder->centers.molecule->n_atoms;
    for (int sign = 1; sign >= -1; sign -= 2) {
        int64_t *images = finder->images + finder->order * n;
        double(*matrix)[3] = finder->matrix[finder->order];
        memset(matrix, 0, sizeof finder->matrix[0]);
        for (int i = 0; i < 3; i++)
            matrix[i][i] = sign;
        if (permute_centers(finder, (const double(*)[3])matrix, images) &&
            (finder->order == 0 || !are_same(finder->images, images, n)))
            finder->order++;
    }
}

/* Number of the operation that is k after l; -1: none. */
static int find_product(const struct finder *finder, int k, int l)
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

static void tabulate_products(struct finder *finder)
{
    for (int k = 0; k < finder->order; k++)
        for (int l = 0; l < finder->order; l++)
            finder->product[k][l] = (int16_t)find_product(finder, k, l);
}

static bool is_closed(const struct finder *finder)
{
    for (int k = 0; k < finder->order; k++)
        for (int l = 0; l < finder->order; l++)
            if (finder->product[k][l] < 0)
                return false;
    return true;
}

/* Keeps the n operations of a list, in its order. */
static void keep_operations(struct finder *finder, int n, const int list[])
{
    int64_t n_atoms = finder->centers.molecule->n_atoms, *images = finder->images;
    double(*matrix)[3][3] = finder->matrix;
    for (int k = 0; k < n; k++) {
        memcpy(finder->spare_images + k * n_atoms, images + list[k] * n_atoms,
               (size_t)n_atoms * sizeof *images);
        memcpy(finder->spare_matrix[k], matrix[list[k]], sizeof *matrix);
    }
    finder->images = finder->spare_images;
    finder->matrix = finder->spare_matrix;
    finder->spare_images = images;
    finder->spare_matrix = matrix;
    finder->order = n;
    tabulate_products(finder);
}

static void keep_rotations(struct finder *finder)
{
    int list[MAX_FOUND], n = 0;
    for (int k = 0; k < finder->order; k++)
        if (determinant((const double(*)[3])finder->matrix[k]) > 0)
            list[n++] = k;
    keep_operations(finder, n, list);
}

/* Doubles a set of n commuting operations by operation g, if g is its own inverse, outside of the
 * set and commutes with all of it: number i of the set is number i xor n after g. */
static bool double_set(const struct finder *finder, int n, int g, int set[])
{
    if (finder->product[g][g] != 0)
        return false;
    for (int i = 0; i < n; i++) {
        int after = finder->product[set[i]][g];
        if (set[i] == g || after < 0 || finder->product[g][set[i]] != after)
            return false;
        set[n + i] = after;
    }
    return true;
}

/* The largest set of commuting operations that goes on from the first n; its size. */
static int grow_set(const struct finder *finder, int n, const int from[], int largest[])
{
    int best = n;
    memcpy(largest, from, (size_t)n * sizeof *from);
    for (int g = 1; g < finder->order && n < POINT_GROUP_MAX_COMMUTING; g++) {
        int set[POINT_GROUP_MAX_COMMUTING], grown[POINT_GROUP_MAX_COMMUTING];
        memcpy(set, from, (size_t)n * sizeof *from);
        if (!double_set(finder, n, g, set))
            continue;
        int size = grow_set(finder, 2 * n, set, grown);
        if (size > best) {
            memcpy(largest, grown, (size_t)size * sizeof *grown);
            best = size;
        }
        if (best == POINT_GROUP_MAX_COMMUTING)
            break;
    }
    return best;
}

/* Puts commuting operations first; without a group of all that can be listed, keeps these alone. */
static void sort_operations(struct finder *finder, bool all)
{
    int set[POINT_GROUP_MAX_COMMUTING], list[MAX_FOUND], identity = 0;
    int n = grow_set(finder, 1, &identity, set);
    bool taken[MAX_FOUND] = {false};
    finder->n_commuting = n;
    for (int i = 0; i < n; i++) {
        list[i] = set[i];
        taken[set[i]] = true;
    }
    for (int k = 0; k < finder->order && all; k++)
        if (!taken[k])
            list[n++] = k;
    keep_operations(finder, n, list);
}

/* Fits all matrices to the positions: the largest distance, along an axis, between a centre that was
 * moved and its image; infinite without a fit. */
static double fit_operations(struct finder *finder)
{
    double(*position)[3] = finder->centers.position;
    int64_t n = finder->centers.molecule->n_atoms;
    double largest = 0;
    bool linear = finder->reference[1] < 0; /* the matrix is known */
    if (!linear)
        vector_product(position[finder->reference[0]], position[finder->reference[1]],
                       finder->normal);
    for (int k = 0; k < finder->order; k++) {
        const int64_t *images = finder->images + k * n;
        if (!linear && !fit_matrix(finder, images, finder->matrix[k]))
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
    memcpy(finder->original, finder->centers.position, (size_t)n * sizeof *finder->original);
    double off = fit_operations(finder), moved = 0;
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

/* Names the group of all operations that were found, with the reflection in the plane of a planar
 * molecule. */
static void name_group(const struct finder *finder, char name[SCHOENFLIES_SIZE])
{
    double(*all)[3][3] = finder->matrix;
    int n = finder->order;
    double square = dot(finder->normal, finder->normal);
    if (finder->reference[1] < 0) {
        strcpy(name, finder->reference[0] < 0 ? "Kh" : n > 1 ? "Dooh" : "Coov");
        return;
    }
    for (int k = 0; k < finder->order && finder->planar; k++, n++) {
        memcpy(all[n], all[k], sizeof all[n]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++)
                    all[n][i][j] -=
                        2 * finder->normal[i] * finder->normal[l] * all[k][l][j] / square;
    }
    schoenflies_name(n, (const double(*)[3][3])all, name);
}

/* Sets references and the plane, and finds the operations within the tolerance of the centres. */
static void find_all_operations(struct finder *finder)
{
    double(*position)[3] = finder->centers.position;
    int64_t *r = finder->reference;
    finder->order = 0;
    r[0] = ranked_centers_reference(&finder->centers, NULL);
    r[1] = r[0] < 0 ? -1 : ranked_centers_reference(&finder->centers, position[r[0]]);
    if (r[1] < 0) {
        find_inversion(finder);
    } else {
        vector_product(position[r[0]], position[r[1]], finder->normal);
        double length = sqrt(dot(finder->normal, finder->normal));
        finder->planar = true;
        for (int64_t a = 0; a < finder->centers.molecule->n_atoms; a++)
            finder->planar &=
                fabs(dot(position[a], finder->normal)) < finder->centers.tolerance * length;
        find_operations(finder);
    }
    tabulate_products(finder);
}

/* Finds the group within the tolerance of the centres and moves positions onto it. Where that takes more
 * than most_moved, they stay, and false is returned. Positions are averaged over all operations; surplus
 * ones are left out afterwards. */
static bool find_and_move(struct finder *finder, double most_moved, char name[SCHOENFLIES_SIZE],
                          double *moved)
{
    find_all_operations(finder);
    *moved = 0;
    if (finder->order == 0)
        return true;
    bool closed = is_closed(finder);
    if (!closed)
        sort_operations(finder, false);
    if (finder->order > 1)
        *moved = move_onto_symmetry(finder);
    if (*moved > most_moved) {
        memcpy(finder->centers.position, finder->original,
               (size_t)finder->centers.molecule->n_atoms * sizeof *finder->original);
        return false;
    }
    name_group(finder, name);
    if (closed && finder->order > POINT_GROUP_MAX_ORDER)
        keep_rotations(finder);
    if (closed)
        sort_operations(finder, finder->order <= POINT_GROUP_MAX_ORDER);
    return true;
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
    group->n_atoms = n;
    group->order = order;
    group->n_commuting = order > 1 ? finder->n_commuting : 1;
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
            if (finder->product[k][l] == 0)
                group->inverse[k] = l;
    }
    return STATUS_OK;
}

static enum status finder_init(const struct molecule *molecule, struct finder *finder)
{
    size_t n = (size_t)molecule->n_atoms;
    *finder = (struct finder){.images = malloc((MAX_FOUND + 1) * n * sizeof *finder->images),
                              .matrix = malloc((2 * MAX_FOUND + 1) * sizeof *finder->matrix),
                              .spare_images = malloc((MAX_FOUND + 1) * n * sizeof *finder->images),
                              .spare_matrix = malloc((2 * MAX_FOUND + 1) * sizeof *finder->matrix),
                              .product = malloc(MAX_FOUND * sizeof *finder->product),
                              .original = malloc(n * sizeof *finder->original),
                              .symmetric = malloc(n * sizeof *finder->symmetric),
                              .taken = malloc(n * sizeof *finder->taken)};
    TRY(CHECK_MEMORY(finder->images && finder->matrix && finder->spare_images &&
                         finder->spare_matrix && finder->product && finder->original &&
                         finder->symmetric && finder->taken,
                     "no memory for the symmetry of %zu centres", n));
    return ranked_centers_init(molecule, ROUGH_TOLERANCE, &finder->centers);
}

static void finder_fini(struct finder *finder)
{
    free(finder->images);
    free(finder->matrix);
    free(finder->spare_images);
    free(finder->spare_matrix);
    free(finder->product);
    free(finder->original);
    free(finder->symmetric);
    free(finder->taken);
    ranked_centers_fini(&finder->centers);
}

enum status point_group_find(struct molecule *molecule, double most_moved,
                             struct point_group *group, double *moved)
{
    struct finder finder;
    *group = (struct point_group){.name = "C1"};
    *moved = 0;
    enum status status = finder_init(molecule, &finder);
    if (status == STATUS_OK && !find_and_move(&finder, most_moved, group->name, moved)) {
        ranked_centers_fini(&finder.centers);
        status = ranked_centers_init(molecule, POINT_GROUP_TOLERANCE, &finder.centers);
        if (status == STATUS_OK && !find_and_move(&finder, most_moved, group->name, moved))
            finder.order = 0;
    }
    if (status == STATUS_OK && *moved > 0 && finder.order > 1)
        move_atoms(&finder, molecule);
    if (status == STATUS_OK)
        status = set_group(&finder, group);
    finder_fini(&finder);
    if (status != STATUS_OK)
        point_group_fini(group);
    return status;
}

void point_group_fini(struct point_group *group)
{
    free(group->images);
    *group = (struct point_group){0};
}

int point_group_character(int r, int k)
{
    int both = r & k;
    return (both ^ both >> 1 ^ both >> 2) & 1 ? -1 : 1;
}
