/* SPDX-License-Identifier: BSD-3-Clause */
/* .tce programs given as texts: prepared, run, read; and refusals with their messages. */
#pragma once

#include "tce/execution/program_instance.h"
#include "tests/cases/darray_case.h"
#include "tests/check.h"

#include <string.h>

/* The call ends with this status, and its message has the text in it. */
static inline void check_refusal(enum status expected, enum status actual, const char *text)
{
    check_status(expected, actual);
    if (!strstr(status_text(), text))
        fail_msg("'%s' does not say '%s'", status_text(), text);
}

/* A program in the file test.tce. bindings: n, of its spaces. Collective. */
static inline enum status program_case_init(const char *text, enum plan_pairs pairs, int n,
                                            const struct space_binding *bindings,
                                            struct program_instance *instance)
{
    const struct program_source source = {.text = text,
                                          .length = strlen(text),
                                          .file = "test.tce",
                                          .pairs = pairs,
                                          .n_spaces = n,
                                          .spaces = bindings};
    return program_instance_init(&source, MPI_COMM_WORLD, instance);
}

/* Makes and fills all tensors, and the pools. Collective. */
static inline void program_case_start(struct program_instance *instance)
{
    const struct contraction_settings settings = {.cache_bytes = 1000000, .prefetch = true};
    const struct taskpool_settings pool = {.mode = "static", .poll_every = 8, .keep_history = true};
    check_ok(program_instance_start(instance, &settings));
    for (int t = 0; t < instance->program.n_tensors; t++)
        check_ok(program_instance_fill(instance, t));
    check_ok(executor_start(instance->executor, &pool));
}

static inline void program_case_begin(const char *text, enum plan_pairs pairs,
                                      struct program_instance *instance)
{
    check_ok(program_case_init(text, pairs, 0, NULL, instance));
    program_case_start(instance);
}

/* Runs the stages from this one on. Collective. */
static inline void program_case_run(const struct program_instance *instance, int first_stage)
{
    check_ok(executor_run(instance->executor, first_stage, instance->plan->n_stages, NULL));
}

static inline struct tensor *program_case_tensor(const struct program_instance *instance,
                                                 const char *name)
{
    int t = 0;
    while (strcmp(instance->program.tensors[t].name, name) != 0)
        t++;
    return executor_tensor(instance->executor, t);
}

/* The first block. Collective. */
static inline void program_case_get(const struct program_instance *instance, const char *name,
                                    double *values)
{
    darray_sync();
    darray_get(program_case_tensor(instance, name)->data, 0, values);
    darray_sync();
}

static inline double program_case_scalar(const struct program_instance *instance, const char *name)
{
    double value;
    program_case_get(instance, name, &value);
    return value;
}
