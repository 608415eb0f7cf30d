/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/point_group.h"

#include "basis/input/ranked_centers.h"
#include "basis/input/vector3.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sines of angles below this count as zero in the search for directions, which are then verified with
 * the tolerance. */
#define PARALLEL 1e-7

/* All sign changes: 1, 2, 4 mirror planes, 3, 5, 6 rotations by 180 degrees, 7 inversion. */
enum { INVERSION = 7, N_SIGNS = 8 };

enum { MAX_DIRECTIONS = 64 }; /* of mirror planes and rotation axes that are combined */

static const double coordinate_axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

struct search {
    struct ranked_centers centers;
    int64_t *images; /* scratch: of each centre by each of N_SIGNS changes of signs */
    double directions[MAX_DIRECTIONS][3];
    int n_directions;
};

/* Components that are zero but for rounding become so: operations along coordinate axes are exact. */
static bool normalize(double u[3])
{
    double length = sqrt(dot(u, u));
    if (length < AT_CENTER)
        return false;
    for (int i = 0; i < 3; i++)
        u[i] = fabs(u[i]) < 1e-13 * length ? 0 : u[i];
    length = sqrt(dot(u, u));
    for (int i = 0; i < 3; i++)
        u[i] /= length;
    return true;
}

/* I - 2 sum_i u_i u_i^T over the axes whose sign changes. */
static void operation_matrix(const double axes[3][3], int signs, double matrix[3][3])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            matrix[a][b] = a == b;
            for (int i = 0; i < 3; i++)
                if (signs >> i & 1)
                    matrix[a][b] -= 2 * axes[i][a] * axes[i][b];
        }
}

/* Whether the molecule has the operation, which changes signs along the axes; then sets its images.
 * Plain ghosts may be at one place: images that are not their images' own are refused. */
static bool has_signs(const struct search *search, const double axes[3][3], int signs)
{
    int64_t n = search->centers.molecule->n_atoms, *images = search->images + signs * n;
    double matrix[3][3];
    operation_matrix(axes, signs, matrix);
    for (int64_t atom = 0; atom < n; atom++) {
        images[atom] = signs == 0 ? atom : ranked_centers_image(&search->centers, matrix, atom);
        if (images[atom] < 0)
            return false;
    }
    for (int64_t atom = 0; atom < n; atom++)
        if (images[images[atom]] != atom)
            return false;
    return true;
}

/* A direction perpendicular to u, along a coordinate axis if possible. */
static void find_perpendicular(const double u[3], double v[3])
{
    int smallest = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(u[i]) < fabs(u[smallest]))
            smallest = i;
    for (int i = 0; i < 3; i++)
        v[i] = (i == smallest) - u[smallest] * u[i];
    normalize(v);
}

static void set_axes(const double u[3], const double v[3], double axes[3][3])
{
    memcpy(axes[0], u, sizeof axes[0]);
    memcpy(axes[1], v, sizeof axes[1]);
    vector_product(u, v, axes[2]);
    normalize(axes[2]);
}

/* Keeps the direction if it is that of a mirror plane or of a rotation axis, and new. */
static void consider_direction(struct search *search, const double direction[3])
{
    double u[3], v[3], axes[3][3], along[3];
    memcpy(u, direction, sizeof u);
    if (search->n_directions == MAX_DIRECTIONS || !normalize(u))
        return;
    for (int i = 0; i < search->n_directions; i++) {
        vector_product(u, search->directions[i], along);
        if (dot(along, along) < PARALLEL * PARALLEL)
            return;
    }
    find_perpendicular(u, v);
    set_axes(u, v, axes);
    if (has_signs(search, axes, 1) || has_signs(search, axes, INVERSION - 1))
        memcpy(search->directions[search->n_directions++], u, sizeof u);
}

/* An operation that takes the centre to itself has its plane or axis along its position or
 * perpendicular to that; one that takes it to another along their difference or sum, or, where the two
 * are opposite, perpendicular to both. */
static void consider_center(struct search *search, int64_t a)
{
    const struct atom *atoms = search->centers.molecule->atoms;
    const double *r = search->centers.position[a];
    struct rank_range range = ranked_centers_as_far(&search->centers, a);
    consider_direction(search, r);
    for (int64_t rank = range.first; rank < range.end; rank++) {
        int64_t b = search->centers.ranked[rank].atom;
        const double *s = search->centers.position[b];
        if (b == a || !are_alike_atoms(&atoms[a], &atoms[b]))
            continue;
        consider_direction(search, (const double[]){r[0] - s[0], r[1] - s[1], r[2] - s[2]});
        consider_direction(search, (const double[]){r[0] + s[0], r[1] + s[1], r[2] + s[2]});
    }
}

