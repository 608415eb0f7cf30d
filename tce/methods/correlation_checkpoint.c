/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/correlation_checkpoint.h"

#include "basis/integrals/shells.h"
#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_seal.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/sha256.h"
#include "support/base/version.h"
#include "support/io/output_file.h"
#include "support/mpi/wall_time.h"
#include "tce/methods/method_bindings.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Moves the attributes of the group, which is created when writing. */
static enum status move_attributes(const struct checkpoint_stream *stream,
                                   struct amplitude_origin *origin,
                                   struct amplitude_progress *progress, bool *found)
{
    const struct checkpoint_number numbers[] = {
        {"method", .text = origin->method, .n = sizeof origin->method},
        {"n_core", .integer = &origin->frozen.n_core},
        {"n_frozen_virtual", .integer = &origin->frozen.n_virtual},
        {"n_occupied", .integer = &origin->n_occupied},
        {"n_virtual", .integer = &origin->n_virtual},
        {"iteration", .integer = &progress->iteration},
        {"n_steps", .integer = &progress->n_steps},
        {"energy", .real = &progress->energy},
        {"is_solution", .integer = &progress->is_solution},
        {"change", .real = &progress->change},
        {"energy_change", .real = &progress->energy_change},
        {"scf_energy", .real = &progress->scf_energy},
    };
    return checkpoint_stream_numbers(stream, CHECKPOINT_AMPLITUDES,
                                     sizeof numbers / sizeof numbers[0], numbers, found);
}

enum status amplitudes_find(const struct checkpoint_stream *stream, bool *found,
                            struct amplitude_origin *origin, struct amplitude_progress *progress)
{
    *origin = (struct amplitude_origin){0};
    *progress = (struct amplitude_progress){0};
    TRY(move_attributes(stream, origin, progress, found));
    if (progress->n_steps < 0)
        return checkpoint_stream_fail(stream, CHECKPOINT_AMPLITUDES);
    return STATUS_OK;
}

/* --- rows of a tensor --- */

/* A walk over a tensor in dense, row-major pieces. A piece is a row of blocks: all tiles of the
 * last index, the tiles of the others fixed; elements without a block are zero. */
struct tensor_rows {
    struct tensor *tensor; /* borrowed */
    int rank;              /* of the pieces: a scalar is one of rank 1 with one element */
    int64_t all[MAX_RANK]; /* values of each index */

    /* The current row: the values of each index that it spans. */
    int64_t first[MAX_RANK], size[MAX_RANK];
    int64_t n_elements;
    double *elements; /* owned */

    int64_t begin, end; /* blocks of the row */
    double *block;
};

static const struct block_labels *row_labels(const struct tensor_rows *rows)
{
    return block_index_labels(rows->tensor->blocks);
}

/* Elements of the largest row. */
static int64_t find_max_row(const struct tensor_rows *rows)
{
    const struct block_labels *labels = row_labels(rows);
    int64_t n = rows->all[rows->rank - 1];
    for (int d = 0; d < rows->rank - 1; d++)
        n *= labels->space[d]->max_tile;
    return n;
}

static enum status init_rows(struct tensor *tensor, struct tensor_rows *rows)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    *rows = (struct tensor_rows){
        .tensor = tensor, .rank = labels->rank > 0 ? labels->rank : 1, .all = {1}};
    for (int d = 0; d < labels->rank; d++)
        rows->all[d] = labels->space[d]->size;
    int64_t n = find_max_row(rows);
    rows->elements = malloc((size_t)n * sizeof *rows->elements);
    rows->block = malloc((size_t)(tensor->max_block + 1) * sizeof *rows->block);
    return CHECK_MEMORY(rows->elements && rows->block, "no memory for %lld numbers of tensor %s",
                        (long long)n, tensor->name);
}

static void fini_rows(struct tensor_rows *rows)
{
    free(rows->elements);
    free(rows->block);
}

/* The block after the last one whose tiles are these but for the last. */
static int64_t find_row_end(const struct tensor_rows *rows, const int32_t tile[])
{
    int64_t end = rows->begin + 1;
    for (; end < block_index_n(rows->tensor->blocks); end++) {
        int32_t other[MAX_RANK];
        block_index_tuple(rows->tensor->blocks, end, other);
        if (memcmp(tile, other, (size_t)(rows->rank - 1) * sizeof *tile) != 0)
            break;
    }
    return end;
}

