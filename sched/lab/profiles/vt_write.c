/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/vt_write.h"

#include "sched/lab/profiles/profile.h"
#include "sched/pool/core/task_data.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/json.h"
#include "support/io/output_file.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct vt_writer {
    const struct vt_load *load;       /* borrowed, or NULL */
    const struct taskpool_data *data; /* borrowed, or NULL */
    const struct vt_record **firsts;  /* by task, of the load; owned */
    int n_workers;
    int64_t n_added;
    json_t **files; /* n_workers; owned */
};

/* --- files without tasks --- */

/* The file of a worker, still without phases; it keeps all other keys of a load that was read. */
static json_t *start_file(const struct vt_load *load, int worker)
{
    json_t *file = load && worker < load->n_ranks ? json_copy(load->files[worker])
                                                  : json_pack("{s:s}", "type", "LBDatafile");
    json_object_set_new(file, "phases", json_array());
    return file;
}

static enum status find_firsts(struct vt_writer *self)
{
    const struct vt_load *load = self->load;
    self->firsts = calloc((size_t)load->n_tasks, sizeof *self->firsts);
    TRY(CHECK_MEMORY(self->firsts, "no memory for %lld tasks", (long long)load->n_tasks));
    for (int64_t i = load->n_records; i-- > 0;)
        self->firsts[load->records[i].task] = &load->records[i];
    return STATUS_OK;
}

static enum status create_files(struct vt_writer *self)
{
    self->files = calloc((size_t)self->n_workers, sizeof *self->files);
    TRY(CHECK_MEMORY(self->files, "no memory for %d files", self->n_workers));
    for (int worker = 0; worker < self->n_workers; worker++) {
        self->files[worker] = start_file(self->load, worker);
        TRY(CHECK_MEMORY(self->files[worker], "no memory for %d files", self->n_workers));
    }
    return self->load ? find_firsts(self) : STATUS_OK;
}

enum status vt_writer_create(const struct vt_load *load, const struct taskpool_data *data,
                             int n_workers, struct vt_writer **writer)
{
    struct vt_writer *self = calloc(1, sizeof *self);
    *writer = NULL;
    TRY(CHECK_MEMORY(self, "no memory for a profile"));
    *self = (struct vt_writer){.load = load, .data = data, .n_workers = n_workers};
    enum status status = create_files(self);
    if (status == STATUS_OK)
        *writer = self;
    else
        vt_writer_destroy(self);
    return status;
}

void vt_writer_destroy(struct vt_writer *self)
{
    if (!self)
        return;
    for (int worker = 0; self->files && worker < self->n_workers; worker++)
        json_decref(self->files[worker]);
    free(self->files);
    free(self->firsts);
    free(self);
}

/* --- tasks --- */

/* The largest block of a task, or NULL. */
static const struct taskpool_data_access *find_largest_access(const struct taskpool_data *data,
                                                              int64_t task)
{
    int64_t n = 0, largest = 0;
    const struct taskpool_data_access *accesses = data ? task_data_of(data, task, &n) : NULL;
    for (int64_t i = 1; i < n; i++)
        if (data->blocks[accesses[i].block].bytes > data->blocks[accesses[largest].block].bytes)
            largest = i;
    return n > 0 ? &accesses[largest] : NULL;
}

/* A task of another workload. */
static json_t *make_task(const struct vt_writer *self, const struct taskpool_history_entry *entry)
{
    const struct taskpool_data_access *largest = find_largest_access(self->data, entry->task);
    json_t *json =
        json_pack("{s:{s:i, s:i, s:I, s:[I], s:b, s:s}, s:s}", "entity", "collection_id", 1, "home",
                  (int)entry->worker, "id", (json_int_t)entry->task, "index",
                  (json_int_t)entry->task, "migratable", 1, "type", "object", "resource", "cpu");
    if (largest)
        json_object_set_new(
            json, "user_defined",
            json_pack("{s:I, s:f}", "shared_id", (json_int_t)self->data->numbers[largest->block],
                      "shared_bytes", (double)self->data->blocks[largest->block].bytes));
    return json;
}

/* The phase of the load that an iteration repeats. */
static int64_t phase_of(const struct vt_load *load, int64_t iteration)
{
    return iteration < load->n_phases ? iteration : load->n_phases - 1;
}

/* The task as it was read; NULL: it is not in this phase. */
static json_t *copy_task(const struct vt_writer *self, const struct taskpool_history_entry *entry)
{
    const struct vt_record *record = vt_load_find(self->load, self->firsts[entry->task]->id,
                                                  phase_of(self->load, self->n_added));
    return record ? json_copy((json_t *)record->json) : NULL;
}

/* Times are float in a history: one that agrees so far with what was recorded is the recorded one. */
static double exact_seconds(const json_t *json, double time_s)
{
    double recorded_s = vt_task_seconds(json);
    return fabs(time_s - recorded_s) <= FLT_EPSILON * recorded_s ? recorded_s : time_s;
}

static enum status add_ran_task(struct vt_writer *self, const struct taskpool_history_entry *entry,
                                json_t **tasks)
{
    json_t *json = self->load ? copy_task(self, entry) : make_task(self, entry);
    if (!json && self->load)
        return STATUS_OK;
    int failed = json_object_set_new(json, "node", json_integer(entry->worker)) |
                 json_object_set_new(json, "time", json_real(exact_seconds(json, entry->time_s))) |
                 json_array_append_new(tasks[entry->worker], json);
    return failed == 0 ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for a profile");
}

