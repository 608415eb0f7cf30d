/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/lexer.h"

#include "support/io/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters of a name or a number, or of a text between its quotes. */
#define MAX_LENGTH 60
#define TOO_LONG   " has more than 60 characters"

void lexer_init(struct lexer *lexer, const char *text, size_t length)
{
    *lexer = (struct lexer){.next = text, .end = text + length, .line = 1};
    lexer->next += text_mark_length(text, length);
    lexer->line_begin = lexer->next;
}

/* The functions of ctype.h depend on the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_begin(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c)
{
    return is_name_begin(c) || is_digit(c);
}

static bool is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

bool lexer_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Skips blanks, comments and line ends that end no statement. */
static void skip_blanks(struct lexer *lexer)
{
    for (;; lexer->next++) {
        /* Stop at a NUL even within a comment: the file is no text, and lexer_next says so. */
        if (lexer->next < lexer->end && *lexer->next == '#')
            while (lexer->next < lexer->end && *lexer->next != '\n' && *lexer->next)
                lexer->next++;
        if (lexer->next == lexer->end || !lexer_is_space(*lexer->next))
            return;
        if (*lexer->next == '\n') {
            if (lexer->line_may_end)
                return;
            lexer->line++;
            lexer->line_begin = lexer->next + 1;
        }
    }
}

/* A number with all that is attached to it. */
static void read_number(const struct lexer *lexer, struct token *token)
{
    const char *c = token->begin;
    char digits[MAX_LENGTH + 1] = "", *end;
    while (c < lexer->end && (is_name_part(*c) || *c == '.' ||
                              ((*c == '+' || *c == '-') && (c[-1] == 'e' || c[-1] == 'E'))))
        c++;
    token->kind = TOKEN_NUMBER;
    token->length = (size_t)(c - token->begin);
    if (token->length <= MAX_LENGTH)
        memcpy(digits, token->begin, token->length);
    errno = 0;
    token->value = strtod(digits, &end);
    token->is_whole = strspn(digits, "0123456789") == token->length;
    if (token->length > MAX_LENGTH)
        token->fault = TOO_LONG;
    else if (*end || strspn(digits, "0123456789.+-eE") < token->length)
        token->fault = " is neither a number nor a name; a number looks like 2, 0.25 or 1e-3, and "
                       "a name begins with a letter";
    else if (errno != 0)
        token->fault = " is beyond double precision";
}

static void read_name(const struct lexer *lexer, struct token *token)
{
    token->kind = TOKEN_NAME;
    while (token->begin + token->length < lexer->end && is_name_part(token->begin[token->length]))
        token->length++;
    if (token->length > MAX_LENGTH)
        token->fault = TOO_LONG;
}

static void read_text(const struct lexer *lexer, struct token *token)
{
    const char *c = token->begin + 1;
    while (c < lexer->end && *c != '"' && *c != '\n')
        c++;
    token->kind = TOKEN_TEXT;
    token->length = (size_t)(c - token->begin);
    if (c == lexer->end || *c == '\n')
        token->fault = " is a text without '\"' at its end, in the same line";
    else if (token->length++ > MAX_LENGTH + 1)
        token->fault = TOO_LONG;
}

static void read_symbol(const struct lexer *lexer, struct token *token)
{
    char c = *token->begin;
    bool has_more = lexer->end - token->begin > 1 && token->begin[1] == '=';
    token->kind = TOKEN_SYMBOL;
    token->length = (c == '+' || c == '-' || c == '>') && has_more ? 2 : 1;
    if (!is_printable(c))
        token->fault = " found; a .tce program is text, of ASCII characters outside its comments";
    else if (!strchr("[]()|,:+-*/=", c) && token->length == 1)
        token->fault = " is not part of the language";
}

/* Note whether the line may end after the token, or the statement continues in the next. */
static void note_continuation(struct lexer *lexer, const struct token *token)
{
    bool closes = token_is(token, "]") || token_is(token, ")");
    if (token_is(token, "[") || token_is(token, "("))
        lexer->n_open++;
    else if (closes && lexer->n_open > 0)
        lexer->n_open--;
    lexer->line_may_end = token->kind != TOKEN_LINE_END && lexer->n_open == 0 &&
                          (closes || token->kind != TOKEN_SYMBOL);
}

void lexer_next(struct lexer *lexer, struct token *token)
{
    skip_blanks(lexer);
    *token = (struct token){
        .begin = lexer->next,
        .place = {lexer->line, (int)(lexer->next - lexer->line_begin) + 1},
    };
    if (lexer->next == lexer->end)
        return;
    char c = *lexer->next;
    if (c == '\n') {
        token->kind = TOKEN_LINE_END;
        lexer->line++;
        lexer->line_begin = ++lexer->next;
    } else if (is_digit(c) ||
               (c == '.' && lexer->end - lexer->next > 1 && is_digit(lexer->next[1])))
        read_number(lexer, token);
    else if (is_name_begin(c))
        read_name(lexer, token);
    else if (c == '"')
        read_text(lexer, token);
    else
        read_symbol(lexer, token);
    if (token->fault)
        token->kind = TOKEN_BAD;
    lexer->next += token->length;
    note_continuation(lexer, token);
}

bool token_is(const struct token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->begin, text, token->length) == 0;
}

struct token_text token_show(const struct token *token)
{
    struct token_text shown;
    const size_t most = sizeof shown.text - 6;
    const bool fits = token->length <= most + 3;
    if (token->kind == TOKEN_END)
        snprintf(shown.text, sizeof shown.text, "the end of the file");
    else if (token->kind == TOKEN_LINE_END)
        snprintf(shown.text, sizeof shown.text, "the end of the line");
    else if (!is_printable(*token->begin))
        snprintf(shown.text, sizeof shown.text, "byte 0x%02X", (unsigned char)*token->begin);
    else
        snprintf(shown.text, sizeof shown.text, "'%.*s%s'", (int)(fits ? token->length : most),
                 token->begin, fits ? "" : "...");
    return shown;
}