/* Goes to the first or the next row; false after the last. */
static bool next_row(struct tensor_rows *rows)
{
    const struct block_labels *labels = row_labels(rows);
    int last = rows->rank - 1;
    int32_t tile[MAX_RANK];
    rows->begin = rows->end;
    if (rows->begin == block_index_n(rows->tensor->blocks))
        return false;
    block_index_tuple(rows->tensor->blocks, rows->begin, tile);
    rows->end = labels->rank > 0 ? find_row_end(rows, tile) : rows->begin + 1;
    rows->first[last] = 0;
    rows->size[last] = rows->n_elements = rows->all[last];
    for (int d = 0; d < last; d++) {
        rows->first[d] = labels->space[d]->first[tile[d]];
        rows->size[d] = index_space_tile_size(labels->space[d], tile[d]);
        rows->n_elements *= rows->size[d];
    }
    return true;
}

/* Where a block is in the row: its elements are n_lines times width, one after another. */
struct block_place {
    double *start;
    int64_t width, n_lines;
};

static struct block_place block_place_in_row(const struct tensor_rows *rows, int64_t block)
{
    const struct block_labels *labels = row_labels(rows);
    struct block_place place = {rows->elements, 1, rows->n_elements / rows->all[rows->rank - 1]};
    if (labels->rank == 0)
        return place;
    const struct index_space *space = labels->space[labels->rank - 1];
    int32_t tile[MAX_RANK];
    block_index_tuple(rows->tensor->blocks, block, tile);
    place.start += space->first[tile[labels->rank - 1]];
    place.width = index_space_tile_size(space, tile[labels->rank - 1]);
    return place;
}

/* Between the tensor's blocks and the elements of the row. */
static void move_row(const struct tensor_rows *rows, bool put)
{
    int64_t stride = rows->all[rows->rank - 1];
    if (!put)
        memset(rows->elements, 0, (size_t)rows->n_elements * sizeof *rows->elements);
    for (int64_t block = rows->begin; block < rows->end; block++) {
        struct block_place place = block_place_in_row(rows, block);
        if (!put)
            darray_get(rows->tensor->data, block, rows->block);
        for (int64_t line = 0; line < place.n_lines; line++) {
            double *here = rows->block + line * place.width, *there = place.start + line * stride;
            memcpy(put ? here : there, put ? there : here, (size_t)place.width * sizeof(double));
        }
        if (put)
            darray_put(rows->tensor->data, block, rows->block);
    }
}

/* Moves the rows between the tensor and the data set. */
static bool move_tensor_rows(hid_t set, enum checkpoint_move move, struct tensor_rows *rows)
{
    while (next_row(rows)) {
        if (move == CHECKPOINT_WRITE)
            move_row(rows, false);
        if (!checkpoint_set_move(set, move, rows->rank, rows->first, rows->size, rows->elements))
            return false;
        if (move == CHECKPOINT_READ)
            move_row(rows, true);
    }
    return true;
}

static enum status move_tensor(const struct checkpoint_stream *stream, const char *name,
                               struct tensor *tensor)
{
    char path[300];
    struct tensor_rows rows;
    enum status status = init_rows(tensor, &rows);
    if (status != STATUS_OK)
        goto done;
    snprintf(path, sizeof path, CHECKPOINT_AMPLITUDES "/%s", name);
    hid_t set = checkpoint_set_open(stream->file, path, stream->move, rows.rank, rows.all);
    bool moved = set >= 0 && move_tensor_rows(set, stream->move, &rows);
    if (set >= 0)
        moved = H5Dclose(set) >= 0 && moved;
    status = moved ? STATUS_OK : checkpoint_stream_fail(stream, path);
done:
    fini_rows(&rows);
    return status;
}

/* The tensors of a step; number: its own in the file. */
static enum status move_step(const struct checkpoint_stream *stream,
                             const struct amplitude_tensors *tensors, int64_t step, int64_t number)
{
    for (int i = 0; i < tensors->n; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s_image_%lld", tensors->x[i]->name, (long long)number);
        TRY(move_tensor(stream, name, tensors->steps[step].image[i]));
        snprintf(name, sizeof name, "%s_error_%lld", tensors->x[i]->name, (long long)number);
        TRY(move_tensor(stream, name, tensors->steps[step].error[i]));
    }
    return STATUS_OK;
}

