/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/parser_private.h"

#include "support/base/array.h"

#include <string.h>

/* --- factors --- */

/* Checks that a factor has as many indices as its tensor, of the same spaces, and a bar at most where that has it. */
static enum status check_indices(const struct parser *parser, const struct program_tensor *tensor,
                                 const struct token *name, const struct parsed_indices *list)
{
    const struct program *program = parser->program;
    if (list->n != tensor->rank)
        return source_fail(parser->file, name->place,
                           "%s has rank %d here, but rank %d in its declaration, line %d",
                           token_show(name).text, list->n, tensor->rank, tensor->place.line);
    for (int d = 0; d < list->n; d++) {
        int space = program->indices[list->index[d]].space;
        if (list->bar >= 0 && (!tensor->has_bar || (d < list->bar) != (tensor->sign[d] > 0)))
            return source_fail(parser->file, list->bar_place,
                               "'|' is not where the declaration of '%s', in line %d, has it; move "
                               "it or write ',', which is enough in a statement",
                               tensor->name, tensor->place.line);
        if (space != tensor->space[d])
            return source_fail(parser->file, list->token[d].place,
                               "index %s is of space '%s', but index %d of '%s' is of space '%s'",
                               token_show(&list->token[d]).text, program->spaces[space].name, d + 1,
                               tensor->name, program->spaces[tensor->space[d]].name);
    }
    return STATUS_OK;
}

/* A tensor and its indices. The list keeps the places for further checks. */
static enum status parse_factor(struct parser *parser, struct program_factor *factor,
                                struct parsed_indices *list)
{
    struct token name;
    TRY(parser_use(parser, &parser->tensors, "a tensor", &name, &factor->tensor));
    factor->place = name.place;
    const struct program_tensor *tensor = &parser->program->tensors[factor->tensor];
    *list = (struct parsed_indices){.bar = -1};
    if (token_is(&parser->token, "["))
        TRY(parser_indices(parser, list));
    TRY(check_indices(parser, tensor, &name, list));
    for (int d = 0; d < list->n; d++)
        factor->index[d] = list->index[d];
    return STATUS_OK;
}

static enum status parse_target(struct parser *parser, struct program_factor *target)
{
    struct parsed_indices list;
    TRY(parse_factor(parser, target, &list));
    for (int d = 0; d < list.n; d++)
        for (int e = 0; e < d; e++)
            if (list.index[e] == list.index[d])
                return source_fail(parser->file, list.token[d].place,
                                   "index %s is repeated on the left side; an index of the result "
                                   "appears there once",
                                   token_show(&list.token[d]).text);
    return STATUS_OK;
}

/* --- sums of products --- */

/* One tensor of a product. */
static enum status append_factor(struct parser *parser, struct program_term *term)
{
    if (term->n_factors == PROGRAM_MAX_FACTORS)
        return source_fail(parser->file, parser->token.place,
                           "%s is tensor %d of this product; at most %d are possible",
                           token_show(&parser->token).text, PROGRAM_MAX_FACTORS + 1,
                           PROGRAM_MAX_FACTORS);
    TRY(array_append(&term->factors, &term->n_factors, sizeof *term->factors));
    struct parsed_indices list;
    return parse_factor(parser, &term->factors[term->n_factors - 1], &list);
}

/* [sym(...) | antisym(...)]... */
static enum status read_symmetrizers(struct parser *parser)
{
    for (;;) {
        struct source_place place = parser->token.place;
        int sign = parser_accept_either(parser, "sym", "antisym");
        if (sign == 0)
            return STATUS_OK;
        if (parser->n_symmetrizers == MAX_SYMMETRIZERS)
            return source_fail(parser->file, place,
                               "sym(...) or antisym(...) number %d of this product; at most %d "
                               "are possible: compute a tensor with the last ones by a statement "
                               "of its own, and permute that",
                               MAX_SYMMETRIZERS + 1, MAX_SYMMETRIZERS);
        struct parsed_symmetrizer *next = &parser->symmetrizers[parser->n_symmetrizers++];
        *next = (struct parsed_symmetrizer){.antisymmetric = sign < 0};
        TRY(parser_symmetrizer(parser, next));
    }
}

