/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report.h"

#include "sched/lab/report/markup/page_style.h"
#include "sched/lab/report/report_parts.h"
#include "support/io/output_buffer.h"

/* Sentences for more runs would be no answer, and each of them is folded. */
enum { MAX_ANSWERS = 6 };

static int64_t count_groups(const struct report_runs *runs)
{
    int64_t n_groups = 0;
    for (int64_t i = 0; i < runs->n; i += report_group_size(runs, i))
        n_groups++;
    return n_groups;
}

static void write_head(FILE *page, const struct report_runs *runs)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<title>Beryl: ",
          page);
    if (count_groups(runs) == 1)
        html_text(page, runs->runs[0].file);
    else
        fprintf(page, "%lld runs", (long long)runs->n);
    fprintf(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_style);
}

static enum status write_charts(FILE *page, const struct report_run *run,
                                const struct report_section *section)
{
    fputs("<div class=\"charts\">\n", page);
    if (section)
        TRY(section->first_charts(page, run));
    report_blocks(page, run);
    report_charts(page, run);
    TRY(report_timeline(page, run));
    if (section)
        TRY(section->last_charts(page, run));
    fputs("</div>\n", page);
    report_choices(page, run);
    report_iterations(page, run);
    return STATUS_OK;
}

static enum status write_run(FILE *page, const struct report_run *run, int64_t n_groups,
                             const struct report_section *section)
{
    bool folded = n_groups > MAX_ANSWERS;
    fprintf(page, "<%s id=\"run%lld\">\n%s<h2>", folded ? "details" : "section",
            (long long)run->number, folded ? "<summary>" : "");
    if (n_groups > 1)
        fprintf(page, "Run %lld: ", (long long)run->number);
    html_words(page, run->name);
    fputs(folded ? "</h2></summary>\n" : "</h2>\n", page);
    report_summary(page, run, section);
    TRY(write_charts(page, run, section));
    fputs(folded ? "</details>\n" : "</section>\n", page);
    return STATUS_OK;
}

/* The n modes of a comparison: what they have in common, the modes side by side, and each by itself
 * folded. */
static enum status write_comparison(FILE *page, const struct report_run *runs, int64_t n,
                                    const struct report_section *section)
{
    html_print(page, "<section>\n<h2>Comparison of %lld modes: %s</h2>\n", (long long)n,
               runs->file);
    report_summary(page, runs, section);
    fputs("<div class=\"charts\">\n", page);
    if (section)
        TRY(section->first_charts(page, runs));
    report_blocks(page, runs);
    fputs("</div>\n", page);
    TRY(report_compare_modes(page, runs, n));
    for (const struct report_run *run = runs; run < runs + n; run++) {
        fprintf(page, "<details id=\"run%lld\"%s><summary>", (long long)run->number,
                run == report_fastest(runs, n) ? " open" : "");
        html_print(page, "%s: its course and iterations</summary>\n<div class=\"charts\">\n",
                   report_mode_name(run));
        report_charts(page, run);
        TRY(report_timeline(page, run));
        fputs("</div>\n", page);
        report_choices(page, run);
        report_iterations(page, run);
        fputs("</details>\n", page);
    }
    fputs("<div class=\"charts\">\n", page);
    if (section)
        TRY(section->last_charts(page, runs));
    fputs("</div>\n</section>\n", page);
    return STATUS_OK;
}

/* Sweeps that ended before their last run. */
static void write_unended(FILE *page, const struct report_runs *runs)
{
    for (int64_t i = 0; i < runs->n; i++)
        if (runs->runs[i].unended)
            html_print(page,
                       "<p class=\"failed\"><b>Failed</b>, so that runs of %s are missing: "
                       "%s</p>\n",
                       runs->runs[i].file, report_text(runs->runs[i].unended, "error_message"));
}

/* The answers to all runs and comparisons, then the runs of several files side by side. */
static enum status write_overview(FILE *page, const struct report_runs *runs,
                                  const struct report_section *section)
{
    int64_t n_groups = count_groups(runs);
    write_unended(page, runs);
    if (n_groups > MAX_ANSWERS)
        report_range(page, runs);
    for (int64_t i = 0, n; i < runs->n && n_groups <= MAX_ANSWERS; i += n) {
        n = report_group_size(runs, i);
        report_answer(page, &runs->runs[i], n, section);
    }
    if (n_groups < 2)
        return STATUS_OK;
    fprintf(page, "<section>\n<h2>%lld recorded runs</h2>\n", (long long)runs->n);
    TRY(report_compare(page, runs, section));
    fputs("</section>\n", page);
    return STATUS_OK;
}

static enum status write_page(FILE *page, const struct report_runs *runs,
                              const struct report_section *section)
{
    write_head(page, runs);
    fputs("<h1>Beryl</h1>\n", page);
    TRY(write_overview(page, runs, section));
    for (int64_t i = 0, n; i < runs->n; i += n) {
        n = report_group_size(runs, i);
        TRY(n > 1 ? write_comparison(page, &runs->runs[i], n, section)
                  : write_run(page, &runs->runs[i], count_groups(runs), section));
    }
    fprintf(page, "<script>\n%s</script>\n</body>\n</html>\n", page_script);
    return STATUS_OK;
}

static enum status write_page_file(const struct report_runs *runs,
                                   const struct report_section *section, const char *path)
{
    struct output_buffer page;
    TRY(output_buffer_init(&page, path));
    enum status status = write_page(page.stream, runs, section);
    if (status != STATUS_OK)
        goto done;
    status = output_buffer_write(&page, path);
done:
    output_buffer_fini(&page);
    return status;
}

static enum status write_runs(const json_t *const results[], const char *const names[], int64_t n,
                              const struct report_section *section, const char *path,
                              struct report_runs *runs)
{
    for (int64_t i = 0; i < n; i++)
        TRY(report_runs_add(runs, results[i], names[i]));
    return write_page_file(runs, section, path);
}

enum status report_write(const json_t *const results[], const char *const names[], int64_t n,
                         const struct report_section *section, const char *path)
{
    struct report_runs runs = {0};
    enum status status = write_runs(results, names, n, section, path, &runs);
    report_runs_fini(&runs);
    return status;
}
