/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_contents.h"

#include "basis/input/core_potential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tolerance of exponents and contractions (relative) and of normalisations. */
#define SAME_NUMBER 1e-8

/* --- shells to arrays --- */

/* This program's number, within a shell, of TREXIO's function k. */
static int function_in_shell(const struct shell *shell, bool cartesian, int k)
{
    if (cartesian || shell->l == 0)
        return k;
    int m = k % 2 == 0 ? -k / 2 : (k + 1) / 2; /* 0, +1, -1, +2, -2, ... */
    if (shell->l > 1)
        return shell->l + m;
    /* p functions are x, y, z here, in both forms: m = 0 is z, +1 x, -1 y. */
    return m == 0 ? 2 : m == 1 ? 0 : 1;
}

static double norm_in_shell(const struct shell *shell, bool cartesian, int k)
{
    const struct angular_map *map = angular_map(shell->l, false);
    return cartesian ? map->value[map->first[k]] : 1;
}

static void describe_shell(const struct shell *shell, int64_t number, int64_t primitive,
                           int64_t function, struct checkpoint_contents *contents)
{
    contents->shell_center[number] = shell->atom;
    contents->shell_l[number] = shell->l;
    contents->shell_factor[number] = 1;
    for (int p = 0; p < shell->n_primitives; p++, primitive++) {
        double norm = primitive_norm(shell->l, shell->exponents[p]);
        contents->primitive_shell[primitive] = number;
        contents->exponent[primitive] = shell->exponents[p];
        contents->coefficient[primitive] = shell->coefficients[p] / norm;
        contents->primitive_factor[primitive] = norm;
    }
    for (int k = 0; k < shell->n_functions; k++, function++) {
        contents->function_shell[function] = number;
        contents->normalisation[function] = norm_in_shell(shell, contents->n.cartesian, k);
        contents->function[function] =
            shell->first_function + function_in_shell(shell, contents->n.cartesian, k);
    }
}

static void count_shells(const struct molecule *molecule, const struct shells *shells,
                         struct checkpoint_counts *n)
{
    n->n_centers = molecule->n_atoms;
    n->n_shells = shells->n_shells;
    n->n_functions = shells->n_functions;
    n->cartesian = !shells->spherical;
    n->n_primitives = n->n_terms = 0;
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        n->n_terms += molecule->atoms[i].potential ? molecule->atoms[i].potential->n_terms : 0;
    for (int64_t i = 0; i < shells->n_shells; i++)
        n->n_primitives += shells->shells[i].n_primitives;
}

/* Describes the potential of a centre, whose terms begin with number `first`; returns the next number. */
static int64_t describe_potential(const struct atom *atom, int64_t center, int64_t first,
                                  struct checkpoint_contents *contents)
{
    int64_t n = atom->potential ? atom->potential->n_terms : 0;
    contents->n_core[center] = atom_n_core(atom);
    contents->local_l[center] = n > 0 ? core_potential_max_l(atom->potential) + 1 : 0;
    for (int64_t t = 0; t < n; t++) {
        const struct core_potential_term *term = &atom->potential->terms[t];
        contents->term_center[first + t] = center;
        contents->term_l[first + t] = term->l < 0 ? contents->local_l[center] : term->l;
        contents->term_power[first + t] = term->power - 2;
        contents->term_exponent[first + t] = term->exponent;
        contents->term_coefficient[first + t] = term->coefficient;
    }
    return first + n;
}

enum status checkpoint_shells_describe(const struct molecule *molecule, const struct shells *shells,
                                       struct checkpoint_contents *contents)
{
    count_shells(molecule, shells, &contents->n);
    TRY(checkpoint_contents_init(contents));
    for (int64_t i = 0, term = 0; i < molecule->n_atoms; i++) {
        term = describe_potential(&molecule->atoms[i], i, term, contents);
        contents->charge[i] = molecule->atoms[i].charge;
        memcpy(contents->coordinates + 3 * i, molecule->atoms[i].position, 3 * sizeof(double));
    }
    int64_t primitive = 0;
    for (int64_t i = 0; i < shells->n_shells; i++) {
        const struct shell *shell = &shells->shells[i];
        describe_shell(shell, i, primitive, shell->first_function, contents);
        primitive += shell->n_primitives;
    }
    return STATUS_OK;
}

/* --- arrays to shells --- */

