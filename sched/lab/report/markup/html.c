/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/markup/html.h"

#include "support/base/printable.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* The character at the start of a text, a blank for what is none. Returns the bytes it took. */
static size_t write_character(FILE *page, const char *text)
{
    size_t n = printable_length(text);
    switch (n == 0 ? ' ' : *text) {
    case '&':
        fputs("&amp;", page);
        break;
    case '<':
        fputs("&lt;", page);
        break;
    case '>':
        fputs("&gt;", page);
        break;
    case '"':
        fputs("&quot;", page);
        break;
    case '\'':
        fputs("&#39;", page);
        break;
    default:
        fwrite(n == 0 ? " " : text, 1, n == 0 ? 1 : n, page);
    }
    return n == 0 ? 1 : n;
}

void html_text(FILE *page, const char *text)
{
    html_text_cut(page, text, INT64_MAX);
}

int64_t html_text_length(const char *text)
{
    int64_t n = 0;
    for (size_t length; text && *text != '\0'; n++, text += length > 0 ? length : 1)
        length = printable_length(text);
    return n;
}

void html_text_cut(FILE *page, const char *text, int64_t max)
{
    int64_t n = html_text_length(text);
    int64_t left = n <= max ? n : max - 1;
    while (left-- > 0)
        text += write_character(page, text);
    if (n > max)
        fputs("\u2026", page);
}

void html_words(FILE *page, const char *text)
{
    fputs("<span>", page);
    while (text && *text != '\0') {
        if (*text == ' ')
            fputs("</span> <span>", page);
        text += *text == ' ' ? 1 : write_character(page, text);
    }
    fputs("</span>", page);
}

/* With commas between thousands; a dash if it is not finite. */
static struct html_phrase format_number(double number, int decimals)
{
    struct html_phrase phrase = {"\u2013"};
    char digits[64], *to = phrase.text;
    if (!isfinite(number))
        return phrase;
    if (fabs(number) >= 1e18) {
        snprintf(phrase.text, sizeof phrase.text, "%.6g", number);
        return phrase;
    }
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(number));
    size_t whole = strcspn(digits, ".");
    if (number < 0 && strspn(digits, "0.") < strlen(digits))
        to = stpcpy(to, "\u2212");
    for (size_t i = 0; digits[i] != '\0'; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return phrase;
}

void html_number(FILE *page, double number, int decimals)
{
    fputs(format_number(number, decimals).text, page);
}

/* Writes the value of the conversion that a format begins with, and returns the rest of the format.
 */
static const char *write_value_of(FILE *page, const char *format, va_list *values)
{
    int decimals = 0;
    if (format[0] == '.') {
        decimals = format[1] == '*' ? va_arg(*values, int) : format[1] - '0';
        format += 2;
    }
    switch (*format) {
    case 's':
        html_text(page, va_arg(*values, const char *));
        break;
    case 'f':
        html_number(page, va_arg(*values, double), decimals);
        break;
    case 'd':
        fprintf(page, "%d", va_arg(*values, int));
        break;
    case 'l':
        fprintf(page, "%lld", va_arg(*values, long long));
        return format + strlen("lld");
    default:
        fputc('%', page);
    }
    return format + 1;
}

void html_print(FILE *page, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    while (*format != '\0') {
        size_t n_plain = strcspn(format, "%");
        fwrite(format, 1, n_plain, page);
        format += n_plain;
        if (*format == '%')
            format = write_value_of(page, format + 1, &values);
    }
    va_end(values);
}

void html_row_start(FILE *page, const char *heading)
{
    fprintf(page, "<tr><th scope=\"row\">%s</th><td>", heading);
}

void html_row_end(FILE *page)
{
    fputs("</td></tr>\n", page);
}

void html_row_text(FILE *page, const char *heading, const char *text)
{
    if (!text)
        return;
    fprintf(page, "<tr><th scope=\"row\">%s</th><td class=\"text\">", heading);
    html_words(page, text);
    html_row_end(page);
}

void html_row_number(FILE *page, const char *heading, double number, int decimals, const char *unit)
{
    if (isnan(number))
        return;
    html_row_start(page, heading);
    html_print(page, "%.*f%s%s", decimals, number, *unit ? HTML_NO_BREAK : "", unit);
    html_row_end(page);
}

/* --- numbers in sentences --- */

struct html_phrase html_count(int64_t n)
{
    static const struct html_phrase words[] = {{"no"},   {"one"},    {"two"},   {"three"}, {"four"},
                                               {"five"}, {"six"},    {"seven"}, {"eight"}, {"nine"},
                                               {"ten"},  {"eleven"}, {"twelve"}};
    return n >= 0 && n <= 12 ? words[n] : format_number((double)n, 0);
}

struct html_phrase html_seconds(double seconds, double scale)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1, " s"}, {1e-3, " ms"}, {1e-6, " \u00b5s"}};
    int i = 0;
    while (i < 2 && scale < units[i].size)
        i++;
    double number = seconds / units[i].size;
    struct html_phrase phrase =
        format_number(number, number > 0 ? (int)fmin(fmax(3 - floor(log10(number)), 0), 9) : 0);
    strcat(phrase.text, units[i].name);
    return phrase;
}

struct html_phrase html_per_cent(double fraction)
{
    struct html_phrase phrase = format_number(100 * fraction, fraction < 0.095 ? 1 : 0);
    strcat(phrase.text, " %");
    return phrase;
}
