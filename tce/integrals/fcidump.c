/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/fcidump.h"

#include "support/arrays/darray.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/io/output_file.h"
#include "support/mpi/wall_time.h"
#include "tce/integrals/mo_integrals.h"
#include "tce/integrals/mo_plan.h"
#include "tce/tensor/odometer.h"
#include "tce/tensor/tensor.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Smaller ones are zero by symmetry or by rounding. */
#define LEAST_INTEGRAL 1e-15

enum { LINE_BYTES = 44 }; /* of numbers up to 9999 */

/* --- the integrals --- */

/* Kinds of (pq|rs) by p, q, r and s, O occupied, V virtual: the six that are left when p and q, r and s, and pq
 * and rs may be exchanged. Every element of a kind is there, not only those that its symmetry leaves; blocks with
 * p and q, or r and s, of different spins are zero. */
enum integral_kind { OOOO, VOOO, VOVO, VVOO, VVVO, VVVV, N_INTEGRAL_KINDS };

static const char *const kind_patterns[N_INTEGRAL_KINDS] = {"oooo", "vooo", "vovo",
                                                            "vvoo", "vvvo", "vvvv"};

struct dump_integrals {
    struct index_space *spaces[N_MO_SPACES];
    struct tensor *tensors[N_INTEGRAL_KINDS];
    struct mo_target targets[N_INTEGRAL_KINDS];
    struct mo_integrals_problem problem; /* of their transformation */
};

/* Signs of the spins: p and q alike, and r and s. */
static struct block_labels labels_of_kind(const struct dump_integrals *self, int kind)
{
    struct block_labels labels = {.rank = 4, .sign = {1, -1, 1, -1}};
    for (int d = 0; d < 4; d++)
        labels.space[d] = self->spaces[kind_patterns[kind][d] == 'o' ? MO_OCCUPIED : MO_VIRTUAL];
    return labels;
}

/* Cuts the spaces, and describes the transformation; fini_integrals has to be called in any case. */
static enum status init_integrals(const struct fcidump *dump, struct dump_integrals *self)
{
    static const char *const names[] = {"o", "v"};
    *self = (struct dump_integrals){0};
    for (int s = 0; s < N_MO_SPACES; s++) {
        struct index_block blocks[2];
        int n = orbital_spaces_blocks(dump->orbitals, s == MO_VIRTUAL, blocks);
        TRY(index_space_create(names[s], n, blocks, dump->tile, &self->spaces[s]));
    }
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++)
        memcpy(self->targets[kind].pattern, kind_patterns[kind], 4);
    self->problem = (struct mo_integrals_problem){.screening = dump->screening,
                                                  .orbitals = dump->orbitals,
                                                  .occupied = self->spaces[MO_OCCUPIED],
                                                  .virtual = self->spaces[MO_VIRTUAL],
                                                  .threshold = MO_INTEGRALS_THRESHOLD,
                                                  .n_targets = N_INTEGRAL_KINDS,
                                                  .targets = self->targets};
    return STATUS_OK;
}

static void fini_integrals(struct dump_integrals *self)
{
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++)
        tensor_destroy(self->tensors[kind]);
    for (int s = 0; s < N_MO_SPACES; s++)
        index_space_destroy(self->spaces[s]);
}

static enum status create_tensors_of_kinds(struct dump_integrals *self, MPI_Comm comm)
{
    struct block_labels labels[N_INTEGRAL_KINDS];
    struct tensor_shape shapes[N_INTEGRAL_KINDS];
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++) {
        labels[kind] = labels_of_kind(self, kind);
        shapes[kind] = (struct tensor_shape){kind_patterns[kind], &labels[kind]};
    }
    return tensor_create_several(N_INTEGRAL_KINDS, shapes, comm, self->tensors);
}

/* Transforms all integrals. Collective. */
static enum status make_integrals(const struct fcidump *dump, const struct taskpool_settings *pool,
                                  struct dump_integrals *self)
{
    struct mo_integrals *transformation = NULL;
    TRY(status_agree(dump->comm, init_integrals(dump, self)));
    TRY(create_tensors_of_kinds(self, dump->comm));
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++)
        self->targets[kind].tensor = self->tensors[kind];
    enum status status = mo_integrals_create(&self->problem, pool, dump->comm, &transformation);
    if (status == STATUS_OK)
        status = mo_integrals_run(transformation);
    mo_integrals_destroy(transformation);
    return status;
}