/* A factor of a product: a number, with a sign if need be, or a tensor. */
static enum status parse_operand(struct parser *parser, struct program_term *term)
{
    const int n_symmetrizers = parser->n_symmetrizers;
    if (parser_accept_either(parser, "+", "-") < 0)
        term->coefficient = -term->coefficient;
    if (term->place.line == 0)
        term->place = parser->token.place;
    if (parser->token.kind == TOKEN_NUMBER)
        return parser_real(parser, &term->coefficient);
    TRY(read_symmetrizers(parser));
    if (parser->token.kind == TOKEN_NAME)
        return append_factor(parser, term);
    if (parser->n_symmetrizers > n_symmetrizers)
        return parser_unexpected(parser,
                                 "a tensor after what is permuted; a number stands before it, "
                                 "as in 1/2 * sym(a, b) A[a,b], without parentheses");
    return parser_unexpected(parser, token_is(&parser->token, "(")
                                         ? "a number or a tensor; the language has no "
                                           "parentheses, so write every product of the sum"
                                         : "a number or a tensor");
}

static enum status parse_term(struct parser *parser, struct program_term *term)
{
    do {
        TRY(parse_operand(parser, term));
        if (token_is(&parser->token, "/"))
            return parser_unexpected(parser, "'*', '+', '-' or the end of the line; only a number "
                                             "can be divided, as in 1/2 * A[i,j]");
    } while (parser_accept(parser, "*"));
    if (term->n_factors == 0 && parser->token.kind == TOKEN_NAME)
        return parser_unexpected(parser, "'*' between a number and a tensor");
    if (term->n_factors == 0)
        return source_fail(parser->file, term->place,
                           "a product of numbers alone; expected a tensor in it");
    return STATUS_OK;
}

enum status parser_add_term(struct parser *parser, struct source_place place, double coefficient,
                            struct program_statement *statement)
{
    if (parser->n_terms++ == PROGRAM_MAX_TERMS)
        return source_fail(parser->file, place,
                           "this begins product %d of the program, permutations included; at most "
                           "%d are possible: compute part of it in a statement of its own",
                           PROGRAM_MAX_TERMS + 1, PROGRAM_MAX_TERMS);
    TRY(array_append(&statement->terms, &statement->n_terms, sizeof *statement->terms));
    statement->terms[statement->n_terms - 1].coefficient = coefficient;
    return STATUS_OK;
}

/* One more term of a sum, with this sign. */
static enum status append_term(struct parser *parser, struct program_statement *statement,
                               double sign)
{
    const int first = statement->n_terms;
    parser->n_symmetrizers = 0;
    TRY(parser_add_term(parser, parser->token.place, sign, statement));
    TRY(parse_term(parser, &statement->terms[first]));
    for (int s = parser->n_symmetrizers - 1; s >= 0; s--)
        TRY(parser_symmetrize(parser, &parser->symmetrizers[s], first, statement));
    return STATUS_OK;
}

/* Terms with + or - between them; sign multiplies all of them. */
static enum status parse_sum(struct parser *parser, struct program_statement *statement,
                             double sign)
{
    TRY(append_term(parser, statement, sign));
    while (!parser_at_line_end(parser)) {
        int plus = parser_accept_either(parser, "+", "-");
        if (plus == 0)
            return parser_unexpected(parser, "'*', '+', '-' or the end of the line");
        TRY(append_term(parser, statement, plus * sign));
    }
    return STATUS_OK;
}

/* The statement from begin to the next token, on one line and without comments. */
static enum status copy_text(const struct parser *parser, const char *begin, char **text)
{
    TRY(parser_copy(begin, (size_t)(parser->token.begin - begin), text));
    char *out = *text;
    for (const char *in = *text; *in;) {
        const char *gap = in;
        while (lexer_is_space(*in) || *in == '#')
            in += *in == '#' ? strcspn(in, "\n") : 1;
        if (in > gap && *in)
            *out++ = ' ';
        if (*in)
            *out++ = *in++;
    }
    *out = '\0';
    return STATUS_OK;
}

