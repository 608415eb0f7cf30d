/* SPDX-License-Identifier: BSD-3-Clause */
/* Coupled cluster with excitations of all electrons is exact over any orbitals: CCSD of two electrons and CCSDT of
 * three have the same energy over those of an SCF and, with F between occupied and virtual orbitals, over others. */
#include "hf/tiles/one_electron_matrices.h"
#include "tests/cases/correlation_case.h"
#include "tests/cases/hf_system.h"

#include <math.h>
#include <stdlib.h>

static const struct exact_case {
    struct scf_case field;
    const char *method;
} cases[] = {
    {{"2\n\nH 0 0 0\nH 0 0 1.3\n", 0, 1, "6-31g**", 2, 0}, "ccsd"},
    {{"2\n\nHe 0 0 0\nH 0 0 1.1\n", 1, 3, "6-31g", 2, 0}, "ccsd"},
    {{"2\n\nHe 0 0 0\nH 0 0 1.1\n", 0, 2, "6-31g", 2, 0}, "ccsdt"},
    {{"1\n\nLi 0 0 0\n", 0, 2, "6-31g", 2, 0}, "ccsdt"},
};

/* Orbitals of a spin, whole on every process. */
struct orbitals {
    int64_t n, m, n_occupied;
    double *C, *D, *F,
        *f; /* n x m; n x n: density, Fock matrix over functions; m x m: over orbitals */
    double *energies;
};

/* result = C^T B C, m x m. */
static void project(const struct orbitals *self, const double *B, double *result)
{
    for (int64_t p = 0; p < self->m; p++)
        for (int64_t q = 0; q < self->m; q++) {
            double sum = 0;
            for (int64_t i = 0; i < self->n; i++)
                for (int64_t j = 0; j < self->n; j++)
                    sum += self->C[i * self->m + p] * B[i * self->n + j] * self->C[j * self->m + q];
            result[p * self->m + q] = sum;
        }
}

/* Turns each occupied orbital towards each virtual one, by angles without structure. */
static void turn(struct orbitals *self, int spin)
{
    for (int64_t i = 0; i < self->n_occupied; i++)
        for (int64_t a = self->n_occupied; a < self->m; a++) {
            double angle = 0.12 * sin((double)(3 * i + 7 * a + 5 * spin + 1));
            for (int64_t mu = 0; mu < self->n; mu++) {
                double *row = self->C + mu * self->m, c = row[i];
                row[i] = cos(angle) * c + sin(angle) * row[a];
                row[a] = cos(angle) * row[a] - sin(angle) * c;
            }
        }
    for (int64_t mu = 0; mu < self->n; mu++)
        for (int64_t nu = 0; nu < self->n; nu++) {
            double sum = 0;
            for (int64_t i = 0; i < self->n_occupied; i++)
                sum += self->C[mu * self->m + i] * self->C[nu * self->m + i];
            self->D[mu * self->n + nu] = sum;
        }
}

/* Orbitals [first, end) that diagonalise F among themselves. */
static void diagonalise(struct orbitals *self, int64_t first, int64_t end)
{
    int64_t k = end - first;
    double *V = malloc((size_t)(k * k + 1) * sizeof *V),
           *row = malloc((size_t)(k + 1) * sizeof *row);
    for (int64_t p = 0; p < k; p++)
        for (int64_t q = 0; q < k; q++)
            V[p * k + q] = self->f[(first + p) * self->m + first + q];
    if (k > 0)
        check_ok(symmetric_eigen((int)k, V, self->energies + first));
    for (int64_t mu = 0; mu < self->n; mu++) {
        double *C = self->C + mu * self->m + first;
        for (int64_t p = 0; p < k; p++) {
            row[p] = 0;
            for (int64_t q = 0; q < k; q++)
                row[p] += V[p * k + q] * C[q];
        }
        memcpy(C, row, (size_t)k * sizeof *row);
    }
    free(V);
    free(row);
}

static struct dense *scatter(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns,
                             const double *full)
{
    struct dense *made;
    check_ok(dense_create(grid, n_rows, n_columns, &made));
    check_ok(dense_scatter(full, made));
    return made;
}

