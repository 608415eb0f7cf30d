#include "hf/cli/hf_compare.h"

#include "hf/cli/hf_qcschema.h"
#include "hf/tiles/tile_matrix.h"
#include "sched/modes/mode_options.h"
#include "support/base/log.h"

static enum status restart_pool(const struct hf_compare_problem *problem, const char *mode)
{
    struct taskpool_settings settings;
    mode_options_select(problem->pool, mode, &settings);
    return fock_restart(problem->fock, &settings);
}

enum status hf_compare_check(const struct hf_compare_problem *problem)
{
    for (int i = 0; i < problem->modes->n; i++)
        TRY(restart_pool(problem, problem->modes->modes[i]));
    return STATUS_OK;
}

static enum status build_under_mode(const struct hf_compare_problem *problem, int position,
                                    struct mode_records *records)
{
    const char *mode = problem->modes->modes[position];
    struct mode_record *record = mode_records_begin(records, position, mode);
    TRY(restart_pool(problem, mode));
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
    mode_records_announce(records, problem->modes->n);
    log_print("mode         build   seconds\n");
    for (int64_t round = 0; round < records->n_rounds; round++) {
        if (records->n_rounds > 1)
            log_print("round %lld of %lld\n", (long long)round + 1, (long long)records->n_rounds);
        for (int m = 0; m < problem->modes->n; m++)
            TRY(build_under_mode(problem, m, records));
    }
    return STATUS_OK;
}
