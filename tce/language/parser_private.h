/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the parser and the functions that its files share; private to them. */
#pragma once

#include "tce/language/lexer.h"
#include "tce/language/program.h"

#include <stdint.h>

/* The declared names of one kind. */
struct name_list {
    int n;
    void *tree; /* of struct declared_name, tsearch */
};

/* Indices that are exchanged with those of another group. */
struct index_group {
    struct source_place begin;
    int n, index[MAX_RANK]; /* numbers of program_index */
    struct source_place place[MAX_RANK];
};

/* sym(GROUPS) or antisym(GROUPS) before a tensor: how groups are exchanged in the whole product. Groups
 * are of equal numbers of indices of the same spaces. sym(a, b, c) stands for all permutations, and
 * sym(a / b, c) for those that exchange a with one of the others. Where it makes groups of one index,
 * the commas may be left out: sym(a b), sym(a / b c). */
struct parsed_symmetrizer {
    bool antisymmetric;
    bool first_alone; /* sym(a / ...) */
    int n;            /* groups; 0 without a symmetrizer */
    struct index_group group[PROGRAM_MAX_PERMUTED];
};
enum { MAX_SYMMETRIZERS = 4 }; /* of a product */

struct parser {
    struct lexer lexer;
    struct token token; /* the next one */
    const char *file;
    struct program *program;
    struct name_list spaces, indices, tensors;
    struct source_place line_place; /* of the first word of this line */
    struct source_place tile_place; /* line 0: not yet seen */
    int loop;                       /* the open one; -1: none */
    int n_symmetrizers;             /* of the product at hand */
    struct parsed_symmetrizer symmetrizers[MAX_SYMMETRIZERS];
    int n_terms; /* of all statements */
};

/* Steps to the next token. */
enum status parser_step(struct parser *parser);

/* Whether nothing follows in this statement. */
bool parser_at_line_end(const struct parser *parser);

/* Steps over the token if it is this symbol or word.
 * found  out: whether it was */
enum status parser_accept(struct parser *parser, const char *text, bool *found);

/* Steps over the token if it is one of two symbols or words.
 * which  out: 1 the first, -1 the second, 0 none */
enum status parser_accept_either(struct parser *parser, const char *first, const char *second,
                                 int *which);

/* Steps over a symbol or word that must come.
 * what  the expectation, for the message */
enum status parser_expect(struct parser *parser, const char *text, const char *what);

/* Fails: "expected WHAT, found TOKEN". */
enum status parser_unexpected(const struct parser *parser, const char *what);

/* Steps over a name. what: "the name of a space", for instance. */
enum status parser_name(struct parser *parser, const char *what, struct token *name);

/* Enters a declared name, as the next number of the list, and copies it for the program.
 * kind: "space", "index" or "tensor". Errors: STATUS_INPUT if it was declared before or is
 * a word of the language, STATUS_LIMIT, STATUS_NO_MEMORY. */
enum status parser_declare(struct parser *parser, struct name_list *list, const char *kind,
                           const struct token *name, char **copy);

/* The number of a declared name. */
enum status parser_find(const struct parser *parser, const struct name_list *list, const char *kind,
                        const struct token *name, int *number);

/* A whole number in [min, max]. what: "the size of a block", for instance. */
enum status parser_integer(struct parser *parser, const char *what, int64_t min, int64_t max,
                           int64_t *value);

/* Such a number after a word, if the word comes. */
enum status parser_option(struct parser *parser, const char *word, const char *what, int64_t min,
                          int64_t max, int64_t *value);

/* A number with an optional sign and an optional divisor: -1/2. */
enum status parser_real(struct parser *parser, double *value);

/* *coefficient times or divided by a number that stands at the place. */
enum status parser_scale(const struct parser *parser, struct source_place place, bool divide,
                         double value, double *coefficient);

/* Indices in brackets. */
struct parsed_indices {
    int n;
    int index[MAX_RANK];
    struct token token[MAX_RANK];
    int bar; /* indices before the bar; -1 without one */
    struct source_place bar_place;
};

/* The opening bracket is the next token. */
enum status parser_indices(struct parser *parser, struct parsed_indices *list);

/* One line each. The first word of a declaration has been stepped over. */
enum status parser_tile(struct parser *parser);
enum status parser_space(struct parser *parser);
enum status parser_index(struct parser *parser);
enum status parser_tensor(struct parser *parser);
enum status parser_scalar(struct parser *parser);
enum status parser_iterate(struct parser *parser);
enum status parser_finally(struct parser *parser);
enum status parser_report(struct parser *parser);
enum status parser_for(struct parser *parser);
enum status parser_end(struct parser *parser);
enum status parser_statement(struct parser *parser);

/* A tensor by its name. what: "the name of a residual", for instance. */
enum status parser_tensor_name(struct parser *parser, const char *what, struct token *name,
                               int *tensor);

/* A scalar by its name. role: "energy", for instance. */
enum status parser_scalar_name(struct parser *parser, const char *role, struct token *name,
                               int *scalar);

/* Reads `symmetric` and `antisymmetric` with their exchanges, as many as there are, into a tensor whose
 * brackets were `list`, and generates its symmetry. */
enum status parser_symmetry(struct parser *parser, const struct parsed_indices *list,
                            struct program_tensor *tensor);

/* Reads one; the word has been stepped over. */
enum status parser_symmetrizer(struct parser *parser, struct parsed_symmetrizer *symmetrizer);

/* Replaces the statement's products from number first on by their sums over the permutations. */
enum status parser_symmetrize(struct parser *parser, const struct parsed_symmetrizer *symmetrizer,
                              int first, struct program_statement *statement);

/* A copy of a piece of text. */
enum status parser_copy(const char *begin, size_t length, char **copy);
