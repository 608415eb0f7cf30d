/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/parser.h"

#include "tce/language/parser_private.h"
#include "tce/language/program_check.h"

#include <limits.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* --- tokens --- */

enum status parser_step(struct parser *parser)
{
    return lexer_next(&parser->lexer, &parser->token);
}

bool parser_at_line_end(const struct parser *parser)
{
    return parser->token.kind == TOKEN_LINE_END || parser->token.kind == TOKEN_END;
}

enum status parser_accept(struct parser *parser, const char *text, bool *found)
{
    *found = token_is(&parser->token, text);
    return *found ? parser_step(parser) : STATUS_OK;
}

enum status parser_accept_either(struct parser *parser, const char *first, const char *second,
                                 int *which)
{
    *which = token_is(&parser->token, first) - token_is(&parser->token, second);
    return *which != 0 ? parser_step(parser) : STATUS_OK;
}

enum status parser_expect(struct parser *parser, const char *text, const char *what)
{
    if (!token_is(&parser->token, text))
        return parser_unexpected(parser, what);
    return parser_step(parser);
}

enum status parser_unexpected(const struct parser *parser, const char *what)
{
    return source_fail(parser->file, parser->token.place, "expected %s, found %s", what,
                       token_show(&parser->token).text);
}

enum status parser_copy(const char *begin, size_t length, char **copy)
{
    *copy = strndup(begin, length);
    return CHECK_MEMORY(*copy, "no memory for %zu bytes of a .tce program", length);
}

/* --- names --- */

static const struct declaration {
    const char *word;
    enum status (*parse)(struct parser *parser);
} declarations[] = {
    {"tile", parser_tile},       {"space", parser_space},   {"index", parser_index},
    {"tensor", parser_tensor},   {"scalar", parser_scalar}, {"iterate", parser_iterate},
    {"finally", parser_finally}, {"report", parser_report}, {"for", parser_for},
    {"end", parser_end},
};
enum { N_DECLARATIONS = sizeof declarations / sizeof declarations[0] };

static const struct declaration *find_declaration(const struct token *token)
{
    for (int d = 0; d < N_DECLARATIONS; d++)
        if (token_is(token, declarations[d].word))
            return &declarations[d];
    return NULL;
}

struct declared_name {
    struct token token; /* of the declaration; first, to be compared with the token of a use */
    int number;
};

static int compare_tokens(const void *left, const void *right)
{
    const struct token *l = left, *r = right;
    int order = memcmp(l->begin, r->begin, l->length < r->length ? l->length : r->length);
    return order != 0 ? order : (l->length > r->length) - (l->length < r->length);
}

/* NULL if it is not there. */
static const struct declared_name *find_declared(const struct name_list *list,
                                                 const struct token *name)
{
    struct declared_name *const *found = tfind(name, &list->tree, compare_tokens);
    return found ? *found : NULL;
}

/* Adds a name for which find_declared returns NULL. */
static enum status add_declared(struct name_list *list, const struct token *name)
{
    struct declared_name *added = malloc(sizeof *added);
    TRY(CHECK_MEMORY(added, "no memory for the names of a .tce program"));
    *added = (struct declared_name){*name, list->n};
    if (!tsearch(added, &list->tree, compare_tokens)) {
        free(added);
        return FAIL(STATUS_NO_MEMORY, "no memory for the names of a .tce program");
    }
    list->n++;
    return STATUS_OK;
}

static void free_names(struct name_list *list)
{
    while (list->tree) {
        struct declared_name *name = *(struct declared_name **)list->tree;
        tdelete(name, &list->tree, compare_tokens);
        free(name);
    }
}

enum status parser_name(struct parser *parser, const char *what, struct token *name)
{
    if (parser->token.kind != TOKEN_NAME)
        return parser_unexpected(parser, what);
    *name = parser->token;
    return parser_step(parser);
}

static bool is_reserved(const struct token *name)
{
    static const char *const words[] = {"sym", "antisym", "symmetric", "antisymmetric"};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        if (token_is(name, words[w]))
            return true;
    return find_declaration(name) != NULL;
}

