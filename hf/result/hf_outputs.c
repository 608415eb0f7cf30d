/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/result/hf_outputs.h"

#include "basis/input/basis_choice.h"
#include "basis/input/basis_library.h"
#include "hf/checkpoint/checkpoint.h"
#include "hf/tiles/tiling.h"
#include "sched/lab/profiles/profile.h"
#include "sched/lab/trace/trace.h"
#include "sched/pool/core/task_data.h"
#include "support/base/agree.h"
#include "support/io/application.h"
#include "support/io/json.h"
#include "support/io/report_page.h"

#include <stdio.h>

/* Refuses to write over files of basis sets. */
static enum status check_basis_files(const char *basis, const struct output *outputs, int n)
{
    struct word rest = word_from_text(basis), selector, name;
    while (basis_choice_take(&rest, &selector, &name)) {
        char path[4096];
        const char *input = path;
        snprintf(path, sizeof path, "%.*s", (int)name.length, name.begin);
        if (basis_set_is_file(path))
            TRY(outputs_check_distinct(outputs, n, &input, 1));
    }
    return STATUS_OK;
}

/* An output in the place of an input or of another output would destroy it; only
 * a checkpoint may replace a checkpoint that is read. */
static enum status check_output_files(const struct hf_settings *settings,
                                      const struct hf_files *files, struct output other_output,
                                      const char *other_input)
{
    char trace[TRACE_PATH];
    struct task_data_paths paths;
    bool has_blocks = task_data_paths(files->profile, &paths);
    const struct output outputs[] = {other_output,
                                     {"json", files->json},
                                     {"report", files->report},
                                     {"write-profile", files->profile},
                                     {"write-profile", has_blocks ? paths.blocks : NULL},
                                     {"write-profile", has_blocks ? paths.sizes : NULL},
                                     {"checkpoint", settings->scf.checkpoint},
                                     {"trace", trace_json_path(&settings->pool, trace)}};
    const char *inputs[] = {settings->molecule, other_input};
    const char *checkpoint = hf_settings_density_file(settings);
    TRY(outputs_check_distinct(outputs, 8, inputs, 2));
    TRY(check_basis_files(settings->basis, outputs, 8));
    TRY(outputs_check_distinct(outputs, 6, &checkpoint, 1));
    TRY(outputs_check_writable(outputs, 6));
    return files->report ? report_page_check() : STATUS_OK;
}

enum status hf_outputs_check(const struct hf_settings *settings, const struct hf_files *files,
                             struct output other_output, const char *other_input, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(status_agree(comm, rank == 0
                               ? check_output_files(settings, files, other_output, other_input)
                               : STATUS_OK));
    return settings->scf.checkpoint ? checkpoint_check(settings->scf.checkpoint, comm) : STATUS_OK;
}

/* --- the profile of tasks --- */

/* The tiles that a task reads and writes, for simulations of the build. */
struct block_list {
    const struct tiling *tiling;
    int n_matrices;
    int64_t id; /* of the task */
    struct data_records *records;
};

static enum status add_tile(const struct block_list *list, int64_t a, int64_t b, bool writes)
{
    const struct tiling *tiling = list->tiling;
    int64_t pair = tile_pair_index_unordered(a, b);
    int64_t elements = tile_n_functions(tiling, a) * tile_n_functions(tiling, b);
    struct taskpool_data_block block = {
        .bytes = elements * (int64_t)sizeof(double) * list->n_matrices, .owner = pair};
    int64_t number = writes ? tiling_n_pairs(tiling) + pair : pair;
    return data_records_add(list->records, list->id, writes, number, block);
}

static enum status add_quartet_tiles(const struct tile_quartet *quartet, void *context)
{
    const int64_t tiles[4] = {quartet->I, quartet->J, quartet->K, quartet->L};
    for (int writes = 0; writes < 2; writes++)
        for (int r = 0; r < 4; r++)
            for (int s = r + 1; s < 4; s++)
                TRY(add_tile(context, tiles[r], tiles[s], writes));
    return STATUS_OK;
}

/* Adds the blocks of the task at a position, under its id: each of its quartets reads D and writes
 * F in all pairs of its tiles. A block is a tile of all spins; tile p of D is block p, of F block
 * tiling_n_pairs + p, and the owner of both has the number p. Bounds of integrals, which processes
 * keep from build to build, are left out. */
