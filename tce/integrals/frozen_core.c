/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/frozen_core.h"

#include "basis/integrals/shells.h"
#include "hf/guess/guess_atom.h"
#include "hf/tiles/cross_overlap.h"
#include "support/base/agree.h"
#include "support/base/log.h"

#include <stdlib.h>

/* Orbitals whose shares of a core are between are neither core nor valence. */
#define CORE_LEAST_SHARE   0.75
#define VALENCE_MOST_SHARE (1 - CORE_LEAST_SHARE)

/* Atoms that share an orbital: the first is named, whatever the last bits. */
#define EQUAL_SHARES 0.01

/* Occupied shells of a noble gas by angular momentum: an atom beyond one has these as core. */
enum { N_GASES = 6, CORE_N_L = 4 };
static const struct noble_gas {
    int n_electrons;
    int n_shells[CORE_N_L];
} gases[N_GASES] = {{2, {1}},           {10, {2, 1}},       {18, {3, 2}},
                    {36, {4, 3, 1, 0}}, {54, {5, 4, 2, 0}}, {86, {6, 5, 3, 1}}};

/* Core orbitals of an atom; n_shells: its shells of them. */
static int count_core(const struct atom *atom, int n_shells[CORE_N_L])
{
    int n = 0;
    for (int l = 0; l < CORE_N_L; l++) {
        n_shells[l] = -guess_atom_core_shells(atom_n_core(atom), l);
        for (int i = N_GASES - 1; i >= 0; i--)
            if (atom->element > gases[i].n_electrons) {
                n_shells[l] += gases[i].n_shells[l];
                break;
            }
        n_shells[l] = atom->ghost || n_shells[l] < 0 ? 0 : n_shells[l];
        n += n_shells[l] * (2 * l + 1);
    }
    return n;
}

int64_t frozen_core_count(const struct molecule *molecule)
{
    int64_t n = 0;
    int n_shells[CORE_N_L];
    for (int64_t atom = 0; atom < molecule->n_atoms; atom++)
        n += count_core(&molecule->atoms[atom], n_shells);
    return n;
}

void frozen_core_choose(int64_t n, const struct core_share shares[], int64_t n_core, int64_t core[])
{
    for (int64_t i = 0; i < n && n_core > 0; i++) {
        int64_t n_larger = 0;
        for (int64_t j = 0; j < n; j++)
            n_larger += shares[j].sum > shares[i].sum || (shares[j].sum == shares[i].sum && j < i);
        if (n_larger < n_core)
            *core++ = i;
    }
}

/* Adds v^T D v / 2 of each orbital's v, an atom's n rows of S C.
 * D  n x n, two electrons for each core orbital */
static void add_shares(int64_t atom, int n, const double *D, int64_t n_orbitals, const double *rows,
                       struct core_share shares[])
{
    for (int64_t i = 0; i < n_orbitals; i++) {
        double sum = 0;
        for (int m = 0; m < n; m++)
            for (int k = 0; k < n; k++)
                sum += rows[m * n_orbitals + i] * D[m * n + k] * rows[k * n_orbitals + i] / 2;
        shares[i].sum += sum;
        if (sum > shares[i].largest + EQUAL_SHARES) {
            shares[i].largest = sum;
            shares[i].atom = atom;
        }
    }
}

/* The end of the shells of an atom; n: its functions. */
static int64_t find_end(const struct shells *all, int64_t first, int *n)
{
    int64_t last = first;
    for (*n = 0; last < all->n_shells && all->shells[last].atom == all->shells[first].atom; last++)
        *n += all->shells[last].n_functions;
    return last;
}

static bool are_alike_nuclei(const struct atom *a, const struct atom *b)
{
    return !a->ghost && !b->ghost && atom_kind(a) == atom_kind(b);
}

static bool is_first_of_kind(const struct molecule *molecule, int64_t atom)
{
    for (int64_t i = 0; i < atom; i++)
        if (are_alike_nuclei(&molecule->atoms[i], &molecule->atoms[atom]))
            return false;
    return true;
}

/* Adds the shares of all atoms of the kind of the first one. SC  functions x n_orbitals, row-major */
static enum status share_kind(const struct scf_problem *problem, int64_t first,
                              const int n_core[CORE_N_L], int64_t n_orbitals, const double *SC,
                              struct core_share shares[])
{
    const struct shells *all = problem->shells;
    const struct atom *atoms = problem->molecule->atoms;
    const struct atom *atom = &atoms[all->shells[first].atom];
    int n;
    int64_t last = find_end(all, first, &n), next;
    double *D = malloc((size_t)n * (size_t)n * sizeof *D);
    TRY(CHECK_MEMORY(D, "no memory for the core of an atom"));
    enum status status =
        guess_atom_core_density(atom, n_core, &all->shells[first], last - first, D);
    for (int64_t at = first; at < all->n_shells && status == STATUS_OK; at = next) {
        const struct shell *shell = &all->shells[at];
        next = find_end(all, at, &n);
        if (are_alike_nuclei(&atoms[shell->atom], atom))
            add_shares(shell->atom, n, D, n_orbitals, SC + shell->first_function * n_orbitals,
                       shares);
    }
    free(D);
    return status;
}

