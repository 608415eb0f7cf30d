/* SPDX-License-Identifier: BSD-3-Clause */
/* Effective core potentials as basis-set files give them. */
#pragma once

#include "support/base/status.h"
#include "support/io/text_file.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest angular momentum of a projector in a file. */
enum { CORE_POTENTIAL_MAX_L = 9 };

struct core_potential_term {
    int l;           /* of the projector; -1: of the local part */
    int power;       /* n */
    double exponent; /* zeta, Bohr^-2, > 0 */
    double coefficient;
};

/* A semi-local potential, which replaces n_core electrons of an atom at the origin (hartree, Bohr):
 *   U(r) = u_local(r) + sum_l u_l(r) sum_m |lm><lm|,   u(r) = sum_t c_t r^(n_t - 2) exp(-zeta_t r^2)
 * The u_l of a file are differences from the local part, as here.
 * Source: Kahn, Baybutt & Truhlar, J. Chem. Phys. 65, 3826 (1976). */
struct core_potential {
    int n_core;
    int64_t n_terms, capacity;
    struct core_potential_term *terms; /* owned */
    int64_t line;                      /* of the file, where it begins; 0: none */
    int64_t n_core_line;               /* likewise, where n_core is; 0: not given */
};

void core_potential_fini(struct core_potential *potential);

/* The largest l of its projectors; -1: none. */
int core_potential_max_l(const struct core_potential *potential);

/* Reads the rest of a Gaussian94 potential. The current line is "Rb-ECP lmax ncore"; a part of
 * l = lmax, which is local, and parts of l = 0, ..., lmax - 1 follow: a title, the number of rows, and
 * rows of n, exponent and coefficient.
 * more: out, whether the reader has a line, the one after the potential.
 * Errors: STATUS_INPUT with name and line, STATUS_NO_MEMORY. */
enum status core_potential_read_gaussian94(struct line_reader *reader, bool *more,
                                           struct core_potential *potential);

/* Whether the line is a head in an NWChem potential: "Rb nelec 28"; "Rb ul", of the local part; or "Rb S",
 * of l = 0. The first word is not judged. */
bool core_potential_is_head(const struct line_reader *reader);

/* Reads a head or a row of n, exponent and coefficient.
 * l: of the rows, set by a head; INT_MIN before the first one. Errors: as before. */
enum status core_potential_read_nwchem(const struct line_reader *reader, int *l,
                                       struct core_potential *potential);

/* Whether a potential has all that it needs. Errors: STATUS_INPUT at the line of the potential. */
enum status core_potential_check(const char *file, const char *symbol,
                                 const struct core_potential *potential);
