/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/parser_private.h"

#include "support/base/array.h"
#include "tce/language/program_check.h"

#include <inttypes.h>
#include <stdio.h>

/* --- factors --- */

/* "O, 730 values" or "v, virtual". */
struct space_text {
    char text[160];
};

static struct space_text show_space(const struct program_space *space)
{
    struct space_text shown;
    int64_t size = 0;
    for (int64_t b = 0; b < space->n_blocks; b++)
        size += space->blocks[b].size;
    if (space->binding)
        snprintf(shown.text, sizeof shown.text, "'%s' (%s)", space->name, space->binding);
    else
        snprintf(shown.text, sizeof shown.text, "'%s' (%" PRId64 " values)", space->name, size);
    return shown;
}

static enum status check_rank(const struct parser *parser, const struct program_tensor *tensor,
                              const struct token *name, const struct parsed_indices *list)
{
    if (list->n == tensor->rank)
        return STATUS_OK;
    return source_fail(parser->file, name->place,
                       "%s has rank %d here, but rank %d in its declaration, line %d",
                       token_show(name).text, list->n, tensor->rank, tensor->place.line);
}

static enum status check_bar(const struct parser *parser, const struct program_tensor *tensor,
                             const struct parsed_indices *list)
{
    int n_upper = 0;
    while (n_upper < tensor->rank && tensor->sign[n_upper] > 0)
        n_upper++;
    if (list->bar < 0 || (tensor->has_bar && list->bar == n_upper))
        return STATUS_OK;
    return source_fail(parser->file, list->bar_place,
                       "'|' is not where the declaration of '%s', in line %d, has it; move it or "
                       "write ',', which is enough in a statement",
                       tensor->name, tensor->place.line);
}

static enum status check_spaces(const struct parser *parser, const struct program_tensor *tensor,
                                const struct parsed_indices *list)
{
    const struct program *program = parser->program;
    for (int d = 0; d < list->n; d++) {
        int space = program->indices[list->index[d]].space;
        if (space != tensor->space[d])
            return source_fail(parser->file, list->token[d].place,
                               "index %s is of space %s, but index %d of '%s' is of space %s",
                               token_show(&list->token[d]).text,
                               show_space(&program->spaces[space]).text, d + 1, tensor->name,
                               show_space(&program->spaces[tensor->space[d]]).text);
    }
    return STATUS_OK;
}

/* A tensor and its indices. The list keeps the places for further checks. */
static enum status parse_factor(struct parser *parser, struct program_factor *factor,
                                struct parsed_indices *list)
{
    struct token name;
    TRY(parser_name(parser, "a tensor", &name));
    factor->place = name.place;
    TRY(parser_find(parser, &parser->tensors, "tensor", &name, &factor->tensor));
    const struct program_tensor *tensor = &parser->program->tensors[factor->tensor];
    *list = (struct parsed_indices){.bar = -1};
    if (token_is(&parser->token, "["))
        TRY(parser_indices(parser, list));
    TRY(check_rank(parser, tensor, &name, list));
    TRY(check_bar(parser, tensor, list));
    TRY(check_spaces(parser, tensor, list));
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
        int sign;
        TRY(parser_accept_either(parser, "sym", "antisym", &sign));
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
    int sign, n_symmetrizers = parser->n_symmetrizers;
    TRY(parser_accept_either(parser, "+", "-", &sign));
    if (sign < 0)
        term->coefficient = -term->coefficient;
    if (term->place.line == 0)
        term->place = parser->token.place;
    if (parser->token.kind == TOKEN_NUMBER) {
        struct source_place place = parser->token.place;
        double value;
        TRY(parser_real(parser, &value));
        return parser_scale(parser, place, false, value, &term->coefficient);
    }
    TRY(read_symmetrizers(parser));
    if (parser->n_symmetrizers > n_symmetrizers && parser->token.kind != TOKEN_NAME)
        return parser_unexpected(parser,
                                 "a tensor after what is permuted; a number stands before it, "
                                 "as in 1/2 * sym(a, b) A[a,b], without parentheses");
    if (token_is(&parser->token, "("))
        return parser_unexpected(parser, "a number or a tensor; the language has no parentheses, "
                                         "so write every product of the sum");
    if (parser->token.kind != TOKEN_NAME)
        return parser_unexpected(parser, "a number or a tensor");
    return append_factor(parser, term);
}

