/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/program_check.h"

#include <limits.h>
#include <stdlib.h>

/* Labels other than those without spin: those of spin 0 are the middle ones of three. */
static bool space_may_have_spins(const struct program_space *space)
{
    return (space->labels & ~UINT32_C(022222222)) != 0;
}

enum status program_check_tensor(const struct program *program, const struct program_tensor *tensor)
{
    for (int d = 0; d < tensor->rank && !tensor->has_bar; d++) {
        const struct program_space *space = &program->spaces[tensor->space[d]];
        if (space_may_have_spins(space))
            return source_fail(program->file, tensor->place,
                               "'%s' needs a bar '|' between its upper and its lower indices, such "
                               "as %s[a|i], because space '%s' has spins",
                               tensor->name, tensor->name, space->name);
    }
    return STATUS_OK;
}

static bool occurs_in_term(const struct program *program, const struct program_term *term,
                           int index)
{
    for (int f = 0; f < term->n_factors; f++)
        if (program_factor_has_index(program, &term->factors[f], index))
            return true;
    return false;
}

static enum status check_target_indices(const struct program *program,
                                        const struct program_factor *target,
                                        const struct program_term *term)
{
    for (int d = 0; d < program->tensors[target->tensor].rank; d++)
        if (!occurs_in_term(program, term, target->index[d]))
            return source_fail(program->file, term->place,
                               "index '%s' of '%s', on the left side, is missing in this product",
                               program->indices[target->index[d]].name,
                               program->tensors[target->tensor].name);
    return STATUS_OK;
}

static enum status check_recursion(const struct program *program,
                                   const struct program_statement *statement,
                                   const struct program_term *term)
{
    for (int f = 0; f < term->n_factors; f++)
        if (term->factors[f].tensor == statement->target.tensor)
            return source_fail(program->file, term->factors[f].place,
                               "'%s' is computed from itself; use %sanother tensor for the result",
                               program->tensors[statement->target.tensor].name,
                               statement->add ? "" : "'+=' to add to it, or ");
    return STATUS_OK;
}

/* How often an index stands in a term and its target, or for spins how often as an upper one less as a lower one, those
 * of the target being subtracted. */
static int count_index(const struct program *program, const struct program_factor *target,
                       const struct program_term *term, int index, bool spins)
{
    int count = 0;
    for (int f = -1; f < term->n_factors; f++) {
        const struct program_factor *factor = f < 0 ? target : &term->factors[f];
        const struct program_tensor *tensor = &program->tensors[factor->tensor];
        for (int d = 0; d < tensor->rank; d++)
            if (factor->index[d] == index)
                count += spins ? (f < 0 ? -1 : 1) * tensor->sign[d] : 1;
    }
    return count;
}

/* The irrep or the spin that labels of the factors lack to that of the target where those of all indices cancel, so
 * that no block of one meets blocks of the others unless it is 0; INT_MAX where those of an index do not. */
static int find_lacking_label(const struct program *program, const struct program_factor *target,
                              const struct program_term *term, bool spins)
{
    int lacking = 0;
    for (int f = -1; f < term->n_factors; f++) {
        const struct program_factor *factor = f < 0 ? target : &term->factors[f];
        const struct program_tensor *tensor = &program->tensors[factor->tensor];
        lacking =
            spins ? lacking + (f < 0 ? -tensor->spin : tensor->spin) : lacking ^ tensor->irrep;
        for (int d = 0; d < tensor->rank; d++) {
            int count = count_index(program, target, term, factor->index[d], spins);
            if (spins ? count != 0 : count % 2 != 0)
                return INT_MAX;
        }
    }
    return lacking;
}

static enum status check_labels(const struct program *program, const struct program_factor *target,
                                const struct program_term *term)
{
    for (int spins = 0; spins < 2; spins++) {
        int lacking = find_lacking_label(program, target, term, spins);
        if (lacking != 0 && lacking != INT_MAX)
            return source_fail(program->file, term->place,
                               "the labels of this product can never be met: the %s of its tensors "
                               "do not give that of '%s'; change that of a tensor",
                               spins ? "spins" : "irreps", program->tensors[target->tensor].name);
    }
    return STATUS_OK;
}