static enum status move_tensors(const struct checkpoint_stream *stream,
                                const struct amplitude_tensors *tensors, int64_t first_step)
{
    for (int i = 0; i < tensors->n; i++)
        TRY(move_tensor(stream, tensors->x[i]->name, tensors->x[i]));
    for (int64_t step = 0; step < tensors->n_steps; step++)
        TRY(move_step(stream, tensors, step, first_step + step));
    return STATUS_OK;
}

/* --- amplitudes --- */

/* The others wait in MPI while process 0 reads their blocks. */
enum status amplitudes_write(const struct checkpoint_stream *stream,
                             const struct amplitude_origin *origin,
                             const struct amplitude_progress *progress,
                             const struct amplitude_tensors *tensors)
{
    struct amplitude_origin origin_copy = *origin;
    struct amplitude_progress progress_copy = *progress;
    bool found;
    TRY(move_attributes(stream, &origin_copy, &progress_copy, &found));
    return status_agree(stream->comm,
                        stream->is_root ? move_tensors(stream, tensors, 0) : STATUS_OK);
}

enum status amplitudes_read(const struct checkpoint_stream *stream,
                            const struct amplitude_tensors *tensors, int64_t first_step)
{
    enum wall_use use = wall_time_begin(WALL_FILES);
    darray_sync();
    enum status status = status_agree(
        stream->comm, stream->is_root ? move_tensors(stream, tensors, first_step) : STATUS_OK);
    darray_sync();
    wall_time_end(use);
    return status;
}

static enum status move_semicanonical_spin(const struct checkpoint_stream *stream,
                                           const struct scf_result *result, int spin)
{
    static const char *const names[2] = {"alpha", "beta"};
    char orbitals[80], fock[80], energies[80];
    struct dense *C = result->semicanonical[spin], *F = result->fock_ov[spin];
    bool found;
    snprintf(orbitals, sizeof orbitals, CHECKPOINT_AMPLITUDES "/orbitals_%s", names[spin]);
    snprintf(fock, sizeof fock, CHECKPOINT_AMPLITUDES "/fock_%s", names[spin]);
    snprintf(energies, sizeof energies, CHECKPOINT_AMPLITUDES "/energies_%s", names[spin]);
    const struct checkpoint_matrix place[] = {{orbitals, C->n_columns, 0, true},
                                              {fock, F->n_columns, 0, false}};
    const struct checkpoint_number numbers = {
        "energies", .real = result->semicanonical_energies[spin], .n = C->n_columns};
    TRY(checkpoint_stream_matrix(stream, &place[0], C));
    if (F->n_rows > 0 && F->n_columns > 0)
        TRY(checkpoint_stream_matrix(stream, &place[1], F));
    TRY(checkpoint_stream_numbers(stream, energies, 1, &numbers, &found));
    return found ? STATUS_OK : checkpoint_stream_fail(stream, energies);
}

enum status amplitudes_move_semicanonical(const struct checkpoint_stream *stream,
                                          const struct scf_result *result)
{
    TRY(move_semicanonical_spin(stream, result, 0));
    return move_semicanonical_spin(stream, result, 1);
}

struct amplitude_origin correlation_checkpoint_origin(const char *method,
                                                      const struct orbital_spaces *orbitals)
{
    struct amplitude_origin origin = {.frozen = orbital_spaces_n_frozen(orbitals),
                                      .n_occupied = orbital_spaces_n_occupied(orbitals),
                                      .n_virtual = orbital_spaces_n_virtual(orbitals)};
    snprintf(origin.method, sizeof origin.method, "%s%s",
             orbitals->n_orbital_sets == 1 ? "" : SPIN_PREFIX, method);
    return origin;
}

/* Elements of the unknowns in the file, which includes blocks that do not exist. */
static double count_dense_elements(const struct correlation *correlation)
{
    const struct program *program = &correlation->instance.program;
    double sum = 0;
    for (int i = 0; i < program->n_unknowns; i++) {
        const struct block_labels *labels =
            &correlation->instance.plan->tensors[program->unknowns[i].tensor].labels;
        double n = 1;
        for (int d = 0; d < labels->rank; d++)
            n *= (double)labels->space[d]->size;
        sum += n;
    }
    return sum;
}

static int64_t amplitude_bytes(const struct correlation *correlation, int n_steps)
{
    double n = count_dense_elements(correlation);
    return (int64_t)(sizeof(double) * (n + amplitude_solver_count_elements(n, n_steps)));
}

