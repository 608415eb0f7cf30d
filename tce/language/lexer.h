/* SPDX-License-Identifier: BSD-3-Clause */
/* The tokens of a .tce program, with their places.
 *
 * A line ends a statement, but not after an operator, a comma or a colon, nor inside
 * brackets. Blank lines and comments leave no token. */
#pragma once

#include "support/base/status.h"
#include "tce/language/program.h"

#include <stdbool.h>
#include <stddef.h>

enum { MAX_NAME_LENGTH = 60, MAX_NUMBER_LENGTH = 60, MAX_TEXT_LENGTH = 62 };

enum token_kind {
    TOKEN_END,      /* of the text */
    TOKEN_LINE_END, /* and so of a statement */
    TOKEN_NAME,     /* a letter or _, then letters, digits and _ */
    TOKEN_NUMBER,   /* without a sign */
    TOKEN_TEXT,     /* within quotes, which are part of it, on one line */
    TOKEN_SYMBOL    /* [ ] ( ) | , : + - * / = += -= >= */
};

struct token {
    enum token_kind kind;
    const char *begin; /* in the text; not NUL-terminated */
    size_t length;     /* 0 for the two ends */
    struct source_place place;
};

struct lexer {
    const char *file; /* for messages */
    const char *next, *end;
    const char *line_begin;
    int line;
    int n_open;        /* brackets */
    bool line_may_end; /* whether the next line end is a token */
};

/* text  length bytes, borrowed; a byte order mark is passed over
 * file  its name for messages, borrowed */
void lexer_init(struct lexer *lexer, const char *text, size_t length, const char *file);

/* Errors: STATUS_INPUT for what cannot be a token. */
enum status lexer_next(struct lexer *lexer, struct token *token);

bool token_is(const struct token *token, const char *text);

/* The value of a TOKEN_NUMBER.
 * Errors: STATUS_INPUT if it is beyond what a double can hold. */
enum status token_to_real(const struct token *token, const char *file, double *value);

/* The token for a message, quoted, shortened if need be. */
struct token_text {
    char text[48];
};
struct token_text token_show(const struct token *token);