enum status parser_statement(struct parser *parser)
{
    struct program *program = parser->program;
    TRY(array_append(&program->statements, &program->n_statements, sizeof *program->statements));
    struct program_statement *statement = &program->statements[program->n_statements - 1];
    statement->place = parser->line_place;
    statement->loop = parser->loop;
    const char *begin = parser->token.begin;
    TRY(parse_target(parser, &statement->target));
    const int sign = parser_accept_either(parser, "+=", "-=");
    statement->add = sign != 0;
    if (!statement->add)
        TRY(parser_expect(parser, "=", "'=', '+=' or '-='"));
    TRY(parse_sum(parser, statement, sign < 0 ? -1 : 1));
    TRY(copy_text(parser, begin, &statement->text));
    return program_check_statement(program, statement);
}

/* --- iterate --- */

/* Whether two tensors have the same indices, bar and labels, and declare the same symmetries. */
static bool are_alike(const struct program_tensor *a, const struct program_tensor *b)
{
    bool alike = a->rank == b->rank && a->irrep == b->irrep && a->spin == b->spin &&
                 a->symmetry.n == b->symmetry.n;
    for (int d = 0; alike && d < a->rank; d++)
        alike = a->space[d] == b->space[d] && a->sign[d] == b->sign[d];
    for (int x = 0; alike && x < b->n_exchanges; x++)
        alike = symmetry_sign(&a->symmetry, a->rank, &b->exchanges[x].permutation) ==
                b->exchanges[x].permutation.sign;
    return alike;
}

/* A tensor is an unknown, a residual or the energy once. */
static enum status check_new(const struct parser *parser, const struct token *name, int tensor)
{
    for (int u = 0; u < parser->program->n_unknowns; u++)
        if (parser->program->unknowns[u].tensor == tensor ||
            parser->program->unknowns[u].residual == tensor)
            return source_fail(parser->file, name->place,
                               "%s appears in 'iterate' twice; expected another tensor",
                               token_show(name).text);
    return STATUS_OK;
}

/* UNKNOWN from RESIDUAL */
static enum status parse_unknown(struct parser *parser)
{
    struct program *program = parser->program;
    struct token tensor, residual;
    int t, r;
    TRY(parser_use(parser, &parser->tensors,
                   "the name of an unknown tensor, or 'energy' and a scalar", &tensor, &t));
    TRY(check_new(parser, &tensor, t));
    TRY(array_append(&program->unknowns, &program->n_unknowns, sizeof *program->unknowns));
    program->unknowns[program->n_unknowns - 1] = (struct program_unknown){t, -1};
    TRY(parser_expect(parser, "from", "'from' and the residual of the unknown"));
    TRY(parser_use(parser, &parser->tensors, "the name of a residual", &residual, &r));
    TRY(check_new(parser, &residual, r));
    program->unknowns[program->n_unknowns - 1].residual = r;
    if (program->tensors[t].fill)
        return source_fail(parser->file, tensor.place,
                           "%s is filled with '%s', but iterated: begin with a statement before "
                           "'iterate' instead, or at zero",
                           token_show(&tensor).text, program->tensors[t].fill);
    if (!are_alike(&program->tensors[t], &program->tensors[r]))
        return source_fail(parser->file, residual.place,
                           "%s and its unknown %s differ in their indices, bar, labels or "
                           "symmetries; declare them alike",
                           token_show(&residual).text, token_show(&tensor).text);
    return STATUS_OK;
}

/* iterate UNKNOWN from RESIDUAL, ... energy SCALAR */
enum status parser_iterate(struct parser *parser)
{
    struct program *program = parser->program;
    struct token name;
    TRY(parser_once(parser, "iterate", "a program has at most one", &program->iterate_place));
    program->first_iterated = program->n_statements;
    do {
        TRY(parse_unknown(parser));
        TRY(parser_expect(parser, ",", "',' and another unknown, or ', energy' and a scalar"));
    } while (!parser_accept(parser, "energy"));
    TRY(parser_use_scalar(parser, "energy", &name, &program->energy));
    return check_new(parser, &name, program->energy);
}
