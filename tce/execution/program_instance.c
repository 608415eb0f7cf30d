/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/program_instance.h"

#include "support/base/agree.h"
#include "support/base/sha256.h"
#include "tce/language/parser.h"
#include "tce/tensor/tensor_functions.h"

#include <stdlib.h>
#include <string.h>

static enum status cut_space(const struct program_instance *self,
                             const struct program_source *source, const struct program_space *space,
                             struct index_space **cut)
{
    int64_t tile = space->tile > 0 ? space->tile : self->program.tile;
    if (!space->binding) {
        enum status status =
            index_space_create(space->name, space->n_blocks, space->blocks, tile, cut);
        return status == STATUS_LIMIT
                   ? source_fail(self->program.file, space->place, "%s", status_text())
                   : status;
    }
    for (int i = 0; i < source->n_spaces; i++) {
        const struct space_binding *bound = &source->spaces[i];
        if (strcmp(bound->name, space->binding) == 0)
            return index_space_create(space->name, bound->n_blocks, bound->blocks,
                                      space->tile > 0 ? space->tile : bound->tile, cut);
    }
    return source_fail(self->program.file, space->binding_place,
                       "space %s is bound to '%s', which is unknown here: give it blocks, as in "
                       "`space %s = 10, 12`%s",
                       space->name, space->binding, space->name,
                       source->n_spaces > 0
                           ? ", or a name that the method has"
                           : "; occupied and virtual orbitals need a molecule after the file");
}

/* Checks the bars of tensors over bound spaces, whose spins are unknown to the parser. */
static enum status check_bars(const struct program_instance *self)
{
    for (int t = 0; t < self->program.n_tensors; t++) {
        const struct program_tensor *tensor = &self->program.tensors[t];
        for (int d = 0; d < tensor->rank && !tensor->has_bar; d++)
            if (self->plan->spaces.spaces[tensor->space[d]].has_spins)
                return source_fail(self->program.file, tensor->place,
                                   "'%s' needs a bar '|' between its upper and its lower indices, "
                                   "because space '%s' is bound to one with spins",
                                   tensor->name, self->program.spaces[tensor->space[d]].name);
    }
    return STATUS_OK;
}

static enum status parse_and_plan(struct program_instance *self,
                                  const struct program_source *source)
{
    TRY(program_parse(source->text, source->length, source->file, &self->program));
    int n = self->program.n_spaces;
    int64_t n_tiles = 0;
    self->spaces = calloc((size_t)n + 1, sizeof(struct index_space *));
    TRY(CHECK_MEMORY(self->spaces, "no memory for %d index spaces", n));
    for (int i = 0; i < n; i++) {
        TRY(cut_space(self, source, &self->program.spaces[i], &self->spaces[i]));
        n_tiles += self->spaces[i]->n_tiles;
        if (n_tiles > INDEX_SPACE_MAX_TILES)
            return source_fail(self->program.file, self->program.spaces[i].place,
                               "all spaces up to this have more than 2^20 tiles: take larger ones");
    }
    TRY(plan_create(&self->program, (const struct index_space *const *)self->spaces, &self->plan));
    return check_bars(self);
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
    plan_destroy(self->plan);
    for (int i = 0; self->spaces && i < self->program.n_spaces; i++)
        index_space_destroy(self->spaces[i]);
    free(self->spaces);
    free(self->functions);
    program_fini(&self->program);
    *self = (struct program_instance){0};
}

enum status program_instance_start(struct program_instance *self,
                                   const struct contraction_settings *settings)
{
    return executor_create(self->plan, settings, self->comm, &self->executor);
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
    int64_t value[MAX_RANK];
    for (int d = 0; d < rank; d++)
        value[d] = first[d];
    for (;;) {
        *block++ = function->element(value, function);
        int d = rank - 1;
        for (; d >= 0 && ++value[d] == first[d] + extent[d]; d--)
            value[d] = first[d];
        if (d < 0)
            return STATUS_OK;
    }
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
    for (int i = 0; i < self->program.n_statements; i++)
        if (self->program.statements[i].target.tensor == tensor)
            return self->program.tensors[tensor].loop < 0;
    return false;
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
