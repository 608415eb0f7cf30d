/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/guess/guess.h"

#include "hf/guess/guess_atom.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <stdlib.h>
#include <string.h>

/* The density of an atom of an element and basis set. */
struct element_density {
    const struct atom *atom;       /* the first nucleus of the kind */
    int64_t first_shell, n_shells; /* of it */
    int n_functions;
    double *D; /* n_functions x n_functions, row-major; NULL if the kind does not occur */
    double *M; /* likewise, of unpaired electrons; in the memory of D */
    double n_electrons;
};

/* First function of each centre, and densities by atom_kind. */
struct superposition {
    const struct scf_problem *problem;
    int64_t *first_function; /* n_atoms */
    int64_t n_kinds;
    struct element_density *elements;
};

static void superposition_fini(struct superposition *superposition)
{
    free(superposition->first_function);
    for (int64_t kind = 0; kind < superposition->n_kinds; kind++)
        free(superposition->elements[kind].D);
    free(superposition->elements);
}

/* Finds the shells of every centre. Errors: the caller still calls superposition_fini. */
static enum status superposition_init(const struct scf_problem *problem,
                                      struct superposition *superposition)
{
    const struct molecule *molecule = problem->molecule;
    const struct shells *shells = problem->shells;
    *superposition = (struct superposition){.problem = problem};
    superposition->first_function = calloc((size_t)molecule->n_atoms, sizeof(int64_t));
    superposition->elements =
        calloc((size_t)molecule_n_kinds(molecule), sizeof *superposition->elements);
    TRY(CHECK_MEMORY(superposition->first_function && superposition->elements,
                     "no memory for %lld centres", (long long)molecule->n_atoms));
    superposition->n_kinds = molecule_n_kinds(molecule);
    for (int64_t first = 0, last; first < shells->n_shells; first = last) {
        int64_t centre = shells->shells[first].atom;
        int n_functions = 0;
        for (last = first; last < shells->n_shells && shells->shells[last].atom == centre; last++)
            n_functions += shells->shells[last].n_functions;
        superposition->first_function[centre] = shells->shells[first].first_function;
        const struct atom *atom = &molecule->atoms[centre];
        struct element_density *element = &superposition->elements[atom_kind(atom)];
        if (atom->charge == 0 || element->D)
            continue;
        size_t size = (size_t)n_functions * (size_t)n_functions;
        *element = (struct element_density){.atom = atom,
                                            .first_shell = first,
                                            .n_shells = last - first,
                                            .n_functions = n_functions,
                                            .D = calloc(2 * size, sizeof(double))};
        TRY(CHECK_MEMORY(element->D, "no memory for the density of an atom"));
        element->M = element->D + size;
    }
    return STATUS_OK;
}

/* The kinds of atoms of this process: each has one of its own. */
static enum status solve_own_elements(struct superposition *superposition, int rank, int size)
{
    const struct shell *shells = superposition->problem->shells->shells;
    int count = 0;
    for (int64_t kind = 0; kind < superposition->n_kinds; kind++) {
        struct element_density *element = &superposition->elements[kind];
        struct guess_atom atom;
        if (!element->D || count++ % size != rank)
            continue;
        TRY(guess_atom_density(element->atom, shells + element->first_shell, element->n_shells,
                               element->D, element->M, &atom));
        element->n_electrons = atom.n_electrons;
    }
    return STATUS_OK;
}

/* Each kind on one process, then everywhere. */
static enum status solve_elements(struct superposition *superposition)
{
    MPI_Comm comm = superposition->problem->comm;
    int rank, size, count = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    TRY(status_agree(comm, solve_own_elements(superposition, rank, size)));
    for (int64_t kind = 0; kind < superposition->n_kinds; kind++) {
        struct element_density *element = &superposition->elements[kind];
        if (!element->D)
            continue;
        int root = count++ % size;
        int size_of_D = element->n_functions * element->n_functions;
        MPI_Bcast(element->D, 2 * size_of_D, MPI_DOUBLE, root, comm);
        MPI_Bcast(&element->n_electrons, 1, MPI_DOUBLE, root, comm);
    }
    return STATUS_OK;
}

/* Electrons of all atoms of the molecule. */
static double count_atom_electrons(const struct superposition *superposition)
{
    const struct molecule *molecule = superposition->problem->molecule;
    double n = 0;
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        if (molecule->atoms[i].charge > 0)
            n += superposition->elements[atom_kind(&molecule->atoms[i])].n_electrons;
    return n;
}

/* out = factors[0] D + factors[1] M, the block of shells i and j of a centre.
 * first_function  of the centre
 * n_J             from row to row of out */
static void mix_block(const struct element_density *element, const double factors[2],
                      const struct shell *i, const struct shell *j, int64_t first_function,
                      int64_t n_J, double *out)
{
    int64_t n = element->n_functions;
    int64_t first = (i->first_function - first_function) * n + j->first_function - first_function;
    for (int f = 0; f < i->n_functions; f++)
        for (int g = 0; g < j->n_functions; g++) {
            int64_t at = first + f * n + g;
            out[f * n_J + g] = factors[0] * element->D[at] + factors[1] * element->M[at];
        }
}

