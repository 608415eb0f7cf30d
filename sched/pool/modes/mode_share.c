/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `share`: work sharing. Workers are in groups of consecutive ranks. The first of a group,
 * the manager, runs no task but keeps the queue of the group; a single worker runs everything
 * itself.
 *
 * A worker without tasks sends its manager a request and is granted a chunk as soon as there
 * is one. A worker of a dynamic pool keeps the tasks that its tasks add on a stack of its
 * own and takes the newest; when the stack exceeds two chunks and at least
 * --release-every tasks ran since the last release, it releases its oldest chunk
 * to the manager. A request carries the number of chunks released since the last request:
 * only when as many have arrived is it certain that a waiting worker has no release
 * on its way, because the smaller request may overtake one.
 *
 * A manager whose queue is empty while workers wait asks the other managers, one
 * at a time and drawn at random, for half of their chunks, as the servers of
 * ADLB do (Lusk, Pieper, Butler, SciDAC Review 17 (2010) 30). After as many
 * refusals in a row as there are others it pauses, so that managers of busy
 * workers do not keep asking each other. When all workers of a group wait the
 * manager is without work in the sense of termination.h. At the end every manager
 * notifies its workers; each has a request waiting then.
 *
 * The managers of a static pool begin with blocks of IDs in proportion to their
 * numbers of workers. The seeding has no effect.
 *
 * Source: Dinan et al., PMEO-PDS 2007, sections 2.3.1, 3.1, 3.1.1 and 3.3.2. Of
 * the printed algorithm 2: its "Polling_Interval" is the release interval; and
 * a release does not wait for the number of tasks to be a multiple
 * of it, when there may be no surplus by chance. */
#include "sched/pool/protocols/share_manager.h"
#include "support/base/die.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_CHUNK = 20 };

static const struct taskpool_option share_rows[] = {
    TASKPOOL_INTEGER_OPTION(
        "managers", offsetof(struct share_settings, managers), 1, 1e6, .default_text = "1",
        .value = "N", .help = "processes that keep queues and run no tasks; at most half of all"),
    TASKPOOL_INTEGER_OPTION("release-every", offsetof(struct share_settings, release_every), 1,
                            1e15, .default_text = "128", .value = "N",
                            .help = "tasks between two releases of surplus"),
};

static struct taskpool_mode_options share_options =
    TASKPOOL_MODE_OPTIONS(share_rows, sizeof(struct share_settings));

/* --- groups --- */

int share_first_of_group(int group, const void *context)
{
    const struct share_state *self = context;
    return (int)((int64_t)group * self->comm->size / self->n_managers);
}

/* The largest group that begins at or before the rank. */
static int group_of(const struct share_state *self, int rank)
{
    return (int)((((int64_t)rank + 1) * self->n_managers - 1) / self->comm->size);
}

static int share_init(void *state, const struct taskpool_mode_setup *setup,
                      struct taskpool_comm *comm)
{
    struct share_state *self = state;
    const struct share_settings *settings = taskpool_settings_of(setup->settings, &share_options);
    int64_t chunk = setup->settings->chunk;
    *self = (struct share_state){.setup = setup, .settings = settings, .comm = comm, .manager = -1};
    self->chunk = chunk > 0 ? chunk : DEFAULT_CHUNK;
    self->queue.record_size = self->initial.record_size = setup->problem->record_size;
    int most = comm->size / 2;
    self->n_managers = settings->managers < most ? (int)settings->managers : most;
    if (self->n_managers == 0)
        return STATUS_OK;
    int group = group_of(self, comm->rank);
    self->manager = share_first_of_group(group, self);
    return self->manager == comm->rank ? share_manager_create(self, group) : STATUS_OK;
}

static void share_fini(void *state)
{
    struct share_state *self = state;
    share_manager_destroy(self->managed);
    task_queue_fini(&self->queue);
    record_list_fini(&self->initial);
}

static int share_seed(void *state)
{
    struct share_state *self = state;
    if (self->managed)
        share_manager_begin(self);
    else if (self->manager < 0 && self->queue.record_size == 0)
        task_queue_put_range(&self->queue,
                             (struct taskpool_range){0, self->setup->problem->n_tasks, 1});
    return STATUS_OK;
}

/* --- messages --- */

void share_send_word(struct share_state *self, int to, int32_t kind, int64_t n)
{
    struct share_message message = {.kind = kind, .n = n};
    taskpool_comm_send(self->comm, to, &message, sizeof message);
}

