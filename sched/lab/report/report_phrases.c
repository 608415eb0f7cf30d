#include "sched/lab/report/report_phrases.h"

#include "sched/lab/report/markup/html.h"

#include <math.h>

void report_count(FILE *page, int64_t n)
{
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    if (n >= 0 && n <= 12)
        fputs(words[n], page);
    else
        html_number(page, (double)n, 0);
}

void report_seconds(FILE *page, double seconds, double scale)
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

void report_per_cent(FILE *page, double fraction)
{
    html_number(page, 100 * fraction, fraction < 0.095 ? 1 : 0);
    fputs(" %", page);
}
