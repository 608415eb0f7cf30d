#include "sched/report/html_rows.h"

#include "sched/report/html.h"

#include <math.h>

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