/* Tile (I, J), whose blocks between different centres are zero. */
static void fill_tile(const struct superposition *superposition, const double factors[2], int64_t I,
                      int64_t J, double *tile)
{
    const struct tiling *tiling = superposition->problem->tiling;
    const struct shell *shells = superposition->problem->shells->shells;
    int64_t n_J = tile_n_functions(tiling, J);
    memset(tile, 0, (size_t)(tile_n_functions(tiling, I) * n_J) * sizeof(double));
    for (int64_t i = tiling->first_shell[I]; i < tiling->first_shell[I + 1]; i++) {
        const struct atom *atom = &superposition->problem->molecule->atoms[shells[i].atom];
        for (int64_t j = tiling->first_shell[J]; j < tiling->first_shell[J + 1]; j++)
            if (atom->charge > 0 && shells[j].atom == shells[i].atom)
                mix_block(&superposition->elements[atom_kind(atom)], factors, &shells[i],
                          &shells[j], superposition->first_function[shells[i].atom], n_J,
                          tile + (shells[i].first_function - tiling->first_function[I]) * n_J +
                              shells[j].first_function - tiling->first_function[J]);
    }
}

/* D from the atoms' densities; every process fills the tiles it holds. */
static enum status place_atoms(const struct superposition *superposition, const double factors[2],
                               struct darray *D)
{
    const struct tiling *tiling = superposition->problem->tiling;
    size_t size = (size_t)(tiling->max_functions * tiling->max_functions) * sizeof(double);
    double *tile = agree_calloc(superposition->problem->comm, size, "a tile");
    if (!tile)
        return STATUS_NO_MEMORY;
    struct own_tile own = {0};
    while (own_tile_next(tiling, D, &own)) {
        fill_tile(superposition, factors, own.I, own.J, tile);
        darray_put(D, own.pair, tile);
    }
    free(tile);
    darray_sync();
    return STATUS_OK;
}

/* Factor from n electrons of atoms to the electrons of a spin. Nuclei without functions bring no
 * electrons: D = 0 then starts from H. */
static double sum_factor(const struct scf_problem *problem, double n, int spin)
{
    return n > 0 ? problem->electrons_per_orbital * (double)problem->n_occupied[spin] / n : 0;
}

/* With spins, scales to all electrons of the molecule, and halves D + M and D - M.
 * Errors: on failure superposition_fini still has to be called. */
static enum status superpose_atoms(const struct scf_problem *problem, bool with_spins,
                                   struct superposition *superposition, struct darray *const D[])
{
    TRY(status_agree(problem->comm, superposition_init(problem, superposition)));
    TRY(solve_elements(superposition));
    double n = count_atom_electrons(superposition);
    for (int s = 0; s < problem->n_densities; s++) {
        double factors[2] = {sum_factor(problem, n, s), 0};
        if (with_spins) {
            factors[0] = 0.5 * (sum_factor(problem, n, 0) + sum_factor(problem, n, 1));
            factors[1] = s == 0 ? factors[0] : -factors[0];
        }
        TRY(place_atoms(superposition, factors, D[s]));
    }
    return STATUS_OK;
}

enum status guess_sad(const struct scf_problem *problem, bool with_spins, struct darray *const D[])
{
    struct superposition superposition;
    enum status status = superpose_atoms(problem, with_spins, &superposition, D);
    superposition_fini(&superposition);
    return status;
}

/* D of the lowest eigenvectors of H, which become *U, created here. */
static enum status core_density(const struct scf_basis *basis, double *energies, struct dense **U,
                                struct darray *const D[])
{
    struct dense *H = basis->work_mm[0], *C = basis->work_nm;
    TRY(dense_create(H->grid, basis->n_orbitals, basis->n_orbitals, U));
    TRY(scf_basis_load(basis, basis->H));
    scf_basis_project(basis, basis->work_nn, H);
    TRY(dense_eigen(H, energies, *U));
    scf_basis_expand(basis, *U, C);
    for (int s = 0; s < basis->problem->n_densities; s++) {
        dense_multiply_columns(basis->problem->electrons_per_orbital, C, C, 0, basis->n_occupied[s],
                               0, basis->work_nn);
        TRY(tile_matrix_from_dense(basis->problem->tiling, basis->work_nn, D[s]));
    }
    return STATUS_OK;
}

enum status guess_core(const struct scf_basis *basis, struct darray *const D[])
{
    struct dense *U = NULL;
    double *energies = agree_calloc(
        basis->problem->comm, (size_t)basis->n_orbitals * sizeof *energies, "orbital energies");
    if (!energies)
        return STATUS_NO_MEMORY;
    enum status status = core_density(basis, energies, &U, D);
    dense_destroy(U);
    free(energies);
    return status;
}