/* Sends the oldest n tasks. */
void share_send_tasks(struct share_state *self, int to, int32_t kind, int64_t n)
{
    struct share_message *message;
    size_t size = sizeof *message + (size_t)n * self->queue.record_size;
    message = calloc(1, size);
    if (!message)
        die_no_memory("no memory for a message of %lld tasks", (long long)n);
    message->kind = kind;
    message->n = n;
    task_queue_take(&self->queue, n, &message->range, message + 1);
    taskpool_comm_send(self->comm, to, message, size);
    free(message);
}

void share_take_tasks(struct share_state *self, const struct share_message *message)
{
    self->comm->counts.tasks_moved += message->n;
    if (self->queue.record_size == 0)
        task_queue_put_range(&self->queue, message->range);
    else
        taskpool_comm_report(self->comm, task_queue_push(&self->queue, message + 1, message->n));
}

/* --- the worker --- */

static void release_surplus(struct share_state *self)
{
    if (task_queue_count(&self->queue) <= 2 * self->chunk ||
        self->n_since_release < self->settings->release_every)
        return;
    share_send_tasks(self, self->manager, SHARE_RELEASE, self->chunk);
    self->n_since_release = 0;
    self->n_released++;
}

static bool take_own(struct share_state *self, struct taskpool_mode_work *work)
{
    if (self->queue.record_size > 0) {
        if (self->manager >= 0)
            release_surplus(self);
        self->n_since_release++;
        return task_queue_pop(&self->queue, work->record);
    }
    int64_t n = task_queue_count(&self->queue);
    if (n > 0)
        task_queue_take(&self->queue, n < work->n_wanted ? n : work->n_wanted, &work->range, NULL);
    return n > 0;
}

static enum taskpool_mode_step work_or_ask(struct share_state *self,
                                           struct taskpool_mode_work *work)
{
    if (take_own(self, work))
        return TASKPOOL_MODE_RUN;
    if (self->manager < 0 || self->finished)
        return TASKPOOL_MODE_DONE;
    if (!self->asking)
        share_send_word(self, self->manager, SHARE_REQUEST, self->n_released);
    self->asking = true;
    self->n_released = 0;
    return TASKPOOL_MODE_SEARCH;
}

/* --- the table --- */

static enum taskpool_mode_step share_next(void *state, struct taskpool_mode_work *work)
{
    struct share_state *self = state;
    return self->managed ? share_manager_next(self) : work_or_ask(self, work);
}

static int share_add(void *state, const void *record, bool initial)
{
    struct share_state *self = state;
    if (initial)
        TRY(record_list_add(&self->initial, record));
    return task_queue_push(&self->queue, record, 1);
}

static void share_receive(void *state, int from, const void *message, size_t size)
{
    struct share_state *self = state;
    (void)size;
    if (self->managed) {
        share_manager_receive(self, from, message);
        return;
    }
    self->asking = false;
    self->finished = *(const int32_t *)message == SHARE_END;
    if (!self->finished)
        share_take_tasks(self, message);
}

static enum taskpool_mode_step share_restore(void *state)
{
    struct share_state *self = state;
    self->asking = self->finished = false;
    self->n_since_release = self->n_released = 0;
    enum status status = share_seed(self);
    for (int64_t i = 0; i < self->initial.n && status == STATUS_OK; i++)
        status = task_queue_push(&self->queue, record_list_at(&self->initial, i), 1);
    taskpool_comm_report(self->comm, status);
    return TASKPOOL_MODE_DONE;
}

static double share_progress(const void *state, int64_t n_run)
{
    const struct share_state *self = state;
    if (self->managed)
        return share_manager_progress(self);
    double left = (double)task_queue_count(&self->queue);
    return n_run > 0 ? (double)n_run / ((double)n_run + left) : 0;
}

static void share_describe(const void *state, char *text, size_t size)
{
    const struct share_state *self = state;
    if (self->managed)
        share_manager_describe(self->managed, text, size);
    else
        snprintf(text, size, "%lld tasks of its own; %s manager %d%s",
                 (long long)task_queue_count(&self->queue),
                 self->asking ? "a request is not answered by" : "no request to", self->manager,
                 self->finished ? "; notified of the end" : "");
}

const struct taskpool_mode mode_share = {
    .name = "share",
    .help = "managers keep queues; workers release surplus tasks and request chunks",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, &share_options, NULL},
    .state_size = sizeof(struct share_state),
    .init = share_init,
    .fini = share_fini,
    .seed = share_seed,
    .next = share_next,
    .add = share_add,
    .receive = share_receive,
    .restore = share_restore,
    .progress = share_progress,
    .describe = share_describe,
};
