#include "support/io/line_reader.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void line_reader_init(struct line_reader *reader, const char *text, size_t length, const char *name,
                      const char *comments)
{
    *reader = (struct line_reader){
        .name = name, .comments = comments, .next = text, .end = text + length};
    /* Some editors put a byte order mark first. */
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        reader->next += 3;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void split_words(struct line_reader *reader)
{
    const char *c = reader->all.begin;
    const char *end = c + reader->all.length;
    reader->n_words = 0;
    while (reader->n_words < LINE_MAX_WORDS) {
        while (c < end && is_space(*c))
            c++;
        if (c == end)
            return;
        const char *begin = c;
        while (c < end && !is_space(*c))
            c++;
        reader->words[reader->n_words++] = (struct word){begin, (size_t)(c - begin)};
    }
}

bool line_reader_next(struct line_reader *reader)
{
    if (reader->next == reader->end)
        return false;
    const char *begin = reader->next;
    const char *end = memchr(begin, '\n', (size_t)(reader->end - begin));
    reader->next = end ? end + 1 : reader->end;
    if (!end)
        end = reader->end;

    const char *stop = begin;
    while (stop < end && !(*stop && strchr(reader->comments, *stop)))
        stop++;
    reader->line++;
    reader->all = (struct word){begin, (size_t)(stop - begin)};
    split_words(reader);
    return true;
}

bool line_reader_next_filled(struct line_reader *reader)
{
    while (line_reader_next(reader))
        if (reader->n_words > 0)
            return true;
    return false;
}

enum status line_reader_fail(const struct line_reader *reader, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return FAIL(STATUS_INPUT, "%s:%lld: %s", reader->name, (long long)reader->line, message);
}

bool word_equals(struct word word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(word.begin, text, word.length) == 0;
}

bool word_to_real(struct word word, double *value)
{
    /* strtod alone would also take hexadecimal numbers, "nan" and "inf". */
    char digits[64];
    if (word.length == 0 || word.length >= sizeof digits)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.begin[i];
        if (!c || !strchr("+-.0123456789eEdD", c))
            return false;
        digits[i] = c == 'd' || c == 'D' ? 'e' : c;
    }
    digits[word.length] = '\0';
    char *end;
    double number = strtod(digits, &end);
    if (*end != '\0' || end == digits || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool word_to_integer(struct word word, int64_t *value)
{
    char digits[32];
    if (word.length == 0 || word.length >= sizeof digits)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.begin[i];
        if (!c || !strchr("+-0123456789", c))
            return false;
        digits[i] = c;
    }
    digits[word.length] = '\0';
    char *end;
    errno = 0;
    long long number = strtoll(digits, &end, 10);
    if (*end != '\0' || end == digits || errno != 0)
        return false;
    *value = number;
    return true;
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
