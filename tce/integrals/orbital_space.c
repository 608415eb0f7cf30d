/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/orbital_space.h"

#include "support/arrays/dense.h"
#include "support/base/agree.h"
#include "support/base/integers.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below this share of the largest element another one is smaller beyond doubt. */
#define EQUALLY_LARGE (1 - 1e-6)

struct frozen_orbitals orbital_spaces_n_frozen(const struct orbital_spaces *spaces)
{
    const struct frozen_orbitals *alpha = &spaces->spin[0].frozen, *beta = &spaces->spin[1].frozen;
    return (struct frozen_orbitals){alpha->n_core + beta->n_core,
                                    alpha->n_virtual + beta->n_virtual};
}

int64_t orbital_spaces_n_occupied(const struct orbital_spaces *spaces)
{
    return spaces->spin[0].n_occupied + spaces->spin[1].n_occupied;
}

int64_t orbital_spaces_n_virtual(const struct orbital_spaces *spaces)
{
    return spaces->spin[0].n_virtual + spaces->spin[1].n_virtual;
}

int orbital_spaces_blocks(const struct orbital_spaces *spaces, bool is_virtual,
                          struct index_block blocks[2])
{
    int n = 0;
    for (int s = 0; s < spaces->n_orbital_sets; s++) {
        int64_t size = is_virtual ? spaces->spin[s].n_virtual : spaces->spin[s].n_occupied;
        if (size > 0)
            blocks[n++] = (struct index_block){.size = size,
                                               .spin = spaces->n_orbital_sets == 1 ? 0 : 1 - 2 * s};
    }
    return n;
}

struct orbital_place orbital_spaces_find(const struct orbital_spaces *spaces, bool is_virtual,
                                         int64_t value)
{
    const struct orbital_space *alpha = &spaces->spin[0];
    int64_t n_alpha = is_virtual ? alpha->n_virtual : alpha->n_occupied;
    int spin = value >= n_alpha;
    int64_t n_before = is_virtual ? spaces->spin[spin].n_occupied : 0;
    return (struct orbital_place){spin, n_before + value - (spin == 1 ? n_alpha : 0)};
}

/* n_occupied, n_orbitals: frozen ones included. The beta electrons are the first to be all frozen,
 * but may be none; one alpha electron is left. */
static enum status check_occupied(int n_orbital_sets, const int64_t n_occupied[],
                                  struct frozen_orbitals frozen)
{
    int64_t largest = min_int64(n_occupied[0] - 1, n_occupied[n_orbital_sets - 1]);
    if (frozen.n_core <= largest)
        return STATUS_OK;
    char remedy[64] = "";
    if (largest >= 0)
        snprintf(remedy, sizeof remedy, ": freeze at most %lld", (long long)largest);
    return FAIL(STATUS_INPUT,
                "no electrons are left to correlate: %lld orbitals are occupied%s, and %lld are "
                "frozen%s",
                (long long)n_occupied[n_orbital_sets - 1],
                n_orbital_sets == 1 ? "" : " by beta electrons", (long long)frozen.n_core, remedy);
}

/* Likewise of alpha and beta holes. */
static enum status check_virtual(int n_orbital_sets, const int64_t n_occupied[], int64_t n_orbitals,
                                 struct frozen_orbitals frozen)
{
    int64_t n_alpha = n_orbitals - n_occupied[0],
            n_beta = n_orbitals - n_occupied[n_orbital_sets - 1];
    int64_t largest = min_int64(n_alpha, n_beta - 1);
    if (largest < 0)
        return FAIL(STATUS_INPUT,
                    "no virtual orbitals: all %lld orbitals of the basis are occupied, take a "
                    "larger one",
                    (long long)n_orbitals);
    if (frozen.n_virtual > largest)
        return FAIL(STATUS_INPUT,
                    "no virtual orbitals are left: of %lld%s, %lld are frozen: freeze at most %lld",
                    (long long)n_alpha, n_orbital_sets == 1 ? "" : " of spin alpha",
                    (long long)frozen.n_virtual, (long long)largest);
    return STATUS_OK;
}

enum status orbital_spaces_count(int64_t n_functions, int64_t n_orbitals, int n_orbital_sets,
                                 const int64_t n_occupied[], struct frozen_orbitals frozen,
                                 struct orbital_spaces *spaces)
{
    *spaces = (struct orbital_spaces){.n_orbital_sets = n_orbital_sets};
    if (n_orbital_sets == 1)
        spaces->n_open = n_occupied[0] - n_occupied[1];
    for (int s = 0; s < n_orbital_sets; s++)
        spaces->spin[s] =
            (struct orbital_space){.n_functions = n_functions,
                                   .frozen = frozen,
                                   .n_occupied = n_occupied[s] - frozen.n_core,
                                   .n_virtual = n_orbitals - n_occupied[s] - frozen.n_virtual,
                                   .n_orbitals = n_orbitals - frozen.n_core - frozen.n_virtual};
    TRY(check_occupied(n_orbital_sets, n_occupied, frozen));
    return check_virtual(n_orbital_sets, n_occupied, n_orbitals, frozen);
}