enum status parser_declare(struct parser *parser, struct name_list *list, const char *kind,
                           const struct token *name, char **copy)
{
    const struct declared_name *before = find_declared(list, name);
    if (before)
        return source_fail(parser->file, name->place,
                           "%s %s was declared before, in line %d; choose another name", kind,
                           token_show(name).text, before->token.place.line);
    if (is_reserved(name))
        return source_fail(parser->file, name->place,
                           "%s is a word of the language; choose another name for the %s",
                           token_show(name).text, kind);
    if (list->n == PROGRAM_MAX_NAMES)
        return source_fail(parser->file, name->place, "%s %s is beyond the limit of %d such names",
                           kind, token_show(name).text, PROGRAM_MAX_NAMES);
    TRY(parser_copy(name->begin, name->length, copy));
    return add_declared(list, name);
}

enum status parser_find(const struct parser *parser, const struct name_list *list, const char *kind,
                        const struct token *name, int *number)
{
    const struct declared_name *found = find_declared(list, name);
    if (!found)
        return source_fail(parser->file, name->place,
                           "unknown %s %s; it must be declared in a line before this one", kind,
                           token_show(name).text);
    *number = found->number;
    return STATUS_OK;
}

/* --- numbers --- */

/* Whether a number has only digits; its value, or one beyond every limit. */
static bool whole_number(const struct token *token, int64_t *value)
{
    *value = 0;
    if (token->kind != TOKEN_NUMBER)
        return false;
    for (size_t i = 0; i < token->length; i++) {
        char c = token->begin[i];
        if (c < '0' || c > '9')
            return false;
        if (*value <= PROGRAM_MAX_SIZE)
            *value = 10 * *value + (c - '0');
    }
    return true;
}

enum status parser_integer(struct parser *parser, const char *what, int64_t min, int64_t max,
                           int64_t *value)
{
    struct source_place place = parser->token.place;
    bool negative;
    TRY(parser_accept(parser, "-", &negative));
    bool whole = whole_number(&parser->token, value);
    if (negative)
        *value = -*value;
    if (!whole || *value < min || *value > max)
        return source_fail(parser->file, place,
                           "expected %s, a whole number from %lld to %lld, found %s%s", what,
                           (long long)min, (long long)max, negative ? "'-' and " : "",
                           token_show(&parser->token).text);
    return parser_step(parser);
}

enum status parser_option(struct parser *parser, const char *word, const char *what, int64_t min,
                          int64_t max, int64_t *value)
{
    bool found;
    TRY(parser_accept(parser, word, &found));
    return found ? parser_integer(parser, what, min, max, value) : STATUS_OK;
}

enum status parser_scale(const struct parser *parser, struct source_place place, bool divide,
                         double value, double *coefficient)
{
    if (divide && value == 0)
        return source_fail(parser->file, place, "division by zero in a coefficient");
    double old = *coefficient;
    *coefficient = divide ? old / value : old * value;
    bool vanishes = *coefficient == 0 && old != 0 && value != 0;
    if (!isfinite(*coefficient) || vanishes)
        return source_fail(parser->file, place, "the coefficient is beyond double precision");
    return STATUS_OK;
}

enum status parser_real(struct parser *parser, double *value)
{
    bool negative, divide = false;
    TRY(parser_accept(parser, "-", &negative));
    *value = negative ? -1 : 1;
    do {
        const struct token number = parser->token;
        if (number.kind != TOKEN_NUMBER)
            return parser_unexpected(parser, "a number such as 0.5, 1/2 or -3");
        double part;
        TRY(token_to_real(&number, parser->file, &part));
        TRY(parser_scale(parser, number.place, divide, part, value));
        TRY(parser_step(parser));
        TRY(parser_accept(parser, "/", &divide));
    } while (divide);
    return STATUS_OK;
}

/* --- lists of indices --- */

/* Names with commas between them, at least one. */
static enum status read_index_names(struct parser *parser, struct parsed_indices *list)
{
    for (bool more = true; more;) {
        struct token name;
        TRY(parser_name(parser, "the name of an index", &name));
        if (list->n == MAX_RANK)
            return source_fail(parser->file, name.place,
                               "%s is index %d of this tensor; at most %d are possible",
                               token_show(&name).text, MAX_RANK + 1, MAX_RANK);
        TRY(parser_find(parser, &parser->indices, "index", &name, &list->index[list->n]));
        list->token[list->n++] = name;
        TRY(parser_accept(parser, ",", &more));
    }
    return STATUS_OK;
}

