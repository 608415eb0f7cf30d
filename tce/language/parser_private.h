/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the parser and the functions that its files share; private to them. */
#pragma once

#include "tce/language/lexer.h"
#include "tce/language/program.h"

#include <stdint.h>

/* The declared names of one kind. */
struct name_list {
    const char *kind; /* "space", "index" or "tensor" */
    void *items;      /* address of the program's array; each item begins with a declared_name */
    int *n;
    size_t item_size;
};

/* The beginning of program_space, program_index and program_tensor. */
struct declared_name {
    char *name;
    struct source_place place;
};

/* Indices that are exchanged with another group of as many. */
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
void parser_step(struct parser *parser);

/* Whether nothing follows in this statement. */
bool parser_at_line_end(const struct parser *parser);

/* Steps over the token if it is this symbol or word, and says so. */
bool parser_accept(struct parser *parser, const char *text);

/* Steps over the token if it is one of two symbols or words: 1 the first, -1 the second, 0 none. */
int parser_accept_either(struct parser *parser, const char *first, const char *second);

/* Steps over a symbol or word that must come.
 * what  the expectation, for the message */
enum status parser_expect(struct parser *parser, const char *text, const char *what);

/* Fails: "expected WHAT, found TOKEN", or says what is wrong with a bad token. */
enum status parser_unexpected(const struct parser *parser, const char *what);

/* Declares the name that must come: appends an item to the list, of zeros but for its name and place.
 * what: "the name of a space", for instance. Errors: STATUS_INPUT if it was declared before, is a word of
 * the language or beyond the limit; STATUS_NO_MEMORY. */
enum status parser_declare(struct parser *parser, const struct name_list *list, const char *what);

/* Steps over a declared name.
 * number  out: of the item */
enum status parser_use(struct parser *parser, const struct name_list *list, const char *what,
                       struct token *name, int *number);

/* Steps over the name of a scalar. role: "energy", for instance. */
enum status parser_use_scalar(struct parser *parser, const char *role, struct token *name,
                              int *scalar);

/* Notes that this line begins with a word that a program has once.
 * place  the line 0 as long as it has not come; in and out */
enum status parser_once(const struct parser *parser, const char *word, const char *remedy,
                        struct source_place *place);

/* A whole number in [min, max]. what: "the size of a block", for instance. */
enum status parser_integer(struct parser *parser, const char *what, int min, int max, int *value);

/* Such a number after a word, if the word comes. */
enum status parser_option(struct parser *parser, const char *word, const char *what, int min,
                          int max, int *value);

/* Multiplies *value by a number with an optional sign and optional divisors: -1/2. */
enum status parser_real(struct parser *parser, double *value);

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

/* Appends a product without factors to the statement.
 * place  of the message if the program has too many
 * Errors: STATUS_INPUT, STATUS_NO_MEMORY. */
enum status parser_add_term(struct parser *parser, struct source_place place, double coefficient,
                            struct program_statement *statement);

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

/* Whether an index of program_index stands there. */
bool program_factor_has_index(const struct program *program, const struct program_factor *factor,
                              int index);
bool program_term_has_index(const struct program *program, const struct program_term *term,
                            int index);
bool program_loop_has_index(const struct program_loop *loop, int index);

/* Checks that every index of the target occurs in every term and the target in none, and that the labels of a term's
 * factors do not exclude its target's; that a loop's statement keeps to its tiles. Finds whether it keeps labels.
 * Errors: STATUS_INPUT. */
enum status program_check_statement(const struct program *program,
                                    struct program_statement *statement);

/* Checks that every reported scalar is filled or computed, that the iterated part computes the energy and every
 * residual, and that it assigns each target by `=` before anything is added to it.
 * Errors: STATUS_INPUT. */
enum status program_check_results(const struct program *program);
