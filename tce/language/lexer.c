/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/lexer.h"

#include "support/io/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lexer_init(struct lexer *lexer, const char *text, size_t length, const char *file)
{
    *lexer = (struct lexer){.file = file, .next = text, .end = text + length, .line = 1};
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

static bool is_blank_byte(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Skips blanks, comments and line ends that end no statement. */
static void skip_blanks(struct lexer *lexer)
{
    for (;; lexer->next++) {
        /* Stop at a NUL even within a comment: the file is no text, and lexer_next says so. */
        if (lexer->next < lexer->end && *lexer->next == '#')
            while (lexer->next < lexer->end && *lexer->next != '\n' && *lexer->next)
                lexer->next++;
        if (lexer->next == lexer->end)
            return;
        if (*lexer->next == '\n' && !lexer->line_may_end) {
            lexer->line++;
            lexer->line_begin = lexer->next + 1;
        } else if (!is_blank_byte(*lexer->next)) {
            return;
        }
    }
}

static const char *skip_digits(const char *c, const char *end)
{
    while (c < end && is_digit(*c))
        c++;
    return c;
}

static enum status read_number_token(struct lexer *lexer, struct token *token)
{
    const char *c = skip_digits(token->begin, lexer->end);
    if (c < lexer->end && *c == '.')
        c = skip_digits(c + 1, lexer->end);
    if (c < lexer->end && (*c == 'e' || *c == 'E')) {
        const char *digits = c + 1;
        if (digits < lexer->end && (*digits == '+' || *digits == '-'))
            digits++;
        if (digits < lexer->end && is_digit(*digits))
            c = skip_digits(digits, lexer->end);
    }
    bool ends = c == lexer->end || (!is_name_part(*c) && *c != '.');
    while (!ends && c < lexer->end && (is_name_part(*c) || *c == '.'))
        c++;
    token->kind = TOKEN_NUMBER;
    token->length = (size_t)(c - token->begin);
    if (!ends)
        return source_fail(lexer->file, token->place,
                           "%s is neither a number nor a name; a number looks like 2, 0.25 or "
                           "1e-3, and a name begins with a letter",
                           token_show(token).text);
    if (token->length > MAX_NUMBER_LENGTH)
        return source_fail(lexer->file, token->place, "the number %s has more than %d characters",
                           token_show(token).text, MAX_NUMBER_LENGTH);
    return STATUS_OK;
}

static enum status read_name_token(struct lexer *lexer, struct token *token)
{
    const char *c = token->begin;
    while (c < lexer->end && is_name_part(*c))
        c++;
    token->kind = TOKEN_NAME;
    token->length = (size_t)(c - token->begin);
    if (token->length > MAX_NAME_LENGTH)
        return source_fail(lexer->file, token->place, "the name %s has more than %d characters",
                           token_show(token).text, MAX_NAME_LENGTH);
    return STATUS_OK;
}

static enum status read_text_token(struct lexer *lexer, struct token *token)
{
    const char *c = token->begin + 1;
    while (c < lexer->end && *c != '"' && *c != '\n')
        c++;
    token->kind = TOKEN_TEXT;
    token->length = (size_t)(c - token->begin) + 1;
    if (c == lexer->end || *c == '\n')
        return source_fail(lexer->file, token->place,
                           "a text begins here and has no '\"' at its end, in the same line");
    if (token->length > MAX_TEXT_LENGTH)
        return source_fail(lexer->file, token->place, "a text of more than %d characters",
                           MAX_TEXT_LENGTH - 2);
    return STATUS_OK;
}

static enum status read_symbol_token(struct lexer *lexer, struct token *token)
{
    unsigned char c = (unsigned char)*token->begin;
    if (c < ' ' || c > '~')
        return source_fail(lexer->file, token->place,
                           "byte 0x%02X found; a .tce program is text, of ASCII characters "
                           "outside its comments",
                           c);
    token->kind = TOKEN_SYMBOL;
    token->length = 1;
    bool has_more = lexer->end - token->begin > 1 && token->begin[1] == '=';
    if ((c == '+' || c == '-' || c == '>') && has_more)
        token->length = 2;
    if (!strchr("[]()|,:+-*/=", c) && token->length == 1)
        return source_fail(lexer->file, token->place, "%s is not part of the language",
                           token_show(token).text);
    return STATUS_OK;
}

/* Note whether the line may end after the token, or the statement continues in the next. */
static void note_continuation(struct lexer *lexer, const struct token *token)
{
    if (token_is(token, "[") || token_is(token, "("))
        lexer->n_open++;
    else if ((token_is(token, "]") || token_is(token, ")")) && lexer->n_open > 0)
        lexer->n_open--;
    bool closes = token->kind != TOKEN_SYMBOL || token_is(token, "]") || token_is(token, ")");
    lexer->line_may_end = token->kind != TOKEN_LINE_END && lexer->n_open == 0 && closes;
}

enum status lexer_next(struct lexer *lexer, struct token *token)
{
    skip_blanks(lexer);
    *token = (struct token){
        .begin = lexer->next,
        .place = {lexer->line, (int)(lexer->next - lexer->line_begin) + 1},
    };
    if (lexer->next == lexer->end)
        return STATUS_OK;
    char c = *lexer->next;
    if (c == '\n') {
        token->kind = TOKEN_LINE_END;
        lexer->line++;
        lexer->line_begin = ++lexer->next;
    } else if (is_digit(c) ||
               (c == '.' && lexer->end - lexer->next > 1 && is_digit(lexer->next[1])))
        TRY(read_number_token(lexer, token));
    else if (is_name_begin(c))
        TRY(read_name_token(lexer, token));
    else if (c == '"')
        TRY(read_text_token(lexer, token));
    else
        TRY(read_symbol_token(lexer, token));
    lexer->next += token->length;
    note_continuation(lexer, token);
    return STATUS_OK;
}

bool token_is(const struct token *token, const char *text)
{
    return strlen(text) == token->length && memcmp(token->begin, text, token->length) == 0;
}

enum status token_to_real(const struct token *token, const char *file, double *value)
{
    char digits[MAX_NUMBER_LENGTH + 1];
    memcpy(digits, token->begin, token->length);
    digits[token->length] = '\0';
    errno = 0;
    *value = strtod(digits, NULL);
    if (errno != 0)
        return source_fail(file, token->place, "the number %s is beyond double precision",
                           token_show(token).text);
    return STATUS_OK;
}

struct token_text token_show(const struct token *token)
{
    struct token_text shown;
    const char *dots = "";
    size_t n = token->length;
    if (n > sizeof shown.text - 3) {
        n = sizeof shown.text - 6;
        dots = "...";
    }
    if (token->kind == TOKEN_END)
        snprintf(shown.text, sizeof shown.text, "the end of the file");
    else if (token->kind == TOKEN_LINE_END)
        snprintf(shown.text, sizeof shown.text, "the end of the line");
    else
        snprintf(shown.text, sizeof shown.text, "'%.*s%s'", (int)n, token->begin, dots);
    return shown;
}