enum status parser_indices(struct parser *parser, struct parsed_indices *list)
{
    struct source_place open = parser->token.place;
    *list = (struct parsed_indices){.bar = -1};
    TRY(parser_step(parser));
    if (token_is(&parser->token, "]"))
        return source_fail(parser->file, parser->token.place,
                           "expected the name of an index, found ']'; a scalar is written "
                           "without brackets");
    /* A side of the bar can be empty, as in [|i] and [i|]. */
    if (!token_is(&parser->token, "|"))
        TRY(read_index_names(parser, list));
    bool bar;
    list->bar_place = parser->token.place;
    TRY(parser_accept(parser, "|", &bar));
    if (bar) {
        list->bar = list->n;
        if (list->n == 0 || !token_is(&parser->token, "]"))
            TRY(read_index_names(parser, list));
    }
    if (!token_is(&parser->token, "]"))
        return source_fail(parser->file, parser->token.place,
                           "expected ',' or ']' in the brackets opened at %d:%d, found %s",
                           open.line, open.column, token_show(&parser->token).text);
    return parser_step(parser);
}

/* --- lines --- */

static enum status parse_line(struct parser *parser)
{
    parser->line_place = parser->token.place;
    const struct declaration *declaration = find_declaration(&parser->token);
    bool in_loop = parser->loop >= 0;
    if (declaration && in_loop && declaration->parse != parser_tensor &&
        declaration->parse != parser_end)
        return source_fail(
            parser->file, parser->line_place,
            "%s cannot stand in the loop of line %d, which has tensors of its own and "
            "statements only: move it before the loop, or write 'end' first",
            token_show(&parser->token).text, parser->program->loops[parser->loop].place.line);
    if (declaration) {
        TRY(parser_step(parser));
        TRY(declaration->parse(parser));
    } else if (parser->token.kind == TOKEN_NAME) {
        TRY(parser_statement(parser));
    } else {
        return parser_unexpected(parser,
                                 "a declaration (tile, space, index, tensor, scalar, iterate, "
                                 "finally, report, for) or a statement such as C[i,j] += A[i,j]; a "
                                 "statement goes on in the next line where its own ends with an "
                                 "operator");
    }
    if (!parser_at_line_end(parser))
        return parser_unexpected(parser, "the end of the line");
    return parser->token.kind == TOKEN_END ? STATUS_OK : parser_step(parser);
}

static enum status parse_text(struct parser *parser, size_t length)
{
    struct program *program = parser->program;
    TRY(parser_copy(parser->file, strlen(parser->file), &program->file));
    if (length > INT_MAX)
        return FAIL(STATUS_LIMIT, "%s: a .tce program of %zu bytes, at most %d are read",
                    parser->file, length, INT_MAX);
    TRY(parser_step(parser));
    while (parser->token.kind != TOKEN_END)
        TRY(parse_line(parser));
    if (parser->loop >= 0)
        return source_fail(
            parser->file, program->loops[parser->loop].place,
            "this loop has no 'end': write it after its last statement, in a line of its "
            "own");
    if (program->n_statements == 0)
        return parser_unexpected(parser, "at least one statement, such as C[i,j] += A[i,j]");
    if (program->iterate_place.line == 0)
        program->first_iterated = program->n_statements;
    if (program->finally_place.line == 0)
        program->first_final = program->n_statements;
    TRY(program_check_reports(program));
    return program_check_iteration(program);
}

enum status program_parse(const char *text, size_t length, const char *file,
                          struct program *program)
{
    *program = (struct program){.energy = -1, .final_energy = -1};
    struct parser parser = {.file = file, .program = program, .loop = -1};
    lexer_init(&parser.lexer, text, length, file);
    enum status status = parse_text(&parser, length);
    free_names(&parser.spaces);
    free_names(&parser.indices);
    free_names(&parser.tensors);
    if (status != STATUS_OK)
        program_fini(program);
    return status;
}