/* --- phases --- */

/* Adds the messages of the load's files that belong to a worker's phase. */
static void add_messages(const struct vt_writer *self, int worker, json_t *phase)
{
    const struct vt_load *load = self->load;
    int64_t id = vt_phase_id(phase);
    for (int64_t rank = worker; rank < load->n_ranks; rank += self->n_workers) {
        const json_t *of_rank;
        size_t i;
        json_array_foreach(vt_phases(load->files[rank]), i, of_rank)
        {
            json_t *messages = (json_t *)vt_communications(of_rank);
            if (vt_phase_id(of_rank) != id || !messages)
                continue;
            if (!vt_communications(phase))
                json_object_set_new(phase, "communications", json_array());
            json_array_extend(json_object_get(phase, "communications"), messages);
        }
    }
}

/* A phase of a worker without tasks and messages; it keeps all other keys of one that was read. */
static json_t *copy_phase(const struct vt_load *load, int worker, int64_t id)
{
    const json_t *phase;
    size_t i;
    json_array_foreach(worker < load->n_ranks ? vt_phases(load->files[worker]) : NULL, i, phase)
    {
        if (vt_phase_id(phase) != id)
            continue;
        json_t *copy = json_copy((json_t *)phase);
        json_object_set_new(copy, "tasks", json_array());
        json_object_del(copy, "communications");
        return copy;
    }
    return json_pack("{s:I, s:[]}", "id", (json_int_t)id, "tasks");
}

/* A phase of a worker with all that does not depend on where tasks ran. */
static json_t *start_phase(const struct vt_writer *self, int worker)
{
    const struct vt_load *load = self->load;
    int64_t id = load ? load->phase_ids[phase_of(load, self->n_added)] : self->n_added;
    json_t *phase = load ? copy_phase(load, worker, id)
                         : json_pack("{s:I, s:[]}", "id", (json_int_t)id, "tasks");
    if (load)
        add_messages(self, worker, phase);
    if (load && self->n_added >= load->n_phases) /* a repetition */
        json_object_set_new(
            phase, "id",
            json_integer(load->phase_ids[load->n_phases - 1] + 1 + self->n_added - load->n_phases));
    return phase;
}

static enum status add_phase(struct vt_writer *self, const struct taskpool_history_entry *entries,
                             int64_t n)
{
    json_t **tasks = calloc((size_t)self->n_workers, sizeof(json_t *));
    TRY(CHECK_MEMORY(tasks, "no memory for the phases of %d workers", self->n_workers));
    for (int worker = 0; worker < self->n_workers; worker++) {
        json_t *phase = start_phase(self, worker);
        tasks[worker] = json_object_get(phase, "tasks");
        json_array_append_new(json_object_get(self->files[worker], "phases"), phase);
    }
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < n && status == STATUS_OK; i++)
        status = add_ran_task(self, &entries[i], tasks);
    self->n_added++;
    free(tasks);
    return status;
}

enum status vt_writer_add(struct vt_writer *writer, MPI_Comm comm,
                          const struct taskpool_history *history)
{
    int rank;
    struct taskpool_history_entry *all;
    int64_t n;
    MPI_Comm_rank(comm, &rank);
    TRY(profile_gather(comm, history, &all, &n));
    enum status status = status_agree(comm, rank == 0 ? add_phase(writer, all, n) : STATUS_OK);
    free(all);
    return status;
}

enum status vt_check_writable(const char *path, int n_workers)
{
    char name[VT_PATH];
    for (int worker = 0; vt_is_name(path) && worker < n_workers; worker++) {
        TRY(vt_file_name(path, worker, name));
        TRY(output_file_check(name));
    }
    return STATUS_OK;
}

static enum status remove_rank(const char *path, int64_t rank)
{
    char name[VT_PATH];
    TRY(vt_file_name(path, (int)rank, name));
    if (unlink(name) == 0)
        return STATUS_OK;
    return FAIL(
        STATUS_IO,
        "cannot remove %s: %s. It would be read as a part of this load: remove it, or write "
        "to another name",
        name, strerror(errno));
}

static enum status remove_further_ranks(const char *path, int n_workers)
{
    int64_t *ranks = NULL, n = 0, first = 0;
    if (vt_has_rank(path))
        TRY(vt_list_ranks(path, &ranks, &n));
    while (first < n && ranks[first] < n_workers)
        first++;
    enum status status = STATUS_OK;
    for (int64_t i = first; i < n && status == STATUS_OK; i++)
        status = remove_rank(path, ranks[i]);
    if (first < n && status == STATUS_OK)
        log_print("Removed the files of ranks %lld to %lld of an earlier load %s\n",
                  (long long)ranks[first], (long long)ranks[n - 1], path);
    free(ranks);
    return status;
}

enum status vt_writer_write(const struct vt_writer *writer, const char *path)
{
    char name[VT_PATH];
    for (int worker = 0; worker < writer->n_workers; worker++) {
        TRY(vt_file_name(path, worker, name));
        TRY(json_write_file(writer->files[worker], name));
    }
    return remove_further_ranks(path, writer->n_workers);
}