/* At most; F between n occupied and m virtual orbitals has less than half of (n + m)^2 elements. */
static int64_t semicanonical_bytes(const struct scf_problem *problem)
{
    int64_t n = problem->shells->n_functions;
    return scf_is_rohf(problem) ? 2 * (int64_t)sizeof(double) * (3 * n * n / 2 + n) : 0;
}

int64_t correlation_checkpoint_bytes(const struct scf_problem *problem,
                                     const struct correlation *correlation, int diis_size)
{
    return checkpoint_bytes(problem, problem->shells->n_functions,
                            amplitude_bytes(correlation, diis_size) + semicanonical_bytes(problem));
}

/* Tells core orbitals from as many lowest ones, whose sum is the least: the orbitals are the file's, so that no
 * other choice occurs. */
static int64_t sum_core_numbers(const struct orbital_spaces *orbitals)
{
    int64_t sum = 0;
    for (int s = 0; s < orbitals->n_orbital_sets; s++)
        for (int64_t i = 0; i < orbitals->spin[s].frozen.n_core; i++)
            sum += orbitals->spin[s].core ? orbitals->spin[s].core[i] : i;
    return sum;
}

static enum status move_core_sum(const struct checkpoint_stream *stream, int64_t *sum)
{
    bool found;
    const struct checkpoint_number number = {"sum_of_numbers", .integer = sum};
    return checkpoint_stream_numbers(stream, CHECKPOINT_FROZEN, 1, &number, &found);
}

/* --- amplitudes of a method: writing --- */

struct writing {
    const struct correlation *correlation;
    const struct amplitude_solver *solver;
    const struct scf_result *result;
};

static enum status add_amplitudes(const struct checkpoint_stream *stream, void *context)
{
    const struct writing *writing = context;
    const struct correlation *correlation = writing->correlation;
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    struct amplitude_origin origin =
        correlation_checkpoint_origin(correlation->amplitudes_name, correlation->problem.orbitals);
    int n_steps;
    struct amplitude_tensors tensors = {.n = correlation_unknowns(correlation, x, f), .x = x};
    tensors.steps = amplitude_solver_steps(writing->solver, &n_steps);
    tensors.n_steps = n_steps;
    const struct amplitude_progress progress = {.iteration = correlation->n_before +
                                                             correlation->n_iterations,
                                                .n_steps = n_steps,
                                                .energy = correlation_energy(correlation),
                                                .is_solution = correlation->is_solution,
                                                .change = correlation->change,
                                                .energy_change = correlation->energy_change,
                                                .scf_energy = writing->result->energy};
    int64_t sum = sum_core_numbers(correlation->problem.orbitals);
    TRY(move_core_sum(stream, &sum));
    TRY(amplitudes_write(stream, &origin, &progress, &tensors));
    return writing->result->semicanonical[0]
               ? amplitudes_move_semicanonical(stream, writing->result)
               : STATUS_OK;
}

void correlation_checkpoint_write(const struct correlation_files *files,
                                  const struct correlation *correlation,
                                  const struct amplitude_solver *solver)
{
    const struct scf_result *result = files->result;
    struct writing writing = {correlation, solver, result};
    int n_steps;
    amplitude_solver_steps(solver, &n_steps);
    const struct checkpoint_orbitals orbitals = {
        .n_orbitals = (int)result->n_orbitals,
        .orbitals = {result->orbitals[0], result->orbitals[1]},
        .orbital_energies = {result->orbital_energies[0], result->orbital_energies[1]},
        .energy = result->energy,
        .converged = result->converged,
        .add = add_amplitudes,
        .add_context = &writing,
        .add_bytes = amplitude_bytes(correlation, n_steps) + semicanonical_bytes(files->problem),
    };
    checkpoint_write_or_warn(correlation->problem.settings->checkpoint, files->problem, &orbitals);
}

/* --- amplitudes of a method: reading --- */

