/* SPDX-License-Identifier: BSD-3-Clause */
/* The tokens of a .tce program, with their places.
 *
 * A line ends a statement, but not after an operator, a comma or a colon, nor inside
 * brackets. Blank lines and comments leave no token. */
#pragma once

#include "tce/language/program.h"

#include <stdbool.h>
#include <stddef.h>

enum token_kind {
    TOKEN_END,      /* of the text */
    TOKEN_LINE_END, /* and so of a statement */
    TOKEN_NAME,     /* a letter or _, then letters, digits and _ */
    TOKEN_NUMBER,   /* without a sign */
    TOKEN_TEXT,     /* within quotes, which are part of it, on one line */
    TOKEN_SYMBOL,   /* [ ] ( ) | , : + - * / = += -= >= */
    TOKEN_BAD       /* characters that make no token; nothing accepts it */
};

struct token {
    enum token_kind kind;
    const char *begin; /* in the text; not NUL-terminated */
    size_t length;     /* 0 for the two ends */
    struct source_place place;
    double value;      /* of a number */
    bool is_whole;     /* a number of digits alone */
    const char *fault; /* of a bad token: continues a message after token_show */
};

struct lexer {
    const char *next, *end;
    const char *line_begin;
    int line;
    int n_open;        /* brackets */
    bool line_may_end; /* whether the next line end is a token */
};

/* text  length bytes, borrowed; a byte order mark is passed over */
void lexer_init(struct lexer *lexer, const char *text, size_t length);

void lexer_next(struct lexer *lexer, struct token *token);

/* White space, line ends included. */
bool lexer_is_space(char c);

bool token_is(const struct token *token, const char *text);

/* The token for a message, quoted, shortened if need be. */
struct token_text {
    char text[48];
};
struct token_text token_show(const struct token *token);
