/* SPDX-License-Identifier: BSD-3-Clause */
/* Shells as arrays of a checkpoint, and back. Not collective. */
#pragma once

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "hf/checkpoint/checkpoint_contents.h"
#include "support/base/status.h"

#include <stdbool.h>

/* Coordinates that differ by less, Bohr, are of one geometry: rounded in another way, or moved onto its
 * symmetry (full_point_group.h). */
#define CHECKPOINT_SAME_PLACE 1e-5

/* Sets the counts of centres, shells, primitives and functions to those of the shells; and, once there
 * are arrays, these. */
void checkpoint_shells_count(const struct molecule *molecule, const struct shells *shells,
                             struct checkpoint_counts *n);
void checkpoint_shells_describe(const struct molecule *molecule, const struct shells *shells,
                                struct checkpoint_contents *contents);

/* The shells of a file, at its centres and in its order, without groups for two-electron integrals;
 * sets the numbers of the functions. Freed with shells_destroy.
 * path    names the file in messages
 * Errors: STATUS_INPUT (they are none that this program has, or their functions are ordered or normalised
 * in another way), STATUS_NO_MEMORY. */
enum status checkpoint_shells_create(const char *path, struct checkpoint_contents *contents,
                                     struct shells **shells);

/* Whether the file has the molecule's elements in their order. Errors: STATUS_INPUT, with the first
 * difference. */
enum status checkpoint_shells_compare_elements(const char *path, const struct molecule *wanted,
                                               const struct checkpoint_contents *contents);

/* Whether shells of the file are the wanted ones: centres within CHECKPOINT_SAME_PLACE of the molecule's,
 * exponents and contractions within 1e-8 of their size. Errors: STATUS_INPUT, with the first
 * difference. */
enum status checkpoint_shells_compare(const char *path, const struct molecule *molecule,
                                      const struct shells *wanted,
                                      const struct checkpoint_contents *contents,
                                      const struct shells *found);

/* Moves every shell to its centre in the molecule. */
void checkpoint_shells_move(const struct molecule *molecule, struct shells *shells);
