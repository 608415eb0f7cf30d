#include "sched/report/report.h"

#include "sched/report/html.h"
#include "sched/report/report_charts.h"
#include "sched/report/report_compare.h"
#include "sched/report/report_tables.h"
#include "support/io/output_file.h"

#include <stdio.h>
#include <stdlib.h>

/* --- look --- */

/* Style sheet for screens, light and dark, and for paper. The series colours are from Okabe and
 * Ito's palette for colour-blind readers (jfly.uni-koeln.de/color), lightened on dark. */
#define LIGHT                                                                                      \
    "--paper:#fff;--ink:#1b1f24;--faint:#5b6570;--rule:#d5dae0;--card:#f6f8fa;--link:#0059a6;"     \
    "--k0:#0072b2;--k1:#e69f00;--k2:#b4bac1;--k3:#d55e00;--k4:#009e73;"
#define DARK                                                                                       \
    "--paper:#14181d;--ink:#e6eaee;--faint:#9aa5b1;--rule:#343c46;--card:#1c2229;--link:#7fc1f5;"  \
    "--k0:#4ba3e0;--k1:#e9b53a;--k2:#6b7580;--k3:#f08a4b;--k4:#2fc79b;"

static const char report_style[] =
    ":root{color-scheme:light dark;" LIGHT "}\n"
    "@media screen and (prefers-color-scheme:dark){:root{" DARK "}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:24px 24px 48px;max-width:1400px;background:var(--paper);"
    "color:var(--ink);font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\","
    "sans-serif}\n"
    "h1{font-size:26px;margin:0 0 4px}\n"
    "h2{font-size:20px;margin:40px 0 12px;padding-top:16px;border-top:1px solid var(--rule);"
    "overflow-wrap:anywhere}\n"
    "sub,sup{line-height:0}p{margin:0 0 12px}small,.lead{color:var(--faint)}a{color:var(--link)}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:3px 12px 3px 0;text-align:left;vertical-align:top}\n"
    "th{font-weight:400;color:var(--faint);white-space:nowrap}\n"
    "td{overflow-wrap:anywhere}\n"
    ".cards{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start;margin-bottom:16px}\n"
    ".cards table{background:var(--card);border:1px solid var(--rule);border-radius:8px;"
    "border-collapse:separate;border-spacing:0;padding:8px 4px 8px 14px;max-width:100%}\n"
    ".wide{overflow-x:auto}\n"
    ".figures th,.figures td{text-align:right;padding:4px 14px 4px 0;white-space:nowrap;"
    "border-bottom:1px solid var(--rule)}\n"
    ".figures .word,.figures th:first-child,.figures td:first-child{text-align:left}\n"
    ".figures td.word{overflow-wrap:anywhere;white-space:normal}\n"
    ".figures td.mode{text-align:left}\n"
    ".failed,.done{padding:6px 12px;border-left:4px solid var(--k3);background:var(--card);"
    "overflow-wrap:anywhere}\n"
    ".done{border-color:var(--k4)}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));"
    "gap:24px;margin:20px 0}\n"
    "figure{margin:0;break-inside:avoid}\n"
    "figcaption{margin-bottom:6px}figcaption b{display:block}\n"
    ".key{display:inline-block;margin-right:10px;font-size:13px;white-space:nowrap}\n"
    ".chart{display:block;width:100%;height:auto}\n"
    "svg text{font-size:12px;fill:var(--ink)}svg .title{fill:var(--faint)}"
    "svg .figure{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}\n"
    ".grid{stroke:var(--rule);stroke-width:1;fill:none}\n"
    ".line{fill:none;stroke-width:2}\n"
    ".k0{fill:var(--k0)}.k1{fill:var(--k1)}.k2{fill:var(--k2)}.k3{fill:var(--k3)}"
    ".k4{fill:var(--k4)}\n"
    ".l0{stroke:var(--k0)}.l3{stroke:var(--k3)}\n"
    "summary{cursor:pointer;color:var(--link)}\n"
    "@media print{body{max-width:none;padding:0;font-size:11px}"
    ".charts{grid-template-columns:1fr 1fr}.figures{font-size:9px}"
    ".figures th,.figures td{padding-right:6px}section{break-before:page}"
    "section:first-of-type{break-before:auto}details:not([open]){display:none}}\n";

/* --- content --- */

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
                             const struct report_section *section)
{
    fprintf(page, "<section id=\"run%lld\">\n<h2>Run %lld: ", (long long)number, (long long)number);
    html_text(page, run->name);
    fputs("</h2>\n", page);
    report_summary(page, run, section);
    fputs("<div class=\"charts\">\n", page);
    if (section)
        TRY(section->first_charts(page, run));
    report_charts(page, run);
    if (section)
        TRY(section->last_charts(page, run));
    fputs("</div>\n", page);
    report_iterations(page, run);
    fputs("</section>\n", page);
    return STATUS_OK;
}

static enum status write_page(FILE *page, const struct report_runs *runs,
                              const struct report_section *section)
{
    write_head(page, runs);
    fputs("<h1>Beryl</h1>\n<p class=\"lead\">", page);
    fprintf(page, runs->n == 1 ? "One recorded run" : "%lld recorded runs", (long long)runs->n);
    fputs("</p>\n", page);
    if (runs->n > 1) {
        fputs("<section>\n<h2>Comparison</h2>\n", page);
        TRY(report_compare(page, runs, section));
        fputs("</section>\n", page);
    }
    for (int64_t i = 0; i < runs->n; i++)
        TRY(write_run(page, &runs->runs[i], i + 1, section));
    fputs("</body>\n</html>\n", page);
    return STATUS_OK;
}

static enum status write_page_file(const struct report_runs *runs,
                                   const struct report_section *section, const char *path)
{
    struct output_buffer page;
    TRY(output_buffer_init(&page, path));
    enum status status = write_page(page.stream, runs, section);
    if (status == STATUS_OK)
        status = output_buffer_write(&page, path);
    output_buffer_fini(&page);
    return status;
}

enum status report_write(const json_t *const results[], const char *const names[], int64_t n,
                         const struct report_section *section, const char *path)
{
    struct report_runs runs = {0};
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < n && status == STATUS_OK; i++)
        status = report_runs_add(&runs, results[i], names[i]);
    if (status == STATUS_OK)
        status = write_page_file(&runs, section, path);
    report_runs_fini(&runs);
    return status;
}
