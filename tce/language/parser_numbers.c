#include "tce/language/parser_private.h"

#include <math.h>
#include <stdio.h>

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
