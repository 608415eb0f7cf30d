/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/markup/html.h"

#include "support/base/printable.h"

#include <math.h>
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

void html_number(FILE *page, double number, int decimals)
{
    if (!isfinite(number) || fabs(number) >= 1e18) {
        if (isfinite(number))
            fprintf(page, "%.6g", number);
        else
            fputs("\u2013", page);
        return;
    }
    char digits[64];
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(number));
    size_t whole = strcspn(digits, ".");
    if (number < 0 && strspn(digits, "0.") < strlen(digits))
        fputs("\u2212", page);
    for (size_t i = 0; digits[i] != '\0'; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            fputc(',', page);
        fputc(digits[i], page);
    }
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
    html_number(page, number, decimals);
    fprintf(page, *unit ? HTML_NO_BREAK "%s" : "%s", unit);
    html_row_end(page);
}

/* --- numbers in sentences --- */

void html_count(FILE *page, int64_t n)
{
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    if (n >= 0 && n <= 12)
        fputs(words[n], page);
    else
        html_number(page, (double)n, 0);
}

void html_seconds(FILE *page, double seconds, double scale)
{
    static const struct {
        double size;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}};
    int i = 0;
    while (i < 2 && scale < units[i].size)
        i++;
    double number = seconds / units[i].size;
    html_number(page, number, number > 0 ? (int)fmin(fmax(3 - floor(log10(number)), 0), 9) : 0);
    fprintf(page, " %s", units[i].name);
}

void html_per_cent(FILE *page, double fraction)
{
    html_number(page, 100 * fraction, fraction < 0.095 ? 1 : 0);
    fputs(" %", page);
}
