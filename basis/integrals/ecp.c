/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/ecp.h"

#include "basis/input/vector3.h"
#include "basis/integrals/ecp_libecpint.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- potentials of atoms --- */

/* The largest angular momentum of a local part; -1 without libecpint. */
static int max_potential_l(void)
{
#ifdef BERYL_LIBECPINT
    return ecp_library_max_l();
#else
    return -1;
#endif
}

static enum status check_potential(const struct basis_set *set, const struct basis_element *entry)
{
    const struct core_potential *potential = &entry->potential;
    const char *symbol = element_symbol(entry->element);
    int max_l = max_potential_l();
    if (max_l < 0)
        return FAIL(STATUS_INPUT,
                    "%s:%" PRId64 ": the core potential of %s needs libecpint, without which this "
                    "program was built: install Debian's libecpint-dev and build it again",
                    set->name, potential->line, symbol);
    if (core_potential_max_l(potential) >= max_l)
        return FAIL(STATUS_INPUT,
                    "%s:%" PRId64 ": the core potential of %s has a projector of l = %d, and "
                    "libecpint stops at l = %d: choose another basis set",
                    set->name, potential->line, symbol, core_potential_max_l(potential), max_l - 1);
    if (potential->n_core >= entry->element)
        return FAIL(STATUS_INPUT,
                    "%s:%" PRId64
                    ": a core of %d electrons leaves none of the %d of %s: correct the "
                    "number",
                    set->name, potential->line, potential->n_core, entry->element, symbol);
    return STATUS_OK;
}

enum status ecp_place(const struct basis_set *sets, struct molecule *molecule)
{
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        struct atom *atom = &molecule->atoms[a];
        const struct basis_set *set = &sets[atom->basis];
        const struct basis_element *entry = basis_set_find(set, atom->element);
        if (atom->ghost || !entry || entry->potential.line == 0)
            continue;
        if (entry->defect)
            return FAIL(STATUS_INPUT, "%s", entry->defect);
        TRY(check_potential(set, entry));
        atom->charge -= entry->potential.n_core;
        atom->potential = &entry->potential;
    }
    return STATUS_OK;
}

bool ecp_needed(const struct molecule *molecule)
{
    bool needed = false;
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        needed = needed || molecule->atoms[a].potential;
    return needed;
}

/* --- integrals --- */

#ifdef BERYL_LIBECPINT

/* A term c exp(-z |r - C|^2), and a primitive of either shell. */
struct three_gaussians {
    double exponents[3];
    const double *centers[3];
};

/* S[i][j] = int (x - A)^i (x - B)^j of the three along an axis, over that of i = j = 0, for i and j up to those of
 * the shells. Source: Obara & Saika, J. Chem. Phys. 84, 3963 (1986), of three centres. */
static void overlap_of_three(const struct three_gaussians *g, int axis, int max_i, int max_j,
                             double S[BASIS_MAX_L + 3][BASIS_MAX_L + 1])
{
    const double *z = g->exponents;
    double p = z[0] + z[1] + z[2], A = g->centers[0][axis], B = g->centers[1][axis],
           C = g->centers[2][axis];
    double PA = (z[1] * (B - A) + z[2] * (C - A)) / p, PB = (z[0] * (A - B) + z[2] * (C - B)) / p;
    S[0][0] = 1;
    for (int i = 0; i <= max_i; i++)
        for (int j = 0; j <= max_j; j++) {
            if (i + j == 0)
                continue;
            int row = j == 0 ? i - 1 : i, column = j == 0 ? 0 : j - 1; /* from which one more */
            S[i][j] = (j == 0 ? PA : PB) * S[row][column];
            if (row > 0)
                S[i][j] += row / (2 * p) * S[row - 1][column];
            if (column > 0)
                S[i][j] += column / (2 * p) * S[row][column - 1];
        }
}

/* D[i][j] = S[i][j] with the factor (x - C)^2 in addition. */
static void overlap_with_square(double AC, int max_i, int max_j,
                                double S[BASIS_MAX_L + 3][BASIS_MAX_L + 1],
                                double D[BASIS_MAX_L + 3][BASIS_MAX_L + 1])
{
    for (int i = 0; i <= max_i; i++)
        for (int j = 0; j <= max_j; j++)
            D[i][j] = S[i + 2][j] + 2 * AC * S[i + 1][j] + AC * AC * S[i][j];
}

