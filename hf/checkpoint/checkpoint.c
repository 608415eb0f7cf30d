#include "hf/checkpoint/checkpoint.h"

#include "hf/checkpoint/checkpoint_file.h"
#include "hf/checkpoint/checkpoint_seal.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/output_file.h"
#include "support/io/signal_notice.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- writing --- */

static int64_t n_electrons(const struct scf_problem *problem, int spin)
{
    return problem->n_occupied[problem->n_spins == 1 ? 0 : spin];
}

/* All of the contents but the coefficients. */
static enum status describe(const struct scf_problem *problem,
                            const struct checkpoint_orbitals *orbitals,
                            struct checkpoint_contents *contents)
{
    *contents = (struct checkpoint_contents){
        .n_electrons = {n_electrons(problem, 0), n_electrons(problem, 1)},
        .n_orbitals = (int64_t)problem->n_spins * orbitals->n_orbitals,
    };
    snprintf(contents->description, sizeof contents->description,
             "Beryl, %s, total energy %.12f hartree" CHECKPOINT_SEALED,
             problem->n_spins == 1 ? "RHF" : "UHF", orbitals->energy);
    TRY(checkpoint_basis_init(problem->molecule, problem->shells, &contents->basis));
    TRY(checkpoint_contents_init_orbitals(contents));
    for (int s = 0; s < problem->n_spins; s++) {
        for (int k = 0; k < orbitals->n_orbitals; k++) {
            int64_t at = (int64_t)s * orbitals->n_orbitals + k;
            contents->energies[at] = orbitals->orbital_energies[s][k];
            contents->occupations[at] =
                k < problem->n_occupied[s] ? (problem->n_spins == 1 ? 2 : 1) : 0;
            contents->spins[at] = s;
        }
    }
    return STATUS_OK;
}

/* Collects the orbitals as rows on process 0. rows: NULL elsewhere. */
static enum status gather_orbitals(const struct scf_problem *problem,
                                   const struct checkpoint_orbitals *orbitals, double *rows)
{
    int64_t n = problem->shells->n_functions;
    struct dense *transposed;
    TRY(dense_create(problem->grid, orbitals->n_orbitals, n, &transposed));
    enum status status = STATUS_OK;
    for (int s = 0; s < problem->n_spins && status == STATUS_OK; s++) {
        dense_add_transposed(1, orbitals->orbitals[s], 0, transposed);
        status = dense_gather(transposed, rows ? rows + s * n * orbitals->n_orbitals : NULL);
    }
    dense_destroy(transposed);
    return status;
}

/* Of the orbitals; the rest is small. */
static int64_t contents_bytes(const struct checkpoint_contents *contents)
{
    return contents->n_orbitals * (contents->basis.n_functions + 3) * (int64_t)sizeof(double);
}

/* All that goes into a file. */
struct writing {
    const struct checkpoint_contents *contents;
    const struct checkpoint_orbitals *orbitals;
};

/* What a full disk or a library left out is noticed by reading the file again. */
static enum status write_checkpoint_file(const char *path, void *context)
{
    const struct writing *writing = context;
    TRY(checkpoint_file_write(path, writing->contents));
    if (writing->orbitals->add)
        TRY(writing->orbitals->add(path, writing->orbitals->add_context));
    TRY(checkpoint_seal(path));
    struct checkpoint_contents found;
    TRY(checkpoint_file_read(path, &found));
    bool same = checkpoint_contents_equal(&found, writing->contents);
    checkpoint_contents_fini(&found);
    return same ? STATUS_OK
                : FAIL(STATUS_IO,
                       "cannot write %s: what is read is not what was "
                       "written",
                       path);
}

enum status checkpoint_write(const char *path, const struct scf_problem *problem,
                             const struct checkpoint_orbitals *orbitals)
{
    struct checkpoint_contents contents = {0};
    int rank;
    MPI_Comm_rank(problem->comm, &rank);
    enum status status = rank == 0 ? describe(problem, orbitals, &contents) : STATUS_OK;
    status = status_agree(problem->comm, status);
    if (status == STATUS_OK)
        status = gather_orbitals(problem, orbitals, contents.coefficients);
    if (status == STATUS_OK && rank == 0) {
        status = checkpoint_basis_reorder(&contents.basis, true, contents.n_orbitals,
                                          contents.coefficients);
        if (status == STATUS_OK)
            status =
                output_file_replace(path, contents_bytes(&contents) + orbitals->add_bytes,
                                    write_checkpoint_file, &(struct writing){&contents, orbitals});
    }
    status = status_agree(problem->comm, status);
    checkpoint_contents_fini(&contents);
    return status;
}

void checkpoint_write_or_warn(const char *path, const struct scf_problem *problem,
                              const struct checkpoint_orbitals *orbitals)
{
    if (checkpoint_write(path, problem, orbitals) != STATUS_OK)
        log_warn("%s; the run goes on, and a checkpoint written before stays", status_text());
    else
        signal_notice_set(problem->comm,
                          "the run was ended; its last checkpoint is %s, after iteration %lld of "
                          "%s: resume with --restart %s",
                          path, (long long)orbitals->iteration, orbitals->solver, path);
}

enum status checkpoint_check(const char *path, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    enum status status = STATUS_OK;
    struct stat information;
    if (rank == 0) {
        if (stat(path, &information) == 0 && !S_ISREG(information.st_mode))
            status = FAIL(STATUS_IO, "cannot write %s: it is not a regular file", path);
        else
            status = output_file_check(path);
    }
    return status_agree(comm, status);
}

/* --- reading --- */

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
