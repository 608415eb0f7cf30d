/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/method_bindings.h"

#include "support/base/sha256.h"
#include "support/vectors/vector_clones.h"
#include "tce/methods/correlation.h"
#include "tce/tensor/odometer.h"
#include "tce/tensor/tensor_functions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The term of a denominator's sum that an index gives. */
static double denominator_term(const struct bound_tensor *tensor, int d, int64_t value)
{
    bool is_occupied = tensor->is_occupied[d];
    struct orbital_place place = orbital_spaces_find(tensor->orbitals, !is_occupied, value);
    double energy = tensor->orbitals->spin[place.spin].energies[place.orbital];
    return is_occupied ? energy : -energy;
}

static double denominator_element(const int64_t value[], void *context)
{
    const struct bound_tensor *tensor = context;
    double sum = 0;
    for (int d = 0; d < tensor->rank; d++)
        sum += denominator_term(tensor, d, value[d]);
    return 1 / sum;
}

VECTOR_CLONES
static void fill_row(double sum, int64_t n, const double *terms, double *restrict row)
{
    for (int64_t i = 0; i < n; i++)
        row[i] = 1 / (sum + terms[i]);
}

/* The terms of all values of each index of a block, one after another. NULL: no memory. */
static double *list_denominator_terms(const struct bound_tensor *tensor, int rank,
                                      const int64_t first[], const int64_t extent[],
                                      const double *terms_of[])
{
    int64_t n = 0;
    for (int d = 0; d < rank; d++)
        n += extent[d];
    double *terms = malloc(((size_t)n + 1) * sizeof *terms), *next = terms;
    for (int d = 0; d < rank && terms; d++) {
        terms_of[d] = next;
        for (int64_t i = 0; i < extent[d]; i++)
            *next++ = denominator_term(tensor, d, first[d] + i);
    }
    return terms;
}

static enum status fill_denominators(int rank, const int64_t first[], const int64_t extent[],
                                     double *block, void *context)
{
    const double *terms_of[MAX_RANK];
    int64_t value[MAX_RANK] = {0};
    double *terms = list_denominator_terms(context, rank, first, extent, terms_of);
    TRY(CHECK_MEMORY(terms, "no memory for denominators"));
    do {
        double sum = 0;
        for (int d = 0; d < rank - 1; d++)
            sum += terms_of[d][value[d]];
        fill_row(sum, extent[rank - 1], terms_of[rank - 1], block);
        block += extent[rank - 1];
    } while (odometer_next(rank - 1, NULL, extent, value));
    free(terms);
    return STATUS_OK;
}

/* F_pq over the orbitals of the reference, diagonal but for ROHF. */
static double fock_element(const int64_t value[], void *context)
{
    const struct bound_tensor *tensor = context;
    struct orbital_place place[2];
    for (int d = 0; d < 2; d++)
        place[d] = orbital_spaces_find(tensor->orbitals, !tensor->is_occupied[d], value[d]);
    const struct orbital_space *space = &tensor->orbitals->spin[place[0].spin];
    if (place[0].spin != place[1].spin)
        return 0;
    if (tensor->is_occupied[0] == tensor->is_occupied[1])
        return place[0].orbital == place[1].orbital ? space->energies[place[0].orbital] : 0;
    int occupied = tensor->is_occupied[0] ? 0 : 1;
    return space->fock_ov ? space->fock_ov[place[occupied].orbital * space->n_virtual +
                                           place[1 - occupied].orbital - space->n_occupied]
                          : 0;
}

static const struct tensor_binding bindings[] = {
    {.name = "integrals",
     .meaning = "(pq|rs), chemists' notation",
     .rank = 4,
     .integrals = CHEMISTS_ORDER},
    {.name = "dirac_integrals",
     .meaning = "<pq|rs> = (pr|qs), physicists' notation; where orbitals have spins the only "
                "integrals, declared with the bar in the middle",
     .rank = 4,
     .integrals = DIRAC_ORDER},
    {.name = BINDING_FOCK,
     .meaning = "<p|F|q>, diagonal but for ROHF, where F_ia is not zero",
     .rank = 2,
     .element = fock_element},
    {.name = "denominators",
     .meaning = "1 / (sum of occupied - sum of virtual orbital energies), of the tensor's indices",
     .element = denominator_element,
     .fill = fill_denominators},
};
enum { N_BINDINGS = sizeof bindings / sizeof bindings[0] };

const struct fill_symmetry method_fill_symmetries[METHOD_N_FILLS] = {
    /* (pq|rs) = (qp|rs) = (pq|sr) = (rs|pq) */
    {.name = "integrals",
     .rank = 4,
     .fills_packed = true,
     .n_exchanges = 3,
     .exchanges = {{{1, 0, 2, 3}, 1}, {{0, 1, 3, 2}, 1}, {{2, 3, 0, 1}, 1}}},
    /* <pq|rs> = <rq|ps> = <ps|rq> = <qp|sr>; as (pr|qs) */
    {.name = "dirac_integrals",
     .rank = 4,
     .fills_packed = true,
     .n_exchanges = 3,
     .exchanges = {{{2, 1, 0, 3}, 1}, {{0, 3, 2, 1}, 1}, {{1, 0, 3, 2}, 1}}},
    {.name = BINDING_FOCK, .rank = 2, .n_exchanges = 1, .exchanges = {{{1, 0}, 1}}},
    {.name = "denominators"},
};

