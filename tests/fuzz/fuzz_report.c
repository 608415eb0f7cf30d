/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_report.h"
#include "sched/lab/report/report.h"
#include "support/io/json.h"
#include "tests/fuzz/fuzz.h"

#include <stddef.h>
#include <stdio.h>

/* A page of one run, and of two that are compared; their difference. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *result;
    if (json_read_text("one.json", (const char *)data, size, 0, &result) != STATUS_OK)
        return 0;
    const json_t *const results[] = {result, result};
    const char *const names[] = {"one.json", "\xff two.json"};
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