enum status correlation_checkpoint_read(const struct checkpoint_reader *reader, int n,
                                        struct tensor *const x[], int diis_size,
                                        struct amplitude_solver *solver,
                                        struct amplitude_progress *progress)
{
    const struct checkpoint_stream *stream = checkpoint_reader_stream(reader);
    struct amplitude_origin origin;
    bool found;
    int n_now;
    TRY(amplitudes_find(stream, &found, &origin, progress));
    int64_t n_steps = progress->n_steps < diis_size ? progress->n_steps : diis_size;
    const struct amplitude_tensors tensors = {n, x, n_steps,
                                              amplitude_solver_steps(solver, &n_now)};
    TRY(amplitudes_read(stream, &tensors, progress->n_steps - n_steps));
    return amplitude_solver_resume(solver, (int)n_steps);
}

static bool starts_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* "ccsd", or "a .tce program". */
static const char *show_amplitude_method(const char *method)
{
    if (starts_with(method, SPIN_PREFIX USER_PROGRAM_PREFIX))
        return "a .tce program over spin orbitals";
    return starts_with(method, USER_PROGRAM_PREFIX) ? "a .tce program" : method;
}

static enum status compare_methods(const char *path, const char *wanted, const char *method)
{
    const char *now = show_amplitude_method(wanted), *then = show_amplitude_method(method);
    if (strcmp(method, wanted) == 0)
        return STATUS_OK;
    if (strcmp(now, then) == 0)
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes are of another .tce program: one whose text before "
                    "'finally' differs from this one's; --guess %s takes only the orbitals",
                    path, path);
    return FAIL(STATUS_INPUT,
                "%s: its amplitudes are of %s, not of %s; --guess %s takes only the orbitals", path,
                then, now, path);
}

static enum status compare_origins(const char *path, const struct amplitude_origin *wanted,
                                   const struct amplitude_origin *origin)
{
    TRY(compare_methods(path, wanted->method, origin->method));
    if (origin->frozen.n_core != wanted->frozen.n_core || origin->n_occupied != wanted->n_occupied)
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes are of %lld occupied orbitals, %lld frozen, not of %lld, "
                    "%lld frozen (--frozen-core, --freeze); --guess %s takes only the orbitals",
                    path, (long long)origin->n_occupied, (long long)origin->frozen.n_core,
                    (long long)wanted->n_occupied, (long long)wanted->frozen.n_core, path);
    if (origin->frozen.n_virtual != wanted->frozen.n_virtual)
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes leave %lld virtual orbitals out, not %lld "
                    "(--freeze-virtuals); --guess %s takes only the orbitals",
                    path, (long long)origin->frozen.n_virtual, (long long)wanted->frozen.n_virtual,
                    path);
    return STATUS_OK;
}

enum status correlation_checkpoint_compare_core(const struct checkpoint_reader *reader,
                                                const struct orbital_spaces *orbitals)
{
    struct orbital_spaces lowest = *orbitals;
    lowest.spin[0].core = lowest.spin[1].core = NULL;
    int64_t sum = sum_core_numbers(&lowest); /* of files that do not say */
    const char *path = checkpoint_reader_path(reader);
    TRY(move_core_sum(checkpoint_reader_stream(reader), &sum));
    if (sum != sum_core_numbers(orbitals))
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes are of other frozen orbitals (--frozen-core takes those of "
                    "atoms' cores, --freeze the lowest); --guess %s takes only the orbitals",
                    path, path);
    return STATUS_OK;
}

enum status correlation_checkpoint_find(const struct checkpoint_reader *reader,
                                        const struct amplitude_origin *wanted, bool *found,
                                        struct amplitude_progress *progress)
{
    struct amplitude_origin origin;
    TRY(amplitudes_find(checkpoint_reader_stream(reader), found, &origin, progress));
    return *found ? compare_origins(checkpoint_reader_path(reader), wanted, &origin) : STATUS_OK;
}

/* --- finished tuples of loops --- */

/* The file of a loop. */
struct tuple_file {
    const struct tuple_files *files;
    int loop;
    struct tuple_store store;
};