/* --- the file --- */

/* The writing of process 0. */
struct dump_writer {
    const struct fcidump *dump;
    const struct dump_integrals *integrals;
    int64_t n;          /* orbitals, or spin orbitals, of the file */
    double *h;          /* n x n, the lower triangle; the rest is scratch */
    double *block;      /* of a tensor */
    double determinant; /* energy of the correlated electrons, hartree */
    FILE *file;
    int64_t n_written; /* two-electron integrals */
};

/* --- orbitals --- */

static int64_t count_dumped_orbitals(const struct orbital_spaces *orbitals)
{
    return orbitals->n_orbital_sets * orbitals->spin[0].n_orbitals;
}

/* Number in the file, from 0, of orbital p of a spin. */
static int64_t number_of_orbital(const struct orbital_spaces *orbitals, int spin, int64_t p)
{
    return orbitals->n_orbital_sets * p + spin;
}

/* Number in the file of a value of the occupied or of the virtual space. */
static int64_t number_of_value(const struct orbital_spaces *orbitals, bool is_virtual,
                               int64_t value)
{
    struct orbital_place place = orbital_spaces_find(orbitals, is_virtual, value);
    return number_of_orbital(orbitals, place.spin, place.orbital);
}

/* --- elements of a block --- */

/* A block of a kind of integrals, and one of its elements (pq|rs). */
struct dumped_block {
    const struct index_space *space[4];
    bool is_virtual[4];
    int32_t tile[4];
    bool same_bra, same_ket; /* p and q, r and s are of one space */
    bool same_pairs;         /* pq and rs are of the same spaces */
    int64_t value[4];        /* of the element in its spaces */
    int64_t number[4];       /* of its orbitals in the file */
    double element;
};

static void describe_block(const struct dump_writer *writer, int kind, int64_t number,
                           struct dumped_block *block)
{
    const struct tensor *tensor = writer->integrals->tensors[kind];
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    block_index_tuple(tensor->blocks, number, block->tile);
    for (int d = 0; d < 4; d++) {
        block->space[d] = labels->space[d];
        block->is_virtual[d] = labels->space[d] == writer->integrals->spaces[MO_VIRTUAL];
    }
    block->same_bra = block->space[0] == block->space[1];
    block->same_ket = block->space[2] == block->space[3];
    block->same_pairs = block->space[0] == block->space[2] && block->space[1] == block->space[3];
}

/* Whether p and q, and r and s, have the same spin: else all elements are zero. */
static bool has_equal_spins(const struct dumped_block *block)
{
    int8_t spin[4];
    for (int d = 0; d < 4; d++)
        spin[d] = block->space[d]->spin[block->tile[d]];
    return spin[0] == spin[1] && spin[2] == spin[3];
}

typedef void use_element(struct dump_writer *writer, const struct dumped_block *block);

/* Passes every element of the block to the function. */
static void walk_block(struct dump_writer *writer, struct dumped_block *block, use_element *use)
{
    const struct orbital_spaces *orbitals = writer->dump->orbitals;
    int64_t first[4], end[4], *value = block->value;
    const double *next = writer->block;
    for (int d = 0; d < 4; d++) {
        first[d] = block->space[d]->first[block->tile[d]];
        end[d] = block->space[d]->first[block->tile[d] + 1];
        value[d] = first[d];
    }
    do {
        for (int d = 0; d < 4; d++)
            block->number[d] = number_of_value(orbitals, block->is_virtual[d], value[d]);
        block->element = *next++;
        use(writer, block);
    } while (odometer_next(4, first, end, value));
}

/* Passes the elements of all blocks of a kind that are wanted to the function. */
static void walk_kind(struct dump_writer *writer, int kind,
                      bool (*wants)(const struct dumped_block *block), use_element *use)
{
    const struct tensor *tensor = writer->integrals->tensors[kind];
    for (int64_t b = 0; b < block_index_n(tensor->blocks); b++) {
        struct dumped_block block;
        describe_block(writer, kind, b, &block);
        if (!has_equal_spins(&block) || !wants(&block))
            continue;
        darray_get(tensor->data, b, writer->block);
        walk_block(writer, &block, use);
    }
}

