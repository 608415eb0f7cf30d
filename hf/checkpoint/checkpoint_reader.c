/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_reader.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_contents.h"
#include "hf/checkpoint/checkpoint_seal.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "hf/tiles/cross_overlap.h"
#include "support/base/agree.h"
#include "support/mpi/wall_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bound on the largest element of C^T S C - 1. Centres may be off by CHECKPOINT_SAME_PLACE, 1e-5 Bohr, and S
 * with them; coefficients magnify that by up to s^(-1/2), 1e3 where --dependence keeps eigenvalues s of
 * 1e-6. A deviation of several times their product is damage. */
#define ORTHONORMAL 5e-2

/* Bound for orbitals that are used as they are, of files with a seal: rounding, where functions are all but
 * dependent (--dependence), is 1e-10 at most. Orbitals of other files are made orthonormal, as an SCF keeps the
 * deviation of those that it begins with. */
#define ORTHONORMAL_AS_THEY_ARE 1e-8

/* Tolerance of occupation numbers, which other programs round. */
#define OCCUPATION 1e-4

struct checkpoint_reader {
    struct checkpoint_stream stream; /* open until the reader is destroyed */
    struct checkpoint_contents contents;
    struct shells *shells;               /* of the file */
    bool is_foreign;                     /* they are not the problem's */
    bool is_solution;                    /* of a converged SCF */
    int64_t first_row[2], n_orbitals[2]; /* rows of each spin: alpha's, after them beta's */
    double deviation;                    /* largest element of C^T S C - 1 */
};

/* --- orbitals --- */

/* The spin of the file whose orbitals a spin of the problem takes. */
static int spin_in_file(const struct checkpoint_reader *reader, int spin)
{
    return reader->n_orbitals[spin] > 0 ? spin : 1 - spin;
}

/* Columns of C: the file's first orbitals of a spin, as many. */
static enum status read_columns(const struct checkpoint_reader *reader, int spin, struct dense *C)
{
    const struct checkpoint_matrix place = {.set = CHECKPOINT_COEFFICIENTS,
                                            .n_rows = reader->contents.n.n_orbitals,
                                            .first_row = reader->first_row[spin],
                                            .of_functions = true};
    return checkpoint_stream_matrix(&reader->stream, &place, C);
}

/* Raises the deviation from C^T S C = 1 if a spin has a larger one. */
static enum status check_spin(struct checkpoint_reader *reader, int spin, const struct dense *S)
{
    struct dense *C = NULL, *SC = NULL, *product = NULL;
    int64_t n = S->n_rows, m = reader->n_orbitals[spin];
    const struct dense_member members[] = {{&C, n, m}, {&SC, n, m}, {&product, m, m}};
    enum status status = dense_create_members(S->grid, 3, members);
    if (status != STATUS_OK)
        goto done;
    status = read_columns(reader, spin, C);
    if (status != STATUS_OK)
        goto done;
    dense_set_identity(product);
    dense_multiply('N', 'N', 1, S, C, 0, SC);
    dense_multiply('T', 'N', 1, C, SC, -1, product);
    double deviation = dense_max_abs(product);
    reader->deviation = isfinite(deviation) ? fmax(deviation, reader->deviation) : INFINITY;
    if (!(reader->deviation < ORTHONORMAL))
        status = FAIL(STATUS_INPUT,
                      "%s: damaged: its orbitals are not orthonormal, C^T S C differs from 1 by "
                      "%.1e: take an older checkpoint, or start without one",
                      reader->stream.path, reader->deviation);
done:
    for (int i = 0; i < 3; i++)
        dense_destroy(*members[i].matrix);
    return status;
}

static enum status check_orthonormal(struct checkpoint_reader *reader,
                                     const struct scf_problem *problem)
{
    const struct shells *shells = reader->is_foreign ? reader->shells : problem->shells;
    struct dense *S;
    TRY(dense_create(problem->grid, shells->n_functions, shells->n_functions, &S));
    enum status status = cross_overlap(shells, shells, S);
    for (int s = 0; s < 2 && status == STATUS_OK; s++)
        if (reader->n_orbitals[s] > 0)
            status = check_spin(reader, s, S);
    dense_destroy(S);
    return status;
}

/* --- verification --- */

/* Opens the file, after its seal was verified. */
static enum status open_verified(struct checkpoint_reader *reader, const char *path, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    bool sealed = false;
    TRY(status_agree(comm, rank == 0 ? checkpoint_seal_verify(path, &sealed) : STATUS_OK));
    MPI_Bcast(&sealed, 1, MPI_C_BOOL, 0, comm);
    TRY(checkpoint_stream_open(path, CHECKPOINT_READ, comm, &reader->stream));
    reader->stream.is_sealed = sealed;
    return STATUS_OK;
}