struct tuple_files {
    const struct correlation *correlation;
    const char *restart, *checkpoint;
    int n_loops;
    struct tuple_file list[]; /* one for each of the program's loops */
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

static void add_orbital_energies(const struct orbital_spaces *orbitals, struct sha256 *sha256)
{
    for (int s = 0; s < orbitals->n_orbital_sets; s++) {
        const struct orbital_space *space = &orbitals->spin[s];
        sha256_add(sha256, &space->n_occupied, sizeof space->n_occupied);
        sha256_add(sha256, space->energies, (size_t)space->n_orbitals * sizeof *space->energies);
    }
}

/* inputs: the digest of the tensors that the loop reads */
static enum status identify_parts(const struct tuple_file *file, const char inputs[SHA256_HEX_SIZE],
                                  char identity[SHA256_HEX_SIZE])
{
    const struct correlation_problem *problem = &file->files->correlation->problem;
    size_t length = problem->settings->length;
    const char *text = problem->settings->text;
    struct sha256 *sha256;
    if (!text)
        text =
            tce_method_text(problem->settings->method, problem->orbitals->n_orbital_sets, &length);
    TRY(sha256_create(&sha256));
    sha256_add(sha256, BERYL_VERSION, sizeof BERYL_VERSION);
    sha256_add(sha256, text, length);
    add_orbital_energies(problem->orbitals, sha256);
    sha256_add(sha256, &file->loop, sizeof file->loop);
    sha256_add(sha256, inputs, SHA256_HEX_SIZE);
    sha256_finish(sha256, identity);
    sha256_destroy(sha256);
    return STATUS_OK;
}

/* Moves the identity, and then the parts unless the identity that was read is another. */
static bool move_tuple_contents(const char *path, enum checkpoint_move move,
                                const struct tuple_contents *contents,
                                char identity[SHA256_HEX_SIZE])
{
    const struct tuple_table *table = contents->table;
    const int64_t size[] = {table->n_tuples, table->n_scalars}, first[] = {0, 0};
    hid_t type = H5Tcopy(H5T_C_S1), set = -1;
    hid_t file = move == CHECKPOINT_WRITE ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                          : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Tset_size(type, SHA256_HEX_SIZE);
    bool done = file >= 0 && checkpoint_attribute_move(file, "identity", type, move, identity);
    if (done && memcmp(identity, contents->identity, SHA256_HEX_SIZE) == 0) {
        set = checkpoint_set_open(file, "parts", move, 2, size);
        done = set >= 0 && checkpoint_set_move(set, move, 2, first, size, table->parts);
    }
    H5Tclose(type);
    done = (set < 0 || H5Dclose(set) >= 0) && done;
    return (file < 0 || H5Fclose(file) >= 0) && done;
}

static enum status write_tuple_contents(const char *path, void *context)
{
    struct tuple_contents *contents = context;
    struct hdf5_messages messages = hdf5_messages_stop();
    bool done = move_tuple_contents(path, CHECKPOINT_WRITE, contents, contents->identity);
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
        log_warn_once("%s; the run continues, but stores no finished part of this loop",
                      status_text());
    else
        log_warn_end();
    wall_time_end(use);
}

/* Reads parts of the same identity; whether it was the same. HDF5 may crash on a damaged file, which a
 * sealed one is not. */
static enum status read_same_parts(const char *path, const struct tuple_contents *contents,
                                   bool *same)
{
    char found[SHA256_HEX_SIZE] = "";
    bool sealed;
    TRY(checkpoint_seal_verify(path, &sealed));
    if (!sealed)
        return FAIL(STATUS_INPUT, "%s: damaged: its end with the SHA-256 is missing", path);
    struct hdf5_messages messages = hdf5_messages_stop();
    bool read = move_tuple_contents(path, CHECKPOINT_READ, contents, found);
    hdf5_messages_resume(&messages);
    *same = memcmp(found, contents->identity, SHA256_HEX_SIZE) == 0;
    return read ? STATUS_OK : FAIL(STATUS_INPUT, "%s: not the file of a loop", path);
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
    TRY(read_same_parts(path, &contents, &same));
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

static bool is_loop_iterated(const struct program *program, int loop)
{
    int first = program->loops[loop].first_statement;
    return first >= program->first_iterated && first < program->first_final;
}

enum status tuple_files_create(const struct correlation *correlation, const char *restart,
                               const char *checkpoint, struct tuple_files **files)
{
    const struct program *program = &correlation->instance.program;
    size_t size = sizeof **files + (size_t)program->n_loops * sizeof(struct tuple_file);
    struct tuple_files *made = *files =
        agree_calloc(correlation->problem.comm, size, "files of loops");
    if (!made)
        return STATUS_NO_MEMORY;
    made->correlation = correlation;
    made->restart = restart;
    made->checkpoint = checkpoint;
    made->n_loops = program->n_loops;
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
    for (int l = 0; l < self->n_loops; l++)
        executor_set_store(self->correlation->instance.executor, l, NULL);
    free(self);
}
