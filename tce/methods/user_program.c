/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/user_program.h"

#include "support/base/sha256.h"
#include "tce/methods/correlation.h"
#include "tce/methods/method_bindings.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static enum status check_unknowns(const struct program *program)
{
    if (program->n_unknowns <= CORRELATION_MAX_UNKNOWNS)
        return STATUS_OK;
    return source_fail(program->file, program->iterate_place,
                       "%d tensors are iterated; over a molecule at most %d are possible",
                       program->n_unknowns, CORRELATION_MAX_UNKNOWNS);
}

static enum status check_assignments(const struct program *program)
{
    for (int i = 0; i < program->n_statements; i++) {
        const struct program_factor *target = &program->statements[i].target;
        const struct program_tensor *tensor = &program->tensors[target->tensor];
        if (method_binding_find(tensor->fill))
            return source_fail(program->file, target->place,
                               "'%s' is bound to '%s', line %d, and cannot be computed; use "
                               "another tensor for the result",
                               tensor->name, tensor->fill, tensor->place.line);
    }
    return STATUS_OK;
}

/* Integrals are transformed to one cut of the orbitals. */
static enum status check_tiles(const struct program *program)
{
    for (int i = 0; i < program->n_spaces; i++)
        for (int j = 0; j < i; j++) {
            const struct program_space *space = &program->spaces[i], *before = &program->spaces[j];
            if (space->binding && before->binding && strcmp(space->binding, before->binding) == 0 &&
                space->tile != before->tile)
                return source_fail(program->file, space->place,
                                   "space '%s' is bound to '%s' as space '%s' is, line %d, but "
                                   "with other tiles; give both the same",
                                   space->name, space->binding, before->name, before->place.line);
        }
    return STATUS_OK;
}

/* Whether the blocks that exist are those of <pq|rs>: p and r, and q and s, have the same spin. */
static bool has_dirac_blocks(const struct program_tensor *tensor)
{
    return tensor->sign[0] == 1 && tensor->sign[1] == 1 && tensor->sign[2] == -1 &&
           tensor->sign[3] == -1;
}

/* The transformation fills blocks of one form. */
static enum status check_integral_blocks(const struct program *program, int n_orbital_sets)
{
    for (int t = 0; t < program->n_tensors; t++) {
        const struct program_tensor *tensor = &program->tensors[t];
        const struct tensor_binding *binding = method_binding_find(tensor->fill);
        if (!binding || binding->integrals == NO_INTEGRALS)
            continue;
        if (tensor->irrep != 0 || tensor->spin != 0)
            return source_fail(program->file, tensor->place,
                               "'%s' has labels, but integrals are of irrep 0 and spin 0: leave "
                               "them out",
                               tensor->name);
        if (n_orbital_sets == 2 && (binding->integrals != DIRAC_ORDER || !has_dirac_blocks(tensor)))
            return source_fail(program->file, tensor->place,
                               "'%s' cannot be bound to '%s' over spin orbitals: integrals are "
                               "dirac_integrals there, g[p,q|r,s] with the bar in the middle",
                               tensor->name, tensor->fill);
    }
    return STATUS_OK;
}

static enum status check_no_bars(const struct program *program)
{
    for (int t = 0; t < program->n_tensors; t++) {
        const struct program_tensor *tensor = &program->tensors[t];
        for (int d = 0; d < tensor->rank && tensor->has_bar; d++)
            if (program->spaces[tensor->space[d]].binding)
                return source_fail(
                    program->file, tensor->place,
                    "'%s' has a bar '|', as tensors over spin orbitals have, but the "
                    "orbitals here are those of a closed shell: run the program "
                    "with --method uhf, or leave bars out",
                    tensor->name);
    }
    return STATUS_OK;
}

enum status user_program_check(const struct program *program, int n_orbital_sets)
{
    TRY(check_unknowns(program));
    TRY(check_assignments(program));
    TRY(check_tiles(program));
    TRY(check_integral_blocks(program, n_orbital_sets));
    return n_orbital_sets == 1 ? check_no_bars(program) : STATUS_OK;
}

enum status user_program_reset(struct program_instance *instance)
{
    for (int i = 0; i < instance->program.n_tensors; i++)
        if (program_instance_is_assigned(instance, i))
            TRY(program_instance_fill(instance, i));
    return STATUS_OK;
}

/* The length of the text before `finally`, without white space at its end: a program without `finally` may be
 * continued by one. */
static size_t length_of_iterated(const struct program *program, const char *text, size_t length)
{
    size_t end = 0;
    int line = 1;
    for (; end < length && line != program->finally_place.line; end++)
        line += text[end] == '\n';
    while (end > 0 && isspace((unsigned char)text[end - 1]))
        end--;
    return end;
}

enum status user_program_name(const struct program *program, const char *text, size_t length,
                              char name[USER_PROGRAM_NAME_SIZE])
{
    struct sha256 *sha256;
    char hex[SHA256_HEX_SIZE];
    enum status status = sha256_create(&sha256);
    if (status != STATUS_OK)
        goto done;
    sha256_add(sha256, text, length_of_iterated(program, text, length));
    sha256_finish(sha256, hex);
    snprintf(name, USER_PROGRAM_NAME_SIZE, USER_PROGRAM_PREFIX "%.10s", hex);
done:
    sha256_destroy(sha256);
    return status;
}
