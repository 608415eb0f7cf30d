/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/workload.h"

#include "support/base/agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_kind *const kinds[WORKLOAD_N_KINDS] = {
    &workload_profile, &workload_gauss,  &workload_exponential, &workload_lognormal,
    &workload_uts,     &workload_jacobi, &workload_bnsl,
};

static const struct option_row shared_rows[] = {
    INTEGER_OPTION("tasks", WORKLOAD_FIELD(n_tasks), 0, 1e15, .value = "T",
                   .help = "number of tasks, of a distribution or, with --null-time, in all"),
    REAL_OPTION("time-scale", WORKLOAD_FIELD(time_scale), 0, 1e15, .min_excluded = true,
                .default_text = "1", .value = "X",
                .help = "factor of durations; a simulated node of a tree takes 125 ns, a point of "
                        "a mesh 1.05 ns"),
    REAL_OPTION("drift", WORKLOAD_FIELD(drift), 0, 10, .default_text = "0", .value = "X",
                .help = "each task's duration changes from iteration to iteration: its logarithm "
                        "by a normally distributed number of this standard deviation. A random "
                        "walk: over many tasks the mean stays, the median falls"),
    CHOICE_OPTION("known-costs", WORKLOAD_FIELD(known_costs), "exact,none", .default_text = "exact",
                  .value = "WHICH",
                  .help = "costs that modes know beforehand; exact: predictions of the workload, "
                          "or the durations where they are given"),
};

const struct workload_settings workload_settings_unknown = {
    .n_tasks = -1, .null_s = -1, .bnsl_candidates = -1, .bnsl_hypercube = -1, .bnsl_kicks = -1};

#define KINDS "--profile, --gauss, --exponential, --lognormal, --uts, --jacobi, --bnsl"

void workload_option_tables(struct workload_settings *settings,
                            struct option_table tables[WORKLOAD_N_TABLES])
{
    for (int i = 0; i < WORKLOAD_N_KINDS; i++)
        tables[i] = (struct option_table){NULL, kinds[i]->rows, kinds[i]->n_rows, settings};
    tables[0].heading = "Workload (exactly one of " KINDS ")";
    tables[WORKLOAD_N_KINDS] = OPTION_TABLE(NULL, shared_rows, settings);
}

static bool is_given(const struct option_row *row, const struct workload_settings *settings)
{
    return option_differs(row, settings, &workload_settings_unknown);
}

/* The first kind that is named, NULL if none is. */
static const struct workload_kind *find_kind(const struct workload_settings *settings)
{
    for (int i = 0; i < WORKLOAD_N_KINDS; i++)
        if (is_given(&kinds[i]->rows[0], settings))
            return kinds[i];
    return NULL;
}

/* Options of other kinds than the one named have no effect, nor does a second name. */
static enum status check_other_kind(const struct workload_kind *other,
                                    const struct workload_settings *settings)
{
    if (is_given(&other->rows[0], settings))
        return FAIL(STATUS_USAGE, "give one workload only: " KINDS);
    for (size_t r = 1; r < other->n_rows; r++)
        if (is_given(&other->rows[r], settings))
            return FAIL(STATUS_USAGE, "--%s has no effect without --%s", other->rows[r].name,
                        other->rows[0].name);
    return STATUS_OK;
}

enum status workload_check(const struct workload_settings *settings)
{
    const struct workload_kind *kind = find_kind(settings);
    if (!kind)
        return FAIL(STATUS_USAGE, "give one workload: " KINDS);
    for (int i = 0; i < WORKLOAD_N_KINDS; i++)
        if (kinds[i] != kind)
            TRY(check_other_kind(kinds[i], settings));
    bool needs_n_tasks = kind->is_drawn || settings->null_s >= 0;
    if (needs_n_tasks && settings->n_tasks < 0)
        return FAIL(STATUS_USAGE, "--tasks is missing: the number of tasks");
    if (!needs_n_tasks && settings->n_tasks >= 0)
        return FAIL(STATUS_USAGE, "--tasks has no effect with --%s, which sets their number",
                    kind->rows[0].name);
    return STATUS_OK;
}

void workload_name(const struct workload_settings *settings, char name[WORKLOAD_NAME_SIZE])
{
    const struct option_row *row = &find_kind(settings)->rows[0];
    snprintf(name, WORKLOAD_NAME_SIZE, "%s %s", row->name,
             *(const char *const *)((const char *)settings + row->offset));
}

enum status workload_create(const struct workload_settings *settings, MPI_Comm comm,
                            struct workload **workload)
{
    const struct workload_kind *kind = find_kind(settings);
    struct workload *created = agree_calloc(comm, kind->size, "a workload");
    *workload = NULL;
    if (!created)
        return STATUS_NO_MEMORY;
    workload_name(settings, created->name);
    created->settings = *settings;
    created->problem.context = created;
    enum status status = kind->create(created, comm);
    if (status != STATUS_OK) {
        workload_destroy(created);
        return status;
    }
    if (settings->known_costs == WORKLOAD_COSTS_NONE)
        created->problem.cost = NULL;
    *workload = created;
    return STATUS_OK;
}

void workload_destroy(struct workload *workload)
{
    if (workload && workload->destroy)
        workload->destroy(workload);
    free(workload);
}
