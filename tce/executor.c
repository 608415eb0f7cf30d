#include "tce/executor.h"

#include "sched/profile.h"
#include "support/agree.h"
#include "support/clock.h"

#include <stdbool.h>
#include <stdlib.h>

/* What idle intermediates may take beyond the plan's own memory, as a part of it. */
static const double SPARE_PART = 0.01;

struct executor {
    const struct plan *plan;
    MPI_Comm comm;
    struct block_buffers *buffers;     /* of all contractions */
    struct tensor **tensors;           /* plan->n_tensors; NULL while one does not exist */
    struct contraction **contractions; /* plan->n_steps */
    bool *idle;                        /* plan->n_tensors: exists, and its value is not needed */
    double elements;                   /* of the tensors that exist */
};

static enum status create_contractions(struct executor *self, struct contraction_settings settings)
{
    TRY(block_buffers_create(&self->buffers));
    settings.buffers = self->buffers;
    for (int i = 0; i < self->plan->n_steps; i++) {
        struct contraction_problem problem;
        plan_problem(self->plan, &self->plan->steps[i], &problem);
        TRY(contraction_create(&problem, &settings, &self->contractions[i]));
    }
    return STATUS_OK;
}

static enum status create_tensor(struct executor *self, int tensor)
{
    const struct plan_tensor *planned = &self->plan->tensors[tensor];
    TRY(tensor_create(planned->name, &planned->labels, self->comm, &self->tensors[tensor]));
    self->elements += planned->elements;
    return STATUS_OK;
}

static void destroy_tensor(struct executor *self, int tensor)
{
    tensor_destroy(self->tensors[tensor]);
    self->tensors[tensor] = NULL;
    self->idle[tensor] = false;
    self->elements -= self->plan->tensors[tensor].elements;
}

/* An intermediate for a step to write. Making an array takes longer than many a contraction:
 * so one that is not needed any more stays for the next time, if it is small or within the
 * memory of the plan. */
static enum status claim_intermediate(struct executor *self, int tensor)
{
    const struct plan *plan = self->plan;
    double others = (1 + SPARE_PART) * plan->peak_elements - plan->tensors[tensor].elements;
    if (!self->tensors[tensor]) {
        for (int i = plan->n_program_tensors; i < plan->n_tensors && self->elements > others; i++)
            if (self->idle[i])
                destroy_tensor(self, i);
        TRY(create_tensor(self, tensor));
    }
    self->idle[tensor] = false;
    return STATUS_OK;
}

enum status executor_create(const struct plan *plan, const struct contraction_settings *settings,
                            MPI_Comm comm, struct executor **executor)
{
    struct executor *made = calloc(1, sizeof *made);
    *executor = NULL;
    if (made) {
        *made = (struct executor){.plan = plan, .comm = comm};
        made->tensors = calloc((size_t)plan->n_tensors + 1, sizeof(struct tensor *));
        made->contractions = calloc((size_t)plan->n_steps + 1, sizeof(struct contraction *));
        made->idle = calloc((size_t)plan->n_tensors + 1, sizeof *made->idle);
    }
    bool complete = made && made->tensors && made->contractions && made->idle;
    enum status status = complete ? create_contractions(made, *settings)
                                  : FAIL(STATUS_NO_MEMORY, "no memory for the steps of a plan");
    status = status_agree(comm, status);
    for (int i = 0; i < plan->n_program_tensors && status == STATUS_OK; i++)
        status = create_tensor(made, i);
    if (status != STATUS_OK) {
        executor_destroy(made);
        return status;
    }
    *executor = made;
    return STATUS_OK;
}

void executor_destroy(struct executor *self)
{
    if (!self)
        return;
    for (int i = 0; self->contractions && i < self->plan->n_steps; i++)
        contraction_destroy(self->contractions[i]);
    for (int i = 0; self->tensors && i < self->plan->n_tensors; i++)
        tensor_destroy(self->tensors[i]);
    block_buffers_destroy(self->buffers);
    free(self->contractions);
    free(self->tensors);
    free(self->idle);
    free(self);
}

struct tensor *executor_tensor(const struct executor *self, int tensor)
{
    return self->tensors[tensor];
}

enum status executor_start(struct executor *self, const struct taskpool_settings *pool)
{
    for (int i = 0; i < self->plan->n_steps; i++)
        TRY(contraction_start(self->contractions[i], pool, self->comm));
    return STATUS_OK;
}

static enum status run_step(struct executor *self, int number)
{
    const struct plan_step *step = &self->plan->steps[number];
    struct tensor *const *tensors = self->tensors;
    if (step->create >= 0)
        TRY(claim_intermediate(self, step->create));
    contraction_bind(self->contractions[number], tensors[step->C.tensor], tensors[step->A.tensor],
                     step->B.tensor >= 0 ? tensors[step->B.tensor] : NULL);
    TRY(contraction_run(self->contractions[number]));
    for (int i = 0; i < step->n_destroy; i++)
        self->idle[step->destroy[i]] = true;
    return STATUS_OK;
}

/* What a run left, that ended early or kept intermediates for more iterations. */
static void forget_intermediates(struct executor *self)
{
    for (int i = self->plan->n_program_tensors; i < self->plan->n_tensors; i++)
        self->idle[i] = self->tensors[i] != NULL;
}

enum status executor_run(struct executor *self, int first, int last, struct executor_record *record)
{
    struct executor_record sum = {0};
    double start_s = clock_now_s();
    if (first == 0)
        forget_intermediates(self);
    for (int i = first; i < last; i++) {
        TRY(run_step(self, i));
        const struct taskpool *pool = contraction_pool(self->contractions[i]);
        statistics_add(&sum.statistics, taskpool_statistics(pool, taskpool_n_iterations(pool) - 1));
        /* Sums and copies are work, but none of DGEMM's. */
        if (self->plan->steps[i].B.tensor >= 0)
            sum.flops += self->plan->steps[i].flops;
    }
    sum.seconds = clock_now_s() - start_s;
    if (record)
        *record = sum;
    return STATUS_OK;
}

/* Appends a step's tasks, which are numbered from first on. */
static enum status append_history(const struct history *step, int64_t first, struct history *all)
{
    for (int64_t i = 0; i < step->n_entries; i++) {
        const struct history_entry *entry = &step->entries[i];
        TRY(history_add(all, first + entry->task, entry->time_s, entry->worker));
    }
    return STATUS_OK;
}

enum status executor_write_profile(const struct executor *self, const char *path)
{
    struct history all = {0};
    enum status status = STATUS_OK;
    int64_t first = 0;
    for (int i = 0; i < self->plan->n_steps && status == STATUS_OK; i++) {
        status =
            append_history(taskpool_history(contraction_pool(self->contractions[i])), first, &all);
        first += contraction_n_tasks(self->contractions[i]);
    }
    status = status_agree(self->comm, status);
    if (status == STATUS_OK)
        status = profile_write(self->comm, &all, path);
    history_fini(&all);
    return status;
}