/* Sets one shell, whose primitives begin with number `first`. */
static enum status set_shell(const char *path, const struct checkpoint_contents *contents,
                             int64_t at, int64_t first, struct shells *shells)
{
    int64_t center = contents->shell_center[at], l = contents->shell_l[at], end = first;
    double *exponents = shells->numbers, *coefficients = exponents + contents->n.n_primitives;
    bool known = l >= 0 && l <= BASIS_MAX_L && center >= 0 && center < contents->n.n_centers;
    for (; known && end < contents->n.n_primitives && contents->primitive_shell[end] == at; end++) {
        exponents[end] = contents->exponent[end];
        coefficients[end] = contents->coefficient[end] * contents->primitive_factor[end] *
                            contents->shell_factor[at];
        known = exponents[end] > 0;
    }
    if (!known || end == first)
        return FAIL(
            STATUS_INPUT,
            "%s: unsupported shell %lld: a shell needs a centre, l of at most %d, and primitives "
            "of positive exponents in the order of the shells: start without its orbitals",
            path, (long long)at + 1, BASIS_MAX_L);
    bool spherical = !contents->n.cartesian && l > 1;
    struct shell *shell = &shells->shells[at];
    *shell = (struct shell){.l = (int)l,
                            .spherical = spherical,
                            .n_functions = spherical ? 2 * (int)l + 1 : n_cartesians((int)l),
                            .n_primitives = (int)(end - first),
                            .atom = center,
                            .first_function = shells->n_functions,
                            .exponents = exponents + first,
                            .coefficients = coefficients + first};
    memcpy(shell->center, contents->coordinates + 3 * center, sizeof shell->center);
    return STATUS_OK;
}

/* Numbers the functions of a shell, if they are as this program would write them. */
static bool number_functions(const struct shell *shell, int64_t number,
                             struct checkpoint_contents *contents)
{
    for (int k = 0; k < shell->n_functions; k++) {
        int64_t at = shell->first_function + k;
        if (at >= contents->n.n_functions || contents->function_shell[at] != number ||
            !(fabs(contents->normalisation[at] - norm_in_shell(shell, contents->n.cartesian, k)) <
              SAME_NUMBER))
            return false;
        contents->function[at] =
            shell->first_function + function_in_shell(shell, contents->n.cartesian, k);
    }
    return true;
}

static enum status set_shells(const char *path, struct checkpoint_contents *contents,
                              struct shells *shells)
{
    int64_t primitive = 0;
    shells->shells = calloc((size_t)contents->n.n_shells, sizeof *shells->shells);
    shells->numbers = calloc(2 * (size_t)contents->n.n_primitives, sizeof *shells->numbers);
    TRY(CHECK_MEMORY(shells->shells && shells->numbers, "no memory for the basis of %s", path));
    for (int64_t i = 0; i < contents->n.n_shells; i++) {
        const struct shell *shell = &shells->shells[i];
        TRY(set_shell(path, contents, i, primitive, shells));
        if (!number_functions(shell, i, contents))
            return FAIL(
                STATUS_INPUT,
                "%s: the functions of shell %lld have an order or normalisation that is not "
                "supported: start without its orbitals",
                path, (long long)i + 1);
        primitive += shell->n_primitives;
        shells->n_shells++;
        shells->n_functions += shell->n_functions;
        if (shell->l > shells->max_l)
            shells->max_l = shell->l;
        if (shell->n_primitives > shells->max_primitives)
            shells->max_primitives = shell->n_primitives;
    }
    if (shells->n_functions != contents->n.n_functions)
        return FAIL(STATUS_INPUT, "%s: damaged: its shells have %lld functions, but it counts %lld",
                    path, (long long)shells->n_functions, (long long)contents->n.n_functions);
    return STATUS_OK;
}

enum status checkpoint_shells_create(const char *path, struct checkpoint_contents *contents,
                                     struct shells **shells)
{
    struct shells *made = *shells = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for the basis of %s", path));
    made->spherical = !contents->n.cartesian;
    enum status status = set_shells(path, contents, made);
    if (status != STATUS_OK) {
        shells_destroy(made);
        *shells = NULL;
    }
    return status;
}

/* --- comparison --- */

enum status checkpoint_shells_compare_elements(const char *path, const struct molecule *wanted,
                                               const struct checkpoint_contents *contents)
{
    if (contents->n.n_centers != wanted->n_atoms)
        return FAIL(STATUS_INPUT,
                    "%s: centres of the file: %lld, of the molecule: %lld; leave the file out, or "
                    "name one of the same atoms in the same order",
                    path, (long long)contents->n.n_centers, (long long)wanted->n_atoms);
    for (int64_t i = 0; i < wanted->n_atoms; i++) {
        int n_core = atom_n_core(&wanted->atoms[i]), charge = wanted->atoms[i].charge + n_core;
        double found = contents->charge[i] + (double)contents->n_core[i];
        if (found != charge)
            return FAIL(STATUS_INPUT,
                        "%s: centre %lld has the nuclear charge %g, in the molecule "
                        "%d: leave it out, or name a file of the same atoms in the same order",
                        path, (long long)i + 1, found, charge);
        if (contents->n_core[i] != n_core)
            return FAIL(STATUS_INPUT,
                        "%s: centre %lld has a core potential for %lld electrons, in the molecule "
                        "for %d: leave the file out, or name one of the same core potentials",
                        path, (long long)i + 1, (long long)contents->n_core[i], n_core);
    }
    return STATUS_OK;
}

