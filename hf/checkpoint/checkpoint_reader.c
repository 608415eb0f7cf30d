/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_reader_private.h"

#include "hf/checkpoint/checkpoint_shells.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "hf/checkpoint/checkpoint_trial.h"
#include "hf/tiles/orbital_density.h"
#include "support/base/agree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Bound for orbitals that are used as they are, without an SCF that makes new ones: rounding, where
 * functions are all but dependent (--dependence), is 1e-10 at most. */
#define ORTHONORMAL_AS_THEY_ARE 1e-8

/* Tolerance of occupation numbers, which other programs round. */
#define OCCUPATION 1e-4

/* --- the file --- */

static enum status identify_file(const char *path, struct identity *identity)
{
    struct stat information;
    if (stat(path, &information) != 0)
        return FAIL(STATUS_IO, "cannot read %s: %s", path, strerror(errno));
    *identity = (struct identity){information.st_dev, information.st_ino, information.st_size,
                                  information.st_mtim};
    return STATUS_OK;
}

static enum status check_identity(const struct checkpoint_reader *reader)
{
    struct identity now = {0};
    const struct identity *then = &reader->identity;
    TRY(identify_file(reader->path, &now));
    if (now.device == then->device && now.inode == then->inode && now.size == then->size &&
        now.changed.tv_sec == then->changed.tv_sec && now.changed.tv_nsec == then->changed.tv_nsec)
        return STATUS_OK;
    return FAIL(STATUS_INPUT, "%s: replaced while this run was reading it: start again",
                reader->path);
}

/* Rows of alpha orbitals and, after them, of beta ones. */
static void count_spins(struct checkpoint_reader *reader)
{
    const struct checkpoint_contents *contents = &reader->contents;
    for (int64_t k = 0; k < contents->n_orbitals; k++)
        reader->n_orbitals[contents->spins[k]]++;
    reader->first[1] = reader->n_orbitals[0];
    reader->n_rows = contents->n_orbitals;
    reader->n_functions = contents->basis.n_functions;
}

/* The spin of the file whose orbitals a spin of the problem takes. */
static int spin_in_file(const struct checkpoint_reader *reader, int spin)
{
    return reader->n_orbitals[spin] > 0 ? spin : 1 - spin;
}

static enum status check_orbital_counts(const struct checkpoint_reader *reader,
                                        const struct scf_problem *problem)
{
    for (int s = 0; s < problem->n_densities; s++) {
        int64_t n = reader->n_orbitals[spin_in_file(reader, s)];
        if (n < problem->n_occupied[s])
            return FAIL(STATUS_INPUT, "%s: it has %lld orbitals, %lld are to be occupied",
                        reader->path, (long long)n, (long long)problem->n_occupied[s]);
    }
    return STATUS_OK;
}

/* The failure to fit, and what can be done about it. */
static enum status advise_projection(const struct checkpoint_reader *reader)
{
    return FAIL(STATUS_INPUT, "%s: --guess %s takes its orbitals to another geometry or basis",
                status_text(), reader->path);
}

/* Process 0: contents that fit the problem; sets is_foreign. */
static enum status fit_contents(struct checkpoint_reader *reader, const struct scf_problem *problem)
{
    struct checkpoint_basis wanted, *found = &reader->contents.basis;
    TRY(checkpoint_basis_init(problem->given, problem->shells, &wanted));
    enum status status = checkpoint_basis_compare_elements(reader->path, &wanted, found);
    if (status != STATUS_OK)
        goto done;
    reader->is_foreign = checkpoint_basis_compare(reader->path, &wanted, found) != STATUS_OK;
    if (reader->is_foreign && reader->fit == CHECKPOINT_FITS_FUNCTIONS) {
        status = advise_projection(reader);
        goto done;
    }
    if (!reader->is_foreign)
        memcpy(found->function, wanted.function,
               (size_t)found->n_functions * sizeof *found->function);
    status = check_orbital_counts(reader, problem);
done:
    checkpoint_basis_fini(&wanted);
    return status;
}

