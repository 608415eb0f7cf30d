/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum status checkpoint_basis_init_empty(struct checkpoint_basis *basis)
{
    size_t n = (size_t)basis->n_centers, m = (size_t)basis->n_shells;
    size_t p = (size_t)basis->n_primitives, f = (size_t)basis->n_functions;
    basis->label = malloc(n * sizeof *basis->label);
    basis->charge = malloc((4 * n + m + 3 * p + f) * sizeof(double));
    basis->shell_center = malloc((2 * m + p + 2 * f) * sizeof(int64_t));
    if (!basis->label || !basis->charge || !basis->shell_center) {
        checkpoint_basis_fini(basis);
        return FAIL(STATUS_NO_MEMORY, "no memory for the basis of a checkpoint");
    }
    basis->coordinates = basis->charge + n;
    basis->shell_factor = basis->coordinates + 3 * n;
    basis->exponent = basis->shell_factor + m;
    basis->coefficient = basis->exponent + p;
    basis->primitive_factor = basis->coefficient + p;
    basis->normalisation = basis->primitive_factor + p;
    basis->shell_l = basis->shell_center + m;
    basis->primitive_shell = basis->shell_l + m;
    basis->function_shell = basis->primitive_shell + p;
    basis->function = basis->function_shell + f;
    return STATUS_OK;
}

void checkpoint_basis_fini(struct checkpoint_basis *basis)
{
    free(basis->label);
    free(basis->charge);
    free(basis->shell_center);
    *basis = (struct checkpoint_basis){0};
}

static void fill_centers(const struct molecule *molecule, struct checkpoint_basis *basis)
{
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        const struct atom *atom = &molecule->atoms[i];
        basis->charge[i] = atom->charge;
        basis->label[i] = atom->ghost ? "Bq" : element_symbol(atom->element);
        for (int k = 0; k < 3; k++)
            basis->coordinates[3 * i + k] = atom->position[k];
    }
}

/* This program's number, within a shell, of TREXIO's function k. */
static int function_in_shell(const struct shell *shell, bool cartesian, int k)
{
    if (cartesian || shell->l == 0)
        return k;
    int m = k % 2 == 0 ? -k / 2 : (k + 1) / 2; /* 0, +1, -1, +2, -2, ... */
    if (shell->l > 1)
        return shell->l + m;
    /* p functions are x, y, z here whatever the form: m = 0 is z, +1 x, -1 y. */
    return m == 0 ? 2 : m == 1 ? 0 : 1;
}

static void fill_functions(const struct shells *shells, struct checkpoint_basis *basis)
{
    int64_t at = 0;
    for (int64_t i = 0; i < shells->n_shells; i++) {
        const struct shell *shell = &shells->shells[i];
        const struct angular_map *map = angular_map(shell->l, false);
        for (int k = 0; k < shell->n_functions; k++, at++) {
            basis->function_shell[at] = i;
            basis->function[at] =
                shell->first_function + function_in_shell(shell, basis->cartesian, k);
            basis->normalisation[at] = basis->cartesian ? map->value[map->first[k]] : 1;
        }
    }
}

static void fill_shells(const struct shells *shells, struct checkpoint_basis *basis)
{
    int64_t at = 0;
    for (int64_t i = 0; i < shells->n_shells; i++) {
        const struct shell *shell = &shells->shells[i];
        basis->shell_center[i] = shell->atom;
        basis->shell_l[i] = shell->l;
        basis->shell_factor[i] = 1;
        for (int p = 0; p < shell->n_primitives; p++, at++) {
            double norm = primitive_norm(shell->l, shell->exponents[p]);
            basis->primitive_shell[at] = i;
            basis->exponent[at] = shell->exponents[p];
            basis->coefficient[at] = shell->coefficients[p] / norm;
            basis->primitive_factor[at] = norm;
        }
    }
}

enum status checkpoint_basis_init(const struct molecule *molecule, const struct shells *shells,
                                  struct checkpoint_basis *basis)
{
    *basis = (struct checkpoint_basis){
        .n_centers = molecule->n_atoms,
        .n_shells = shells->n_shells,
        .n_functions = shells->n_functions,
        .cartesian = !shells->spherical,
    };
    for (int64_t i = 0; i < shells->n_shells; i++)
        basis->n_primitives += shells->shells[i].n_primitives;
    TRY(checkpoint_basis_init_empty(basis));
    fill_centers(molecule, basis);
    fill_shells(shells, basis);
    fill_functions(shells, basis);
    return STATUS_OK;
}

