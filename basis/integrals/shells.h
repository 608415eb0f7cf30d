/* SPDX-License-Identifier: BSD-3-Clause */
/* The basis functions of a molecule: normalised contracted shells on centres.
 *
 * Conventions
 * - A shell's functions share exponents, coefficients and centre and differ in
 *   their angular part. A general contraction of k contractions is k shells, an
 *   SP shell two; primitives whose coefficient is zero are left out. Shells that share
 *   exponents are a group for two-electron integrals (shell_groups.h).
 * - Raw Cartesian functions x^i y^j z^k sum_p c_p exp(-a_p r^2) are ordered
 *   with i descending, then j descending (xx, xy, xz, yy, yz, zz). The stored
 *   coefficients c_p contain the norm of the primitives and of the contraction
 *   such that the function (l, 0, 0) has self-overlap 1:
 *     N(a, l) = (2a/pi)^(3/4) (4a)^(l/2) / sqrt((2l-1)!!)
 * - Every function of the basis, spherical or Cartesian, has self-overlap 1.
 *   l = 0 and l = 1 (x, y, z) are the same in both forms. Spherical functions
 *   of l >= 2 are real solid harmonics ordered m = -l, ..., l.
 *   Source: Schlegel & Frisch, Int. J. Quantum Chem. 54, 83 (1995), eq. 15. */
#pragma once

#include "basis/input/basis_set.h"
#include "basis/input/molecule.h"
#include "basis/integrals/shell_groups.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct shell {
    int l;
    bool spherical;  /* l >= 2 and the basis is spherical */
    int n_functions; /* 2l + 1 or (l + 1)(l + 2) / 2 */
    int n_primitives;
    int64_t atom; /* index of its centre in the molecule */
    int64_t first_function;
    double center[3];           /* Bohr */
    const double *exponents;    /* n_primitives, descending, none twice; in shells->numbers */
    const double *coefficients; /* n_primitives */
};

struct shells {
    int64_t n_shells;
    int64_t n_functions;
    int max_l;
    int max_primitives;
    bool spherical;       /* as asked for, whether or not any shell has l >= 2 */
    struct shell *shells; /* owned, in the order of atoms, then of the basis file */
    double *numbers;      /* owned: all exponents and coefficients */

    int64_t n_groups;
    struct shell_group *groups; /* owned, all shells in their order */
    int max_group_functions;
    int n_types;
    struct group_type *types;   /* owned, different ones by ascending max_l */
    double *group_coefficients; /* owned: of groups of several shells */
};

/* Puts shells on every centre of the molecule, ghosts included, from its set sets[atom.basis] (a
 * plain Bq takes the entry "Bq" if the set has one and nothing otherwise).
 * form BASIS_FORM_UNSTATED takes the sets' own; spherical if that is unstated too. All d and higher
 *      functions of a molecule have one form.
 * Errors: STATUS_INPUT (element missing from the set: names it; made for an
 * ECP; sets of different forms; no function at all), STATUS_NO_MEMORY. */
enum status shells_create(const struct molecule *molecule, const struct basis_set *sets,
                          enum basis_form form, struct shells **shells);
void shells_destroy(struct shells *shells);

/* Number of functions of a group of shells. */
static inline int n_functions_of_group(const struct shells *shells, int64_t group)
{
    return shells->types[shells->groups[group].type].n_functions;
}

/* N(a, l) of the conventions above: norm of the function (l, 0, 0) of a primitive. */
double primitive_norm(int l, double a);

/* Number of Cartesian functions of angular momentum l. */
static inline int n_cartesians(int l)
{
    return (l + 1) * (l + 2) / 2;
}

/* Powers i, j, k of x, y, z in raw Cartesian number index of angular momentum l. */
void cartesian_powers(int l, int index, int power[3]);

/* The map from raw Cartesians to functions: function f of the shell is
 *   sum_t value[t] * cartesian[index[t]],  first[f] <= t < first[f + 1].
 * For Cartesian shells each row is one scale factor. */
enum { ANGULAR_MAX_FUNCTIONS = (BASIS_MAX_L + 1) * (BASIS_MAX_L + 2) / 2, ANGULAR_MAX_TERMS = 64 };
struct angular_map {
    int n_functions;
    int n_cartesians;
    bool identity; /* the functions are the raw Cartesians */
    int first[ANGULAR_MAX_FUNCTIONS + 1];
    int index[ANGULAR_MAX_TERMS];
    double value[ANGULAR_MAX_TERMS];
};

/* The map for 0 <= l <= BASIS_MAX_L; l below 2 is the identity. Static data,
 * built on the first call: call once before there are threads.
 * Source: Helgaker, Jorgensen & Olsen, Molecular Electronic-Structure Theory
 * (2000), eq. 6.4.47, whose solid harmonics have the norm of x^l. */
const struct angular_map *angular_map(int l, bool spherical);

/* The generator of rotations about an axis u through the centre of a shell, of the form of the map:
 *   (u x r) . grad f = sum_g A[g][f] g
 * A: n_functions x n_functions, row-major; antisymmetric for spherical functions and for l < 2. */
void angular_rotation(int l, bool spherical, const double axis[3], double *A);

/* Functions of a shell, of the form of the map, about its centre and in turned coordinates:
 *   f(R r) = sum_g A[f][g] g(r)
 * R: orthogonal; A: n_functions x n_functions, row-major. */
void angular_image(int l, bool spherical, const double R[3][3], double *A);

/* Applies a map on each side: block = bra * cartesian * ket^T, row-major,
 * n_functions x n_functions from n_cartesians x n_cartesians. */
void angular_map_pair(const struct angular_map *bra, const struct angular_map *ket,
                      const double *cartesian, double *block);
