/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/parser_private.h"

#include <limits.h>

static enum status check_target_indices(const struct program *program,
                                        const struct program_factor *target,
                                        const struct program_term *term)
{
    for (int d = 0; d < program->tensors[target->tensor].rank; d++)
        if (!program_term_has_index(program, term, target->index[d]))
            return source_fail(program->file, term->place,
                               "index '%s' of '%s', on the left side, is missing in this product",
                               program->indices[target->index[d]].name,
                               program->tensors[target->tensor].name);
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

/* The irrep or the spin by which the factors' labels differ from the target's, if the labels of
 * every index cancel; else INT_MAX. A value other than 0 means that no blocks of the tensors can
 * meet. */
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

/* Clears keeps_labels where the factors' labels do not imply the target's. */
static enum status check_labels(const struct program *program, struct program_statement *statement,
                                const struct program_term *term)
{
    const struct program_tensor *target = &program->tensors[statement->target.tensor];
    bool has_irreps = false;
    for (int d = 0; d < target->rank; d++)
        has_irreps = has_irreps || program->spaces[target->space[d]].has_irreps;
    for (int spins = 0; spins < 2; spins++) {
        int lacking = find_lacking_label(program, &statement->target, term, spins);
        if (lacking != 0 && lacking != INT_MAX)
            return source_fail(program->file, term->place,
                               "the labels of this product can never be met: the %s of its tensors "
                               "do not give that of '%s'; change that of a tensor",
                               spins ? "spins" : "irreps", target->name);
        if (lacking != 0 && (spins ? target->has_bar : has_irreps))
            statement->keeps_labels = false;
    }
    return STATUS_OK;
}

/* --- loops over tiles --- */

/* Whether a statement of the loop before this one computes the tensor. */
static bool is_computed_before(const struct program *program,
                               const struct program_statement *statement, int tensor)
{
    return program_computes(program, program->loops[statement->loop].first_statement,
                            (int)(statement - program->statements), tensor);
}

/* A local tensor is there in its loop alone, after it has a value. A place of it is confined to the tile of one index
 * of the loop, or has all values.
 * reads  whether the statement needs its value */
static enum status check_local(const struct program *program,
                               const struct program_statement *statement,
                               const struct program_factor *factor, bool reads)
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    if (tensor->loop != statement->loop)
        return source_fail(program->file, factor->place,
                           "'%s' is local to the loop of line %d; declare a tensor outside of it",
                           tensor->name, program->loops[tensor->loop].place.line);
    if (reads && !tensor->fill && !is_computed_before(program, statement, factor->tensor))
        return source_fail(program->file, factor->place,
                           "'%s' has no value yet: compute it by '=' in a line before this one, or "
                           "fill it in its declaration",
                           tensor->name);
    for (int d = 0; d < tensor->rank; d++) {
        const int held = tensor->loop_index[d], index = factor->index[d];
        if (held >= 0 ? held != index
                      : program_loop_has_index(&program->loops[tensor->loop], index))
            return source_fail(program->file, factor->place,
                               "place %d of '%s' holds %s '%s', by its declaration in line %d: "
                               "'%s' cannot stand there",
                               d + 1, tensor->name, held >= 0 ? "one tile of" : "all values of",
                               held >= 0 ? program->indices[held].name
                                         : program->spaces[tensor->space[d]].name,
                               tensor->place.line, program->indices[index].name);
    }
    return STATUS_OK;
}

/* A loop computes local tensors and scalars; a scalar is there after it. */
static enum status check_stored(const struct program *program,
                                const struct program_statement *statement,
                                const struct program_factor *factor)
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    if (factor == &statement->target && tensor->rank > 0)
        return source_fail(
            program->file, factor->place,
            "'%s' is stored: a loop over tiles computes tensors that are declared in "
            "it, and scalars",
            tensor->name);
    if (factor != &statement->target && is_computed_before(program, statement, factor->tensor))
        return source_fail(program->file, factor->place,
                           "'%s' is summed over the whole loop: its value is known after 'end'",
                           tensor->name);
    return STATUS_OK;
}

/* The target or a factor of a product. */
static enum status check_factor(const struct program *program,
                                const struct program_statement *statement,
                                const struct program_factor *factor)
{
    const bool is_target = factor == &statement->target;
    if (!is_target && factor->tensor == statement->target.tensor)
        return source_fail(program->file, factor->place,
                           "'%s' is computed from itself; use %sanother tensor for the result",
                           program->tensors[factor->tensor].name,
                           statement->add ? "" : "'+=' to add to it, or ");
    if (program->tensors[factor->tensor].loop >= 0)
        return check_local(program, statement, factor, !is_target || statement->add);
    return statement->loop >= 0 ? check_stored(program, statement, factor) : STATUS_OK;
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
        bool occurs = program_term_has_index(program, term, loop->index[i]);
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

enum status program_check_statement(const struct program *program,
                                    struct program_statement *statement)
{
    statement->keeps_labels = true;
    TRY(check_factor(program, statement, &statement->target));
    for (int t = 0; t < statement->n_terms; t++) {
        const struct program_term *term = &statement->terms[t];
        for (int f = 0; f < term->n_factors; f++)
            TRY(check_factor(program, statement, &term->factors[f]));
        TRY(check_target_indices(program, &statement->target, term));
        if (statement->loop >= 0)
            TRY(check_loop_sums(program, statement, term));
        TRY(check_labels(program, statement, term));
    }
    return STATUS_OK;
}

/* --- results --- */

/* role: "energy", for instance. where: "in the program", for instance. */
static enum status check_computed(const struct program *program, struct source_place place,
                                  int first, int end, int tensor, const char *role,
                                  const char *where)
{
    if (program_computes(program, first, end, tensor))
        return STATUS_OK;
    return source_fail(program->file, place,
                       "no statement %s computes the %s '%s': compute it there, or name another",
                       where, role, program->tensors[tensor].name);
}

static enum status check_reports(const struct program *program)
{
    for (int r = 0; r < program->n_reports; r++) {
        const struct program_report *report = &program->reports[r];
        if (!program->tensors[report->tensor].fill)
            TRY(check_computed(program, report->place, 0, program->n_statements, report->tensor,
                               "reported", "of the program"));
    }
    return STATUS_OK;
}

static enum status check_iterated(const struct program *program)
{
    const struct source_place place = program->iterate_place;
    const int first = program->first_iterated, end = program->first_final;
    const char *where =
        program->finally_place.line > 0 ? "between 'iterate' and 'finally'" : "after 'iterate'";
    for (int s = first; s < program->n_statements; s++) {
        const struct program_statement *statement = &program->statements[s];
        if (statement->add && !program_computes(program, first, s, statement->target.tensor))
            return source_fail(program->file, statement->place,
                               "'%s' would grow with every %s; compute it by '=' after "
                               "'iterate', line %d, before anything is added to it",
                               program->tensors[statement->target.tensor].name,
                               s < end ? "iteration" : "run", place.line);
    }
    for (int u = 0; u < program->n_unknowns; u++)
        TRY(check_computed(program, place, first, end, program->unknowns[u].residual, "residual",
                           where));
    return program->energy < 0
               ? STATUS_OK
               : check_computed(program, place, first, end, program->energy, "energy", where);
}

enum status program_check_results(const struct program *program)
{
    TRY(check_reports(program));
    TRY(check_iterated(program));
    return program->final_energy < 0
               ? STATUS_OK
               : check_computed(program, program->finally_place, program->first_iterated,
                                program->n_statements, program->final_energy, "energy",
                                "after 'finally'");
}