enum status checkpoint_basis_compare_elements(const char *path,
                                              const struct checkpoint_basis *wanted,
                                              const struct checkpoint_basis *found)
{
    if (found->n_centers != wanted->n_centers)
        return FAIL(STATUS_INPUT,
                    "%s: centres of the file: %lld, of the molecule: %lld; leave the file out, or "
                    "name one of the same atoms in the same order",
                    path, (long long)found->n_centers, (long long)wanted->n_centers);
    for (int64_t i = 0; i < wanted->n_centers; i++)
        if (found->charge[i] != wanted->charge[i])
            return FAIL(STATUS_INPUT,
                        "%s: centre %lld has the nuclear charge %g, in the molecule "
                        "%g: leave it out, or name a file of the same atoms in the same order",
                        path, (long long)i + 1, found->charge[i], wanted->charge[i]);
    return STATUS_OK;
}

static enum status compare_positions(const char *path, const struct checkpoint_basis *wanted,
                                     const struct checkpoint_basis *found)
{
    for (int64_t i = 0; i < 3 * wanted->n_centers; i++)
        if (!(fabs(found->coordinates[i] - wanted->coordinates[i]) < CHECKPOINT_SAME_PLACE))
            return FAIL(STATUS_INPUT, "%s: centre %lld is not where it is in the molecule", path,
                        (long long)i / 3 + 1);
    return STATUS_OK;
}

static bool same_primitive(const struct checkpoint_basis *a, const struct checkpoint_basis *b,
                           int64_t p)
{
    if (a->primitive_shell[p] != b->primitive_shell[p])
        return false;
    int64_t shell = a->primitive_shell[p];
    double c_a = a->coefficient[p] * a->primitive_factor[p] * a->shell_factor[shell];
    double c_b = b->coefficient[p] * b->primitive_factor[p] * b->shell_factor[shell];
    return fabs(a->exponent[p] - b->exponent[p]) <= 1e-8 * a->exponent[p] &&
           fabs(c_a - c_b) <= 1e-8 * fabs(c_a);
}

static enum status compare_shells(const char *path, const struct checkpoint_basis *wanted,
                                  const struct checkpoint_basis *found)
{
    if (found->n_shells != wanted->n_shells || found->n_primitives != wanted->n_primitives)
        return FAIL(STATUS_INPUT,
                    "%s: its basis has %lld shells with %lld primitives in all, that of this run "
                    "%lld shells with %lld",
                    path, (long long)found->n_shells, (long long)found->n_primitives,
                    (long long)wanted->n_shells, (long long)wanted->n_primitives);
    for (int64_t i = 0; i < wanted->n_shells; i++)
        if (found->shell_l[i] != wanted->shell_l[i] ||
            found->shell_center[i] != wanted->shell_center[i])
            return FAIL(STATUS_INPUT,
                        "%s: shell %lld has another angular momentum or centre than in this run",
                        path, (long long)i + 1);
    for (int64_t p = 0; p < wanted->n_primitives; p++)
        if (!same_primitive(wanted, found, p))
            return FAIL(STATUS_INPUT,
                        "%s: shell %lld has other exponents or coefficients in its "
                        "basis",
                        path, (long long)wanted->primitive_shell[p] + 1);
    return STATUS_OK;
}

enum status checkpoint_basis_compare_order(const char *path, const struct checkpoint_basis *wanted,
                                           const struct checkpoint_basis *found)
{
    for (int64_t i = 0; i < wanted->n_functions; i++)
        if (found->function_shell[i] != wanted->function_shell[i] ||
            !(fabs(found->normalisation[i] - wanted->normalisation[i]) < 1e-8))
            return FAIL(STATUS_INPUT, "%s: its functions are ordered or normalised in another way",
                        path);
    return STATUS_OK;
}

enum status checkpoint_basis_compare(const char *path, const struct checkpoint_basis *wanted,
                                     const struct checkpoint_basis *found)
{
    TRY(checkpoint_basis_compare_elements(path, wanted, found));
    TRY(compare_positions(path, wanted, found));
    TRY(compare_shells(path, wanted, found));
    if (found->cartesian != wanted->cartesian || found->n_functions != wanted->n_functions)
        return FAIL(STATUS_INPUT, "%s: it has %lld %s functions, this basis %lld %s ones", path,
                    (long long)found->n_functions, found->cartesian ? "Cartesian" : "spherical",
                    (long long)wanted->n_functions, wanted->cartesian ? "Cartesian" : "spherical");
    return checkpoint_basis_compare_order(path, wanted, found);
}