/* Element i is at column[i * stride]. */
static double sign_of(const double *column, int64_t n, int64_t stride)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(column[i * stride]));
    for (int64_t i = 0; i < n; i++)
        if (fabs(column[i * stride]) >= EQUALLY_LARGE * largest)
            return column[i * stride] < 0 ? -1 : 1;
    return 1;
}

/* C from the correlated orbitals of the full matrix, which has n_all columns; signs: those that they have here. */
static void take_correlated_orbitals(struct orbital_space *space, const double *full, int64_t n_all,
                                     double *signs)
{
    for (int64_t p = 0; p < space->n_orbitals; p++) {
        const double *column = full + orbital_space_number(space, p);
        signs[p] = sign_of(column, space->n_functions, n_all);
        for (int64_t mu = 0; mu < space->n_functions; mu++)
            space->C[mu * space->n_orbitals + p] = signs[p] * column[mu * n_all];
    }
}

/* F_ia of the correlated orbitals from those of all. */
static void take_fock_ov(struct orbital_space *space, const double *full, const double *signs)
{
    int64_t n_occupied = space->n_occupied, n_virtual = space->n_virtual,
            n_all = n_virtual + space->frozen.n_virtual;
    for (int64_t i = 0; i < n_occupied; i++)
        for (int64_t a = 0; a < n_virtual; a++)
            space->fock_ov[i * n_virtual + a] =
                signs[i] * signs[n_occupied + a] * full[orbital_space_number(space, i) * n_all + a];
}

/* F of the correlated orbitals from that of all. */
static void take_fock(struct orbital_space *space, const double *full, int64_t n_all,
                      const double *signs)
{
    for (int64_t p = 0; p < space->n_orbitals; p++)
        for (int64_t q = 0; q < space->n_orbitals; q++)
            space->fock[p * space->n_orbitals + q] =
                signs[p] * signs[q] *
                full[orbital_space_number(space, p) * n_all + orbital_space_number(space, q)];
}

/* In pieces that fit into the counts of MPI. */
static void broadcast_numbers(double *numbers, int64_t n, MPI_Comm comm)
{
    const int64_t most = 1 << 27;
    for (int64_t first = 0; first < n; first += most)
        MPI_Bcast(numbers + first, (int)(n - first < most ? n - first : most), MPI_DOUBLE, 0, comm);
}

void orbital_space_broadcast(struct orbital_space *space, MPI_Comm comm)
{
    broadcast_numbers(space->C, space->n_functions * space->n_orbitals, comm);
    broadcast_numbers(space->energies, space->n_orbitals, comm);
    if (space->fock_ov)
        broadcast_numbers(space->fock_ov, space->n_occupied * space->n_virtual, comm);
}

struct scf_orbitals scf_orbitals_of(const struct scf_result *result, int spin)
{
    if (result->semicanonical[0])
        return (struct scf_orbitals){.C = result->semicanonical[spin],
                                     .fock_ov = result->fock_ov[spin],
                                     .energies = result->semicanonical_energies[spin]};
    return (struct scf_orbitals){.C = result->orbitals[spin],
                                 .energies = result->orbital_energies[spin]};
}