bool program_check_keeps_labels(const struct program *program,
                                const struct program_statement *statement)
{
    const struct program_tensor *tensor = &program->tensors[statement->target.tensor];
    const uint32_t without_irreps = 07;
    bool has_irreps = false, keeps = true;
    for (int d = 0; d < tensor->rank; d++) {
        const struct program_space *space = &program->spaces[tensor->space[d]];
        has_irreps = has_irreps || space->binding || (space->labels & ~without_irreps) != 0;
    }
    for (int t = 0; t < statement->n_terms; t++) {
        const struct program_term *term = &statement->terms[t];
        if (has_irreps)
            keeps = keeps && find_lacking_label(program, &statement->target, term, false) == 0;
        if (tensor->has_bar)
            keeps = keeps && find_lacking_label(program, &statement->target, term, true) == 0;
    }
    return keeps;
}

/* --- loops over tiles --- */

/* Whether a local tensor has been filled, or made by a statement of its loop before this one. */
static bool is_made(const struct program *program, const struct program_statement *statement,
                    int tensor)
{
    int first = program->loops[statement->loop].first_statement;
    return program->tensors[tensor].fill ||
           program_computes(program, first, (int)(statement - program->statements), tensor);
}

/* A place of a local tensor is confined to the tile of one index of the loop, or has all values. */
static enum status check_local_place(const struct program *program,
                                     const struct program_factor *factor, int d)
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    const char *name = program->indices[factor->index[d]].name;
    if (tensor->loop_index[d] >= 0 && tensor->loop_index[d] != factor->index[d])
        return source_fail(program->file, factor->place,
                           "place %d of '%s' holds the tile of '%s' alone, by its declaration in "
                           "line %d: '%s' cannot stand there",
                           d + 1, tensor->name, program->indices[tensor->loop_index[d]].name,
                           tensor->place.line, name);
    if (tensor->loop_index[d] < 0 &&
        program_loop_has_index(&program->loops[tensor->loop], factor->index[d]))
        return source_fail(
            program->file, factor->place,
            "place %d of '%s' has all values, by its declaration in line %d: '%s', of "
            "the loop, cannot stand there",
            d + 1, tensor->name, tensor->place.line, name);
    return STATUS_OK;
}

/* A local tensor is there in its loop alone. */
static enum status check_local(const struct program *program,
                               const struct program_statement *statement,
                               const struct program_factor *factor)
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    if (tensor->loop < 0)
        return STATUS_OK;
    if (tensor->loop != statement->loop)
        return source_fail(program->file, factor->place,
                           "'%s' is local to the loop of line %d; declare a tensor outside of it",
                           tensor->name, program->loops[tensor->loop].place.line);
    for (int d = 0; d < tensor->rank; d++)
        TRY(check_local_place(program, factor, d));
    return STATUS_OK;
}

static enum status check_loop_target(const struct program *program,
                                     const struct program_statement *statement)
{
    const struct program_factor *target = &statement->target;
    const struct program_tensor *tensor = &program->tensors[target->tensor];
    if (tensor->loop < 0 && tensor->rank > 0)
        return source_fail(
            program->file, target->place,
            "'%s' is stored: a loop over tiles computes tensors that are declared in "
            "it, and scalars",
            tensor->name);
    if (tensor->loop >= 0 && statement->add && !is_made(program, statement, target->tensor))
        return source_fail(program->file, target->place,
                           "'%s' is added to before it has a value: write '='", tensor->name);
    return STATUS_OK;
}

/* A local tensor that has a value, and no scalar that the loop is still summing. */
static enum status check_loop_factor(const struct program *program,
                                     const struct program_statement *statement,
                                     const struct program_factor *factor)
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    if (tensor->loop >= 0 && !is_made(program, statement, factor->tensor))
        return source_fail(
            program->file, factor->place,
            "'%s' has no value yet: compute it in a line before this one, or fill it in its "
            "declaration",
            tensor->name);
    if (tensor->loop < 0 &&
        program_computes(program, program->loops[statement->loop].first_statement,
                         (int)(statement - program->statements), factor->tensor))
        return source_fail(program->file, factor->place,
                           "'%s' is summed over the whole loop: its value is known after 'end'",
                           tensor->name);
    return STATUS_OK;
}

/* Refuses a scalar's product that lacks an index of the loop, and a local tensor that would be summed over
 * one: a tuple has a single tile of each. */
