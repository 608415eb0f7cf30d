#include "hf/cli/hf_compare.h"

#include "hf/cli/hf_result.h"
#include "hf/tiles/tile_matrix.h"
#include "sched/modes/comparison.h"
#include "sched/modes/mode_options.h"
#include "support/base/agree.h"
#include "support/base/log.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum status restart(const struct hf_compare_problem *problem, int mode)
{
    struct taskpool_settings settings;
    mode_options_select(problem->pool, mode, &settings);
    return fock_restart(problem->fock, &settings);
}

enum status hf_compare_check(const struct hf_compare_problem *problem)
{
    for (int i = 0; i < problem->modes->n; i++)
        TRY(restart(problem, problem->modes->modes[i]));
    return STATUS_OK;
}

/* The builds of one mode; compared->builds has room. */
static enum status run_mode(const struct hf_compare_problem *problem, struct hf_compared *compared)
{
    TRY(restart(problem, compared->mode));
    for (int64_t i = 0; i < problem->n_builds; i++) {
        TRY(fock_build(problem->fock, problem->n_spins, (const struct darray *const *)problem->D,
                       problem->F));
        compared->builds[i] = fock_records(problem->fock)[i];
        log_print("%-10s %5lld %9.3f\n", taskpool_mode_name(compared->mode), (long long)i,
                  compared->builds[i].seconds);
    }
    for (int spin = 0; spin < problem->n_spins; spin++)
        TRY(tile_matrix_sha256(problem->tiling, problem->F[spin], compared->sha256[spin]));
    compared->tasks = compared->builds[problem->n_builds - 1].statistics.tasks;
    return STATUS_OK;
}

enum status hf_compare_run(const struct hf_compare_problem *problem,
                           struct hf_comparison *comparison)
{
    *comparison =
        (struct hf_comparison){.n_builds = problem->n_builds, .n_spins = problem->n_spins};
    log_print("mode       build   seconds\n");
    for (int i = 0; i < problem->modes->n; i++) {
        struct hf_compared *compared = &comparison->modes[i];
        compared->mode = problem->modes->modes[i];
        compared->builds = malloc((size_t)problem->n_builds * sizeof *compared->builds);
        TRY(status_agree(problem->comm, compared->builds
                                            ? STATUS_OK
                                            : FAIL(STATUS_NO_MEMORY, "no memory for figures")));
        TRY(run_mode(problem, compared));
        comparison->n++;
    }
    return STATUS_OK;
}

void hf_comparison_fini(struct hf_comparison *comparison)
{
    /* Also those of a mode that failed. */
    for (int i = 0; i < MODE_LIST_MAX; i++)
        free(comparison->modes[i].builds);
    *comparison = (struct hf_comparison){0};
}

void hf_comparison_print(const struct hf_comparison *comparison)
{
    struct comparison_row rows[MODE_LIST_MAX] = {0};
    for (int i = 0; i < comparison->n; i++) {
        rows[i].mode = comparison->modes[i].mode;
        for (int64_t build = 0; build < comparison->n_builds; build++) {
            const struct fock_record *record = &comparison->modes[i].builds[build];
            comparison_note(&rows[i], build, record->seconds, &record->statistics);
        }
    }
    if (comparison->n > 0)
        comparison_print(rows, comparison->n, comparison->n_builds, "Fock build");
}

enum status hf_comparison_check(const struct hf_comparison *comparison)
{
    char names[512] = "";
    bool equal = true;
    for (int i = 0; i < comparison->n; i++) {
        if (memcmp(comparison->modes[i].sha256, comparison->modes[0].sha256,
                   sizeof comparison->modes[i].sha256) == 0)
            continue;
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", equal ? "" : ", ",
                 taskpool_mode_name(comparison->modes[i].mode));
        equal = false;
    }
    if (equal)
        return STATUS_OK;
    return FAIL(STATUS_PROTOCOL, "the Fock matrix of %s differs from that of %s", names,
                taskpool_mode_name(comparison->modes[0].mode));
}

json_t *hf_comparison_to_json(const struct hf_comparison *comparison)
{
    json_t *modes = json_object();
    for (int i = 0; i < comparison->n; i++) {
        const struct hf_compared *compared = &comparison->modes[i];
        json_t *entry =
            json_pack("{s:s, s:I, s:s}", "sched", taskpool_mode_name(compared->mode), "tasks",
                      (json_int_t)compared->tasks, "fock_sha256", compared->sha256[0]);
        if (comparison->n_spins == 2)
            json_object_set_new(entry, "fock_sha256_beta", json_string(compared->sha256[1]));
        json_object_set_new(entry, "iterations",
                            hf_result_builds(compared->builds, comparison->n_builds));
        json_object_set_new(modes, taskpool_mode_name(compared->mode), entry);
    }
    return modes;
}