/* Adds factor times the integral of the three, or of |r - C|^2 times them, for all raw Cartesians. */
static void add_three_gaussians(const struct three_gaussians *g, bool with_square, double factor,
                                int la, int lb, double *cartesian)
{
    double S[3][BASIS_MAX_L + 3][BASIS_MAX_L + 1], D[3][BASIS_MAX_L + 3][BASIS_MAX_L + 1];
    for (int axis = 0; axis < 3; axis++) {
        overlap_of_three(g, axis, la + 2 * with_square, lb, S[axis]);
        if (with_square)
            overlap_with_square(g->centers[0][axis] - g->centers[2][axis], la, lb, S[axis],
                                D[axis]);
    }
    for (int i = 0; i < n_cartesians(la); i++)
        for (int j = 0; j < n_cartesians(lb); j++) {
            int a[3], b[3];
            double of_S[3], of_D[3];
            cartesian_powers(la, i, a);
            cartesian_powers(lb, j, b);
            for (int axis = 0; axis < 3; axis++) {
                of_S[axis] = S[axis][a[axis]][b[axis]];
                of_D[axis] = with_square ? D[axis][a[axis]][b[axis]] : 0;
            }
            *cartesian++ +=
                factor * (with_square ? of_D[0] * of_S[1] * of_S[2] + of_S[0] * of_D[1] * of_S[2] +
                                            of_S[0] * of_S[1] * of_D[2]
                                      : of_S[0] * of_S[1] * of_S[2]);
        }
}

/* Beyond it, exp(-q) is nothing. */
#define NEGLIGIBLE_EXPONENT 60.0

static void add_gaussian(double exponent, bool with_square, double coefficient,
                         const double center[3], const struct shell *a, const struct shell *b,
                         double *cartesian)
{
    double AB = squared_distance(a->center, b->center);
    double AC = squared_distance(a->center, center), BC = squared_distance(b->center, center);
    for (int i = 0; i < a->n_primitives; i++)
        for (int j = 0; j < b->n_primitives; j++) {
            double x = a->exponents[i], y = b->exponents[j], z = exponent, p = x + y + z;
            double q = (x * y * AB + x * z * AC + y * z * BC) / p;
            const struct three_gaussians g = {{x, y, z}, {a->center, b->center, center}};
            if (q < NEGLIGIBLE_EXPONENT)
                add_three_gaussians(&g, with_square,
                                    coefficient * a->coefficients[i] * b->coefficients[j] *
                                        exp(-q) * pow(M_PI / p, 1.5),
                                    a->l, b->l, cartesian);
        }
}

struct ecp_integrals {
    const struct molecule *molecule;
    const struct shells *shells;
    struct ecp_library *library;
    int n_potentials;
    double *cartesian, *block; /* of the largest shells */
};

/* Adds the projectors of an atom's potential, if there are any. */
static enum status add_projectors_of(const struct atom *atom, struct ecp_integrals *made)
{
    const struct core_potential *potential = atom->potential;
    int max_l = core_potential_max_l(potential);
    if (max_l < 0)
        return STATUS_OK;
    TRY(ecp_library_add_potential(made->library, atom->position));
    TRY(ecp_library_add_term(made->library, max_l + 1, 2, 1, 0)); /* a local part is expected */
    for (int64_t t = 0; t < potential->n_terms; t++) {
        const struct core_potential_term *term = &potential->terms[t];
        if (term->l >= 0)
            TRY(ecp_library_add_term(made->library, term->l, term->power, term->exponent,
                                     term->coefficient));
    }
    made->n_potentials++;
    return STATUS_OK;
}

static enum status fill_library(const struct molecule *molecule, const struct shells *shells,
                                struct ecp_integrals *made)
{
    int max_l = 0;
    size_t size = (size_t)n_cartesians(shells->max_l) * (size_t)n_cartesians(shells->max_l);
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct core_potential *potential = molecule->atoms[a].potential;
        if (potential && core_potential_max_l(potential) + 1 > max_l)
            max_l = core_potential_max_l(potential) + 1;
    }
    made->molecule = molecule;
    made->shells = shells;
    made->cartesian = calloc(2 * size, sizeof(double));
    TRY(CHECK_MEMORY(made->cartesian, "no memory for integrals of core potentials"));
    made->block = made->cartesian + size;
    TRY(ecp_library_create(shells->max_l, max_l, &made->library));
    for (int64_t i = 0; i < shells->n_shells; i++) {
        const struct shell *shell = &shells->shells[i];
        TRY(ecp_library_add_shell(made->library, shell->center, shell->l, shell->n_primitives,
                                  shell->exponents, shell->coefficients));
    }
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        if (molecule->atoms[a].potential)
            TRY(add_projectors_of(&molecule->atoms[a], made));
    return STATUS_OK;
}

