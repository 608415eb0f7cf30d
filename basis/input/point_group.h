/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetry operations of a molecule: those of the largest subgroup of D2h, or those of any group
 * (full_point_group.h).
 *
 * Each operation of D2h changes signs of coordinates along three orthogonal axes through the centre of
 * the molecule, wherever these point. So it is its own inverse, operations commute, and every irreducible
 * representation is one-dimensional, with characters 1 and -1. */
#pragma once

#include "basis/input/molecule.h"
#include "basis/input/schoenflies.h"
#include "support/base/status.h"

#include <stdint.h>

enum {
    POINT_GROUP_MAX_ORDER = 8,      /* of D2h and its subgroups */
    POINT_GROUP_MAX_OPERATIONS = 64 /* of any group that is used: a bit for each */
};

/* Greatest distance (Bohr) between a centre that was moved and the one that it becomes, coordinates
 * below 100 Bohr; beyond, their rounding errors. The two-electron energy is that of representatives
 * (quartet_orbits.h), the rest that of all centres: a distance adds its product with the derivative of
 * the two-electron energy alone, hundreds of hartree per Bohr where there are heavy atoms. */
#define POINT_GROUP_TOLERANCE 1e-12

struct point_group {
    char name[SCHOENFLIES_SIZE]; /* of the group of all operations, also of those not listed */
    int order;                   /* up to D2h: 1, 2, 4 or 8 */
    int64_t n_atoms;
    double axes[3][3]; /* up to D2h; rows: orthonormal directions */

    /* Up to D2h: operation k changes the sign along axis i if bit i of signs[k] is set. Operation 0 is
     * the identity. */
    int signs[POINT_GROUP_MAX_ORDER];
    double matrix[POINT_GROUP_MAX_OPERATIONS][3][3]; /* of each about the centre, acts on columns */
    int inverse[POINT_GROUP_MAX_OPERATIONS];         /* of each: the number of an operation */
    int64_t
        *images; /* order x n_atoms: the centre that the operation moves each centre to; owned */
};

/* Finds the group of all centres, up to D2h, ghosts included. Coordinate axes are preferred, then those
 * that centres define. On failure *group is empty. Not collective: exactly rounded arithmetic alone,
 * hence the same for the same molecule everywhere. Errors: STATUS_NO_MEMORY. */
enum status point_group_find(const struct molecule *molecule, struct point_group *group);
void point_group_fini(struct point_group *group);

/* Up to D2h. moving: the operations that move centres, which with those that leave all centres where
 * they are, in a plane or on a line, make up the group, whose name it has. On failure *moving is empty.
 * Not collective. Errors: STATUS_NO_MEMORY. */
enum status point_group_take_moving(const struct point_group *group, struct point_group *moving);

/* Up to D2h: the character of operation k in representation r, both in [0, order): 1 or -1;
 * representation 0 is the totally symmetric one. */
int point_group_character(const struct point_group *group, int r, int k);