const struct tensor_binding *method_binding_find(const char *name)
{
    for (int b = 0; name && b < N_BINDINGS; b++)
        if (strcmp(bindings[b].name, name) == 0)
            return &bindings[b];
    return NULL;
}

bool method_space_is(const struct program *program, int space, const char *name)
{
    const char *binding = program->spaces[space].binding;
    return binding && strcmp(binding, name) == 0;
}

static enum status refuse_binding(const struct program *program,
                                  const struct program_tensor *tensor)
{
    char known[512] = "";
    size_t n = 0;
    for (int b = 0; b < N_BINDINGS && n < sizeof known; b++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s (%s)", b > 0 ? ", " : "",
                              bindings[b].name, bindings[b].meaning);
    return source_fail(program->file, tensor->fill_place,
                       "tensor '%s' cannot be bound to '%s': a method has %s; or filled with a "
                       "function, random, wave, constant or delta",
                       tensor->name, tensor->fill, known);
}

/* A name that is not bound to the molecule may be a function's (tensor_functions.h). */
static enum status check_filling_function(const struct program *program,
                                          const struct program_tensor *tensor)
{
    struct tensor_function function;
    if (tensor_function_find(tensor->fill, 0, NULL, tensor->rank, &function) != STATUS_OK)
        return refuse_binding(program, tensor);
    if (tensor_function_find(tensor->fill, tensor->n_arguments, tensor->arguments, tensor->rank,
                             &function) != STATUS_OK)
        return source_fail(program->file, tensor->fill_place, "%s", status_text());
    return STATUS_OK;
}

enum status method_bindings_check(const struct program *program)
{
    for (int t = 0; t < program->n_tensors; t++) {
        const struct program_tensor *tensor = &program->tensors[t];
        const struct tensor_binding *binding = method_binding_find(tensor->fill);
        if (!tensor->fill)
            continue;
        if (!binding) {
            TRY(check_filling_function(program, tensor));
            continue;
        }
        if (tensor->loop >= 0 && !binding->fill)
            return source_fail(program->file, tensor->fill_place,
                               "'%s' is local to a loop: declare a tensor of %s outside of it",
                               tensor->name, binding->name);
        if (binding->rank > 0 && tensor->rank != binding->rank)
            return source_fail(program->file, tensor->place,
                               "'%s' has %d indices, not the %d of %s", tensor->name, tensor->rank,
                               binding->rank, binding->name);
        for (int d = 0; d < tensor->rank; d++)
            if (!method_space_is(program, tensor->space[d], BINDING_OCCUPIED) &&
                !method_space_is(program, tensor->space[d], BINDING_VIRTUAL))
                return source_fail(
                    program->file, tensor->place,
                    "index %d of '%s' is neither occupied nor virtual, as those of %s "
                    "are",
                    d + 1, tensor->name, binding->name);
    }
    return STATUS_OK;
}

bool method_binds(const struct program *program, const char *name)
{
    for (int t = 0; t < program->n_tensors; t++)
        if (program->tensors[t].fill && strcmp(program->tensors[t].fill, name) == 0)
            return true;
    return false;
}

struct bound_tensor method_binding_describe(const struct program *program,
                                            const struct program_tensor *tensor,
                                            const struct orbital_spaces *orbitals)
{
    struct bound_tensor bound = {.orbitals = orbitals, .rank = tensor->rank};
    for (int d = 0; d < tensor->rank; d++)
        bound.is_occupied[d] = method_space_is(program, tensor->space[d], BINDING_OCCUPIED);
    return bound;
}

/* --- users' programs --- */

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

/* Whether the labels have the form of <pq|rs>: p and r have equal spins, and q and s. */
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
                    "reference is a closed shell: run the program "
                    "with --method uhf, or leave bars out",
                    tensor->name);
    }
    return STATUS_OK;
}

/* The energy of any other program has nothing to do with the molecule. */
static enum status check_bound(const struct program *program)
{
    for (int i = 0; i < program->n_spaces; i++)
        if (program->spaces[i].binding)
            return STATUS_OK;
    return FAIL(STATUS_INPUT,
                "%s: no space is bound to the molecule: bind one, as in `space o = occupied`, or "
                "leave the molecule out",
                program->file);
}

enum status user_program_check(const struct program *program, int n_orbital_sets)
{
    TRY(check_bound(program));
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
                              char name[TCE_METHOD_NAME_SIZE])
{
    struct sha256 *sha256;
    char hex[SHA256_HEX_SIZE];
    enum status status = sha256_create(&sha256);
    if (status != STATUS_OK)
        goto done;
    sha256_add(sha256, text, length_of_iterated(program, text, length));
    sha256_finish(sha256, hex);
    snprintf(name, TCE_METHOD_NAME_SIZE, USER_PROGRAM_PREFIX "%.10s", hex);
done:
    sha256_destroy(sha256);
    return status;
}