/* Numbers foreign functions in the order that this program gives them. */
static enum status number_foreign_functions(struct checkpoint_reader *reader,
                                            const struct scf_problem *problem)
{
    struct checkpoint_basis wanted, *found = &reader->contents.basis;
    TRY(checkpoint_basis_init(problem->molecule, reader->shells, &wanted));
    enum status status = checkpoint_basis_compare_order(reader->path, &wanted, found);
    if (status == STATUS_OK)
        memcpy(found->function, wanted.function,
               (size_t)found->n_functions * sizeof *found->function);
    checkpoint_basis_fini(&wanted);
    return status;
}

/* The shells of foreign functions, at the file's centres. */
static enum status create_foreign_shells(struct checkpoint_reader *reader,
                                         const struct scf_problem *problem)
{
    struct checkpoint_basis *basis = &reader->contents.basis;
    TRY(checkpoint_basis_share(reader->comm, basis));
    TRY(status_agree(reader->comm, checkpoint_shells_create(reader->path, basis, &reader->shells)));
    return status_agree(reader->comm,
                        reader->rank == 0 ? number_foreign_functions(reader, problem) : STATUS_OK);
}

/* Process 0. */
static enum status verify_file(struct checkpoint_reader *reader, const struct scf_problem *problem)
{
    TRY(identify_file(reader->path, &reader->identity));
    TRY(checkpoint_trial(reader->path));
    TRY(check_identity(reader));
    TRY(checkpoint_file_read(reader->path, &reader->contents));
    count_spins(reader);
    return fit_contents(reader, problem);
}

static void share_counts(struct checkpoint_reader *reader)
{
    int64_t counts[] = {reader->n_functions,
                        reader->n_rows,
                        reader->n_orbitals[0],
                        reader->n_orbitals[1],
                        reader->is_foreign,
                        reader->contents.n_electrons[0],
                        reader->contents.n_electrons[1],
                        strstr(reader->contents.description, CHECKPOINT_CONVERGED) != NULL};
    MPI_Bcast(counts, sizeof counts / sizeof *counts, MPI_INT64_T, 0, reader->comm);
    reader->n_functions = counts[0];
    reader->n_rows = counts[1];
    reader->n_orbitals[0] = reader->first[1] = counts[2];
    reader->n_orbitals[1] = counts[3];
    reader->is_foreign = counts[4] != 0;
    reader->n_electrons[0] = counts[5];
    reader->n_electrons[1] = counts[6];
    reader->is_solution = counts[7] != 0;
}

static enum status verify_everywhere(struct checkpoint_reader *reader,
                                     const struct scf_problem *problem)
{
    TRY(status_agree(reader->comm, reader->rank == 0 ? verify_file(reader, problem) : STATUS_OK));
    share_counts(reader);
    if (!reader->is_foreign)
        return checkpoint_check_orthonormal(reader, problem);
    TRY(create_foreign_shells(reader, problem));
    TRY(checkpoint_check_orthonormal(reader, problem));
    reader->is_moved = checkpoint_shells_move(problem->molecule, reader->shells);
    return STATUS_OK;
}

enum status checkpoint_reader_create(const char *path, const struct scf_problem *problem,
                                     enum checkpoint_fit fit, struct checkpoint_reader **reader)
{
    struct checkpoint_reader *new = agree_calloc(problem->comm, sizeof *new, "a checkpoint");
    *reader = NULL;
    if (!new)
        return STATUS_NO_MEMORY;
    new->path = path;
    new->comm = problem->comm;
    new->fit = fit;
    MPI_Comm_rank(problem->comm, &new->rank);
    enum wall_use use = wall_time_begin(WALL_FILES);
    enum status status = verify_everywhere(new, problem);
    wall_time_end(use);
    if (status != STATUS_OK)
        checkpoint_reader_destroy(new);
    else
        *reader = new;
    return status;
}

