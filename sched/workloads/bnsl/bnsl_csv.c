#include "sched/workloads/bnsl/bnsl_csv.h"

#include <string.h>

static bool is_csv_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void bnsl_csv_init(struct bnsl_csv *csv, const char *text, size_t length)
{
    while (length > 0 && is_csv_blank(text[length - 1]))
        length--;
    *csv = (struct bnsl_csv){.next = text, .end = text + length};
}

bool bnsl_csv_next_line(struct bnsl_csv *csv)
{
    if (csv->next == csv->end)
        return false;
    const char *newline = memchr(csv->next, '\n', (size_t)(csv->end - csv->next));
    csv->field = csv->next;
    csv->line_end = newline ? newline : csv->end;
    csv->next = newline ? newline + 1 : csv->end;
    csv->line++;
    return true;
}

bool bnsl_csv_next_field(struct bnsl_csv *csv, struct bnsl_word *field)
{
    if (!csv->field)
        return false;
    const char *start = csv->field;
    const char *comma = memchr(start, ',', (size_t)(csv->line_end - start));
    const char *end = comma ? comma : csv->line_end;
    csv->field = comma ? comma + 1 : NULL;
    while (start < end && is_csv_blank(*start))
        start++;
    while (end > start && is_csv_blank(end[-1]))
        end--;
    if (end - start >= 2 && *start == '"' && end[-1] == '"')
        start++, end--;
    *field = (struct bnsl_word){start, (size_t)(end - start)};
    return true;
}

bool bnsl_word_equal(struct bnsl_word a, struct bnsl_word b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}