static enum status check_loop_sums(const struct program *program,
                                   const struct program_statement *statement,
                                   const struct program_term *term)
{
    const struct program_loop *loop = &program->loops[statement->loop];
    const struct program_tensor *target = &program->tensors[statement->target.tensor];
    for (int i = 0; i < loop->n; i++) {
        const char *name = program->indices[loop->index[i]].name;
        bool occurs = occurs_in_term(program, term, loop->index[i]);
        if (target->loop < 0 && !occurs)
            return source_fail(program->file, term->place,
                               "index '%s' of the loop is missing in this product, which would be "
                               "added to '%s' once for each of its tiles: leave '%s' out of the "
                               "loop, or compute '%s' in another",
                               name, target->name, name, target->name);
        if (target->loop >= 0 && occurs &&
            !program_factor_has_index(program, &statement->target, loop->index[i]))
            return source_fail(
                program->file, term->place,
                "'%s' would have the sum over one tile of '%s', of the loop, alone: "
                "declare '%s' with '%s', or sum over an index that is not the loop's",
                target->name, name, target->name, name);
    }
    return STATUS_OK;
}

static enum status check_loop_rules(const struct program *program,
                                    const struct program_statement *statement)
{
    TRY(check_local(program, statement, &statement->target));
    if (statement->loop >= 0)
        TRY(check_loop_target(program, statement));
    for (int t = 0; t < statement->n_terms; t++)
        for (int f = 0; f < statement->terms[t].n_factors; f++) {
            TRY(check_local(program, statement, &statement->terms[t].factors[f]));
            if (statement->loop >= 0)
                TRY(check_loop_factor(program, statement, &statement->terms[t].factors[f]));
        }
    return STATUS_OK;
}

enum status program_check_statement(const struct program *program,
                                    const struct program_statement *statement)
{
    TRY(check_loop_rules(program, statement));
    for (int t = 0; t < statement->n_terms; t++) {
        const struct program_term *term = &statement->terms[t];
        TRY(check_recursion(program, statement, term));
        TRY(check_target_indices(program, &statement->target, term));
        if (statement->loop >= 0)
            TRY(check_loop_sums(program, statement, term));
        TRY(check_labels(program, &statement->target, term));
    }
    return STATUS_OK;
}

static const char *place_of_iterated(const struct program *program)
{
    return program->finally_place.line > 0 ? "between 'iterate' and 'finally'" : "after 'iterate'";
}

/* computed: by tensor, whether a statement with `=` among the iterated ones was met. */
static enum status check_iterated(const struct program *program, int end, bool *computed)
{
    const struct source_place place = program->iterate_place;
    for (int s = program->first_iterated; s < end; s++) {
        const struct program_statement *statement = &program->statements[s];
        int target = statement->target.tensor;
        computed[target] = computed[target] || !statement->add;
        if (!computed[target])
            return source_fail(program->file, statement->place,
                               "'%s' would grow with every %s; compute it by '=' after "
                               "'iterate', line %d, before anything is added to it",
                               program->tensors[target].name,
                               s < program->first_final ? "iteration" : "run", place.line);
    }
    for (int u = 0; end == program->first_final && u < program->n_unknowns; u++)
        if (!computed[program->unknowns[u].residual])
            return source_fail(program->file, place, "no statement %s computes the residual '%s'",
                               place_of_iterated(program),
                               program->tensors[program->unknowns[u].residual].name);
    if (program->energy >= 0 && !computed[program->energy])
        return source_fail(program->file, place, "no statement %s computes the energy '%s'",
                           place_of_iterated(program), program->tensors[program->energy].name);
    return STATUS_OK;
}

enum status program_check_reports(const struct program *program)
{
    for (int r = 0; r < program->n_reports; r++) {
        const struct program_tensor *scalar = &program->tensors[program->reports[r].tensor];
        if (!scalar->fill &&
            !program_computes(program, 0, program->n_statements, program->reports[r].tensor))
            return source_fail(program->file, program->reports[r].place,
                               "no statement computes '%s', which is reported here: compute it, or "
                               "leave this line out",
                               scalar->name);
    }
    return STATUS_OK;
}

enum status program_check_iteration(const struct program *program)
{
    bool *computed = calloc((size_t)program->n_tensors + 1, sizeof *computed);
    TRY(CHECK_MEMORY(computed, "no memory to check a program of %d tensors", program->n_tensors));
    enum status status = check_iterated(program, program->first_final, computed);
    if (status == STATUS_OK)
        status = check_iterated(program, program->n_statements, computed);
    if (status == STATUS_OK && program->final_energy >= 0 && !computed[program->final_energy])
        status = source_fail(program->file, program->finally_place,
                             "no statement after 'finally' computes the energy '%s'",
                             program->tensors[program->final_energy].name);
    free(computed);
    return status;
}
