/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/packing_steps.h"

#include "support/mpi/wall_time.h"

enum status packing_step_run(const struct plan *plan, const struct plan_step *step,
                             struct tensor *const tensors[])
{
    const struct packing *packing = &plan->packings[step->packing];
    struct tensor *C = tensors[step->C.tensor], *A = tensors[step->A.tensor];
    return step->phase == PLAN_PACK ? packing_pack(packing, A, C)
                                    : packing_unpack(packing, A, step->add, C);
}

enum status packing_steps_run(const struct plan *plan, int stage, enum plan_phase phase,
                              struct tensor *const tensors[])
{
    int begin, end;
    enum status status = STATUS_OK;
    plan_stage_phase(plan, stage, phase, &begin, &end);
    if (begin == end)
        return STATUS_OK;
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    for (int s = begin; s < end && status == STATUS_OK; s++)
        status = packing_step_run(plan, &plan->steps[s], tensors);
    wall_time_end(use);
    return darray_sync_and_agree(status);
}
