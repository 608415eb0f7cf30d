#include "sched/report/report.h"

#include "sched/report/html.h"
#include "sched/report/report_charts.h"
#include "sched/report/report_compare.h"
#include "sched/report/report_iterations.h"
#include "sched/report/report_run.h"
#include "sched/report/report_style.h"
#include "sched/report/report_tables.h"
#include "support/io/output_file.h"

#include <stdio.h>
#include <stdlib.h>

static void write_head(FILE *page, const struct report_runs *runs)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<title>Beryl: ",
          page);
    if (runs->n == 1)
        html_text(page, runs->runs[0].name);
    else
        fprintf(page, "%lld runs", (long long)runs->n);
    fprintf(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", report_style);
}

static enum status write_run(FILE *page, const struct report_run *run, int64_t number,
                             const struct report_subject *subject)
{
    fprintf(page, "<section id=\"run%lld\">\n<h2>Run %lld: ", (long long)number, (long long)number);
    html_text(page, run->name);
    fputs("</h2>\n", page);
    report_summary(page, run, subject);
    fputs("<div class=\"charts\">\n", page);
    if (subject)
        TRY(subject->first_charts(page, run));
    report_charts(page, run);
    if (subject)
        TRY(subject->last_charts(page, run));
    fputs("</div>\n", page);
    report_iterations(page, run);
    fputs("</section>\n", page);
    return STATUS_OK;
}

static enum status write_page(FILE *page, const struct report_runs *runs,
                              const struct report_subject *subject)
{
    write_head(page, runs);
    fputs("<h1>Beryl</h1>\n<p class=\"lead\">", page);
    fprintf(page, runs->n == 1 ? "One recorded run" : "%lld recorded runs", (long long)runs->n);
    fputs("</p>\n", page);
    if (runs->n > 1) {
        fputs("<section>\n<h2>Comparison</h2>\n", page);
        TRY(report_compare(page, runs, subject));
        fputs("</section>\n", page);
    }
    for (int64_t i = 0; i < runs->n; i++)
        TRY(write_run(page, &runs->runs[i], i + 1, subject));
    fputs("</body>\n</html>\n", page);
    return STATUS_OK;
}

static enum status write_file(const struct report_runs *runs, const struct report_subject *subject,
                              const char *path)
{
    struct output_buffer page;
    TRY(output_buffer_init(&page, path));
    enum status status = write_page(page.stream, runs, subject);
    if (status == STATUS_OK)
        status = output_buffer_write(&page, path);
    output_buffer_fini(&page);
    return status;
}

enum status report_write(const json_t *const results[], const char *const names[], int64_t n,
                         const struct report_subject *subject, const char *path)
{
    struct report_runs runs = {0};
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < n && status == STATUS_OK; i++)
        status = report_runs_add(&runs, results[i], names[i]);
    if (status == STATUS_OK)
        status = write_file(&runs, subject, path);
    report_runs_fini(&runs);
    return status;
}
