/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/cli/hf_compare.h"

#include "hf/result/hf_qcschema.h"
#include "hf/tiles/tile_matrix.h"
#include "sched/pool/modes/mode_options.h"
#include "support/base/log.h"

static enum status restart_pool(const struct hf_compare_problem *problem, int position,
                                int64_t seed)
{
    struct taskpool_settings settings;
    mode_options_select(problem->pool, problem->modes->modes[position], &settings);
    settings.seed = seed;
    return fock_restart(problem->fock, &settings);
}

enum status hf_compare_check(const struct hf_compare_problem *problem)
{
    for (int i = 0; i < problem->modes->n; i++)
        TRY(restart_pool(problem, i, problem->pool->seed));
    return STATUS_OK;
}

static enum status build_under_mode(const struct hf_compare_problem *problem, int position,
                                    int64_t round, struct mode_records *records)
{
    struct mode_record *record = mode_records_begin(records, position);
    TRY(restart_pool(problem, position,
                     comparison_run_seed(&records->comparison, position, round)));
    for (int64_t i = 0; i < problem->n_builds; i++) {
        TRY(fock_build(problem->fock, problem->n_spins, (const struct darray *const *)problem->D,
                       problem->F));
        const struct fock_record *build = &fock_records(problem->fock)[i];
        json_t *entry = mode_records_note(records, position, build->seconds, &build->statistics);
        hf_qcschema_add_build(build, entry);
        log_print("%-12s %5lld %9.4g\n", record->name, (long long)i, build->seconds);
    }
    TRY(fock_timeline(problem->fock, &record->timeline));
    for (int spin = 0; spin < problem->n_spins; spin++)
        TRY(tile_matrix_sha256(problem->tiling, problem->F[spin], record->sha256[spin]));
    return mode_records_end(records, position);
}

enum status hf_compare_run(const struct hf_compare_problem *problem, struct mode_records *records)
{
    mode_records_start(records, problem->modes);
    log_print("mode         build   seconds\n");
    for (int64_t round = 0; round < records->n_rounds; round++) {
        if (records->n_rounds > 1)
            log_print("round %lld of %lld\n", (long long)round + 1, (long long)records->n_rounds);
        int order[COMPARISON_MODES_MAX];
        comparison_draw_order(&records->comparison, round, order);
        for (int m = 0; m < problem->modes->n; m++)
            TRY(build_under_mode(problem, order[m], round, records));
    }
    return STATUS_OK;
}
