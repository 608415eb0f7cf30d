/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/point_group.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sines of angles and lengths (Bohr) below these count as zero in the search for directions, which
 * are then verified with the tolerance. */
#define PARALLEL  1e-7
#define AT_CENTER 1e-4

/* Rounding errors of positions, as a fraction of coordinates. */
#define ROUNDING 1e-14

/* All sign changes: 1, 2, 4 mirror planes, 3, 5, 6 rotations by 180 degrees, 7 inversion. */
enum { INVERSION = 7, N_SIGNS = 8 };

enum { MAX_DIRECTIONS = 64 }; /* of mirror planes and rotation axes that are combined */

static const double coordinate_axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* A centre in the order of distances from the middle, which operations keep. */
struct ranked_center {
    double square; /* of the distance */
    int64_t atom;
};

struct search {
    const struct molecule *molecule;
    struct ranked_center *ranked; /* n_atoms, ascending */
    int64_t *rank;                /* of each centre among them */
    double (*position)[3];        /* of each centre, relative to the middle */
    double tolerance;             /* of positions */
    int64_t *images;              /* scratch: of each centre by each of N_SIGNS changes of signs */
    double directions[MAX_DIRECTIONS][3];
    int n_directions;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void vector_product(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

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

static bool are_alike_atoms(const struct atom *a, const struct atom *b)
{
    return a->element == b->element && a->ghost == b->ghost;
}

/* Ranks of the centres as far from the middle as one, but for a difference of squares: [first, end). */
struct rank_range {
    int64_t first, end;
};

static struct rank_range find_shell_of(const struct search *search, int64_t atom, double width)
{
    int64_t n = search->molecule->n_atoms, rank = search->rank[atom];
    double square = search->ranked[rank].square;
    struct rank_range range = {rank, rank + 1};
    while (range.first > 0 && square - search->ranked[range.first - 1].square < width)
        range.first--;
    while (range.end < n && search->ranked[range.end].square - square < width)
        range.end++;
    return range;
}

/* Difference of squares of distances within which a centre may be that another is moved to. */
static double width_of_images(const struct search *search, int64_t atom)
{
    return 8 * search->tolerance * (1 + sqrt(search->ranked[search->rank[atom]].square));
}

/* The centre that centre number atom is moved to, or -1. */
static int64_t find_image(const struct search *search, const double matrix[3][3], int64_t atom)
{
    const struct atom *atoms = search->molecule->atoms;
    struct rank_range range = find_shell_of(search, atom, width_of_images(search, atom));
    double moved[3];
    for (int a = 0; a < 3; a++)
        moved[a] = dot(matrix[a], search->position[atom]);
    for (int64_t rank = range.first; rank < range.end; rank++) {
        int64_t i = search->ranked[rank].atom;
        double distance = 0;
        for (int a = 0; a < 3; a++)
            distance = fmax(distance, fabs(moved[a] - search->position[i][a]));
        if (distance < search->tolerance && are_alike_atoms(&atoms[atom], &atoms[i]))
            return i;
    }
    return -1;
}

/* Whether the molecule has the operation, which changes signs along the axes; then sets its images.
 * Plain ghosts may be at one place: images that are not their images' own are refused. */
static bool has_signs(const struct search *search, const double axes[3][3], int signs)
{
    int64_t n = search->molecule->n_atoms, *images = search->images + signs * n;
    double matrix[3][3];
    operation_matrix(axes, signs, matrix);
    for (int64_t atom = 0; atom < n; atom++) {
        images[atom] = signs == 0 ? atom : find_image(search, matrix, atom);
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
    const struct atom *atoms = search->molecule->atoms;
    const double *r = search->position[a];
    struct rank_range range = find_shell_of(search, a, width_of_images(search, a));
    consider_direction(search, r);
    for (int64_t rank = range.first; rank < range.end; rank++) {
        int64_t b = search->ranked[rank].atom;
        const double *s = search->position[b];
        if (b == a || !are_alike_atoms(&atoms[a], &atoms[b]))
            continue;
        consider_direction(search, (const double[]){r[0] - s[0], r[1] - s[1], r[2] - s[2]});
        consider_direction(search, (const double[]){r[0] + s[0], r[1] + s[1], r[2] + s[2]});
    }
}

/* The centre with the fewest as far from the middle, off that and, unless along is NULL, off the line
 * through it along that direction; -1: none. */
static int64_t find_reference(const struct search *search, const double *along)
{
    int64_t best = -1, fewest = INT64_MAX;
    for (int64_t a = 0; a < search->molecule->n_atoms; a++) {
        double off[3];
        memcpy(off, search->position[a], sizeof off);
        if (along)
            vector_product(search->position[a], along, off);
        if (dot(off, off) < AT_CENTER * AT_CENTER)
            continue;
        struct rank_range range = find_shell_of(search, a, width_of_images(search, a));
        if (range.end - range.first < fewest) {
            fewest = range.end - range.first;
            best = a;
        }
    }
    return best;
}

/* Two centres, not on one line with the middle, define all directions but the perpendicular ones of a
 * linear molecule, or of an atom. */
static void find_directions(struct search *search)
{
    for (int i = 0; i < 3; i++)
        consider_direction(search, coordinate_axes[i]);
    int64_t a = find_reference(search, NULL);
    if (a < 0)
        return;
    consider_center(search, a);
    int64_t b = find_reference(search, search->position[a]);
    if (b < 0)
        return;
    double normal[3];
    consider_center(search, b);
    vector_product(search->position[a], search->position[b], normal);
    consider_direction(search, normal);
}

/* Whether the images of the product of two operations are those of one after the other. */
static bool is_product(const struct search *search, int s, int t)
{
    int64_t n = search->molecule->n_atoms;
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

static const char *name_of_group(const struct point_group *group)
{
    bool has[N_SIGNS] = {false};
    for (int k = 0; k < group->order; k++)
        has[group->signs[k]] = true;
    bool mirror = has[1] || has[2] || has[4];
    switch (group->order) {
    case 8:
        return "D2h";
    case 4:
        return has[INVERSION] ? "C2h" : mirror ? "C2v" : "D2";
    case 2:
        return has[INVERSION] ? "Ci" : mirror ? "Cs" : "C2";
    default:
        return "C1";
    }
}

static enum status set_operations(const struct search *search, struct point_group *group)
{
    int64_t n = search->molecule->n_atoms;
    const double(*axes)[3] = (const double(*)[3])group->axes;
    group->images = malloc((size_t)(group->order * n) * sizeof *group->images);
    TRY(CHECK_MEMORY(group->images, "no memory for the symmetry of %lld centres", (long long)n));
    for (int k = 0; k < group->order; k++) {
        int signs = group->signs[k];
        operation_matrix(axes, signs, group->matrix[k]);
        has_signs(search, axes, signs);
        memcpy(group->images + k * n, search->images + signs * n,
               (size_t)n * sizeof *group->images);
    }
    group->name = name_of_group(group);
    return STATUS_OK;
}

/* Positions about the mean of all centres, with weights by which alike centres are equal; the
 * tolerance. */
static void center_positions(struct search *search)
{
    const struct molecule *molecule = search->molecule;
    double center[3] = {0, 0, 0}, sum = 0;
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        double weight = molecule->atoms[i].element + 1;
        sum += weight;
        for (int a = 0; a < 3; a++)
            center[a] += weight * molecule->atoms[i].position[a];
    }
    search->tolerance = POINT_GROUP_TOLERANCE;
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        for (int a = 0; a < 3; a++) {
            double x = molecule->atoms[i].position[a];
            search->position[i][a] = x - center[a] / sum;
            search->tolerance = fmax(search->tolerance, ROUNDING * fabs(x));
        }
}

static int by_distance(const void *left, const void *right)
{
    const struct ranked_center *a = left, *b = right;
    if (a->square != b->square)
        return a->square < b->square ? -1 : 1;
    return (a->atom > b->atom) - (a->atom < b->atom);
}

static void rank_centers(struct search *search)
{
    int64_t n = search->molecule->n_atoms;
    for (int64_t i = 0; i < n; i++) {
        const double *r = search->position[i];
        search->ranked[i] = (struct ranked_center){dot(r, r), i};
    }
    qsort(search->ranked, (size_t)n, sizeof *search->ranked, by_distance);
    for (int64_t rank = 0; rank < n; rank++)
        search->rank[search->ranked[rank].atom] = rank;
}

enum status point_group_find(const struct molecule *molecule, struct point_group *group)
{
    struct search search = {.molecule = molecule};
    size_t n = (size_t)molecule->n_atoms;
    *group = (struct point_group){.n_atoms = molecule->n_atoms};
    search.position = malloc(n * sizeof *search.position);
    search.images = malloc(N_SIGNS * n * sizeof *search.images);
    search.ranked = malloc(n * sizeof *search.ranked);
    search.rank = malloc(n * sizeof *search.rank);
    enum status status =
        CHECK_MEMORY(search.position && search.images && search.ranked && search.rank,
                     "no memory for the symmetry of %zu centres", n);
    if (status != STATUS_OK)
        goto done;
    center_positions(&search);
    rank_centers(&search);
    find_directions(&search);
    combine_directions(&search, group);
    status = set_operations(&search, group);
done:
    free(search.position);
    free(search.images);
    free(search.ranked);
    free(search.rank);
    return status;
}
