/* beryl-report: recorded runs as a page. */
#include "hf/cli/hf_report.h"
#include "sched/report/report.h"
#include "support/io/application.h"
#include "support/io/options.h"
#include "support/io/output_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    const char *output;
};

static const struct option_row rows[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(struct settings, output),
     .value = "FILE.html",
     .help = "the page to write"},
};

static enum status read_result(const char *path, json_t **result)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return FAIL(STATUS_IO, "cannot read %s: %s", path, strerror(errno));
    json_error_t error;
    errno = 0;
    *result = json_loadf(file, 0, &error);
    int reading = ferror(file) ? errno : 0;
    fclose(file);
    if (reading != 0)
        return FAIL(STATUS_IO, "cannot read %s: %s", path, strerror(reading));
    if (!*result)
        return FAIL(STATUS_INPUT, "%s:%d: no JSON: %s", path, error.line, error.text);
    return STATUS_OK;
}

/* A page in the place of a result would destroy it. */
static enum status check_output(const struct settings *settings, size_t n, char **paths)
{
    if (!settings->output)
        return FAIL(STATUS_USAGE, "-o is missing: name the page to write, for instance "
                                  "-o page.html");
    for (size_t i = 0; i < n; i++)
        if (output_file_same(settings->output, paths[i]))
            return FAIL(STATUS_USAGE, "%s is to be read and to be written: name another page",
                        paths[i]);
    return STATUS_OK;
}

static enum status write_page(const struct settings *settings, size_t n, char **paths)
{
    TRY(check_output(settings, n, paths));
    json_t **results = calloc(n, sizeof *results);
    if (!results)
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu results", n);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < n && status == STATUS_OK; i++)
        status = read_result(paths[i], &results[i]);
    if (status == STATUS_OK)
        status = report_write((const json_t *const *)results, (const char *const *)paths,
                              (int64_t)n, &hf_report, settings->output);
    for (size_t i = 0; i < n; i++)
        json_decref(results[i]);
    free(results);
    return status;
}

int main(int argc, char **argv)
{
    struct settings settings;
    const struct option_table table = {"Options", rows, sizeof rows / sizeof rows[0], &settings};
    const struct options options = {
        .program = "beryl-report",
        .synopsis = "RUN.json ... -o page.html",
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
    application.status = options_parse(&options, argc, argv, &application.request, &first);
    if (application_runs(&application))
        application.status = write_page(&settings, (size_t)(argc - first), argv + first);
    else if (application_answers(&application))
        options_answer(&options, application.request);
    return application_finish(&application);
}