/* --- the one-electron Hamiltonian --- */

static double *h_element(const struct dump_writer *writer, int64_t p, int64_t q)
{
    return &writer->h[p * writer->n + q];
}

static bool has_occupied_ket(const struct dumped_block *block)
{
    return !block->is_virtual[2] && !block->is_virtual[3];
}

static bool has_occupied_second(const struct dumped_block *block)
{
    return !block->is_virtual[1];
}

/* Electrons in an occupied orbital, by its number in its space. */
static int count_electrons(const struct orbital_spaces *orbitals, int64_t i)
{
    return i >= orbitals->spin[0].n_occupied - orbitals->n_open ? 1
                                                                : electrons_per_orbital(orbitals);
}

/* (pq|ii) */
static void subtract_coulomb(struct dump_writer *writer, const struct dumped_block *block)
{
    if (block->value[2] == block->value[3])
        *h_element(writer, block->number[0], block->number[1]) -=
            count_electrons(writer->dump->orbitals, block->value[2]) * block->element;
}

/* (pi|iq), q occupied */
static void add_occupied_exchange(struct dump_writer *writer, const struct dumped_block *block)
{
    if (block->value[1] == block->value[2])
        *h_element(writer, block->number[0], block->number[3]) += block->element;
}

/* (pi|qi), q virtual */
static void add_virtual_exchange(struct dump_writer *writer, const struct dumped_block *block)
{
    if (block->value[1] == block->value[3])
        *h_element(writer, block->number[0], block->number[2]) += block->element;
}

/* h = F - (Coulomb and exchange of the correlated occupied orbitals), F being diagonal but for ROHF. */
static void make_one_electron(struct dump_writer *writer)
{
    const struct orbital_spaces *orbitals = writer->dump->orbitals;
    for (int s = 0; s < orbitals->n_orbital_sets; s++)
        for (int64_t p = 0; p < orbitals->spin[s].n_orbitals; p++) {
            int64_t number = number_of_orbital(orbitals, s, p);
            *h_element(writer, number, number) = orbitals->spin[s].energies[p];
        }
    if (orbitals->spin[0].fock)
        memcpy(writer->h, orbitals->spin[0].fock, (size_t)(writer->n * writer->n) * sizeof(double));
    for (enum integral_kind kind = OOOO; kind <= VVOO; kind++)
        walk_kind(writer, kind, has_occupied_ket, subtract_coulomb);
    walk_kind(writer, OOOO, has_occupied_second, add_occupied_exchange);
    walk_kind(writer, VOOO, has_occupied_second, add_occupied_exchange);
    walk_kind(writer, VOVO, has_occupied_second, add_virtual_exchange);
}

/* (ii|jj) and (ij|ij) */
static void add_pair_energy(struct dump_writer *writer, const struct dumped_block *block)
{
    const struct orbital_spaces *orbitals = writer->dump->orbitals;
    const int64_t *value = block->value;
    int n[4];
    for (int d = 0; d < 4; d++)
        n[d] = count_electrons(orbitals, value[d]);
    if (value[0] == value[1] && value[2] == value[3])
        writer->determinant += n[0] * n[2] * block->element / 2;
    if (value[0] == value[2] && value[1] == value[3])
        writer->determinant -= (n[0] < n[1] ? n[0] : n[1]) * block->element / 2;
}

/* The constant that the Hamiltonian of the correlated electrons lacks. With a frozen core it follows from
 * the energy of their determinant. */
static double constant_energy(struct dump_writer *writer)
{
    const struct orbital_spaces *orbitals = writer->dump->orbitals;
    if (orbital_spaces_n_frozen(orbitals).n_core == 0)
        return writer->dump->nuclear_repulsion;
    writer->determinant = 0;
    for (int s = 0; s < orbitals->n_orbital_sets; s++)
        for (int64_t i = 0; i < orbitals->spin[s].n_occupied; i++) {
            int64_t number = number_of_orbital(orbitals, s, i);
            writer->determinant +=
                count_electrons(orbitals, i) * *h_element(writer, number, number);
        }
    walk_kind(writer, OOOO, has_occupied_ket, add_pair_energy);
    return writer->dump->scf_energy - writer->determinant;
}

/* --- text --- */

