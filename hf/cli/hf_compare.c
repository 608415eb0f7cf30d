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

static enum status build_under_mode(const struct hf_compare_problem *problem, const char *mode,
                                    struct mode_record *record)
{
    TRY(restart_pool(problem, mode));
    for (int64_t i = 0; i < problem->n_builds; i++) {
        TRY(fock_build(problem->fock, problem->n_spins, (const struct darray *const *)problem->D,
                       problem->F));
        const struct fock_record *build = &fock_records(problem->fock)[i];
        json_t *entry = mode_record_note(record, build->seconds, &build->statistics);
        hf_qcschema_add_build(build, entry);
        log_print("%-10s %5lld %9.3f\n", record->mode, (long long)i, build->seconds);
    }
    TRY(fock_timeline(problem->fock, &record->timeline));
    for (int spin = 0; spin < problem->n_spins; spin++)
        TRY(tile_matrix_sha256(problem->tiling, problem->F[spin], record->sha256[spin]));
    return STATUS_OK;
}

enum status hf_compare_run(const struct hf_compare_problem *problem, struct mode_records *records)
{
    log_print("mode       build   seconds\n");
    for (int i = 0; i < problem->modes->n; i++) {
        const char *mode = problem->modes->modes[i];
        TRY(build_under_mode(problem, mode, mode_records_begin(records, mode)));
    }
    return STATUS_OK;
}
