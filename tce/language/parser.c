/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/parser_private.h"

#include "support/base/array.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- tokens --- */

void parser_step(struct parser *parser)
{
    lexer_next(&parser->lexer, &parser->token);
}

bool parser_at_line_end(const struct parser *parser)
{
    return parser->token.kind == TOKEN_LINE_END || parser->token.kind == TOKEN_END;
}

bool parser_accept(struct parser *parser, const char *text)
{
    bool found = token_is(&parser->token, text);
    if (found)
        parser_step(parser);
    return found;
}

int parser_accept_either(struct parser *parser, const char *first, const char *second)
{
    return parser_accept(parser, first) ? 1 : parser_accept(parser, second) ? -1 : 0;
}

enum status parser_expect(struct parser *parser, const char *text, const char *what)
{
    return parser_accept(parser, text) ? STATUS_OK : parser_unexpected(parser, what);
}

enum status parser_unexpected(const struct parser *parser, const char *what)
{
    const struct token *token = &parser->token;
    const struct token_text found = token_show(token);
    if (token->kind == TOKEN_BAD)
        return source_fail(parser->file, token->place, "%s%s", found.text, token->fault);
    return source_fail(parser->file, token->place, "expected %s, found %s", what, found.text);
}

enum status parser_copy(const char *begin, size_t length, char **copy)
{
    *copy = strndup(begin, length);
    return CHECK_MEMORY(*copy, "no memory for %zu bytes of a .tce program", length);
}

enum status parser_once(const struct parser *parser, const char *word, const char *remedy,
                        struct source_place *place)
{
    if (place->line > 0)
        return source_fail(parser->file, parser->line_place, "'%s' appears in line %d already; %s",
                           word, place->line, remedy);
    *place = parser->line_place;
    return STATUS_OK;
}

/* --- names --- */

/* The words of the language; those with a function begin a line. */
static const struct reserved_word {
    const char *word;
    enum status (*parse)(struct parser *parser);
} reserved_words[] = {
    {"tile", parser_tile},
    {"space", parser_space},
    {"index", parser_index},
    {"tensor", parser_tensor},
    {"scalar", parser_scalar},
    {"iterate", parser_iterate},
    {"finally", parser_finally},
    {"report", parser_report},
    {"for", parser_for},
    {"end", parser_end},
    {"sym", NULL},
    {"antisym", NULL},
    {"symmetric", NULL},
    {"antisymmetric", NULL},
};

static const struct reserved_word *find_reserved(const struct token *token)
{
    for (size_t w = 0; w < sizeof reserved_words / sizeof reserved_words[0]; w++)
        if (token_is(token, reserved_words[w].word))
            return &reserved_words[w];
    return NULL;
}

/* The beginning of an item. The arrays are of several types, so that it is copied, not cast. */
static char *find_item(const struct name_list *list, int number)
{
    char *items;
    memcpy(&items, list->items, sizeof items);
    return items + (size_t)number * list->item_size;
}

/* The number of a declared name and its declaration; -1 without one. */
static int find_declared(const struct name_list *list, const struct token *name,
                         struct declared_name *declared)
{
    for (int i = 0; i < *list->n; i++) {
        memcpy(declared, find_item(list, i), sizeof *declared);
        if (token_is(name, declared->name))
            return i;
    }
    return -1;
}

enum status parser_declare(struct parser *parser, const struct name_list *list, const char *what)
{
    const struct token name = parser->token;
    struct declared_name declared;
    if (name.kind != TOKEN_NAME)
        return parser_unexpected(parser, what);
    if (find_declared(list, &name, &declared) >= 0)
        return source_fail(parser->file, name.place,
                           "%s %s was declared before, in line %d; choose another name", list->kind,
                           token_show(&name).text, declared.place.line);
    if (find_reserved(&name))
        return source_fail(parser->file, name.place,
                           "%s is a word of the language; choose another name for the %s",
                           token_show(&name).text, list->kind);
    if (*list->n == PROGRAM_MAX_NAMES)
        return source_fail(parser->file, name.place, "%s %s is beyond the limit of %d such names",
                           list->kind, token_show(&name).text, PROGRAM_MAX_NAMES);
    declared.place = name.place;
    TRY(parser_copy(name.begin, name.length, &declared.name));
    TRY(array_append(list->items, list->n, list->item_size));
    memcpy(find_item(list, *list->n - 1), &declared, sizeof declared);
    parser_step(parser);
    return STATUS_OK;
}

enum status parser_use(struct parser *parser, const struct name_list *list, const char *what,
                       struct token *name, int *number)
{
    struct declared_name declared;
    *name = parser->token;
    if (name->kind != TOKEN_NAME)
        return parser_unexpected(parser, what);
    *number = find_declared(list, name, &declared);
    if (*number < 0)
        return source_fail(parser->file, name->place,
                           "unknown %s %s; it must be declared in a line before this one",
                           list->kind, token_show(name).text);
    parser_step(parser);
    return STATUS_OK;
}

enum status parser_use_scalar(struct parser *parser, const char *role, struct token *name,
                              int *scalar)
{
    TRY(parser_use(parser, &parser->tensors, "the name of a scalar", name, scalar));
    if (parser->program->tensors[*scalar].rank != 0)
        return source_fail(parser->file, name->place, "the %s %s has indices; expected a scalar",
                           role, token_show(name).text);
    return STATUS_OK;
}

