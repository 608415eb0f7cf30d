/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/tuple_files.h"

#include "hf/checkpoint/checkpoint_seal.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/sha256.h"
#include "support/base/version.h"
#include "support/io/output_file.h"
#include "support/mpi/wall_time.h"
#include "tce/methods/methods.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file of a loop. */
struct tuple_file {
    const struct tuple_files *files;
    int loop;
    struct tuple_store store;
};

struct tuple_files {
    const struct correlation *correlation;
    const char *restart, *checkpoint;
    char origin[SHA256_HEX_SIZE]; /* of version, program and orbital energies */
    int n_loops;
    struct tuple_file *list; /* one for each of the program's loops */
};

/* Contents on their way to or from a file. */
struct tuple_contents {
    const struct tuple_table *table;
    char identity[SHA256_HEX_SIZE];
};

static void name_tuple_file(const char *checkpoint, int loop, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s.loop%d", checkpoint, loop + 1);
}

/* --- identity --- */

static void add_program(const struct correlation_problem *problem, struct sha256 *sha256)
{
    size_t length = problem->length;
    const char *text = problem->text;
    if (!text)
        text = tce_method_text(problem->method, problem->orbitals->n_orbital_sets, &length);
    sha256_add(sha256, BERYL_VERSION, sizeof BERYL_VERSION);
    sha256_add(sha256, text, length);
}

static void add_orbital_energies(const struct orbital_spaces *orbitals, struct sha256 *sha256)
{
    for (int s = 0; s < orbitals->n_orbital_sets; s++) {
        const struct orbital_space *space = &orbitals->spin[s];
        sha256_add(sha256, &space->n_occupied, sizeof space->n_occupied);
        sha256_add(sha256, space->energies, (size_t)space->n_orbitals * sizeof *space->energies);
    }
}

static enum status digest_origin(struct tuple_files *self)
{
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    add_program(&self->correlation->problem, sha256);
    add_orbital_energies(self->correlation->problem.orbitals, sha256);
    sha256_finish(sha256, self->origin);
    sha256_destroy(sha256);
    return STATUS_OK;
}

static enum status identify_parts(const struct tuple_file *file, const char inputs[SHA256_HEX_SIZE],
                                  char identity[SHA256_HEX_SIZE])
{
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    sha256_add(sha256, file->files->origin, SHA256_HEX_SIZE);
    sha256_add(sha256, &file->loop, sizeof file->loop);
    sha256_add(sha256, inputs, SHA256_HEX_SIZE);
    sha256_finish(sha256, identity);
    sha256_destroy(sha256);
    return STATUS_OK;
}

/* --- HDF5 --- */

static bool move_identity(hid_t file, enum checkpoint_move move, char identity[SHA256_HEX_SIZE])
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, SHA256_HEX_SIZE);
    bool done = checkpoint_attribute_move(file, "identity", type, move, identity);
    H5Tclose(type);
    return done;
}

static bool move_tuple_parts(hid_t file, enum checkpoint_move move, const struct tuple_table *table)
{
    const int64_t size[] = {table->n_tuples, table->n_scalars}, first[] = {0, 0};
    hid_t set = checkpoint_set_open(file, "parts", move, 2, size);
    bool done = set >= 0 && checkpoint_set_move(set, move, 2, first, size, table->parts);
    return (set < 0 || H5Dclose(set) >= 0) && done;
}