static void print_dump_header(const struct dump_writer *writer)
{
    const struct orbital_spaces *orbitals = writer->dump->orbitals;
    int64_t n_alpha = orbitals->spin[0].n_occupied;
    int64_t n_beta = orbitals->spin[orbitals->n_orbital_sets - 1].n_occupied - orbitals->n_open;
    fprintf(writer->file, "&FCI\nNORB=%lld,\nNELEC=%lld,\nMS2=%lld,\n", (long long)writer->n,
            (long long)(n_alpha + n_beta), (long long)(n_alpha - n_beta));
    fprintf(writer->file, "UHF=.%s.,\nORBSYM=", orbitals->n_orbital_sets == 2 ? "TRUE" : "FALSE");
    for (int64_t p = 0; p < writer->n; p++)
        fprintf(writer->file, "1,");
    fprintf(writer->file, "\nISYM=1,\n&END\n");
}

/* Numbers from 1, or 0. */
static void print_dump_line(const struct dump_writer *writer, double value, int64_t i, int64_t j,
                            int64_t k, int64_t l)
{
    fprintf(writer->file, "%23.16E %4lld %4lld %4lld %4lld\n", value, (long long)i, (long long)j,
            (long long)k, (long long)l);
}

/* Blocks all of whose elements are written as others are left out. */
static bool has_unique_elements(const struct dumped_block *block)
{
    const int32_t *tile = block->tile;
    return !(block->same_bra && tile[0] < tile[1]) && !(block->same_ket && tile[2] < tile[3]) &&
           !(block->same_pairs && tile[0] < tile[2]);
}

/* Selects one of the elements that are equal by symmetry: that with the larger values first. */
static bool is_unique_element(const struct dumped_block *block)
{
    const int64_t *value = block->value;
    if ((block->same_bra && value[0] < value[1]) || (block->same_ket && value[2] < value[3]))
        return false;
    return !block->same_pairs || value[0] > value[2] ||
           (value[0] == value[2] && value[1] >= value[3]);
}

static void print_integral(struct dump_writer *writer, const struct dumped_block *block)
{
    if (!is_unique_element(block) || fabs(block->element) < LEAST_INTEGRAL)
        return;
    print_dump_line(writer, block->element, block->number[0] + 1, block->number[1] + 1,
                    block->number[2] + 1, block->number[3] + 1);
    writer->n_written++;
}

static void print_one_electron(const struct dump_writer *writer)
{
    for (int64_t p = 0; p < writer->n; p++)
        for (int64_t q = 0; q <= p; q++)
            if (fabs(*h_element(writer, p, q)) >= LEAST_INTEGRAL)
                print_dump_line(writer, *h_element(writer, p, q), p + 1, q + 1, 0, 0);
}

static void print_orbital_energies(const struct dump_writer *writer)
{
    const struct orbital_spaces *orbitals = writer->dump->orbitals;
    for (int64_t p = 0; p < orbitals->spin[0].n_orbitals; p++)
        for (int s = 0; s < orbitals->n_orbital_sets; s++)
            print_dump_line(writer, orbitals->spin[s].energies[p],
                            number_of_orbital(orbitals, s, p) + 1, 0, 0, 0);
}

static enum status print_dump(const char *path, void *context)
{
    struct dump_writer *writer = context;
    writer->file = fopen(path, "w");
    if (!writer->file)
        return FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    print_dump_header(writer);
    for (enum integral_kind kind = OOOO; kind < N_INTEGRAL_KINDS && !ferror(writer->file); kind++)
        walk_kind(writer, kind, has_unique_elements, print_integral);
    print_one_electron(writer);
    print_orbital_energies(writer);
    print_dump_line(writer, constant_energy(writer), 0, 0, 0, 0);
    bool failed = ferror(writer->file) != 0;
    if (fclose(writer->file) != 0 || failed)
        return FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    return STATUS_OK;
}

/* --- the whole --- */

