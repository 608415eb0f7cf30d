/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/reference/hessian_reference.h"

#include "tests/reference/integrals_reference.h"

#include <stdio.h>
#include <stdlib.h>

static double *allocate_numbers(int64_t n)
{
    double *numbers = calloc((size_t)n, sizeof *numbers);
    if (!numbers) {
        fputs("no memory for the reference Hessian\n", stderr);
        exit(1);
    }
    return numbers;
}

double *reference_function_integrals(const struct shells *shells)
{
    int64_t n = shells->n_functions, n_shells = shells->n_shells, most = 0;
    const struct shell *all = shells->shells;
    for (int64_t a = 0; a < n_shells; a++)
        most = all[a].n_functions > most ? all[a].n_functions : most;
    double *integrals = allocate_numbers(n * n * n * n);
    double *block = allocate_numbers(most * most * most * most);
    for (int64_t quartet = 0; quartet < n_shells * n_shells * n_shells * n_shells; quartet++) {
        const struct shell *d = &all[quartet % n_shells], *c = &all[quartet / n_shells % n_shells];
        const struct shell *b = &all[quartet / n_shells / n_shells % n_shells];
        const struct shell *a = &all[quartet / n_shells / n_shells / n_shells];
        const double *next = block;
        reference_two_electron(a, b, c, d, block);
        for (int64_t i = a->first_function; i < a->first_function + a->n_functions; i++)
            for (int64_t j = b->first_function; j < b->first_function + b->n_functions; j++)
                for (int64_t k = c->first_function; k < c->first_function + c->n_functions; k++)
                    for (int64_t l = d->first_function; l < d->first_function + d->n_functions; l++)
                        integrals[((i * n + j) * n + k) * n + l] = *next++;
    }
    free(block);
    return integrals;
}

/* (pq|rs) with p, q of spin s and r, s of spin t, row-major: four times, the first index of n functions
 * becomes one of orbitals and the last. */
static double *orbital_integrals(int64_t n, const double *integrals,
                                 const struct reference_orbitals *orbitals, int s, int t)
{
    int64_t m = orbitals->n_orbitals, rest = n * n * n;
    double *last = NULL;
    for (int index = 0; index < 4; index++, rest = rest / n * m) {
        const double *C = orbitals->C[index < 2 ? s : t];
        double *next = allocate_numbers(rest * m);
        for (int64_t f = 0; f < n; f++)
            for (int64_t r = 0; r < rest; r++)
                for (int64_t k = 0; k < m; k++)
                    next[r * m + k] += integrals[f * rest + r] * C[f * m + k];
        free(last);
        integrals = last = next;
    }
    return last;
}

static int64_t n_rotations_of(const struct reference_orbitals *orbitals, int spin)
{
    int n_occupied = orbitals->n_occupied[spin];
    return (int64_t)n_occupied * (orbitals->n_orbitals - n_occupied);
}

int64_t reference_n_rotations(const struct reference_orbitals *orbitals)
{
    return n_rotations_of(orbitals, 0) +
           (orbitals->n_densities == 2 ? n_rotations_of(orbitals, 1) : 0);
}

/* The element of rotations i -> a of spin s and j -> b of spin t; I: (pq|rs) of these spins. */
static double hessian_element(const struct reference_orbitals *orbitals, double coulomb, int s,
                              int t, const double *I, const int64_t rotation[2])
{
    int64_t m = orbitals->n_orbitals;
    int64_t i = rotation[0] % orbitals->n_occupied[s], j = rotation[1] % orbitals->n_occupied[t];
    int64_t a = orbitals->n_occupied[s] + rotation[0] / orbitals->n_occupied[s];
    int64_t b = orbitals->n_occupied[t] + rotation[1] / orbitals->n_occupied[t];
    double element = coulomb * I[((a * m + i) * m + b) * m + j];
    if (s != t)
        return element;
    if (rotation[0] == rotation[1])
        element += orbitals->energies[s][a] - orbitals->energies[s][i];
    return element - I[((a * m + b) * m + i) * m + j] - I[((a * m + j) * m + i) * m + b];
}

double *reference_hessian(int64_t n_functions, const double *integrals,
                          const struct reference_orbitals *orbitals, double coulomb)
{
    int64_t n = reference_n_rotations(orbitals);
    double *H = allocate_numbers(n * n);
    for (int s = 0; s < orbitals->n_densities; s++)
        for (int t = 0; t < orbitals->n_densities; t++) {
            double *I = orbital_integrals(n_functions, integrals, orbitals, s, t);
            int64_t row = s == 0 ? 0 : n_rotations_of(orbitals, 0);
            int64_t column = t == 0 ? 0 : n_rotations_of(orbitals, 0);
            for (int64_t ai = 0; ai < n_rotations_of(orbitals, s); ai++)
                for (int64_t bj = 0; bj < n_rotations_of(orbitals, t); bj++)
                    H[(row + ai) * n + column + bj] =
                        hessian_element(orbitals, coulomb, s, t, I, (int64_t[]){ai, bj});
            free(I);
        }
    return H;
}