static enum status share_atoms(const struct scf_problem *problem, int64_t n_orbitals,
                               const double *SC, struct core_share shares[])
{
    const struct shells *all = problem->shells;
    int n, n_core[CORE_N_L];
    for (int64_t first = 0; first < all->n_shells; first = find_end(all, first, &n)) {
        int64_t atom = all->shells[first].atom;
        if (count_core(&problem->molecule->atoms[atom], n_core) > 0 &&
            is_first_of_kind(problem->molecule, atom))
            TRY(share_kind(problem, first, n_core, n_orbitals, SC, shares));
    }
    return STATUS_OK;
}

/* SC = S C on process 0. */
static enum status gather_overlaps(const struct scf_problem *problem, const struct dense *orbitals,
                                   int64_t n_occupied, double *SC)
{
    int64_t n = problem->shells->n_functions;
    struct dense *S = NULL, *C = NULL, *product = NULL;
    const struct dense_member members[] = {
        {&S, n, n}, {&C, n, n_occupied}, {&product, n, n_occupied}};
    TRY(dense_create_members(problem->grid, 3, members));
    enum status status = cross_overlap(problem->shells, problem->shells, S);
    if (status == STATUS_OK) {
        dense_copy_columns(orbitals, 0, C);
        dense_multiply('N', 'N', 1, S, C, 0, product);
        status = dense_gather(product, SC);
    }
    dense_destroy(S);
    dense_destroy(C);
    dense_destroy(product);
    return status;
}

/* Prints frozen orbitals; warns of those with too little of a core, and of others with too much. */
static void report_core(const struct molecule *molecule, const struct core_share shares[],
                        const double *energies, int64_t n_occupied, const char *name,
                        int64_t n_core, const int64_t core[])
{
    log_print("\nFrozen %sorbitals: energy, hartree; share of atoms' core orbitals; atom\n", name);
    for (int64_t i = 0, k = 0; i < n_occupied; i++) {
        const struct core_share *share = &shares[i];
        bool is_frozen = k < n_core && core[k] == i;
        if (is_frozen)
            log_print("  %5lld %18.8f  %7.4f  %5lld %s%s\n", (long long)i + 1, energies[i],
                      share->sum, (long long)share->atom + 1,
                      element_symbol(molecule->atoms[share->atom].element),
                      share->largest < CORE_LEAST_SHARE * share->sum ? " and others" : "");
        if (is_frozen ? share->sum < CORE_LEAST_SHARE : share->sum > VALENCE_MOST_SHARE)
            log_warn("--frozen-core %s %sorbital %lld (%.4f hartree), which is neither core nor "
                     "valence: %.0f %% of it are core orbitals of atoms; --freeze N freezes the N "
                     "lowest orbitals",
                     is_frozen ? "freezes" : "correlates", name, (long long)i + 1, energies[i],
                     100 * share->sum);
        k += is_frozen;
    }
}

enum status frozen_core_find(const struct scf_problem *problem, const struct dense *orbitals,
                             const double *energies, int64_t n_occupied, const char *name,
                             int64_t n_core, int64_t core[])
{
    int rank;
    int64_t n = problem->shells->n_functions;
    MPI_Comm_rank(problem->comm, &rank);
    struct core_share *shares = calloc((size_t)n_occupied, sizeof *shares);
    double *SC = malloc((size_t)(rank == 0 ? n * n_occupied : 1) * sizeof *SC);
    enum status status =
        status_agree(problem->comm, CHECK_MEMORY(shares && SC, "no memory for the cores of atoms"));
    if (status == STATUS_OK)
        status = gather_overlaps(problem, orbitals, n_occupied, SC);
    if (status != STATUS_OK)
        goto done;
    status = status_agree(problem->comm,
                          rank == 0 ? share_atoms(problem, n_occupied, SC, shares) : STATUS_OK);
    if (status != STATUS_OK)
        goto done;
    if (rank == 0)
        frozen_core_choose(n_occupied, shares, n_core, core);
    MPI_Bcast(core, (int)n_core, MPI_INT64_T, 0, problem->comm);
    if (rank == 0)
        report_core(problem->molecule, shares, energies, n_occupied, name, n_core, core);
done:
    free(shares);
    free(SC);
    return status;
}
