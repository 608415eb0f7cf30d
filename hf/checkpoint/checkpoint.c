/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint.h"

#include "hf/checkpoint/checkpoint_contents.h"
#include "hf/checkpoint/checkpoint_seal.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/output_file.h"
#include "support/mpi/wall_time.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

/* Fills the contents, except the coefficients. Errors: on failure checkpoint_contents_fini still has to be
 * called. */
static enum status describe(const struct scf_problem *problem,
                            const struct checkpoint_orbitals *orbitals,
                            struct checkpoint_contents *contents)
{
    struct checkpoint_counts *n = &contents->n;
    n->n_electrons[0] = problem->n_occupied[0];
    n->n_electrons[1] = problem->n_occupied[problem->n_densities - 1];
    n->n_orbitals = (int64_t)problem->n_orbital_sets * orbitals->n_orbitals;
    TRY(checkpoint_shells_describe(problem->given, problem->shells, contents));
    for (int s = 0; s < problem->n_orbital_sets; s++)
        for (int k = 0; k < orbitals->n_orbitals; k++) {
            int64_t at = (int64_t)s * orbitals->n_orbitals + k;
            contents->energies[at] = orbitals->orbital_energies[s][k];
            contents->occupations[at] =
                k < problem->n_occupied[s] ? problem->electrons_per_orbital : 0;
            if (scf_is_rohf(problem) && k < problem->n_occupied[1])
                contents->occupations[at] = 2;
            contents->spins[at] = s;
        }
    return STATUS_OK;
}

/* A checkpoint on its way into a file. */
struct writing {
    const struct scf_problem *problem;
    const struct checkpoint_orbitals *orbitals;
    struct checkpoint_contents contents;
    bool begun;
};

/* Process 0: TREXIO's part. */
static enum status write_contents(const char *path, const struct writing *writing)
{
    char description[128], energy[64] = "energy not known";
    if (!isnan(writing->orbitals->energy))
        snprintf(energy, sizeof energy, "total energy %.12f hartree", writing->orbitals->energy);
    snprintf(description, sizeof description, "Beryl, %s, %s%s",
             scf_is_rohf(writing->problem)         ? "ROHF"
             : scf_is_restricted(writing->problem) ? "RHF"
                                                   : "UHF",
             energy, writing->orbitals->converged ? ", converged" : "");
    return checkpoint_contents_write(path, description, writing->problem->given,
                                     &writing->contents);
}

/* The rest. Collective. */
static enum status write_into_stream(const struct checkpoint_stream *stream,
                                     const struct writing *writing)
{
    const struct checkpoint_orbitals *orbitals = writing->orbitals;
    int64_t version = CHECKPOINT_VERSION, converged = orbitals->converged;
    bool found;
    struct checkpoint_matrix place = {.set = CHECKPOINT_COEFFICIENTS,
                                      .n_rows = writing->contents.n.n_orbitals,
                                      .of_functions = true};
    for (int s = 0; s < writing->problem->n_orbital_sets; s++) {
        place.first_row = (int64_t)s * orbitals->n_orbitals;
        TRY(checkpoint_stream_matrix(stream, &place, orbitals->orbitals[s]));
    }
    TRY(checkpoint_stream_numbers(
        stream, CHECKPOINT_GROUP, 2,
        (struct checkpoint_number[]){{"version", .integer = &version},
                                     {"converged", .integer = &converged}},
        &found));
    return orbitals->add ? orbitals->add(stream, orbitals->add_context) : STATUS_OK;
}

/* path: NULL but on process 0. Collective. */
static enum status write_parts(const char *path, const struct writing *writing)
{
    MPI_Comm comm = writing->problem->comm;
    struct checkpoint_stream stream;
    TRY(status_agree(comm, path ? write_contents(path, writing) : STATUS_OK));
    TRY(checkpoint_stream_open(path, CHECKPOINT_WRITE, comm, &stream));
    stream.order = writing->contents.function;
    enum status status = write_into_stream(&stream, writing);
    enum status closed = checkpoint_stream_close(&stream);
    TRY(status_agree(comm, status != STATUS_OK ? status : closed));
    return status_agree(comm, path ? checkpoint_seal(path) : STATUS_OK);
}

/* Process 0, once there is a temporary file. */
static enum status begin_writing(const char *path, void *context)
{
    struct writing *writing = context;
    writing->begun = true;
    return write_parts(path, writing);
}

/* The collective part runs inside of output_file_replace on process 0, and directly on the others. All
 * agree on a failure of process 0, also on one before the collective part. */
static enum status replace_file(const char *path, struct writing *writing, int64_t n_bytes)
{
    MPI_Comm comm = writing->problem->comm;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank != 0)
        return status_agree(comm, write_parts(NULL, writing));
    enum status status = output_file_replace(path, n_bytes, begin_writing, writing);
    if (!writing->begun)
        status = status_agree(comm, status);
    return status_agree(comm, status);
}

int64_t checkpoint_bytes(const struct scf_problem *problem, int64_t n_orbitals, int64_t add_bytes)
{
    enum { REST = 20000 }; /* molecule, basis and HDF5's own, at least */
    int64_t n = n_orbitals * problem->n_orbital_sets;
    return REST + n * (problem->shells->n_functions + 3) * (int64_t)sizeof(double) + add_bytes;
}

static enum status write_checkpoint(const char *path, const struct scf_problem *problem,
                                    const struct checkpoint_orbitals *orbitals)
{
    struct writing writing = {.problem = problem, .orbitals = orbitals};
    enum wall_use use = wall_time_begin(WALL_FILES);
    enum status status =
        status_agree(problem->comm, describe(problem, orbitals, &writing.contents));
    if (status == STATUS_OK)
        status = replace_file(path, &writing,
                              checkpoint_bytes(problem, orbitals->n_orbitals, orbitals->add_bytes));
    checkpoint_contents_fini(&writing.contents);
    wall_time_end(use);
    return status;
}

void checkpoint_write_or_warn(const char *path, const struct scf_problem *problem,
                              const struct checkpoint_orbitals *orbitals)
{
    if (write_checkpoint(path, problem, orbitals) != STATUS_OK)
        log_warn_once("%s; the run continues, and an earlier checkpoint is kept", status_text());
    else
        log_warn_end();
}

void checkpoint_report_size(const char *path, const char *subject, int64_t every, int64_t n_bytes,
                            const char *diis_option)
{
    double room = output_file_room(path);
    char when[64] = "every iteration";
    if (every > 1)
        snprintf(when, sizeof when, "every %lld iterations", (long long)every);
    log_print("Checkpoint %s of %s %s, up to %.1f MB; %.1f MB are free on the disk\n", path,
              subject, when, 1e-6 * (double)n_bytes, 1e-6 * room);
    if (room < (double)n_bytes)
        log_warn("checkpoints will not fit on the disk of %s, where the older one is kept until "
                 "the next is complete: name another folder, or take a smaller --%s",
                 path, diis_option);
}

enum status checkpoint_check(const char *path, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    enum status status = STATUS_OK;
    struct stat information;
    if (rank == 0) {
        if (stat(path, &information) == 0 && !S_ISREG(information.st_mode))
            status = FAIL(STATUS_IO,
                          "cannot write %s: it is not a regular file: name a file, such as run.h5",
                          path);
        else
            status = output_file_check(path);
    }
    return status_agree(comm, status);
}
