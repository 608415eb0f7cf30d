#include "hf/checkpoint/checkpoint.h"

#include "hf/checkpoint/checkpoint_file.h"
#include "support/base/agree.h"
#include "support/io/output_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
             "Beryl, %s, total energy %.12f hartree", problem->n_spins == 1 ? "RHF" : "UHF",
             orbitals->energy);
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
        status = dense_gather(transposed, rows ? rows + s * orbitals->n_orbitals * n : NULL);
    }
    dense_destroy(transposed);
    return status;
}

/* Finds an unused name in the folder of the path. */
static enum status find_temporary(const char *path, char temporary[PATH_MAX])
{
    if (snprintf(temporary, PATH_MAX, "%s.XXXXXX", path) >= PATH_MAX)
        return FAIL(STATUS_IO, "cannot write %s: the name is too long", path);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0)
        return FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    close(descriptor);
    /* TREXIO would add to an existing file. */
    unlink(temporary);
    return STATUS_OK;
}

/* On process 0: writes a temporary file and renames it. */
static enum status write_and_rename(const char *path, const struct checkpoint_contents *contents,
                                    const struct checkpoint_orbitals *orbitals)
{
    char temporary[PATH_MAX];
    TRY(find_temporary(path, temporary));
    enum status status = checkpoint_file_write(temporary, contents);
    if (status == STATUS_OK && orbitals->add)
        status = orbitals->add(temporary, orbitals->add_context);
    if (status == STATUS_OK && rename(temporary, path) != 0)
        status = FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    if (status != STATUS_OK)
        unlink(temporary);
    return status;
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
            status = write_and_rename(path, &contents, orbitals);
    }
    status = status_agree(problem->comm, status);
    checkpoint_contents_fini(&contents);
    return status;
}

enum status checkpoint_check(const char *path, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    enum status status = STATUS_OK;
    struct stat information;
    if (rank == 0) {
        /* The rename would replace a link, device or pipe by a regular file. */
        if (lstat(path, &information) == 0 && !S_ISREG(information.st_mode))
            status = FAIL(STATUS_IO, "cannot write %s: it is not a regular file", path);
        else
            status = output_file_check(path);
    }
    return status_agree(comm, status);
}