/* Process 0. */
static enum status write_dump(struct dump_writer *writer)
{
    int64_t max_block = 0;
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++)
        if (writer->integrals->tensors[kind]->max_block > max_block)
            max_block = writer->integrals->tensors[kind]->max_block;
    writer->h = calloc((size_t)(writer->n * writer->n), sizeof *writer->h);
    writer->block = malloc((size_t)max_block * sizeof *writer->block);
    enum status status = CHECK_MEMORY(writer->h && writer->block,
                                      "no memory for the one-electron integrals of %lld orbitals",
                                      (long long)writer->n);
    if (status != STATUS_OK)
        goto done;
    make_one_electron(writer);
    status = output_file_replace(writer->dump->path, 0, print_dump, writer);
done:
    free(writer->h);
    free(writer->block);
    return status;
}

/* The file, at most, in which integrals may be missing that are zero. */
static double dump_bytes(const struct orbital_spaces *orbitals)
{
    double n = (double)orbitals->spin[0].n_orbitals,
           n_pairs = orbitals->n_orbital_sets * n * (n + 1) / 2;
    return LINE_BYTES * n_pairs * (n_pairs + 1) / 2;
}

/* Elements over all processes, and the index that each has. */
static enum status add_kind_bytes(const struct dump_integrals *self, int kind,
                                  struct memory_need *need)
{
    struct block_index *blocks;
    struct block_labels labels = labels_of_kind(self, kind);
    TRY(block_index_create(&labels, &blocks));
    need->shared_bytes += sizeof(double) * tensor_count_elements(&labels);
    need->own_bytes += tensor_index_bytes(block_index_n(blocks));
    block_index_destroy(blocks);
    return STATUS_OK;
}

/* shared_bytes over all processes. */
static enum status count_integral_bytes(const struct fcidump *dump, struct dump_integrals *self,
                                        struct memory_need *need)
{
    struct mo_plan *plan = NULL;
    TRY(init_integrals(dump, self));
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++)
        TRY(add_kind_bytes(self, kind, need));
    enum status status = mo_plan_create(&self->problem, &plan);
    if (status == STATUS_OK) {
        need->shared_bytes += mo_plan_half_bytes(plan);
        need->own_bytes += mo_plan_process_bytes(plan);
    }
    mo_plan_destroy(plan);
    return status;
}

enum status fcidump_check_memory(const struct fcidump *dump)
{
    struct dump_integrals integrals;
    struct memory_need need = {0};
    double n = (double)count_dumped_orbitals(dump->orbitals);
    int n_processes;
    MPI_Comm_size(dump->comm, &n_processes);
    enum status status = status_agree(dump->comm, count_integral_bytes(dump, &integrals, &need));
    fini_integrals(&integrals);
    TRY(status);
    need.shared_bytes =
        need.shared_bytes / n_processes + darray_overhead_bytes(N_INTEGRAL_KINDS + 1);
    need.own_bytes += dump->scf_bytes + n * n * sizeof(double);
    struct memory_budget budget = memory_budget(dump->memory_bytes, dump->comm);
    log_print("Integrals  %s: up to %.0f MB; to transform them %.0f MB per process, the SCF's %.0f "
              "included\n",
              dump->path, 1e-6 * dump_bytes(dump->orbitals),
              1e-6 * (need.shared_bytes + need.own_bytes), 1e-6 * dump->scf_bytes);
    return memory_check("--write-fcidump", &need, &budget,
                        "use more processes on more nodes, or a smaller --cache; or leave it out");
}

enum status fcidump_write(const struct fcidump *dump, const struct taskpool_settings *pool)
{
    double start_s = clock_now_s();
    struct dump_integrals integrals;
    struct dump_writer writer = {
        .dump = dump, .integrals = &integrals, .n = count_dumped_orbitals(dump->orbitals)};
    int rank;
    MPI_Comm_rank(dump->comm, &rank);
    enum status status = make_integrals(dump, pool, &integrals);
    if (status != STATUS_OK)
        goto done;
    enum wall_use use = wall_time_begin(WALL_FILES);
    /* The others wait in MPI while process 0 reads their blocks. */
    status = status_agree(dump->comm, rank == 0 ? write_dump(&writer) : STATUS_OK);
    wall_time_end(use);
    if (status == STATUS_OK)
        log_print("\n%s: %lld two-electron integrals over %lld %sorbitals, %.3f s\n", dump->path,
                  (long long)writer.n_written, (long long)writer.n,
                  dump->orbitals->n_orbital_sets == 1 ? "" : "spin ", clock_now_s() - start_s);
done:
    fini_integrals(&integrals);
    return status;
}