static enum status parse_term(struct parser *parser, struct program_term *term)
{
    if (parser->n_terms++ == PROGRAM_MAX_TERMS)
        return source_fail(parser->file, parser->token.place,
                           "%s begins product %d of this program; at most %d are possible",
                           token_show(&parser->token).text, PROGRAM_MAX_TERMS + 1,
                           PROGRAM_MAX_TERMS);
    for (bool more = true; more;) {
        TRY(parse_operand(parser, term));
        if (token_is(&parser->token, "/"))
            return parser_unexpected(parser, "'*', '+', '-' or the end of the line; only a number "
                                             "can be divided, as in 1/2 * A[i,j]");
        TRY(parser_accept(parser, "*", &more));
    }
    if (term->n_factors == 0 && parser->token.kind == TOKEN_NAME)
        return parser_unexpected(parser, "'*' between a number and a tensor");
    if (term->n_factors == 0)
        return source_fail(parser->file, term->place,
                           "a product of numbers alone; expected a tensor in it");
    return STATUS_OK;
}

/* One more term of a sum, with this sign. */
static enum status append_term(struct parser *parser, struct program_statement *statement,
                               double sign)
{
    int first = statement->n_terms;
    parser->n_symmetrizers = 0;
    TRY(array_append(&statement->terms, &statement->n_terms, sizeof *statement->terms));
    struct program_term *term = &statement->terms[statement->n_terms - 1];
    term->coefficient = sign;
    TRY(parse_term(parser, term));
    for (int s = parser->n_symmetrizers - 1; s >= 0; s--)
        TRY(parser_symmetrize(parser, &parser->symmetrizers[s], first, statement));
    return STATUS_OK;
}

/* Terms with + or - between them; sign is that of all of them. */
static enum status parse_sum(struct parser *parser, struct program_statement *statement,
                             double sign)
{
    TRY(append_term(parser, statement, sign));
    while (!parser_at_line_end(parser)) {
        int plus;
        TRY(parser_accept_either(parser, "+", "-", &plus));
        if (plus == 0)
            return parser_unexpected(parser, "'*', '+', '-' or the end of the line");
        TRY(append_term(parser, statement, plus * sign));
    }
    return STATUS_OK;
}

