/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/program_instance.h"

#include "support/base/agree.h"
#include "support/base/sha256.h"
#include "tce/language/program.h"
#include "tce/tensor/odometer.h"
#include "tce/tensor/tensor_functions.h"

#include <stdlib.h>
#include <string.h>

/* Longer than any space. */
enum { WHOLE_TILE = INT32_MAX };

/* The binding of a space; NULL: none of the source's. */
static const struct space_binding *find_binding(const struct program_source *source,
                                                const struct program_space *space)
{
    for (int i = 0; i < source->n_spaces; i++)
        if (strcmp(source->spaces[i].name, space->binding) == 0)
            return &source->spaces[i];
    return NULL;
}

static enum status check_binding(const struct program_instance *self,
                                 const struct program_source *source,
                                 const struct program_space *space)
{
    if (!space->binding || find_binding(source, space))
        return STATUS_OK;
    return source_fail(self->program.file, space->binding_place,
                       "space %s is bound to '%s', which is unknown here: give it blocks, as in "
                       "`space %s = 10, 12`%s",
                       space->name, space->binding, space->name,
                       source->n_spaces > 0
                           ? ", or a name that the method has"
                           : "; occupied and virtual orbitals need a molecule after the file");
}

/* The tile that the program or the source asks for; 0: none. */
static int64_t given_tile(const struct program_instance *self, const struct program_source *source,
                          const struct program_space *space)
{
    int64_t bound = space->binding ? find_binding(source, space)->tile : 0;
    if (space->tile > 0)
        return space->tile;
    return bound > 0 ? bound : self->program.tile;
}

/* tile  values at most; 0: as many as labels allow */
static enum status cut_space(const struct program_instance *self,
                             const struct program_source *source, const struct program_space *space,
                             int64_t tile, struct index_space **cut)
{
    int64_t n_blocks = space->n_blocks;
    const struct index_block *blocks = space->blocks;
    if (space->binding) {
        n_blocks = find_binding(source, space)->n_blocks;
        blocks = find_binding(source, space)->blocks;
    }
    enum status status =
        index_space_create(space->name, n_blocks, blocks, tile > 0 ? tile : WHOLE_TILE, cut);
    return status == STATUS_LIMIT
               ? source_fail(self->program.file, space->place, "%s", status_text())
               : status;
}

static void forget_plan(struct program_instance *self)
{
    plan_destroy(self->plan);
    self->plan = NULL;
    for (int i = 0; self->spaces && i < self->program.n_spaces; i++) {
        index_space_destroy(self->spaces[i]);
        self->spaces[i] = NULL;
    }
}

static enum status plan_with_tiles(struct program_instance *self,
                                   const struct program_source *source, const int64_t tile[])
{
    int64_t n_tiles = 0;
    forget_plan(self);
    for (int i = 0; i < self->program.n_spaces; i++) {
        const struct program_space *space = &self->program.spaces[i];
        TRY(cut_space(self, source, space, tile[i], &self->spaces[i]));
        n_tiles += self->spaces[i]->n_tiles;
        if (n_tiles > INDEX_SPACE_MAX_TILES)
            return source_fail(self->program.file, space->place,
                               "all spaces up to this have more than 2^20 tiles: take larger ones");
    }
    return plan_create(&self->program, (const struct index_space *const *)self->spaces,
                       source->pairs, &self->plan);
}

/* Checks a tensor whose labels are known: that one over spaces with spins has a bar, and that one over spaces that are
 * not bound has a block. */
static enum status check_tensor(const struct program_instance *self, int number)
{
    const struct program_tensor *tensor = &self->program.tensors[number];
    bool is_bound = false;
    for (int d = 0; d < tensor->rank; d++) {
        const struct program_space *space = &self->program.spaces[tensor->space[d]];
        is_bound = is_bound || space->binding;
        if (!tensor->has_bar && self->plan->spaces.spaces[tensor->space[d]].max_spin > 0)
            return source_fail(self->program.file, tensor->place,
                               "'%s' needs a bar '|' between its upper and its lower indices, such "
                               "as %s[a|i], because space '%s' %s",
                               tensor->name, tensor->name, space->name,
                               space->binding ? "is bound to spin orbitals of an "
                                                "unrestricted reference: write the program over "
                                                "spin orbitals"
                                              : "has spins");
    }
    if (!is_bound && self->plan->tensors[number].elements == 0)
        return source_fail(self->program.file, tensor->place,
                           "'%s' has no block: no labels of its indices have irrep %d and spin %d "
                           "together; change its labels or its indices",
                           tensor->name, tensor->irrep, tensor->spin);
    return STATUS_OK;
}

/* Plans with the tiles that are asked for; others are chosen for the contractions of a first plan. */
static enum status cut_and_plan(struct program_instance *self, const struct program_source *source)
{
    const struct program *program = &self->program;
    size_t n = (size_t)program->n_spaces;
    bool all_given = true;
    self->spaces = calloc(n + 1, sizeof(struct index_space *));
    int64_t *tile = calloc(n + 1, sizeof *tile);
    enum status status =
        CHECK_MEMORY(self->spaces && tile, "no memory for %d index spaces", program->n_spaces);
    for (int i = 0; i < program->n_spaces && status == STATUS_OK; i++) {
        tile[i] = given_tile(self, source, &program->spaces[i]);
        all_given = all_given && tile[i] > 0;
    }
    if (status == STATUS_OK && !all_given)
        status = plan_with_tiles(self, source, tile);
    if (status == STATUS_OK && !all_given)
        status = plan_choose_tiles(self->plan, tile);
    if (status == STATUS_OK)
        status = plan_with_tiles(self, source, tile);
    free(tile);
    return status;
}

