#include "sched/report/html.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static void write_byte(FILE *page, char byte)
{
    switch (byte) {
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
        fputc((unsigned char)byte < 0x20 || byte == 0x7f ? ' ' : byte, page);
    }
}

void html_text(FILE *page, const char *text)
{
    html_text_cut(page, text, INT64_MAX);
}

/* UTF-8: all bytes of a character but the first are 10xxxxxx. */
static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

void html_text_cut(FILE *page, const char *text, int64_t max)
{
    int64_t n = 0;
    for (const char *c = text; c && *c != '\0'; c++)
        n += starts_character(*c);
    int64_t left = n <= max ? n : max - 1;
    for (const char *c = text; c && *c != '\0'; c++) {
        if (starts_character(*c) && left-- == 0)
            break;
        write_byte(page, *c);
    }
    if (n > max)
        fputs("\u2026", page);
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
    html_row_start(page, heading);
    html_text(page, text);
    html_row_end(page);
}

void html_row_number(FILE *page, const char *heading, double number, int decimals, const char *unit)
{
    if (isnan(number))
        return;
    html_row_start(page, heading);
    html_number(page, number, decimals);
    fprintf(page, " %s", unit);
    html_row_end(page);
}
