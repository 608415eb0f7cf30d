/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from outside: what a terminal may take for a command does not reach it, the rest does. */
#include "support/base/printable.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    size_t length;
} characters[] = {
    {"", 0},
    {" ", 1},
    {"~", 1},
    {"\x1b[1m", 0},
    {"\x7f", 0},
    {"\xc3\xa9", 2},         /* U+00E9 */
    {"\xc2\x9b", 0},         /* U+009B, a C1 control */
    {"\xc2\xa0", 2},         /* U+00A0, the first character after them */
    {"\x9b", 0},             /* the same of ISO 8859-1 */
    {"\xc0\xaf", 0},         /* '/' in two bytes */
    {"\xe2\x82\xac", 3},     /* U+20AC */
    {"\xe2\x82", 0},         /* cut short */
    {"\xe0\x80\xaf", 0},     /* too long a form */
    {"\xed\xa0\x80", 0},     /* a surrogate */
    {"\xf0\x9f\x98\x80", 4}, /* U+1F600 */
    {"\xf4\x90\x80\x80", 0}, /* beyond U+10FFFF */
    {"\xf8\x88\x80\x80", 0},
};

TEST(characters_are_those_of_utf8_that_are_no_controls)
{
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; i++)
        assert_int_equal(printable_length(characters[i].text), characters[i].length);
}

static void check_print(bool lines, const char *expected, const char *format, ...)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    va_list arguments;
    assert_non_null(stream);
    va_start(arguments, format);
    printable_vprint(stream, lines, format, arguments);
    va_end(arguments);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
}

TEST(other_bytes_are_shown_by_their_numbers)
{
    check_print(false, "a 7 \\x1b[1m\xc3\xa9\\xff", "a %d %s", 7, "\x1b[1m\xc3\xa9\xff");
    check_print(false, "two\\x0alines", "%s", "two\nlines");
    check_print(true, "\ttwo\nlines\tand\\x0d", "\ttwo\nlines\t%s", "and\r");
    check_print(true, "two\\x0alines\\x09and one\\x0a", "two%sone%c", "\nlines\tand ", '\n');
}

TEST(long_texts_are_whole)
{
    static char text[10001];
    memset(text, 'x', sizeof text - 1);
    check_print(false, text, "%s", text);
    check_print(true, text, "%s", text);
}
