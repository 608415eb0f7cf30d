/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/program_check.h"

#include "tce/language/label_search.h"

#include <stdio.h>
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
    if (!label_search_tensor(program, tensor))
        return source_fail(program->file, tensor->place,
                           "'%s' has no block: no labels of its indices have irrep %d and spin %d "
                           "together; change its labels or its indices",
                           tensor->name, tensor->irrep, tensor->spin);
    return STATUS_OK;
}

static bool occurs_in_term(const struct program *program, const struct program_term *term,
                           int index)
{
    for (int f = 0; f < term->n_factors; f++)
        for (int d = 0; d < program->tensors[term->factors[f].tensor].rank; d++)
            if (term->factors[f].index[d] == index)
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

/* "C (irrep 0, spin 0), A (irrep 1, spin 0), ..." as far as there is room. */
struct labels_text {
    char text[320];
};

static struct labels_text show_labels(const struct program *program, int n,
                                      const struct program_factor *const factors[])
{
    struct labels_text shown = {""};
    size_t length = 0;
    for (int f = 0; f < n; f++) {
        const struct program_tensor *tensor = &program->tensors[factors[f]->tensor];
        char part[128];
        int size = snprintf(part, sizeof part, "%s'%s' (irrep %d, spin %d)", f > 0 ? ", " : "",
                            tensor->name, tensor->irrep, tensor->spin);
        bool fits = length + (size_t)size + sizeof ", ..." <= sizeof shown.text;
        length += (size_t)snprintf(shown.text + length, sizeof shown.text - length, "%s",
                                   fits ? part : ", ...");
        if (!fits)
            break;
    }
    return shown;
}

static enum status check_labels(const struct program *program, const struct program_factor *target,
                                const struct program_term *term, int64_t *effort)
{
    const struct program_factor *factors[PROGRAM_MAX_FACTORS + 1] = {target};
    int n = 1 + term->n_factors;
    for (int f = 1; f < n; f++)
        factors[f] = &term->factors[f - 1];
    bool possible;
    TRY(label_search(program, n, factors, effort, &possible));
    if (!possible)
        return source_fail(program->file, term->place,
                           "the labels of this product can never be met: no blocks of %s exist "
                           "for the same values of the indices; change the labels of a tensor",
                           show_labels(program, n, factors).text);
    return STATUS_OK;
}

enum status program_check_statement(const struct program *program,
                                    const struct program_statement *statement,
                                    int64_t *label_effort)
{
    for (int t = 0; t < statement->n_terms; t++) {
        const struct program_term *term = &statement->terms[t];
        TRY(check_recursion(program, statement, term));
        TRY(check_target_indices(program, &statement->target, term));
        TRY(check_labels(program, &statement->target, term, label_effort));
    }
    return STATUS_OK;
}

/* computed: by tensor, whether a statement with `=` among the iterated ones was met. */
static enum status check_iterated(const struct program *program, bool *computed)
{
    const struct source_place place = program->iterate_place;
    for (int s = program->first_iterated; s < program->n_statements; s++) {
        const struct program_statement *statement = &program->statements[s];
        int target = statement->target.tensor;
        computed[target] = computed[target] || !statement->add;
        if (!computed[target])
            return source_fail(program->file, statement->place,
                               "'%s' would grow with every iteration; compute it by '=' after "
                               "'iterate', line %d, before anything is added to it",
                               program->tensors[target].name, place.line);
    }
    for (int u = 0; u < program->n_unknowns; u++)
        if (!computed[program->unknowns[u].residual])
            return source_fail(program->file, place,
                               "no statement after 'iterate' computes the residual '%s'",
                               program->tensors[program->unknowns[u].residual].name);
    if (program->energy >= 0 && !computed[program->energy])
        return source_fail(program->file, place,
                           "no statement after 'iterate' computes the energy '%s'",
                           program->tensors[program->energy].name);
    return STATUS_OK;
}

enum status program_check_iteration(const struct program *program)
{
    bool *computed = calloc((size_t)program->n_tensors + 1, sizeof *computed);
    TRY(CHECK_MEMORY(computed, "no memory to check a program of %d tensors", program->n_tensors));
    enum status status = check_iterated(program, computed);
    free(computed);
    return status;
}