static void orbitals_init(const struct scf_setup *setup, const struct scf_result *field, int spin,
                          struct orbitals *self)
{
    int64_t n = setup->shells->n_functions, m = field->n_orbitals;
    *self = (struct orbitals){n, m, setup->problem.n_occupied[spin], NULL, NULL, NULL, NULL, NULL};
    self->C = malloc((size_t)(n * m) * sizeof(double));
    self->D = malloc((size_t)(n * n) * sizeof(double));
    self->F = malloc((size_t)(n * n) * sizeof(double));
    self->f = malloc((size_t)(m * m) * sizeof(double));
    self->energies = malloc((size_t)m * sizeof(double));
    check_ok(dense_gather(field->orbitals[spin], self->C));
    MPI_Bcast(self->C, (int)(n * m), MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* Fock matrices of turned orbitals; their energy. */
static double turn_all(struct scf_setup *setup, struct orbitals spins[2])
{
    int64_t n = spins[0].n;
    double energy = molecule_nuclear_repulsion(&setup->molecule);
    double *H = malloc((size_t)(n * n) * sizeof *H);
    struct darray *F[2];
    for (int s = 0; s < 2; s++) {
        check_ok(tile_matrix_create(setup->tiling, "F", DARRAY_DOUBLE, &F[s]));
        turn(&spins[s], s);
        whole_matrix_put(setup->tiling, spins[s].D, setup->D[s]);
    }
    check_ok(core_hamiltonian_matrix(setup->tiling, &setup->molecule, F[0]));
    whole_matrix_get(setup->tiling, F[0], H);
    darray_sync();
    check_ok(fock_build(setup->fock, 2, (const struct darray *const *)setup->D, F));
    for (int s = 0; s < 2; s++) {
        whole_matrix_get(setup->tiling, F[s], spins[s].F);
        for (int64_t i = 0; i < n * n; i++) {
            spins[s].F[i] += H[i];
            energy += spins[s].D[i] * (H[i] + spins[s].F[i]) / 2;
        }
        darray_destroy(F[s]);
    }
    free(H);
    return energy;
}

/* Sets what ROHF has in the result of its SCF. */
static void set_semicanonical(const struct scf_setup *setup, struct orbitals *self, int spin,
                              struct scf_result *result)
{
    int64_t o = self->n_occupied, v = self->m - o;
    double *f_ov = malloc((size_t)(o * v + 1) * sizeof *f_ov);
    project(self, self->F, self->f);
    diagonalise(self, 0, o);
    diagonalise(self, o, self->m);
    project(self, self->F, self->f);
    for (int64_t i = 0; i < o; i++)
        for (int64_t a = 0; a < v; a++)
            f_ov[i * v + a] = self->f[i * self->m + o + a];
    result->semicanonical[spin] = scatter(setup->grid, self->n, self->m, self->C);
    result->fock_ov[spin] = scatter(setup->grid, o, v, f_ov);
    result->semicanonical_energies[spin] = self->energies;
    free(f_ov);
}

static double total_energy(const struct scf_setup *setup, const struct scf_result *field,
                           const char *method)
{
    struct correlation_case made;
    correlation_case_init(&made, method, setup, field, NO_FROZEN);
    double energy = field->energy + correlation_case_solve(&made, "static");
    correlation_case_fini(&made);
    return energy;
}

TEST(all_excitations_are_exact)
{
    struct scf_settings settings = scf_settings_default();
    settings.converge = 1e-9;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct scf_setup setup;
        struct scf_result field;
        struct orbitals spins[2];
        scf_setup_init(&setup, &cases[c].field);
        check_ok(scf_setup_run(&setup, &settings, &field));
        double exact = total_energy(&setup, &field, cases[c].method);
        struct scf_result turned = field;
        for (int s = 0; s < 2; s++)
            orbitals_init(&setup, &field, s, &spins[s]);
        turned.energy = turn_all(&setup, spins);
        assert_true(turned.energy > field.energy + 1e-3);
        for (int s = 0; s < 2; s++)
            set_semicanonical(&setup, &spins[s], s, &turned);
        check_close(total_energy(&setup, &turned, cases[c].method), exact, 2e-8);
        for (int s = 0; s < 2; s++) {
            dense_destroy(turned.semicanonical[s]);
            dense_destroy(turned.fock_ov[s]);
            free(spins[s].C);
            free(spins[s].D);
            free(spins[s].F);
            free(spins[s].f);
            free(spins[s].energies);
        }
        scf_result_fini(&field);
        scf_setup_fini(&setup);
    }
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