void checkpoint_reader_destroy(struct checkpoint_reader *reader)
{
    if (!reader)
        return;
    checkpoint_contents_fini(&reader->contents);
    shells_destroy(reader->shells);
    free(reader);
}

/* --- reading --- */

const char *checkpoint_reader_path(const struct checkpoint_reader *reader)
{
    return reader->path;
}

enum status checkpoint_reader_open(const struct checkpoint_reader *reader,
                                   struct checkpoint_stream *stream)
{
    /* Checked before it is opened, as HDF5 may crash on an unverified file, and after, when no
     * other file can take its place any more. */
    TRY(status_agree(reader->comm, reader->rank == 0 ? check_identity(reader) : STATUS_OK));
    TRY(checkpoint_stream_open(reader->path, CHECKPOINT_READ, reader->comm,
                               reader->contents.basis.function, stream));
    enum status status =
        status_agree(reader->comm, reader->rank == 0 ? check_identity(reader) : STATUS_OK);
    return status == STATUS_OK ? STATUS_OK : checkpoint_stream_close(stream, status);
}

const struct shells *checkpoint_reader_foreign_shells(const struct checkpoint_reader *reader)
{
    return reader->shells;
}

bool checkpoint_reader_is_of_other_basis(const struct checkpoint_reader *reader)
{
    return reader->shells && !reader->is_moved;
}

enum status checkpoint_read_columns(const struct checkpoint_reader *reader, int spin,
                                    struct dense *C)
{
    struct checkpoint_stream stream;
    const struct checkpoint_matrix place = {.set = CHECKPOINT_COEFFICIENTS,
                                            .n_rows = reader->n_rows,
                                            .first_row = reader->first[spin],
                                            .of_functions = true};
    TRY(checkpoint_reader_open(reader, &stream));
    return checkpoint_stream_close(&stream, checkpoint_stream_matrix(&stream, &place, C));
}

enum status checkpoint_reader_occupied(const struct checkpoint_reader *reader,
                                       const struct scf_problem *problem, int spin,
                                       struct dense **C)
{
    TRY(dense_create(problem->grid, reader->n_functions, problem->n_occupied[spin], C));
    enum status status = checkpoint_read_columns(reader, spin_in_file(reader, spin), *C);
    if (status != STATUS_OK) {
        dense_destroy(*C);
        *C = NULL;
    }
    return status;
}

/* D of the occupied orbitals of a spin. */
static enum status set_density(const struct checkpoint_reader *reader,
                               const struct scf_problem *problem, int spin, struct darray *D)
{
    struct dense *C;
    TRY(checkpoint_reader_occupied(reader, problem, spin, &C));
    enum status status = orbital_density(problem->tiling, problem->electrons_per_orbital, C,
                                         problem->n_occupied[spin], D);
    dense_destroy(C);
    return status;
}

enum status checkpoint_reader_density(const struct checkpoint_reader *reader,
                                      const struct scf_problem *problem, struct darray *const D[])
{
    for (int s = 0; s < problem->n_densities; s++)
        TRY(set_density(reader, problem, s, D[s]));
    return STATUS_OK;
}

enum status checkpoint_reader_electrons(const struct checkpoint_reader *reader,
                                        int64_t n_electrons[2])
{
    memcpy(n_electrons, reader->n_electrons, sizeof reader->n_electrons);
    if (reader->n_orbitals[1] == 0 && n_electrons[0] == n_electrons[1])
        return FAIL(STATUS_INPUT,
                    "%s: closed shells, without a spin density to reverse at centres: name a "
                    "checkpoint of UHF, for instance of the highest multiplicity, or --guess sad",
                    reader->path);
    for (int s = 0; s < 2; s++)
        if (n_electrons[s] > reader->n_orbitals[spin_in_file(reader, s)])
            return FAIL(STATUS_INPUT, "%s: %lld electrons of a spin, which has %lld orbitals",
                        reader->path, (long long)n_electrons[s],
                        (long long)reader->n_orbitals[spin_in_file(reader, s)]);
    return STATUS_OK;
}

