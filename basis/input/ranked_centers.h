/* SPDX-License-Identifier: BSD-3-Clause */
/* The centres of a molecule about their middle, in the order of their distances from it, which
 * symmetry operations keep: where the image of a centre is looked for. */
#pragma once

#include "basis/input/molecule.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Lengths (Bohr) below this count as zero in the search for directions. */
#define AT_CENTER 1e-4

struct ranked_center {
    double square; /* of the distance */
    int64_t atom;
};

struct ranked_centers {
    const struct molecule *molecule; /* borrowed */
    struct ranked_center *ranked;    /* n_atoms, ascending */
    int64_t *rank;                   /* of each centre among them */
    double (*position)[3];           /* of each centre, relative to the middle */
    double middle[3];
    double tolerance; /* of positions */
};

/* Ranks of centres: [first, end). */
struct rank_range {
    int64_t first, end;
};

/* tolerance: Bohr, at least the rounding errors of positions. On failure *centers is empty. Not
 * collective. Errors: STATUS_NO_MEMORY. */
enum status ranked_centers_init(const struct molecule *molecule, double tolerance,
                                struct ranked_centers *centers);
void ranked_centers_fini(struct ranked_centers *centers);

/* Those that may be as far from the middle as a centre. */
struct rank_range ranked_centers_as_far(const struct ranked_centers *centers, int64_t atom);

bool are_alike_atoms(const struct atom *a, const struct atom *b);

/* The centre that centre number atom is moved to, or -1. */
int64_t ranked_centers_image(const struct ranked_centers *centers, const double matrix[3][3],
                             int64_t atom);

/* The centre with the fewest as far from the middle, off that and, unless along is NULL, off the line
 * through it along that direction, the farthest of those: errors of its position matter least. -1:
 * none. */
int64_t ranked_centers_reference(const struct ranked_centers *centers, const double *along);
