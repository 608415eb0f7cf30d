/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/ranked_centers.h"

#include "basis/input/vector3.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Rounding errors of positions, as a fraction of coordinates. */
#define ROUNDING 1e-14

bool are_alike_atoms(const struct atom *a, const struct atom *b)
{
    return atom_kind(a) == atom_kind(b) && a->charge == b->charge;
}

/* Positions about the mean of all centres, with weights by which alike centres are equal; the
 * tolerance. */
static void center_positions(struct ranked_centers *centers)
{
    const struct molecule *molecule = centers->molecule;
    double sum = 0;
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        double weight = molecule->atoms[i].element + 1;
        sum += weight;
        for (int a = 0; a < 3; a++)
            centers->middle[a] += weight * molecule->atoms[i].position[a];
    }
    for (int a = 0; a < 3; a++)
        centers->middle[a] /= sum;
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        for (int a = 0; a < 3; a++) {
            double x = molecule->atoms[i].position[a];
            centers->position[i][a] = x - centers->middle[a];
            centers->tolerance = fmax(centers->tolerance, ROUNDING * fabs(x));
        }
}

static int by_distance(const void *left, const void *right)
{
    const struct ranked_center *a = left, *b = right;
    if (a->square != b->square)
        return a->square < b->square ? -1 : 1;
    return (a->atom > b->atom) - (a->atom < b->atom);
}

static void rank_centers(struct ranked_centers *centers)
{
    int64_t n = centers->molecule->n_atoms;
    for (int64_t i = 0; i < n; i++) {
        const double *r = centers->position[i];
        centers->ranked[i] = (struct ranked_center){dot(r, r), i};
    }
    qsort(centers->ranked, (size_t)n, sizeof *centers->ranked, by_distance);
    for (int64_t rank = 0; rank < n; rank++)
        centers->rank[centers->ranked[rank].atom] = rank;
}

enum status ranked_centers_init(const struct molecule *molecule, double tolerance,
                                struct ranked_centers *centers)
{
    size_t n = (size_t)molecule->n_atoms;
    *centers = (struct ranked_centers){.molecule = molecule,
                                       .tolerance = tolerance,
                                       .ranked = malloc(n * sizeof *centers->ranked),
                                       .rank = malloc(n * sizeof *centers->rank),
                                       .position = malloc(n * sizeof *centers->position)};
    enum status status = CHECK_MEMORY(centers->ranked && centers->rank && centers->position,
                                      "no memory for the symmetry of %zu centres", n);
    if (status != STATUS_OK) {
        ranked_centers_fini(centers);
        return status;
    }
    center_positions(centers);
    rank_centers(centers);
    return STATUS_OK;
}

void ranked_centers_fini(struct ranked_centers *centers)
{
    free(centers->ranked);
    free(centers->rank);
    free(centers->position);
    *centers = (struct ranked_centers){0};
}

struct rank_range ranked_centers_as_far(const struct ranked_centers *centers, int64_t atom)
{
    int64_t n = centers->molecule->n_atoms, rank = centers->rank[atom];
    double square = centers->ranked[rank].square;
    double width = 8 * centers->tolerance * (1 + sqrt(square)); /* of squares of distances */
    struct rank_range range = {rank, rank + 1};
    while (range.first > 0 && square - centers->ranked[range.first - 1].square < width)
        range.first--;
    while (range.end < n && centers->ranked[range.end].square - square < width)
        range.end++;
    return range;
}

int64_t ranked_centers_image(const struct ranked_centers *centers, const double matrix[3][3],
                             int64_t atom)
{
    const struct atom *atoms = centers->molecule->atoms;
    struct rank_range range = ranked_centers_as_far(centers, atom);
    double moved[3];
    for (int a = 0; a < 3; a++)
        moved[a] = dot(matrix[a], centers->position[atom]);
    for (int64_t rank = range.first; rank < range.end; rank++) {
        int64_t i = centers->ranked[rank].atom;
        double distance = 0;
        for (int a = 0; a < 3; a++)
            distance = fmax(distance, fabs(moved[a] - centers->position[i][a]));
        if (distance < centers->tolerance && are_alike_atoms(&atoms[atom], &atoms[i]))
            return i;
    }
    return -1;
}

int64_t ranked_centers_reference(const struct ranked_centers *centers, const double *along)
{
    int64_t best = -1, fewest = INT64_MAX;
    double farthest = 0;
    for (int64_t a = 0; a < centers->molecule->n_atoms; a++) {
        double off[3];
        memcpy(off, centers->position[a], sizeof off);
        if (along)
            vector_product(centers->position[a], along, off);
        if (dot(off, off) < AT_CENTER * AT_CENTER)
            continue;
        struct rank_range range = ranked_centers_as_far(centers, a);
        int64_t n_as_far = range.end - range.first;
        /* Clearly farther: not by rounding. */
        if (n_as_far < fewest || (n_as_far == fewest && dot(off, off) > 1.01 * farthest)) {
            fewest = n_as_far;
            farthest = dot(off, off);
            best = a;
        }
    }
    return best;
}
