/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/report/report.h"

#include "support/io/application.h"
#include "support/io/json.h"
#include "support/io/options.h"
#include "support/io/output_file.h"
#include "support/io/text_file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Beyond that of any run or sweep. */
#define MAX_RESULT_BYTES (1LL << 32)

struct report_settings {
    const char *output;
    bool difference;
};

static const struct option_row report_rows[] = {
    TEXT_OPTION("output", offsetof(struct report_settings, output), .letter = 'o',
                .value = "FILE.html", .help = "the page to write"),
    FLAG_OPTION("difference", offsetof(struct report_settings, difference),
                .help = "instead of a page: print what changed from the first of two runs to the "
                        "second"),
};

static enum status load_result(const char *path, json_t **result)
{
    struct text_file file;
    TRY(text_file_read_up_to(path, MAX_RESULT_BYTES, &file));
    enum status status = json_read_text(path, file.bytes, file.length, 0, result);
    text_file_fini(&file);
    return status;
}

static enum status check_difference(const struct report_settings *settings, size_t n)
{
    if (settings->output)
        return FAIL(STATUS_USAGE, "--difference writes no page: leave -o out");
    return n == 2 ? STATUS_OK
                  : FAIL(STATUS_USAGE, "--difference is of two runs: name A.json B.json");
}

/* A page in the place of a result would destroy it. */
static enum status check_report_paths(const struct report_settings *settings, size_t n,
                                      char **paths)
{
    if (!settings->output)
        return FAIL(STATUS_USAGE, "-o is missing: name the page to write, for instance "
                                  "-o page.html");
    const struct output output = {"output", settings->output};
    TRY(outputs_check_distinct(&output, 1, (const char *const *)paths, (int)n));
    return outputs_check_writable(&output, 1);
}

static enum status report_files(const struct report_settings *settings, size_t n, char **paths,
                                const struct report_section *section, bool *accepted)
{
    TRY(settings->difference ? check_difference(settings, n)
                             : check_report_paths(settings, n, paths));
    json_t **results = calloc(n, sizeof *results);
    TRY(CHECK_MEMORY(results, "no memory for %zu results", n));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < n && status == STATUS_OK; i++)
        status = load_result(paths[i], &results[i]);
    *accepted = status == STATUS_OK;
    if (*accepted && settings->difference)
        status =
            report_difference((const json_t *const *)results, (const char *const *)paths, stdout);
    else if (*accepted)
        status = report_write((const json_t *const *)results, (const char *const *)paths,
                              (int64_t)n, section, settings->output);
    for (size_t i = 0; i < n; i++)
        json_decref(results[i]);
    free(results);
    return status;
}

int report_program(int argc, char **argv, const struct report_section *section)
{
    struct report_settings settings = {0};
    const struct option_table table = OPTION_TABLE("Options", report_rows, &settings);
    const struct options options = {
        .program = "beryl-report",
        .synopsis = "RUN.json ... -o page.html\n"
                    "       beryl-report --difference A.json B.json",
        .purpose = "Turns recorded runs (what --json writes) into one self-contained page; "
                   "several runs are compared.",
        .tables = &table,
        .n_tables = 1,
        .min_operands = 1,
        .max_operands = INT_MAX,
        .operand_name = "RUN.json",
    };
    struct application application = {.name = options.program};
    int first;
    application_hold_streams();
    application.status = options_parse(&options, argc, argv, &application.request, &first);
    if (application_runs(&application))
        application.status = report_files(&settings, (size_t)(argc - first), argv + first, section,
                                          &application.accepted);
    else if (application_answers(&application))
        options_answer(&options, application.request);
    return application_finish(&application);
}
