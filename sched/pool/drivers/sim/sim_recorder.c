/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/driver_sim_private.h"

static int64_t lane_of(struct sim_worker *worker, const struct sim_thread *thread)
{
    return (int64_t)worker->comm.rank * worker->sim->n_threads + (thread - sim_threads(worker));
}

int64_t sim_message_lane(struct sim_worker *worker)
{
    return lane_of(worker, worker->serving ? sim_threads(worker) : worker->caller);
}

void sim_record_always(struct sim_worker *worker, const struct sim_thread *thread,
                       enum trace_use use, double begin_s, double end_s)
{
    const struct trace_span span = {
        .begin_s = begin_s, .end_s = end_s, .number = -1, .use = (int32_t)use};
    if (end_s > begin_s)
        recorder_span(sim_recorder(worker->sim), lane_of(worker, thread), &span, 0);
}

void sim_record_task(struct sim_worker *worker, int64_t task, double begin_s, double end_s)
{
    struct recorder *recorder = sim_recorder(worker->sim);
    const struct trace_span span = {.begin_s = begin_s,
                                    .end_s = end_s,
                                    .number = worker->record ? -1 : task,
                                    .n = 1,
                                    .use = TRACE_TASK};
    if (!recorder)
        return;
    recorder_task(recorder, lane_of(worker, worker->caller), &span, 0);
    sim_record_always(worker, worker->caller, TRACE_SCHEDULER, end_s,
                      end_s + worker->sim->machine->task_s);
}

void sim_record_balance(struct driver_sim *sim)
{
    for (int i = 0; i < sim->n_workers; i++) {
        struct sim_worker *worker = sim_worker(sim, i);
        const struct sim_thread *thread = sim_threads(worker);
        recorder_balance(sim_recorder(sim), lane_of(worker, thread), sim->start_s, thread->clock_s);
    }
}