/* --- numbers --- */

enum status parser_integer(struct parser *parser, const char *what, int min, int max, int *value)
{
    const struct source_place place = parser->token.place;
    const bool negative = parser_accept(parser, "-");
    const struct token *token = &parser->token;
    const double number = negative ? -token->value : token->value;
    if (!token->is_whole || number < min || number > max)
        return source_fail(parser->file, place,
                           "expected %s, a whole number from %d to %d, found %s%s", what, min, max,
                           negative ? "'-' and " : "", token_show(token).text);
    *value = (int)number;
    parser_step(parser);
    return STATUS_OK;
}

enum status parser_option(struct parser *parser, const char *word, const char *what, int min,
                          int max, int *value)
{
    return parser_accept(parser, word) ? parser_integer(parser, what, min, max, value) : STATUS_OK;
}

/* *number times or divided by a number that stands at the place. */
static enum status scale_number(const struct parser *parser, struct source_place place, bool divide,
                                double value, double *number)
{
    const double old = *number;
    if (divide && value == 0)
        return source_fail(parser->file, place, "division by zero in a coefficient");
    *number = divide ? old / value : old * value;
    bool vanishes = *number == 0 && old != 0 && value != 0;
    if (!isfinite(*number) || vanishes)
        return source_fail(parser->file, place, "the coefficient is beyond double precision");
    return STATUS_OK;
}

enum status parser_real(struct parser *parser, double *value)
{
    double number = parser_accept(parser, "-") ? -1 : 1;
    const struct source_place place = parser->token.place;
    bool divide = false;
    do {
        if (parser->token.kind != TOKEN_NUMBER)
            return parser_unexpected(parser, "a number such as 0.5, 1/2 or -3");
        TRY(scale_number(parser, parser->token.place, divide, parser->token.value, &number));
        parser_step(parser);
        divide = parser_accept(parser, "/");
    } while (divide);
    return scale_number(parser, place, false, number, value);
}

/* --- lists of indices --- */

/* Names with commas between them, at least one. */
static enum status read_index_names(struct parser *parser, struct parsed_indices *list)
{
    do {
        struct token name;
        int index;
        TRY(parser_use(parser, &parser->indices, "the name of an index", &name, &index));
        if (list->n == MAX_RANK)
            return source_fail(parser->file, name.place,
                               "%s is index %d of this tensor; at most %d are possible",
                               token_show(&name).text, MAX_RANK + 1, MAX_RANK);
        list->index[list->n] = index;
        list->token[list->n++] = name;
    } while (parser_accept(parser, ","));
    return STATUS_OK;
}

enum status parser_indices(struct parser *parser, struct parsed_indices *list)
{
    const struct source_place open = parser->token.place;
    char what[80];
    *list = (struct parsed_indices){.bar = -1};
    parser_step(parser);
    if (token_is(&parser->token, "]"))
        return parser_unexpected(parser,
                                 "the name of an index, for a scalar is written without brackets");
    /* A side of the bar can be empty, as in [|i] and [i|]. */
    if (!token_is(&parser->token, "|"))
        TRY(read_index_names(parser, list));
    list->bar_place = parser->token.place;
    if (parser_accept(parser, "|")) {
        list->bar = list->n;
        if (list->n == 0 || !token_is(&parser->token, "]"))
            TRY(read_index_names(parser, list));
    }
    snprintf(what, sizeof what, "',' or ']' in the brackets opened at %d:%d", open.line,
             open.column);
    return parser_expect(parser, "]", what);
}

/* --- lines --- */

static enum status parse_line(struct parser *parser)
{
    parser->line_place = parser->token.place;
    const struct reserved_word *word = find_reserved(&parser->token);
    const bool declares = word && word->parse;
    if (declares && parser->loop >= 0 && word->parse != parser_tensor && word->parse != parser_end)
        return source_fail(
            parser->file, parser->line_place,
            "%s cannot stand in the loop of line %d, which has tensors of its own and "
            "statements only: move it before the loop, or write 'end' first",
            token_show(&parser->token).text, parser->program->loops[parser->loop].place.line);
    if (declares) {
        parser_step(parser);
        TRY(word->parse(parser));
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
    parser_step(parser);
    return STATUS_OK;
}

static enum status parse_text(struct parser *parser, size_t length)
{
    struct program *program = parser->program;
    TRY(parser_copy(parser->file, strlen(parser->file), &program->file));
    if (length > INT_MAX)
        return FAIL(STATUS_LIMIT, "%s: a .tce program of %zu bytes, at most %d are read",
                    parser->file, length, INT_MAX);
    parser_step(parser);
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
    return program_check_results(program);
}

enum status program_parse(const char *text, size_t length, const char *file,
                          struct program *program)
{
    *program = (struct program){.energy = -1, .final_energy = -1};
    struct parser parser = {
        .file = file,
        .program = program,
        .loop = -1,
        .spaces = {"space", &program->spaces, &program->n_spaces, sizeof *program->spaces},
        .indices = {"index", &program->indices, &program->n_indices, sizeof *program->indices},
        .tensors = {"tensor", &program->tensors, &program->n_tensors, sizeof *program->tensors},
    };
    lexer_init(&parser.lexer, text, length);
    enum status status = parse_text(&parser, length);
    if (status != STATUS_OK)
        program_fini(program);
    return status;
}