/* Files of other programs and of older versions have no such numbers. */
static enum status read_version(struct checkpoint_reader *reader)
{
    int64_t version = 0, converged = 0;
    bool found;
    const struct checkpoint_number numbers[] = {{"version", .integer = &version},
                                                {"converged", .integer = &converged}};
    TRY(checkpoint_stream_numbers(&reader->stream, CHECKPOINT_GROUP, 2, numbers, &found));
    if (version > CHECKPOINT_VERSION)
        return FAIL(STATUS_INPUT,
                    "%s: a checkpoint of layout %lld, and this version of Beryl reads layouts up "
                    "to %d: take the version that wrote it",
                    reader->stream.path, (long long)version, CHECKPOINT_VERSION);
    reader->is_solution = converged != 0;
    return STATUS_OK;
}

/* Finds the file's shells and whether they are the problem's. Not collective, and the same everywhere but
 * for a lack of memory. */
static enum status fit_contents(struct checkpoint_reader *reader, const struct scf_problem *problem,
                                enum checkpoint_fit fit)
{
    const char *path = reader->stream.path;
    struct checkpoint_contents *contents = &reader->contents;
    TRY(checkpoint_shells_compare_elements(path, problem->given, contents));
    TRY(checkpoint_shells_create(path, contents, &reader->shells));
    for (int64_t k = 0; k < contents->n.n_orbitals; k++)
        reader->n_orbitals[contents->spins[k]]++;
    reader->first_row[1] = reader->n_orbitals[0];
    reader->stream.order = contents->function;
    reader->is_foreign = checkpoint_shells_compare(path, problem->given, problem->shells, contents,
                                                   reader->shells) != STATUS_OK;
    if (reader->is_foreign && fit == CHECKPOINT_FITS_FUNCTIONS)
        return FAIL(STATUS_INPUT, "%s: --guess %s takes its orbitals to another geometry or basis",
                    status_text(), path);
    for (int s = 0; s < problem->n_densities; s++) {
        int64_t n = reader->n_orbitals[spin_in_file(reader, s)];
        if (n < problem->n_occupied[s])
            return FAIL(STATUS_INPUT, "%s: it has %lld orbitals, %lld are to be occupied", path,
                        (long long)n, (long long)problem->n_occupied[s]);
    }
    return STATUS_OK;
}

static enum status verify_file(struct checkpoint_reader *reader, const char *path,
                               const struct scf_problem *problem, enum checkpoint_fit fit)
{
    TRY(open_verified(reader, path, problem->comm));
    TRY(read_version(reader));
    TRY(checkpoint_contents_read(&reader->stream, &reader->contents));
    TRY(status_agree(problem->comm, fit_contents(reader, problem, fit)));
    TRY(check_orthonormal(reader, problem));
    if (reader->is_foreign)
        checkpoint_shells_move(problem->molecule, reader->shells);
    return STATUS_OK;
}

enum status checkpoint_reader_create(const char *path, const struct scf_problem *problem,
                                     enum checkpoint_fit fit, struct checkpoint_reader **reader)
{
    *reader = agree_calloc(problem->comm, sizeof **reader, path);
    if (!*reader)
        return STATUS_NO_MEMORY;
    (*reader)->stream.file = -1;
    enum wall_use use = wall_time_begin(WALL_FILES);
    enum status status = verify_file(*reader, path, problem, fit);
    wall_time_end(use);
    if (status != STATUS_OK) {
        checkpoint_reader_destroy(*reader);
        *reader = NULL;
    }
    return status;
}

void checkpoint_reader_destroy(struct checkpoint_reader *reader)
{
    if (!reader)
        return;
    checkpoint_stream_close(&reader->stream);
    checkpoint_contents_fini(&reader->contents);
    shells_destroy(reader->shells);
    free(reader);
}

/* --- what the file has --- */

const char *checkpoint_reader_path(const struct checkpoint_reader *reader)
{
    return reader->stream.path;
}

const struct checkpoint_stream *checkpoint_reader_stream(const struct checkpoint_reader *reader)
{
    return &reader->stream;
}

const struct shells *checkpoint_reader_foreign_shells(const struct checkpoint_reader *reader)
{
    return reader->is_foreign ? reader->shells : NULL;
}

