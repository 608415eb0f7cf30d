/* Mode `retentive`: work stealing whose next iteration starts where the tasks
 * ran in the last one (Lifflander, Krishnamoorthy, Kale, HPDC 2012, section 6).
 * Of a dynamic pool that holds for the tasks that were added before the run;
 * those that tasks add are made anew. */
#include "sched/stealing.h"
#include "support/agree.h"

struct retentive_state {
    struct stealing stealing; /* first: most functions of the table are stealing's own */
    struct task_ranges kept;  /* of the last iteration, in the order of running */
    struct record_list kept_records;
};

static enum status retentive_init(void *state, const struct mode_setup *setup, struct comm *comm)
{
    struct retentive_state *self = state;
    self->kept_records.record_size = setup->problem->record_size;
    return stealing_init(&self->stealing, setup, comm, true);
}

static void retentive_fini(void *state)
{
    struct retentive_state *self = state;
    stealing_fini(&self->stealing);
    task_ranges_fini(&self->kept);
    record_list_fini(&self->kept_records);
}

/* What was noted becomes what is kept; its memory serves the next notes. */
static void keep_what_ran(struct retentive_state *self)
{
    struct task_ranges ranges = self->kept;
    struct record_list records = self->kept_records;
    self->kept = self->stealing.ran;
    self->kept_records = self->stealing.ran_records;
    self->stealing.ran = ranges;
    self->stealing.ran_records = records;
}

static enum mode_step retentive_restore(void *state)
{
    struct retentive_state *self = state;
    keep_what_ran(self);
    stealing_begin(&self->stealing, true);
    enum status status = stealing_push(&self->stealing, &self->kept);
    for (int64_t i = self->kept_records.n - 1; i >= 0 && status == STATUS_OK; i--)
        status = stealing_add(&self->stealing, record_list_at(&self->kept_records, i), true);
    if (status != STATUS_OK)
        die("no memory for the next iteration's tasks");
    return MODE_DONE;
}

const struct mode mode_retentive = {
    .name = "retentive",
    .state_size = sizeof(struct retentive_state),
    .seeded = true,
    .init = retentive_init,
    .fini = retentive_fini,
    .seed = stealing_seed,
    .next = stealing_next,
    .next_local = stealing_next_local,
    .add = stealing_add,
    .receive = stealing_receive,
    .sent = stealing_sent,
    .restore = retentive_restore,
    .progress = stealing_progress,
};
