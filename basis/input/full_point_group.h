/* SPDX-License-Identifier: BSD-3-Clause */
/* All symmetry operations of a molecule that move centres, of any point group: rotations by any angle,
 * too, and groups whose operations do not commute.
 *
 * Coordinates of such molecules are irrational, and files round them. So centres are moved onto the
 * symmetry that they have within the precision of six digits in angstrom: each to the mean of what
 * operations make of its images. The energy of a symmetric density changes in second order alone,
 * because its gradient is symmetric: by less than 1e-11 hartree for each centre. That of a density that
 * breaks the symmetry, as of a Jahn-Teller ion, changes in first order. */
#pragma once

#include "basis/input/molecule.h"
#include "basis/input/point_group.h"
#include "support/base/status.h"

/* Bounds on the change of a coordinate, Bohr: twice what six digits in angstrom round, as means are off,
 * too; of eight digits where the density may break the symmetry, as of open shells. */
#define FULL_POINT_GROUP_MOST_MOVED  1.9e-6
#define FULL_POINT_GROUP_LEAST_MOVED 1.9e-8

/* Operations that permute centres in the same way are one. Centres that coincide within
 * POINT_GROUP_TOLERANCE stay where they are; otherwise the molecule is changed, and *moved is the
 * largest change of a coordinate, Bohr. Only the identity: of atoms and linear molecules, and of those
 * that would be changed by more than most_moved. Of groups of more than POINT_GROUP_MAX_OPERATIONS, the
 * rotations. On failure *group is empty. Not collective: arithmetic that is rounded exactly, hence the
 * same for the same molecule everywhere. Errors: STATUS_NO_MEMORY. */
enum status full_point_group_find(struct molecule *molecule, double most_moved,
                                  struct point_group *group, double *moved);
