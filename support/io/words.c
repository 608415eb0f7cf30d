/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/words.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

struct word word_from_text(const char *text)
{
    return (struct word){text, strlen(text)};
}

size_t text_mark_length(const char *text, size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t n = sizeof mark - 1;
    return length >= n && memcmp(text, mark, n) == 0 ? n : 0;
}

bool take_word(struct word *rest, struct word *word)
{
    const char *begin = rest->begin, *end = begin + rest->length;
    while (begin < end && is_white(*begin))
        begin++;
    const char *stop = begin;
    while (stop < end && !is_white(*stop))
        stop++;
    *word = (struct word){begin, (size_t)(stop - begin)};
    *rest = (struct word){stop, (size_t)(end - stop)};
    return word->length > 0;
}

struct word trim_word(struct word word)
{
    const char *begin = word.begin, *end = begin + word.length;
    while (begin < end && is_white(*begin))
        begin++;
    while (end > begin && is_white(end[-1]))
        end--;
    return (struct word){begin, (size_t)(end - begin)};
}

bool take_field(struct word *rest, struct word *field)
{
    if (!rest->begin)
        return false;
    const char *begin = rest->begin, *end = begin + rest->length;
    const char *comma = memchr(begin, ',', rest->length);
    *rest = comma ? (struct word){comma + 1, (size_t)(end - comma - 1)} : (struct word){0};
    *field = trim_word((struct word){begin, (size_t)((comma ? comma : end) - begin)});
    if (field->length >= 2 && *field->begin == '"' && field->begin[field->length - 1] == '"')
        *field = (struct word){field->begin + 1, field->length - 2};
    return true;
}

bool split_fields(struct word text, int n, struct word *fields)
{
    struct word beyond;
    for (int i = 0; i < n; i++)
        if (!take_field(&text, &fields[i]))
            return false;
    return !take_field(&text, &beyond);
}

bool word_equals(struct word word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(word.begin, text, word.length) == 0;
}

bool words_match(struct word a, struct word b)
{
    return a.length == b.length && memcmp(a.begin, b.begin, a.length) == 0;
}

/* Copies the word as a C string, if it has room there and only these characters. */
static bool copy_number(struct word word, const char *characters, char *digits, size_t size)
{
    if (word.length == 0 || word.length >= size)
        return false;
    memcpy(digits, word.begin, word.length);
    digits[word.length] = '\0';
    return strspn(digits, characters) == word.length;
}

