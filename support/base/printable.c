/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/printable.h"

#include <stdlib.h>
#include <string.h>

/* Length and smallest code of the character that a first byte announces; 0 if none begins so. */
static size_t announced_length(unsigned char byte, unsigned *code, unsigned *smallest)
{
    static const struct {
        unsigned char mask, bits;
        unsigned smallest;
    } forms[] = {
        {0x80, 0x00, 0x20}, {0xe0, 0xc0, 0xa0}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if ((byte & forms[i].mask) == forms[i].bits) {
            *code = byte & (unsigned char)~forms[i].mask;
            *smallest = forms[i].smallest; /* U+0080 to U+009F, the C1 controls, are left out */
            return i + 1;
        }
    return 0;
}

size_t printable_length(const char *text)
{
    unsigned code = 0, smallest = 0;
    size_t n = announced_length((unsigned char)text[0], &code, &smallest);
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    }
    bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return n == 0 || code < smallest || code == 0x7f || is_surrogate || code > 0x10ffff ? 0 : n;
}

/* layout: the text, but with other characters for the line ends and tabs that stay; NULL: none do.
 */
static void print_escaped(FILE *stream, const char *text, const char *layout)
{
    while (*text) {
        size_t n = printable_length(text);
        if (n == 0 && layout && *layout != *text)
            n = 1;
        if (n > 0)
            fwrite(text, 1, n, stream);
        else
            fprintf(stream, "\\x%02x", (unsigned char)*text);
        n = n > 0 ? n : 1;
        text += n;
        if (layout)
            layout += n;
    }
}

/* vsnprintf into `some`, or if that is too small into memory that the caller frees. Without memory,
 * as may be when a program dies of that, the first part must do. */
static char *format_text(char *some, size_t size, const char *format, va_list arguments)
{
    char *all = NULL;
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(some, size, format, arguments);
    if (length >= (int)size && (all = malloc((size_t)length + 1)))
        vsnprintf(all, (size_t)length + 1, format, again);
    va_end(again);
    if (length < 0)
        some[0] = '\0';
    return all;
}
/* Renders twice, once with blanks for the format's line ends and tabs, to distinguish these from
 * line ends and tabs in the arguments. */
void printable_vprint(FILE *stream, bool lines, const char *format, va_list arguments)
{
    char some[2048], some_layout[2048], *all_layout = NULL, *blank = lines ? strdup(format) : NULL;
    va_list again;
    va_copy(again, arguments);
    char *all = format_text(some, sizeof some, format, arguments);
    if (blank) {
        for (char *at = blank; (at = strpbrk(at, "\n\t"));)
            *at = ' ';
        all_layout = format_text(some_layout, sizeof some_layout, blank, again);
    }
    va_end(again);
    bool same_length = blank && !all == !all_layout;
    print_escaped(stream, all ? all : some,
                  !same_length ? NULL
                  : all_layout ? all_layout
                               : some_layout);
    free(all);
    free(all_layout);
    free(blank);
}

void printable_print(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printable_vprint(stream, false, format, arguments);
    va_end(arguments);
}