static bool is_same_place(const double a[3], const double b[3])
{
    bool same = true;
    for (int k = 0; k < 3; k++)
        same = same && fabs(a[k] - b[k]) < CHECKPOINT_SAME_PLACE;
    return same;
}

static bool is_same_shell(const struct shell *a, const struct shell *b)
{
    bool same = a->l == b->l && a->atom == b->atom && a->n_primitives == b->n_primitives;
    for (int p = 0; p < a->n_primitives && same; p++)
        same =
            fabs(a->exponents[p] - b->exponents[p]) <= SAME_NUMBER * a->exponents[p] &&
            fabs(a->coefficients[p] - b->coefficients[p]) <= SAME_NUMBER * fabs(a->coefficients[p]);
    return same;
}

static bool is_same_term(const struct core_potential_term *a, const struct core_potential_term *b)
{
    return a->l == b->l && a->power == b->power &&
           fabs(a->exponent - b->exponent) <= SAME_NUMBER * a->exponent &&
           fabs(a->coefficient - b->coefficient) <= SAME_NUMBER * fabs(a->coefficient);
}

static int64_t count_in_file(const struct checkpoint_contents *contents, int64_t center,
                             const struct core_potential_term *wanted)
{
    int64_t n = 0;
    for (int64_t k = 0; k < contents->n.n_terms; k++)
        if (contents->term_center[k] == center) {
            int64_t l = contents->term_l[k];
            struct core_potential_term found = {.l = l == contents->local_l[center] ? -1 : (int)l,
                                                .power = (int)contents->term_power[k] + 2,
                                                .exponent = contents->term_exponent[k],
                                                .coefficient = contents->term_coefficient[k]};
            n += is_same_term(wanted, &found);
        }
    return n;
}

/* Whether the file has the potentials of the molecule: every term as often, in any order. */
static bool has_potentials(const struct molecule *molecule,
                           const struct checkpoint_contents *contents)
{
    int64_t n_terms = 0;
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        const struct core_potential *potential = molecule->atoms[i].potential;
        for (int64_t t = 0; potential && t < potential->n_terms; t++, n_terms++) {
            int64_t n = 0;
            for (int64_t u = 0; u < potential->n_terms; u++)
                n += is_same_term(&potential->terms[t], &potential->terms[u]);
            if (count_in_file(contents, i, &potential->terms[t]) != n)
                return false;
        }
    }
    return n_terms == contents->n.n_terms;
}

enum status checkpoint_shells_compare(const char *path, const struct molecule *molecule,
                                      const struct shells *wanted,
                                      const struct checkpoint_contents *contents,
                                      const struct shells *found)
{
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        if (!is_same_place(contents->coordinates + 3 * i, molecule->atoms[i].position))
            return FAIL(STATUS_INPUT, "%s: centre %lld is not where it is in the molecule", path,
                        (long long)i + 1);
    if (!has_potentials(molecule, contents))
        return FAIL(STATUS_INPUT, "%s: its core potentials are not those of this run", path);
    if (found->n_shells != wanted->n_shells || found->n_functions != wanted->n_functions ||
        found->spherical != wanted->spherical)
        return FAIL(STATUS_INPUT,
                    "%s: its basis has %lld shells with %lld %s functions, this run has %lld "
                    "shells with %lld %s ones",
                    path, (long long)found->n_shells, (long long)found->n_functions,
                    found->spherical ? "spherical" : "Cartesian", (long long)wanted->n_shells,
                    (long long)wanted->n_functions, wanted->spherical ? "spherical" : "Cartesian");
    for (int64_t i = 0; i < wanted->n_shells; i++)
        if (!is_same_shell(&wanted->shells[i], &found->shells[i]))
            return FAIL(STATUS_INPUT,
                        "%s: shell %lld has another centre or angular momentum, or other exponents "
                        "or coefficients, than in this run",
                        path, (long long)i + 1);
    return STATUS_OK;
}

void checkpoint_shells_move(const struct molecule *molecule, struct shells *shells)
{
    for (int64_t i = 0; i < shells->n_shells; i++) {
        struct shell *shell = &shells->shells[i];
        memcpy(shell->center, molecule->atoms[shell->atom].position, sizeof shell->center);
    }
}