static enum status gather_correlated_orbitals(struct orbital_space *space,
                                              const struct scf_orbitals *scf, MPI_Comm comm)
{
    int rank;
    int64_t n_all = space->frozen.n_core + space->n_orbitals + space->frozen.n_virtual;
    int64_t n = space->n_functions, m = space->n_orbitals,
            n_ov = scf->fock_ov ? space->n_occupied * space->n_virtual : 0;
    MPI_Comm_rank(comm, &rank);
    double *full = rank == 0 ? malloc((size_t)(n * n_all) * sizeof *full) : NULL;
    double *signs = malloc((size_t)m * sizeof *signs);
    space->C = malloc((size_t)(n * m) * sizeof *space->C);
    space->energies = malloc((size_t)m * sizeof *space->energies);
    space->fock_ov = scf->fock_ov ? malloc((size_t)(n_ov + 1) * sizeof *space->fock_ov) : NULL;
    space->fock = scf->fock && rank == 0 ? malloc((size_t)(m * m) * sizeof *space->fock) : NULL;
    bool complete = signs && space->C && space->energies && (full || rank != 0) &&
                    (space->fock_ov || !scf->fock_ov) && (space->fock || !scf->fock || rank != 0);
    enum status status = status_agree(comm, CHECK_MEMORY(complete, "no memory for the orbitals"));
    if (status != STATUS_OK)
        goto done;
    status = dense_gather(scf->C, full);
    if (status != STATUS_OK)
        goto done;
    if (rank == 0)
        take_correlated_orbitals(space, full, n_all, signs);
    status = scf->fock_ov ? dense_gather(scf->fock_ov, full) : STATUS_OK;
    if (status != STATUS_OK)
        goto done;
    if (rank == 0 && scf->fock_ov)
        take_fock_ov(space, full, signs);
    status = scf->fock ? dense_gather(scf->fock, full) : STATUS_OK;
    if (status != STATUS_OK)
        goto done;
    if (space->fock)
        take_fock(space, full, n_all, signs);
    for (int64_t p = 0; p < m; p++)
        space->energies[p] = scf->energies[orbital_space_number(space, p)];
    orbital_space_broadcast(space, comm);
done:
    free(full);
    free(signs);
    return status;
}

enum status orbital_spaces_create(const struct scf_result *result, int n_orbital_sets,
                                  const int64_t n_occupied[], struct frozen_orbitals frozen,
                                  int64_t *const core[], MPI_Comm comm,
                                  struct orbital_spaces **spaces)
{
    struct orbital_spaces counts;
    *spaces = NULL;
    TRY(orbital_spaces_count(result->orbitals[0]->n_rows, result->n_orbitals, n_orbital_sets,
                             n_occupied, frozen, &counts));
    struct orbital_spaces *made = calloc(1, sizeof *made);
    enum status status = status_agree(comm, CHECK_MEMORY(made, "no memory for the orbitals"));
    if (status != STATUS_OK)
        goto failed;
    *made = counts;
    for (int s = 0; s < n_orbital_sets; s++) {
        struct scf_orbitals scf = {.C = result->orbitals[s],
                                   .energies = result->orbital_energies[s],
                                   .fock = result->fock_alpha};
        if (n_orbital_sets == 2)
            scf = scf_orbitals_of(result, s);
        made->spin[s].core = core ? core[s] : NULL;
        status = gather_correlated_orbitals(&made->spin[s], &scf, comm);
        if (status != STATUS_OK)
            goto failed;
    }
    *spaces = made;
    return STATUS_OK;
failed:
    orbital_spaces_destroy(made);
    return status;
}

void orbital_spaces_destroy(struct orbital_spaces *spaces)
{
    if (!spaces)
        return;
    for (int s = 0; s < 2; s++) {
        free(spaces->spin[s].C);
        free(spaces->spin[s].energies);
        free(spaces->spin[s].fock_ov);
        free(spaces->spin[s].fock);
    }
    free(spaces);
}

/* --- matrices --- */

/* Matrices whose columns are transformed by one product: large enough for DGEMM to be
 * fast with few functions, few enough to stay in a cache. */
enum { GROUP = 8 };

int64_t orbital_transform_work(const struct orbital_space *orbitals)
{
    return GROUP * orbitals->n_functions * orbitals->n_orbitals;
}

static void transform_group(const struct orbital_space *orbitals, struct orbital_range rows,
                            struct orbital_range columns, int n_matrices, double *matrices,
                            double *work)
{
    int n = (int)orbitals->n_functions, m = (int)orbitals->n_orbitals;
    int n_rows = (int)orbital_range_size(rows), n_columns = (int)orbital_range_size(columns);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n_matrices * n, n_columns, n, 1,
                matrices, n, orbitals->C + columns.first, m, 0, work, n_columns);
    for (int i = 0; i < n_matrices; i++)
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n_rows, n_columns, n, 1,
                    orbitals->C + rows.first, m, work + (int64_t)i * n * n_columns, n_columns, 0,
                    matrices + (int64_t)i * n * n, n_columns);
}

void orbital_transform(const struct orbital_space *orbitals, struct orbital_range rows,
                       struct orbital_range columns, int64_t n_matrices, double *matrices,
                       double *work)
{
    int64_t size = orbitals->n_functions * orbitals->n_functions;
    if (orbital_range_size(rows) == 0 || orbital_range_size(columns) == 0)
        return;
    for (int64_t first = 0; first < n_matrices; first += GROUP) {
        int64_t n = n_matrices - first < GROUP ? n_matrices - first : GROUP;
        transform_group(orbitals, rows, columns, (int)n, matrices + first * size, work);
    }
}
