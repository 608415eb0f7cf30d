#include "hf/cli/hf_report.h"
#include "sched/report/report.h"
#include "sched/report/report_difference.h"
#include "tests/fuzz/fuzz.h"

#include <stddef.h>
#include <stdio.h>

/* A page of one run, and of two that are compared; their difference. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *result = json_loadb((const char *)data, size, 0, NULL);
    const json_t *const results[] = {result, result};
    const char *const names[] = {"one.json", "\xff two.json"};
    if (!result)
        return 0;
    report_write(results, names, 1, &hf_report, "/dev/null");
    report_write(results, names, 2, &hf_report, "/dev/null");
    report_write(results, names, 1, NULL, "/dev/null");
    FILE *nothing = fopen("/dev/null", "w");
    if (nothing) {
        report_difference(results, names, nothing);
        fclose(nothing);
    }
    json_decref(result);
    return 0;
}
