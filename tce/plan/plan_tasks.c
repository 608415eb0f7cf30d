/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/plan_tasks.h"

#include <stdlib.h>
#include <string.h>

static struct contraction_operand operand_of(const struct plan *plan,
                                             const struct plan_operand *planned)
{
    struct contraction_operand operand = {.labels = &plan->tensors[planned->tensor].labels};
    memcpy(operand.index, planned->index, sizeof operand.index);
    return operand;
}

static struct contraction_problem problem_of(const struct plan *plan, const struct plan_step *step)
{
    struct contraction_problem problem = {.C = operand_of(plan, &step->C),
                                          .A = operand_of(plan, &step->A),
                                          .has_B = step->B.tensor >= 0,
                                          .add = step->add,
                                          .joins = step->joins,
                                          .factor = step->factor};
    if (problem.has_B)
        problem.B = operand_of(plan, &step->B);
    return problem;
}

static enum status init_contractions(const struct plan *plan, int stage,
                                     const struct contraction_settings *settings,
                                     struct plan_tasks *tasks)
{
    int begin, end;
    plan_stage_phase(plan, stage, PLAN_CONTRACT, &begin, &end);
    tasks->n_steps = end - begin;
    tasks->steps = plan->steps + begin;
    if (begin == end)
        return STATUS_OK;
    struct contraction_problem *problems = calloc((size_t)tasks->n_steps, sizeof *problems);
    TRY(CHECK_MEMORY(problems, "no memory for %d steps of a plan", tasks->n_steps));
    for (int s = 0; s < tasks->n_steps; s++)
        problems[s] = problem_of(plan, &tasks->steps[s]);
    enum status status = stage_create(tasks->n_steps, problems, settings, &tasks->stage);
    free(problems);
    return status;
}

enum status plan_tasks_init(const struct plan *plan, int stage,
                            const struct contraction_settings *settings, struct plan_tasks *tasks)
{
    int loop = plan_stage_loop(plan, stage);
    *tasks = (struct plan_tasks){.is_loop = loop >= 0};
    if (loop < 0)
        return init_contractions(plan, stage, settings, tasks);
    tasks->n_steps = plan->loops[loop].n_steps;
    tasks->steps = plan->loops[loop].steps;
    TRY(plan_loop_problem_init(plan, loop, &tasks->of_loop));
    return stage_create_loop(&tasks->of_loop.loop, settings, &tasks->stage);
}

void plan_tasks_fini(struct plan_tasks *tasks)
{
    stage_destroy(tasks->stage);
    plan_loop_problem_fini(&tasks->of_loop);
}
