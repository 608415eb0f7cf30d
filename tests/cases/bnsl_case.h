/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples that the tests of the structure search share. */
#pragma once

#include "sched/lab/workloads/bnsl.h"
#include "support/base/random.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* The text of a table: variable i, of 2 + i % 3 states, is mostly a function of variables i - 1
 * and i - 2. To be freed. */
static inline char *bnsl_case_text(int n_variables, int n_samples, uint64_t seed)
{
    struct random_stream random;
    char *text = malloc((size_t)(n_samples + 1) * (size_t)n_variables * 8), *end = text;
    assert_non_null(text);
    random_stream_init(&random, seed, 0);
    for (int i = 0; i < n_variables; i++)
        end += sprintf(end, "X%d%c", i, i == n_variables - 1 ? '\n' : ',');
    for (int s = 0; s < n_samples; s++) {
        uint64_t last = 0, before = 0;
        for (int i = 0; i < n_variables; i++) {
            uint64_t n = 2 + (uint64_t)i % 3;
            uint64_t state =
                random_unit(&random) < 0.3 ? random_below(&random, n) : (last + before * last) % n;
            end += sprintf(end, "%d%c", (int)state, i == n_variables - 1 ? '\n' : ',');
            before = last;
            last = state;
        }
    }
    return text;
}

static inline struct bnsl_data bnsl_case_data(int n_variables, int n_samples, uint64_t seed)
{
    struct bnsl_data data;
    char *text = bnsl_case_text(n_variables, n_samples, seed);
    check_ok(bnsl_data_parse(text, strlen(text), "case", &data));
    free(text);
    return data;
}