/* Electrons of the problem in an orbital of the file. */
static int occupation_of(const struct checkpoint_reader *reader, const struct scf_problem *problem,
                         int64_t orbital)
{
    int64_t spin = reader->contents.spins[orbital], k = orbital - reader->first[spin];
    int n = 0;
    for (int s = 0; s < problem->n_densities; s++)
        n += spin_in_file(reader, s) == spin && k < problem->n_occupied[s];
    return n * problem->electrons_per_orbital;
}

/* Process 0. */
static enum status check_own_density(const struct checkpoint_reader *reader,
                                     const struct scf_problem *problem)
{
    const struct checkpoint_contents *contents = &reader->contents;
    const int64_t *found = contents->n_electrons, *wanted = problem->n_occupied;
    int64_t n_beta = wanted[problem->n_densities - 1];
    if (problem->n_densities == 1 && reader->n_orbitals[1] > 0)
        return FAIL(STATUS_INPUT, "%s: a density of UHF, and this run is an RHF: use --method uhf",
                    reader->path);
    if (found[0] != wanted[0] || found[1] != n_beta)
        return FAIL(
            STATUS_INPUT,
            "%s: a density of %lld alpha and %lld beta electrons, and this run has %lld and "
            "%lld: check --charge and --multiplicity",
            reader->path, (long long)found[0], (long long)found[1], (long long)wanted[0],
            (long long)n_beta);
    for (int64_t k = 0; contents->occupations && k < contents->n_orbitals; k++)
        if (!(fabs(contents->occupations[k] - occupation_of(reader, problem, k)) < OCCUPATION))
            return FAIL(STATUS_INPUT,
                        "%s: %g electrons in orbital %lld: only a density of the first orbitals of "
                        "each spin can be read",
                        reader->path, contents->occupations[k], (long long)k + 1);
    return STATUS_OK;
}

enum status checkpoint_reader_check_density(const struct checkpoint_reader *reader,
                                            const struct scf_problem *problem)
{
    return status_agree(reader->comm,
                        reader->rank == 0 ? check_own_density(reader, problem) : STATUS_OK);
}

bool checkpoint_reader_is_solution(const struct checkpoint_reader *reader)
{
    return reader->is_solution;
}

bool checkpoint_reader_is_there(const struct checkpoint_reader *reader)
{
    bool is_there = reader->rank == 0 && check_identity(reader) == STATUS_OK;
    MPI_Bcast(&is_there, 1, MPI_C_BOOL, 0, reader->comm);
    return is_there;
}

bool checkpoint_reader_is_orthonormal(const struct checkpoint_reader *reader)
{
    return reader->deviation < ORTHONORMAL_AS_THEY_ARE;
}

bool checkpoint_reader_has_orbitals(const struct checkpoint_reader *reader,
                                    const struct scf_problem *problem, int64_t n_orbitals)
{
    bool has = checkpoint_reader_is_orthonormal(reader);
    for (int s = 0; s < problem->n_orbital_sets; s++)
        has = has && reader->n_orbitals[spin_in_file(reader, s)] == n_orbitals;
    return has;
}

void checkpoint_reader_energies(const struct checkpoint_reader *reader,
                                const struct scf_problem *problem, int64_t n_orbitals,
                                double *const energies[])
{
    for (int s = 0; s < problem->n_orbital_sets; s++) {
        int64_t first = reader->first[spin_in_file(reader, s)];
        if (reader->rank == 0)
            memcpy(energies[s], reader->contents.energies + first,
                   (size_t)n_orbitals * sizeof *energies[s]);
        MPI_Bcast(energies[s], (int)n_orbitals, MPI_DOUBLE, 0, reader->comm);
    }
}

enum status checkpoint_reader_orbitals(const struct checkpoint_reader *reader,
                                       const struct scf_problem *problem, struct dense *const C[])
{
    for (int s = 0; s < problem->n_orbital_sets; s++)
        TRY(checkpoint_read_columns(reader, spin_in_file(reader, s), C[s]));
    return STATUS_OK;
}