static bool is_white_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The statement from begin to the next token, on one line and without comments. */
static enum status copy_text(const struct parser *parser, const char *begin, char **text)
{
    TRY(parser_copy(begin, (size_t)(parser->token.begin - begin), text));
    char *out = *text;
    bool comment = false, gap = false;
    for (const char *in = *text; *in; in++) {
        comment = *in == '#' || (comment && *in != '\n');
        gap = gap || comment || is_white_space(*in);
        if (comment || is_white_space(*in))
            continue;
        if (gap)
            *out++ = ' ';
        gap = false;
        *out++ = *in;
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
    bool subtract = token_is(&parser->token, "-=");
    statement->add = subtract || token_is(&parser->token, "+=");
    if (!statement->add && !token_is(&parser->token, "="))
        return parser_unexpected(parser, "'=', '+=' or '-='");
    TRY(parser_step(parser));
    TRY(parse_sum(parser, statement, subtract ? -1 : 1));
    TRY(copy_text(parser, begin, &statement->text));
    statement->keeps_labels = program_check_keeps_labels(program, statement);
    return program_check_statement(program, statement);
}

/* --- iterate --- */

enum status parser_tensor_name(struct parser *parser, const char *what, struct token *name,
                               int *tensor)
{
    TRY(parser_name(parser, what, name));
    return parser_find(parser, &parser->tensors, "tensor", name, tensor);
}

enum status parser_scalar_name(struct parser *parser, const char *role, struct token *name,
                               int *scalar)
{
    TRY(parser_tensor_name(parser, "the name of a scalar", name, scalar));
    if (parser->program->tensors[*scalar].rank != 0)
        return source_fail(parser->file, name->place, "the %s %s has indices; expected a scalar",
                           role, token_show(name).text);
    return STATUS_OK;
}

static bool same_form(const struct program_tensor *a, const struct program_tensor *b)
{
    bool same = a->rank == b->rank && a->irrep == b->irrep && a->spin == b->spin;
    for (int d = 0; same && d < a->rank; d++)
        same = a->space[d] == b->space[d] && a->sign[d] == b->sign[d];
    return same;
}

static bool has_exchanges_of(const struct program_tensor *a, const struct program_tensor *b)
{
    bool has = true;
    for (int x = 0; x < b->n_exchanges && has; x++)
        has = symmetry_sign(&a->symmetry, a->rank, &b->exchanges[x].permutation) ==
              b->exchanges[x].permutation.sign;
    return has;
}

/* Whether the tensor is an unknown or a residual already: it may be one of them, once. */
static bool is_iterated(const struct program *program, int tensor)
{
    for (int u = 0; u < program->n_unknowns; u++)
        if (program->unknowns[u].tensor == tensor || program->unknowns[u].residual == tensor)
            return true;
    return false;
}

static enum status check_new(const struct parser *parser, const struct token *name, int tensor)
{
    if (!is_iterated(parser->program, tensor))
        return STATUS_OK;
    return source_fail(parser->file, name->place, "%s appears in 'iterate' twice",
                       token_show(name).text);
}

/* UNKNOWN from RESIDUAL */
static enum status parse_unknown(struct parser *parser)
{
    struct program *program = parser->program;
    struct token tensor, residual;
    struct program_unknown unknown;
    TRY(parser_tensor_name(parser, "the name of an unknown tensor, or 'energy' and a scalar",
                           &tensor, &unknown.tensor));
    TRY(parser_expect(parser, "from", "'from' and the residual of the unknown"));
    TRY(parser_tensor_name(parser, "the name of a residual", &residual, &unknown.residual));
    TRY(check_new(parser, &tensor, unknown.tensor));
    TRY(check_new(parser, &residual, unknown.residual));
    if (program->tensors[unknown.tensor].fill)
        return source_fail(parser->file, tensor.place,
                           "%s is filled with '%s', but iterated: begin with a statement before "
                           "'iterate' instead, or at zero",
                           token_show(&tensor).text, program->tensors[unknown.tensor].fill);
    if (unknown.tensor == unknown.residual)
        return source_fail(parser->file, residual.place,
                           "%s cannot be the residual of itself; expected another tensor",
                           token_show(&residual).text);
    if (!same_form(&program->tensors[unknown.tensor], &program->tensors[unknown.residual]))
        return source_fail(parser->file, residual.place,
                           "%s and its unknown %s differ in their indices, bar or labels; declare "
                           "them alike",
                           token_show(&residual).text, token_show(&tensor).text);
    if (!has_exchanges_of(&program->tensors[unknown.tensor], &program->tensors[unknown.residual]) ||
        !has_exchanges_of(&program->tensors[unknown.residual], &program->tensors[unknown.tensor]))
        return source_fail(
            parser->file, residual.place,
            "%s and its unknown %s differ in the symmetries that they declare; declare "
            "them alike",
            token_show(&residual).text, token_show(&tensor).text);
    TRY(array_append(&program->unknowns, &program->n_unknowns, sizeof *program->unknowns));
    program->unknowns[program->n_unknowns - 1] = unknown;
    return STATUS_OK;
}

static enum status parse_energy(struct parser *parser)
{
    struct token name;
    TRY(parser_scalar_name(parser, "energy", &name, &parser->program->energy));
    return check_new(parser, &name, parser->program->energy);
}

enum status parser_iterate(struct parser *parser)
{
    struct program *program = parser->program;
    if (program->iterate_place.line > 0)
        return source_fail(parser->file, parser->line_place,
                           "'iterate' appears in line %d already; a program has at most one",
                           program->iterate_place.line);
    program->iterate_place = parser->line_place;
    program->first_iterated = program->n_statements;
    bool energy;
    do {
        TRY(parse_unknown(parser));
        TRY(parser_expect(parser, ",", "',' and another unknown, or ', energy' and a scalar"));
        TRY(parser_accept(parser, "energy", &energy));
    } while (!energy);
    return parse_energy(parser);
}