bool word_to_real(struct word word, double *value)
{
    /* strtod alone would also take hexadecimal numbers, "nan" and "inf". */
    char digits[64], *end, *power;
    if (!copy_number(word, "+-.0123456789eEdD*^", digits, sizeof digits))
        return false;
    if ((power = strstr(digits, "*^"))) /* of Mathematica */
        memmove(power, power + 1, strlen(power)), *power = 'e';
    for (char *c = digits; (c = strpbrk(c, "dD")); c++)
        *c = 'e';
    double number = strtod(digits, &end);
    if (*end != '\0' || end == digits || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool word_to_integer(struct word word, int64_t *value)
{
    /* strtoll alone would also skip white space. */
    char digits[32], *end;
    if (!copy_number(word, "+-0123456789", digits, sizeof digits))
        return false;
    errno = 0;
    long long number = strtoll(digits, &end, 10);
    if (*end != '\0' || end == digits || errno != 0)
        return false;
    *value = number;
    return true;
}

/* number times 10^places; false if that is not whole or too large. */
static bool shift_decimal(int64_t places, int64_t *number)
{
    for (; places > 0 && *number != 0; places--)
        if (__builtin_mul_overflow(*number, 10, number))
            return false;
    for (; places < 0 && *number != 0; places++, *number /= 10)
        if (*number % 10 != 0)
            return false;
    return true;
}

bool word_to_whole(struct word word, int64_t *value)
{
    enum { LARGEST_EXPONENT = 1000 }; /* beyond any number but 0 */
    char digits[64];
    double real;
    size_t n = 0, i = 0;
    int64_t places = 0, exponent = 0, number;
    if (!word_to_real(word, &real))
        return false;
    for (bool is_fraction = false; i < word.length && !strchr("eEdD", word.begin[i]); i++)
        if (word.begin[i] == '.')
            is_fraction = true;
        else {
            digits[n++] = word.begin[i];
            places -= is_fraction;
        }
    if (i < word.length &&
        (!word_to_integer((struct word){word.begin + i + 1, word.length - i - 1}, &exponent) ||
         exponent > LARGEST_EXPONENT || exponent < -LARGEST_EXPONENT))
        return false;
    if (!word_to_integer((struct word){digits, n}, &number) ||
        !shift_decimal(places + exponent, &number))
        return false;
    *value = number;
    return true;
}

bool word_to_range(struct word word, int64_t *first, int64_t *last)
{
    const char *dash = memchr(word.begin, '-', word.length);
    struct word begin = word, end = word;
    if (dash) {
        begin.length = (size_t)(dash - word.begin);
        end = (struct word){dash + 1, word.length - begin.length - 1};
    }
    return word_to_integer(begin, first) && word_to_integer(end, last) && *first > 0 &&
           *first <= *last;
}

int text_to_reals(const char *text, int n, double *values)
{
    struct word rest = word_from_text(text), field;
    for (int i = 0; i < n; i++)
        if (!take_field(&rest, &field) || !word_to_real(field, &values[i]))
            return i + 1;
    return take_field(&rest, &field) ? n + 1 : 0;
}

struct word_text word_show(struct word word)
{
    struct word_text shown;
    size_t room = sizeof shown.text - 1;
    size_t n = word.length <= room ? word.length : room;
    for (size_t i = 0; i < n; i++) {
        char c = word.begin[i];
        shown.text[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    if (word.length > room)
        memcpy(shown.text + n - 3, "...", 3);
    shown.text[n] = '\0';
    return shown;
}

/* A name is near a word of n letters if 1 + n / LETTERS_PER_EDIT edits lead to it. */
enum { LETTERS_PER_EDIT = 5, LONGEST_NAME = 32 };

/* Whether letter i of a, from 1, is letter j of b. */
static bool is_same_letter(struct word a, size_t i, struct word b, size_t j)
{
    return tolower((unsigned char)a.begin[i - 1]) == tolower((unsigned char)b.begin[j - 1]);
}

static int lesser_number(int a, int b)
{
    return a < b ? a : b;
}

/* Edits from a to b. Source: Damerau, Commun. ACM 7, 171 (1964). */
int word_edits(struct word a, struct word b)
{
    int edits[LONGEST_NAME + 1][LONGEST_NAME + 1]; /* from the first i letters to the first j */
    if (a.length > LONGEST_NAME || b.length > LONGEST_NAME)
        return INT_MAX;
    for (size_t i = 0; i <= a.length; i++)
        for (size_t j = 0; j <= b.length; j++) {
            int *here = &edits[i][j];
            *here = (int)(i + j);
            if (i == 0 || j == 0)
                continue;
            *here = lesser_number(edits[i - 1][j], edits[i][j - 1]) + 1;
            *here = lesser_number(*here, edits[i - 1][j - 1] + !is_same_letter(a, i, b, j));
            if (i > 1 && j > 1 && is_same_letter(a, i - 1, b, j) && is_same_letter(a, i, b, j - 1))
                *here = lesser_number(*here, edits[i - 2][j - 2] + 1);
        }
    return edits[a.length][b.length];
}

void suggestion_add(struct suggestion *suggestion, const char *names)
{
    struct word name = {.begin = names};
    for (; *name.begin != '\0'; name.begin += strspn(name.begin, ",| ")) {
        name.length = strcspn(name.begin, ",| ");
        int n_edits = word_edits(suggestion->typed, name);
        if (suggestion->text[0] == '\0'
                ? n_edits <= 1 + (int)suggestion->typed.length / LETTERS_PER_EDIT
                : n_edits < suggestion->n_edits) {
            suggestion->n_edits = n_edits;
            snprintf(suggestion->text, sizeof suggestion->text, ": did you mean %s%.*s?",
                     suggestion->dashes ? suggestion->dashes : "", (int)name.length, name.begin);
        }
        name.begin += name.length;
    }
}