static enum status parse_and_plan(struct program_instance *self,
                                  const struct program_source *source)
{
    TRY(program_parse(source->text, source->length, source->file, &self->program));
    for (int i = 0; i < self->program.n_spaces; i++)
        TRY(check_binding(self, source, &self->program.spaces[i]));
    TRY(symmetry_check_program(&self->program, source->n_fills, source->fills));
    TRY(cut_and_plan(self, source));
    for (int t = 0; t < self->program.n_tensors; t++)
        TRY(check_tensor(self, t));
    return STATUS_OK;
}

enum status program_instance_init(const struct program_source *source, MPI_Comm comm,
                                  struct program_instance *self)
{
    *self = (struct program_instance){.comm = comm};
    return status_agree(comm, parse_and_plan(self, source));
}

void program_instance_fini(struct program_instance *self)
{
    executor_destroy(self->executor);
    forget_plan(self);
    free(self->spaces);
    free(self->functions);
    program_fini(&self->program);
    *self = (struct program_instance){0};
}

enum status program_instance_start(struct program_instance *self,
                                   const struct contraction_settings *settings)
{
    return executor_create(self->plan, settings, self->more_bytes, self->comm, &self->executor);
}

static enum status find_function(const struct program_instance *self, int tensor,
                                 struct tensor_function *function)
{
    const struct program_tensor *declared = &self->program.tensors[tensor];
    if (tensor_function_find(declared->fill, declared->n_arguments, declared->arguments,
                             declared->rank, function) == STATUS_OK)
        return STATUS_OK;
    return source_fail(self->program.file, declared->fill_place, "%s", status_text());
}

enum status program_instance_check_fill(const struct program_instance *self, int tensor)
{
    struct tensor_function function;
    return self->program.tensors[tensor].fill ? find_function(self, tensor, &function) : STATUS_OK;
}

/* Element by element; context: a struct tensor_function. */
static enum status fill_by_function(int rank, const int64_t first[], const int64_t extent[],
                                    double *block, void *context)
{
    struct tensor_function *function = context;
    int64_t end[MAX_RANK], value[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        value[d] = first[d];
        end[d] = first[d] + extent[d];
    }
    do
        *block++ = function->element(value, function);
    while (odometer_next(rank, first, end, value));
    return STATUS_OK;
}

/* A tensor of a loop is filled for each of its tuples of tiles. */
static enum status fill_local_tensor(struct program_instance *self, int tensor)
{
    size_t n = (size_t)self->program.n_tensors;
    if (!self->program.tensors[tensor].fill)
        return STATUS_OK;
    if (!self->functions)
        self->functions = calloc(n, sizeof *self->functions);
    TRY(status_agree(self->comm, CHECK_MEMORY(self->functions, "no memory for %zu functions", n)));
    TRY(find_function(self, tensor, &self->functions[tensor]));
    executor_set_fill(self->executor, tensor,
                      &(struct tile_fill){fill_by_function, &self->functions[tensor]});
    return STATUS_OK;
}

enum status program_instance_fill(struct program_instance *self, int tensor)
{
    if (self->program.tensors[tensor].loop >= 0)
        return fill_local_tensor(self, tensor);
    struct tensor *filled = executor_tensor(self->executor, tensor);
    struct tensor_function function;
    if (!self->program.tensors[tensor].fill) {
        darray_zero(filled->data);
        darray_sync();
        return STATUS_OK;
    }
    TRY(find_function(self, tensor, &function));
    tensor_fill(filled, function.element, &function);
    return STATUS_OK;
}

bool program_instance_is_assigned(const struct program_instance *self, int tensor)
{
    return self->program.tensors[tensor].loop < 0 &&
           program_computes(&self->program, 0, self->program.n_statements, tensor);
}

bool program_instance_is_result(const struct program_instance *self, int tensor)
{
    const struct program *program = &self->program;
    if (program->n_unknowns == 0)
        return program_instance_is_assigned(self, tensor);
    for (int i = 0; i < program->n_unknowns; i++)
        if (program->unknowns[i].residual == tensor)
            return true;
    for (int i = 0; i < program->n_reports; i++)
        if (program->reports[i].tensor == tensor)
            return true;
    return program->energy == tensor || program->final_energy == tensor;
}

/* The digest of the digests. */
enum status program_instance_sha256(const struct program_instance *self, char text[SHA256_HEX_SIZE])
{
    struct sha256 *all;
    enum status status = status_agree(self->comm, sha256_create(&all));
    if (status != STATUS_OK)
        goto done;
    for (int i = 0; i < self->program.n_tensors; i++) {
        char one[SHA256_HEX_SIZE];
        if (!program_instance_is_result(self, i))
            continue;
        status = tensor_sha256(executor_tensor(self->executor, i), self->comm, one);
        if (status != STATUS_OK)
            goto done;
        sha256_add(all, one, sizeof one);
    }
    sha256_finish(all, text);
done:
    sha256_destroy(all);
    return status;
}