/* Two centres, not on one line with the middle, define all directions but the perpendicular ones of a
 * linear molecule, or of an atom. */
static void find_directions(struct search *search)
{
    for (int i = 0; i < 3; i++)
        consider_direction(search, coordinate_axes[i]);
    int64_t a = ranked_centers_reference(&search->centers, NULL);
    if (a < 0)
        return;
    consider_center(search, a);
    int64_t b = ranked_centers_reference(&search->centers, search->centers.position[a]);
    if (b < 0)
        return;
    double normal[3];
    consider_center(search, b);
    vector_product(search->centers.position[a], search->centers.position[b], normal);
    consider_direction(search, normal);
}

/* Whether the images of the product of two operations are those of one after the other. */
static bool is_product(const struct search *search, int s, int t)
{
    int64_t n = search->centers.molecule->n_atoms;
    const int64_t *of_s = search->images + s * n, *of_t = search->images + t * n;
    const int64_t *of_both = search->images + (s ^ t) * n;
    for (int64_t atom = 0; atom < n; atom++)
        if (of_both[atom] != of_s[of_t[atom]])
            return false;
    return true;
}

/* Whether a set of signs, as bits, is a group of operations among those that the molecule has: within
 * the tolerance it may have two, but not their product. */
static bool is_group(const struct search *search, unsigned has, unsigned set)
{
    if ((set & ~has) != 0 || !(set & 1u))
        return false;
    for (int s = 0; s < N_SIGNS; s++)
        for (int t = 0; t < s; t++)
            if (set >> s & set >> t & 1u && (!(set >> (s ^ t) & 1u) || !is_product(search, s, t)))
                return false;
    return true;
}

static int count_operations(unsigned set)
{
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* Takes the largest group along the axes if it is larger than that found before. */
static void try_axes(const struct search *search, const double axes[3][3],
                     struct point_group *group)
{
    unsigned has = 0;
    for (int s = 0; s < N_SIGNS; s++)
        has |= (unsigned)has_signs(search, axes, s) << s;
    for (unsigned set = 1; set < 1u << N_SIGNS; set += 2) {
        if (count_operations(set) <= group->order || !is_group(search, has, set))
            continue;
        memcpy(group->axes, axes, sizeof group->axes);
        group->order = 0;
        for (int s = 0; s < N_SIGNS; s++)
            if (set >> s & 1u)
                group->signs[group->order++] = s;
    }
}

static void combine_directions(const struct search *search, struct point_group *group)
{
    double v[3], axes[3][3];
    try_axes(search, coordinate_axes, group);
    for (int i = 0; i < search->n_directions && group->order < POINT_GROUP_MAX_ORDER; i++) {
        const double *u = search->directions[i];
        find_perpendicular(u, v);
        set_axes(u, v, axes);
        try_axes(search, (const double(*)[3])axes, group);
        for (int j = i + 1; j < search->n_directions; j++) {
            if (fabs(dot(u, search->directions[j])) > PARALLEL)
                continue;
            set_axes(u, search->directions[j], axes);
            try_axes(search, (const double(*)[3])axes, group);
        }
    }
}

static enum status set_operations(const struct search *search, struct point_group *group)
{
    int64_t n = search->centers.molecule->n_atoms;
    const double(*axes)[3] = (const double(*)[3])group->axes;
    group->images = malloc((size_t)(group->order * n) * sizeof *group->images);
    TRY(CHECK_MEMORY(group->images, "no memory for the symmetry of %lld centres", (long long)n));
    for (int k = 0; k < group->order; k++) {
        int signs = group->signs[k];
        operation_matrix(axes, signs, group->matrix[k]);
        group->inverse[k] = k;
        has_signs(search, axes, signs);
        memcpy(group->images + k * n, search->images + signs * n,
               (size_t)n * sizeof *group->images);
    }
    schoenflies_name(group->order, (const double(*)[3][3])group->matrix, group->name);
    return STATUS_OK;
}

enum status point_group_find(const struct molecule *molecule, struct point_group *group)
{
    struct search search = {0};
    size_t n = (size_t)molecule->n_atoms;
    *group = (struct point_group){.n_atoms = molecule->n_atoms};
    TRY(ranked_centers_init(molecule, POINT_GROUP_TOLERANCE, &search.centers));
    search.images = malloc(N_SIGNS * n * sizeof *search.images);
    enum status status =
        CHECK_MEMORY(search.images, "no memory for the symmetry of %zu centres", n);
    if (status == STATUS_OK) {
        find_directions(&search);
        combine_directions(&search, group);
        status = set_operations(&search, group);
    }
    free(search.images);
    ranked_centers_fini(&search.centers);
    return status;
}