static hid_t open_tuple_file(const char *path, enum checkpoint_move move)
{
    return move == CHECKPOINT_WRITE ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                    : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

/* --- writing --- */

static enum status write_tuple_contents(const char *path, void *context)
{
    struct tuple_contents *contents = context;
    struct hdf5_messages messages = hdf5_messages_stop();
    hid_t file = open_tuple_file(path, CHECKPOINT_WRITE);
    bool done = file >= 0 && move_identity(file, CHECKPOINT_WRITE, contents->identity) &&
                move_tuple_parts(file, CHECKPOINT_WRITE, contents->table);
    done = (file < 0 || H5Fclose(file) >= 0) && done;
    hdf5_messages_resume(&messages);
    if (!done)
        return FAIL(STATUS_IO, "cannot write %s: HDF5 fails, or the disk is full", path);
    return checkpoint_seal(path);
}

static enum status replace_tuple_file(const struct tuple_file *file,
                                      const struct tuple_table *table,
                                      const char inputs[SHA256_HEX_SIZE])
{
    char path[PATH_MAX];
    struct tuple_contents contents = {.table = table};
    int64_t n_bytes = table->n_tuples * table->n_scalars * (int64_t)sizeof(double);
    name_tuple_file(file->files->checkpoint, file->loop, path);
    TRY(identify_parts(file, inputs, contents.identity));
    return output_file_replace(path, n_bytes, write_tuple_contents, &contents);
}

static void write_tuples(const struct tuple_table *table, const char inputs[SHA256_HEX_SIZE],
                         void *context)
{
    const struct tuple_file *file = context;
    if (!file->files->checkpoint)
        return;
    enum wall_use use = wall_time_begin(WALL_FILES);
    if (replace_tuple_file(file, table, inputs) != STATUS_OK)
        log_warn_once("%s; the run continues, but what it finishes of this loop is not kept",
                      status_text());
    else
        log_warn_end();
    wall_time_end(use);
}

/* --- reading --- */

/* Reads parts of the same identity; whether it was the same. */
static enum status read_same_parts(const char *path, struct tuple_contents *contents, bool *same)
{
    char found[SHA256_HEX_SIZE] = "";
    hid_t file = open_tuple_file(path, CHECKPOINT_READ);
    bool read = file >= 0 && move_identity(file, CHECKPOINT_READ, found);
    *same = read && memcmp(found, contents->identity, SHA256_HEX_SIZE) == 0;
    if (*same)
        read = move_tuple_parts(file, CHECKPOINT_READ, contents->table);
    if (file >= 0)
        H5Fclose(file);
    return read ? STATUS_OK : FAIL(STATUS_INPUT, "%s: not the file of a loop", path);
}

/* HDF5 may crash on a damaged file, which a sealed one is not. */
static enum status read_sealed_parts(const char *path, struct tuple_contents *contents, bool *same)
{
    bool sealed;
    TRY(checkpoint_seal_verify(path, &sealed));
    if (!sealed)
        return FAIL(STATUS_INPUT, "%s: damaged: its end with the SHA-256 is missing", path);
    struct hdf5_messages messages = hdf5_messages_stop();
    enum status status = read_same_parts(path, contents, same);
    hdf5_messages_resume(&messages);
    return status;
}

static int64_t count_finished(const struct tuple_table *table)
{
    int64_t n = 0;
    for (int64_t tuple = 0; tuple < table->n_tuples; tuple++)
        n += tuple_table_is_finished(table, tuple);
    return n;
}

static enum status read_tuple_file(const struct tuple_file *file, const struct tuple_table *table,
                                   const char inputs[SHA256_HEX_SIZE], const char *path)
{
    struct tuple_contents contents = {.table = table};
    bool same = false;
    TRY(identify_parts(file, inputs, contents.identity));
    TRY(read_sealed_parts(path, &contents, &same));
    if (same)
        log_print("Restart    %lld of %lld tuples of tiles are finished in %s\n",
                  (long long)count_finished(table), (long long)table->n_tuples, path);
    else
        log_print("Restart    %s is of other amplitudes, orbitals or tiles, or of another program: "
                  "the loop begins anew\n",
                  path);
    return STATUS_OK;
}

static void read_tuples(const struct tuple_table *table, const char inputs[SHA256_HEX_SIZE],
                        void *context)
{
    const struct tuple_file *file = context;
    char path[PATH_MAX];
    name_tuple_file(file->files->restart, file->loop, path);
    if (access(path, F_OK) != 0 || read_tuple_file(file, table, inputs, path) == STATUS_OK)
        return;
    log_warn("%s; the loop begins anew", status_text());
    for (int64_t i = 0; i < table->n_tuples * table->n_scalars; i++)
        table->parts[i] = NAN;
}

/* --- all files --- */

static bool is_loop_iterated(const struct program *program, int loop)
{
    int first = program->loops[loop].first_statement;
    return first >= program->first_iterated && first < program->first_final;
}

enum status tuple_files_create(const struct correlation *correlation, const char *restart,
                               const char *checkpoint, struct tuple_files **files)
{
    MPI_Comm comm = correlation->problem.comm;
    const struct program *program = &correlation->instance.program;
    struct tuple_files *made = *files = agree_calloc(comm, sizeof *made, "files of loops");
    if (!made)
        return STATUS_NO_MEMORY;
    *made = (struct tuple_files){.correlation = correlation,
                                 .restart = restart,
                                 .checkpoint = checkpoint,
                                 .n_loops = program->n_loops};
    made->list =
        agree_calloc(comm, ((size_t)program->n_loops + 1) * sizeof *made->list, "files of loops");
    enum status status = made->list ? status_agree(comm, digest_origin(made)) : STATUS_NO_MEMORY;
    if (status != STATUS_OK) {
        tuple_files_destroy(made);
        *files = NULL;
        return status;
    }
    for (int l = 0; l < program->n_loops; l++) {
        struct tuple_file *file = &made->list[l];
        *file = (struct tuple_file){made, l, {restart ? read_tuples : NULL, write_tuples, file}};
        if (!is_loop_iterated(program, l))
            executor_set_store(correlation->instance.executor, l, &file->store);
    }
    return STATUS_OK;
}

void tuple_files_destroy(struct tuple_files *self)
{
    if (!self)
        return;
    for (int l = 0; self->list && l < self->n_loops; l++)
        executor_set_store(self->correlation->instance.executor, l, NULL);
    free(self->list);
    free(self);
}
