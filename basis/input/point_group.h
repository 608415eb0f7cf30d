/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetry operations of a molecule that move centres, of any point group: rotations by any angle and
 * operations that do not commute among them.
 *
 *     order operations      for matrices that are totally symmetric
 *     the first n_commuting of them      each its own inverse, all commuting: for any matrix, which is
 *                                        the sum of one part of each representation
 *
 * Coordinates of symmetric molecules are irrational as a rule, and files round them. So centres are moved
 * onto the symmetry that they have within the precision of six digits in angstrom: each to the mean of
 * its images turned back. The energy of a symmetric density changes in second order alone,
 * because its gradient is symmetric: by less than 1e-11 hartree for each centre. The energy of a density
 * that breaks the symmetry, as of a Jahn-Teller ion, changes in first order. */
#pragma once

#include "basis/input/molecule.h"
#include "basis/input/schoenflies.h"
#include "support/base/status.h"

#include <stdint.h>

enum {
    POINT_GROUP_MAX_COMMUTING = 8, /* as of D2h */
    POINT_GROUP_MAX_ORDER = 64     /* a bit for each operation */
};

/* Greatest distance (Bohr) between a moved centre and the original, for coordinates below 100 Bohr;
 * beyond, their rounding errors. The two-electron energy is computed at representatives
 * (quartet_orbits.h), the rest at all centres. A distance adds its product with the derivative of
 * the two-electron energy alone, hundreds of hartree per Bohr near heavy atoms. */
#define POINT_GROUP_TOLERANCE 1e-12

/* Bounds on the change of a coordinate, Bohr: twice what six digits in angstrom round, as means are off,
 * too; of eight digits where the density may break the symmetry, as of open shells. */
#define POINT_GROUP_MOST_MOVED  1.9e-6
#define POINT_GROUP_LEAST_MOVED 1.9e-8

struct point_group {
    char name[SCHOENFLIES_SIZE]; /* of the molecule; of a linear one Coov or Dooh, of an atom Kh */
    int order;                   /* 1: the identity alone. Operation 0 is the identity */
    int n_commuting;             /* 1, 2, 4 or 8; operation i after j of these is number i xor j */
    int64_t n_atoms;
    double matrix[POINT_GROUP_MAX_ORDER][3][3]; /* of each about the middle, acts on columns */
    int inverse[POINT_GROUP_MAX_ORDER];         /* of each: the number of an operation */
    int64_t
        *images; /* order x n_atoms: the centre that the operation moves each centre to; owned */
};

/* Finds the group of all centres, ghosts included. Operations that permute centres in the same way
 * are one. If it takes moving centres by more than most_moved, only operations that hold within
 * POINT_GROUP_TOLERANCE remain. *moved is the largest change of a coordinate, Bohr; 0: the molecule
 * is as it was. A group of more than POINT_GROUP_MAX_ORDER operations has its rotations listed; if
 * these are too many, commuting operations alone. On failure *group is empty. Not collective:
 * arithmetic that is rounded exactly, hence the same for the same molecule everywhere. Errors:
 * STATUS_NO_MEMORY. */
enum status point_group_find(struct molecule *molecule, double most_moved,
                             struct point_group *group, double *moved);
void point_group_fini(struct point_group *group);

/* The character of operation k in representation r, both in [0, n_commuting): 1 or -1;
 * representation 0 is the totally symmetric one. */
int point_group_character(int r, int k);