static enum status add_blocks_of_task(const struct fock_profile *profile, int64_t position,
                                      struct data_records *records)
{
    struct block_list list = {.tiling = profile->tiling,
                              .n_matrices = profile->n_matrices,
                              .id = fock_tasks_id(profile->tasks, position),
                              .records = records};
    data_records_begin_task(records);
    return fock_tasks_visit(profile->tasks, position, add_quartet_tiles, &list, NULL);
}

/* The non-null tasks of this process's history, under their ids, and the tiles of each. */
static enum status translate_history(const struct fock_profile *profile, bool with_blocks,
                                     struct taskpool_history *translated,
                                     struct data_records *blocks)
{
    const struct taskpool_history *history = profile->history;
    for (int64_t i = 0; i < history->n_entries; i++) {
        const struct taskpool_history_entry *entry = &history->entries[i];
        if (fock_tasks_is_null(profile->tasks, entry->task))
            continue;
        TRY(history_add(translated, fock_tasks_id(profile->tasks, entry->task), entry->time_s,
                        entry->worker));
        if (with_blocks)
            TRY(add_blocks_of_task(profile, entry->task, blocks));
    }
    return STATUS_OK;
}

/* Writes the seconds of every non-null task, by fock_tasks_id (sched/lab/profiles/profile.h), and next
 * to a CSV the tiles that each reads and writes (task_data.h there). Collective. */
static enum status write_profile(const struct fock_profile *profile, const char *path)
{
    struct taskpool_history translated = {0};
    struct data_records blocks = {0};
    struct task_data_paths paths;
    enum status status =
        status_agree(profile->comm, translate_history(profile, task_data_paths(path, &paths),
                                                      &translated, &blocks));
    if (status != STATUS_OK)
        goto done;
    status = task_data_write(profile->comm, &blocks, path);
    if (status != STATUS_OK)
        goto done;
    status = profile_write(profile->comm, &translated, path);
done:
    data_records_fini(&blocks);
    history_fini(&translated);
    return status;
}

/* --- writing --- */

/* The first failure is reported. */
static void note_failure(struct hf_outcome *outcome, enum status status)
{
    if (outcome->status == STATUS_OK)
        hf_outcome_set_status(outcome, status);
}

static enum status write_qcschema(const struct hf_outcome *outcome, bool page)
{
    const struct hf_files *files = outcome->files;
    json_t *json = hf_qcschema_to_json(outcome);
    json = page ? json : hf_qcschema_fail(outcome, json);
    TRY(CHECK_MEMORY(json, "no memory for the result"));
    enum status status =
        page ? report_page_write(json, files->report) : json_write_file(json, files->json);
    json_decref(json);
    return status;
}

/* Process 0 writes the result as a file of JSON or as a page, if it is to be written now. */
static void write_result(struct hf_outcome *outcome, bool now, bool page)
{
    int rank;
    MPI_Comm comm = outcome->calculation->comm;
    MPI_Comm_rank(comm, &rank);
    note_failure(outcome,
                 status_agree(comm, rank == 0 && now ? write_qcschema(outcome, page) : STATUS_OK));
}

/* The page last: it can be made again, of the JSON. */
static void write_other_outputs(struct hf_outcome *outcome)
{
    const struct hf_files *files = outcome->files;
    const struct hf_calculation *calculation = outcome->calculation;
    struct taskpool_trace *trace = calculation->settings->pool.trace;
    if (files->profile && outcome->complete) {
        struct fock_profile profile = fock_profile(calculation->fock);
        note_failure(outcome, write_profile(&profile, files->profile));
    }
    if (!outcome->compares) {
        note_failure(outcome, taskpool_trace_write(trace, calculation->comm, NULL));
        trace_print(trace);
    }
    write_result(outcome, files->report && outcome->complete, true);
}

enum status hf_outputs_write(struct hf_outcome *outcome)
{
    const struct hf_files *files = outcome->files;
    MPI_Comm comm = outcome->calculation->comm;
    outcome->wall = wall_time_of_all(comm);
    if (outcome->complete)
        wall_time_print(&outcome->wall);
    if (!outcome->compares)
        trace_sum(outcome->calculation->settings->pool.trace, comm);
    if (files->report || files->json)
        outcome->hardware = hardware_to_json(comm);
    write_result(outcome, output_file_is_written_first(files->json), false);
    enum status before = outcome->status;
    write_other_outputs(outcome);
    write_result(outcome, output_file_is_written_last(files->json, outcome->status != before),
                 false);
    json_decref(outcome->hardware);
    outcome->hardware = NULL;
    if (outcome->status != STATUS_OK)
        status_set_text("%s", outcome->error);
    return outcome->status;
}
