/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/parser_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void program_fini(struct program *program)
{
    for (int s = 0; s < program->n_spaces; s++) {
        free(program->spaces[s].name);
        free(program->spaces[s].binding);
        free(program->spaces[s].blocks);
    }
    for (int i = 0; i < program->n_indices; i++)
        free(program->indices[i].name);
    for (int t = 0; t < program->n_tensors; t++) {
        free(program->tensors[t].name);
        free(program->tensors[t].fill);
        free(program->tensors[t].arguments);
        free(program->tensors[t].exchanges);
        symmetry_fini(&program->tensors[t].symmetry);
    }
    for (int s = 0; s < program->n_statements; s++) {
        struct program_statement *statement = &program->statements[s];
        for (int t = 0; t < statement->n_terms; t++)
            free(statement->terms[t].factors);
        free(statement->terms);
        free(statement->text);
    }
    for (int r = 0; r < program->n_reports; r++)
        free(program->reports[r].label);
    free(program->spaces);
    free(program->indices);
    free(program->tensors);
    free(program->statements);
    free(program->unknowns);
    free(program->loops);
    free(program->reports);
    free(program->file);
    *program = (struct program){0};
}

bool program_computes(const struct program *program, int first, int end, int tensor)
{
    for (int s = first; s < end; s++)
        if (program->statements[s].target.tensor == tensor)
            return true;
    return false;
}

bool program_factor_has_index(const struct program *program, const struct program_factor *factor,
                              int index)
{
    for (int d = 0; d < program->tensors[factor->tensor].rank; d++)
        if (factor->index[d] == index)
            return true;
    return false;
}

bool program_term_has_index(const struct program *program, const struct program_term *term,
                            int index)
{
    for (int f = 0; f < term->n_factors; f++)
        if (program_factor_has_index(program, &term->factors[f], index))
            return true;
    return false;
}

bool program_loop_has_index(const struct program_loop *loop, int index)
{
    for (int i = 0; i < loop->n; i++)
        if (loop->index[i] == index)
            return true;
    return false;
}

enum status source_fail(const char *file, struct source_place place, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return FAIL(STATUS_INPUT, "%s:%d:%d: %s", file, place.line, place.column, message);
}