enum status checkpoint_reader_occupied(const struct checkpoint_reader *reader,
                                       const struct scf_problem *problem, int spin,
                                       struct dense **C)
{
    TRY(dense_create(problem->grid, reader->contents.n.n_functions, problem->n_occupied[spin], C));
    enum status status = read_columns(reader, spin_in_file(reader, spin), *C);
    if (status != STATUS_OK) {
        dense_destroy(*C);
        *C = NULL;
    }
    return status;
}

enum status checkpoint_reader_electrons(const struct checkpoint_reader *reader,
                                        int64_t n_electrons[2])
{
    const char *path = reader->stream.path;
    memcpy(n_electrons, reader->contents.n.n_electrons, sizeof reader->contents.n.n_electrons);
    if (reader->n_orbitals[1] == 0 && n_electrons[0] == n_electrons[1])
        return FAIL(STATUS_INPUT,
                    "%s: closed shells, without a spin density to reverse at centres: name a "
                    "checkpoint of UHF, for instance of the highest multiplicity, or --guess sad",
                    path);
    for (int s = 0; s < 2; s++)
        if (n_electrons[s] > reader->n_orbitals[spin_in_file(reader, s)])
            return FAIL(STATUS_INPUT, "%s: %lld electrons of a spin, which has %lld orbitals", path,
                        (long long)n_electrons[s],
                        (long long)reader->n_orbitals[spin_in_file(reader, s)]);
    return STATUS_OK;
}

/* Electrons in an orbital of a file whose first orbitals are occupied: two in closed shells. */
static int occupation_of(const struct checkpoint_reader *reader, int64_t orbital)
{
    const int64_t *n = reader->contents.n.n_electrons;
    int64_t spin = reader->contents.spins[orbital], k = orbital - reader->first_row[spin];
    return (k < n[spin]) + (reader->n_orbitals[1] == 0 && k < n[1]);
}

enum status checkpoint_reader_check_density(const struct checkpoint_reader *reader,
                                            const struct scf_problem *problem)
{
    const char *path = reader->stream.path;
    const struct checkpoint_contents *contents = &reader->contents;
    const int64_t *found = contents->n.n_electrons, *wanted = problem->n_occupied;
    int64_t n_beta = wanted[problem->n_densities - 1];
    if (problem->n_densities == 1 && reader->n_orbitals[1] > 0)
        return FAIL(STATUS_INPUT, "%s: a density of UHF, and this run is an RHF: use --method uhf",
                    path);
    if (found[0] != wanted[0] || found[1] != n_beta)
        return FAIL(
            STATUS_INPUT,
            "%s: a density of %lld alpha and %lld beta electrons, and this run has %lld and "
            "%lld: check --charge and --multiplicity",
            path, (long long)found[0], (long long)found[1], (long long)wanted[0],
            (long long)n_beta);
    for (int64_t k = 0; contents->n.has_occupations && k < contents->n.n_orbitals; k++)
        if (!(fabs(contents->occupations[k] - occupation_of(reader, k)) < OCCUPATION))
            return FAIL(STATUS_INPUT,
                        "%s: %g electrons in orbital %lld: only a density of the first orbitals of "
                        "each spin can be read",
                        path, contents->occupations[k], (long long)k + 1);
    return STATUS_OK;
}

int checkpoint_reader_orbital_sets(const struct checkpoint_reader *reader)
{
    return reader->n_orbitals[1] > 0 ? 2 : 1;
}

bool checkpoint_reader_is_solution(const struct checkpoint_reader *reader)
{
    return reader->is_solution;
}

bool checkpoint_reader_is_orthonormal(const struct checkpoint_reader *reader)
{
    return reader->stream.is_sealed && reader->deviation < ORTHONORMAL_AS_THEY_ARE;
}

bool checkpoint_reader_has_orbitals(const struct checkpoint_reader *reader,
                                    const struct scf_problem *problem, int64_t n_orbitals)
{
    bool has = checkpoint_reader_is_orthonormal(reader);
    for (int s = 0; s < problem->n_orbital_sets; s++)
        has = has && reader->n_orbitals[spin_in_file(reader, s)] == n_orbitals;
    return has;
}

enum status checkpoint_reader_orbitals(const struct checkpoint_reader *reader,
                                       const struct scf_problem *problem, struct dense *const C[],
                                       double *const energies[])
{
    for (int s = 0; s < problem->n_orbital_sets; s++) {
        int spin = spin_in_file(reader, s);
        TRY(read_columns(reader, spin, C[s]));
        if (energies)
            memcpy(energies[s], reader->contents.energies + reader->first_row[spin],
                   (size_t)C[s]->n_columns * sizeof *energies[s]);
    }
    return STATUS_OK;
}
