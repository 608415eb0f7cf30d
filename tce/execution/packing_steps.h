/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a plan that pack and unpack tensors: every process does so with the blocks that it holds. */
#pragma once

#include "support/base/status.h"
#include "tce/plan/plan.h"
#include "tce/tensor/tensor.h"

/* Runs one. tensors: of the plan. Not collective; nothing is synchronised. Errors: STATUS_NO_MEMORY. */
enum status packing_step_run(const struct plan *plan, const struct plan_step *step,
                             struct tensor *const tensors[]);

/* Runs those of a stage that pack, or those that unpack. Collective; synchronises. Errors: the same,
 * everywhere. */
enum status packing_steps_run(const struct plan *plan, int stage, enum plan_phase phase,
                              struct tensor *const tensors[]);
