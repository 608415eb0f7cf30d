#include "hf/checkpoint/checkpoint.h"

#include "hf/checkpoint/checkpoint_file.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <string.h>

/* First row of a spin's orbitals: those of the other spin if the file is restricted.
 * *n_rows: how many there are. */
static int64_t find_spin(const struct checkpoint_contents *contents, int spin, int64_t *n_rows)
{
    for (int wanted = spin; wanted >= 0; wanted--) {
        int64_t first = -1;
        *n_rows = 0;
        for (int64_t k = 0; k < contents->n_orbitals; k++) {
            if (contents->spins[k] != wanted)
                continue;
            if (first < 0)
                first = k;
            ++*n_rows;
        }
        if (first >= 0)
            return first;
    }
    return 0;
}

/* Process 0: contents that fit the problem, coefficients in this program's order. */
static enum status read_fitting(const char *path, const struct scf_problem *problem,
                                struct checkpoint_contents *contents)
{
    struct checkpoint_basis wanted;
    TRY(checkpoint_file_read(path, contents));
    TRY(checkpoint_basis_init(problem->molecule, problem->shells, &wanted));
    enum status status = checkpoint_basis_compare(path, &wanted, &contents->basis);
    for (int s = 0; s < problem->n_spins && status == STATUS_OK; s++) {
        int64_t n_rows;
        find_spin(contents, s, &n_rows);
        if (n_rows < problem->n_occupied[s])
            status = FAIL(STATUS_INPUT, "%s: it has %lld orbitals, %lld are to be occupied", path,
                          (long long)n_rows, (long long)problem->n_occupied[s]);
    }
    if (status == STATUS_OK)
        status =
            checkpoint_basis_reorder(&wanted, false, contents->n_orbitals, contents->coefficients);
    checkpoint_basis_fini(&wanted);
    return status;
}

/* D = occupation C^T C of the occupied rows C, given on process 0. */
static enum status density_of_rows(const struct scf_problem *problem, int spin, const double *rows,
                                   struct darray *tiles)
{
    int64_t n = problem->shells->n_functions;
    struct dense *C = NULL, *D = NULL;
    enum status status = dense_create(problem->grid, problem->n_occupied[spin], n, &C);
    if (status == STATUS_OK)
        status = dense_create(problem->grid, n, n, &D);
    if (status == STATUS_OK)
        status = dense_scatter(rows, C);
    if (status == STATUS_OK) {
        dense_multiply('T', 'N', problem->n_spins == 1 ? 2 : 1, C, C, 0, D);
        status = tile_matrix_from_dense(problem->tiling, D, tiles);
    }
    dense_destroy(C);
    dense_destroy(D);
    return status;
}

/* Reads on process 0; contents are empty on the others, and to be finished in any case.
 * Collective. */
static enum status read_collectively(const char *path, const struct scf_problem *problem,
                                     struct checkpoint_contents *contents, int *rank)
{
    *contents = (struct checkpoint_contents){0};
    MPI_Comm_rank(problem->comm, rank);
    return status_agree(problem->comm,
                        *rank == 0 ? read_fitting(path, problem, contents) : STATUS_OK);
}

enum status checkpoint_check_fits(const char *path, const struct scf_problem *problem)
{
    struct checkpoint_contents contents;
    int rank;
    enum status status = read_collectively(path, problem, &contents, &rank);
    checkpoint_contents_fini(&contents);
    return status;
}

enum status checkpoint_read_density(const char *path, const struct scf_problem *problem,
                                    struct darray *const D[])
{
    struct checkpoint_contents contents;
    int rank;
    enum status status = read_collectively(path, problem, &contents, &rank);
    for (int s = 0; s < problem->n_spins && status == STATUS_OK; s++) {
        int64_t n_rows = 0;
        int64_t first = rank == 0 ? find_spin(&contents, s, &n_rows) : 0;
        const double *rows =
            rank == 0 ? contents.coefficients + first * problem->shells->n_functions : NULL;
        status = density_of_rows(problem, s, rows, D[s]);
    }
    checkpoint_contents_fini(&contents);
    return status;
}

/* Process 0: where the spin's orbitals are, n_orbitals of them. */
static enum status find_orbitals(const char *path, const struct checkpoint_contents *contents,
                                 int spin, int64_t n_orbitals, int64_t *first)
{
    int64_t n_rows;
    *first = find_spin(contents, spin, &n_rows);
    if (n_rows != n_orbitals)
        return FAIL(STATUS_INPUT,
                    "%s: it has %lld orbitals, but there are %lld: were more combinations of "
                    "functions left out (--dependence)?",
                    path, (long long)n_rows, (long long)n_orbitals);
    return STATUS_OK;
}

/* C = the rows, given on process 0, as columns. */
static enum status set_orbitals(const struct scf_problem *problem, const double *rows,
                                struct dense *C)
{
    struct dense *transposed;
    TRY(dense_create(problem->grid, C->n_columns, C->n_rows, &transposed));
    enum status status = dense_scatter(rows, transposed);
    if (status == STATUS_OK)
        dense_add_transposed(1, transposed, 0, C);
    dense_destroy(transposed);
    return status;
}

enum status checkpoint_read_orbitals(const char *path, const struct scf_problem *problem,
                                     int64_t n_orbitals, struct dense *const C[],
                                     double *const energies[])
{
    struct checkpoint_contents contents;
    int rank;
    enum status status = read_collectively(path, problem, &contents, &rank);
    for (int s = 0; s < problem->n_spins && status == STATUS_OK; s++) {
        int64_t first = 0;
        if (rank == 0)
            status = find_orbitals(path, &contents, s, n_orbitals, &first);
        status = status_agree(problem->comm, status);
        if (status != STATUS_OK)
            break;
        const double *rows =
            rank == 0 ? contents.coefficients + first * problem->shells->n_functions : NULL;
        status = set_orbitals(problem, rows, C[s]);
        if (rank == 0)
            memcpy(energies[s], contents.energies + first, (size_t)n_orbitals * sizeof(double));
        MPI_Bcast(energies[s], (int)n_orbitals, MPI_DOUBLE, 0, problem->comm);
    }
    checkpoint_contents_fini(&contents);
    return status;
}
