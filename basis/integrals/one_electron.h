/* SPDX-License-Identifier: BSD-3-Clause */
/* One-electron integrals over pairs of contracted shells, through libint.
 *
 * Blocks are row-major: n_functions(bra) x n_functions(ket). */
#pragma once

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "support/base/status.h"

/* Scratch of one caller; not shared between threads. */
struct one_electron;

enum status one_electron_create(const struct shells *shells, struct one_electron **engine);
void one_electron_destroy(struct one_electron *engine);

/* block = (bra | ket). */
void one_electron_overlap(struct one_electron *engine, const struct shell *bra,
                          const struct shell *ket, double *block);

/* block = (bra | -1/2 nabla^2 | ket). */
void one_electron_kinetic(struct one_electron *engine, const struct shell *bra,
                          const struct shell *ket, double *block);

/* block = (bra | sum_A -Z_A / |r - R_A| | ket), over the nuclei, not the ghosts. */
void one_electron_nuclear(struct one_electron *engine, const struct molecule *molecule,
                          const struct shell *bra, const struct shell *ket, double *block);

/* blocks[0..2] = (bra | r - origin | ket), components x, y, z, one after
 * another: 3 x n_functions(bra) x n_functions(ket). */
void one_electron_dipole(struct one_electron *engine, const double origin[3],
                         const struct shell *bra, const struct shell *ket, double *blocks);