/* Steps of s below: small enough for fifteen digits, from where what is left is as good as one term at t = 0, to
 * where the volume within 1 / t is nothing. */
#define STEP  0.15
#define FIRST (-16)
static const int last_steps[] = {28, 14, 0, 14};

/* A term of power 2 is a Gaussian function; of others, with t = exp(s),
 *   1 / r = 2 / sqrt(pi) int t exp(-t^2 r^2) ds,   1 / r^2 = 2 int t^2 exp(-t^2 r^2) ds,   r = r^2 / r. */
static void add_term(const struct core_potential_term *term, const double center[3],
                     const struct shell *a, const struct shell *b, double *cartesian)
{
    double c = term->coefficient, z = term->exponent;
    bool is_square = term->power == 0, with_square = term->power == 3;
    if (term->power == 2)
        add_gaussian(z, false, c, center, a, b, cartesian);
    for (int k = 0; term->power != 2 && k * STEP + FIRST < last_steps[term->power]; k++) {
        double t = exp(k * STEP + FIRST), weight = 2 * STEP * (is_square ? t * t : t / sqrt(M_PI));
        if (k == 0)
            weight /= 1 - exp(-STEP * (1 + is_square)); /* and all before it */
        add_gaussian(z + t * t, with_square, c * weight, center, a, b, cartesian);
    }
}

static void add_local_terms(const struct molecule *molecule, const struct shell *a,
                            const struct shell *b, double *cartesian)
{
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        const struct core_potential *potential = molecule->atoms[i].potential;
        for (int64_t t = 0; potential && t < potential->n_terms; t++)
            if (potential->terms[t].l < 0 && potential->terms[t].coefficient != 0)
                add_term(&potential->terms[t], molecule->atoms[i].position, a, b, cartesian);
    }
}

enum status ecp_integrals_create(const struct molecule *molecule, const struct shells *shells,
                                 struct ecp_integrals **integrals)
{
    *integrals = calloc(1, sizeof **integrals);
    TRY(CHECK_MEMORY(*integrals, "no memory for integrals of core potentials"));
    enum status status = fill_library(molecule, shells, *integrals);
    if (status != STATUS_OK) {
        ecp_integrals_destroy(*integrals);
        *integrals = NULL;
    }
    return status;
}

void ecp_integrals_destroy(struct ecp_integrals *integrals)
{
    if (!integrals)
        return;
    ecp_library_destroy(integrals->library);
    free(integrals->cartesian);
    free(integrals);
}

enum status ecp_integrals_add(struct ecp_integrals *integrals, int64_t bra, int64_t ket,
                              double *block)
{
    const struct shell *a = &integrals->shells->shells[bra], *b = &integrals->shells->shells[ket];
    const struct angular_map *a_map = angular_map(a->l, a->spherical);
    const struct angular_map *b_map = angular_map(b->l, b->spherical);
    size_t size = (size_t)a_map->n_cartesians * (size_t)b_map->n_cartesians;
    memset(integrals->cartesian, 0, size * sizeof(double));
    add_local_terms(integrals->molecule, a, b, integrals->cartesian);
    for (int p = 0; p < integrals->n_potentials; p++)
        TRY(ecp_library_add_block(integrals->library, p, (int)bra, (int)ket, integrals->cartesian));
    angular_map_pair(a_map, b_map, integrals->cartesian, integrals->block);
    for (int i = 0; i < a->n_functions * b->n_functions; i++)
        block[i] += integrals->block[i];
    return STATUS_OK;
}

#else

enum status ecp_integrals_create(const struct molecule *molecule, const struct shells *shells,
                                 struct ecp_integrals **integrals)
{
    (void)molecule, (void)shells; /* ecp_place refuses all potentials */
    *integrals = NULL;
    return STATUS_OK;
}

void ecp_integrals_destroy(struct ecp_integrals *integrals)
{
    (void)integrals;
}

enum status ecp_integrals_add(struct ecp_integrals *integrals, int64_t bra, int64_t ket,
                              double *block)
{
    (void)integrals, (void)bra, (void)ket, (void)block;
    return STATUS_OK;
}

#endif
