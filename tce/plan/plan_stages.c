/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of a plan: which steps run together, and how long intermediates live.
 *
 * A step must come after an earlier one if it reads what that one writes, writes what that one
 * reads, or replaces what that one writes; if it adds to it, both may be in one stage, where
 * they join. In a stage, what is packed comes first and what is unpacked last, so that a step may read what an earlier phase makes. A
 * step is put into the last stage that lets all others follow: intermediates
 * are then made late, and terms of a sum meet in one stage. */
#include "tce/plan/plan_builder.h"

#include <stdlib.h>
#include <string.h>

/* --- lifetimes --- */

static void note_use(struct plan *plan, const struct plan_operand *operand, int step)
{
    if (operand->tensor >= plan->n_program_tensors)
        plan->tensors[operand->tensor].last_step = step;
}

static void find_last_steps(struct plan *plan)
{
    for (int s = 0; s < plan->n_steps; s++) {
        struct plan_step *step = &plan->steps[s];
        step->n_destroy = 0;
        if (step->create >= 0)
            plan->tensors[step->create].first_step = s;
        note_use(plan, &step->C, s);
        note_use(plan, &step->A, s);
        note_use(plan, &step->B, s);
    }
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
        struct plan_tensor *tensor = &plan->tensors[t];
        if (tensor->filled_from < 0 && tensor->loop < 0 &&
            tensor->first_step < plan->first_iterated && tensor->last_step >= plan->first_iterated)
            tensor->last_step = plan->n_steps;
    }
}

/* The most elements at a time: nothing grows after the first iteration. */
static void find_peak(struct plan *plan)
{
    double elements = 0;
    for (int t = 0; t < plan->n_tensors; t++)
        elements += plan_keeps_tensor(plan, t) ? plan->tensors[t].elements : 0;
    plan->peak_elements = elements;
    for (int k = 0; k < plan->n_stages; k++) {
        for (int s = plan->stage_begin[k]; s < plan->stage_begin[k + 1]; s++)
            if (plan->steps[s].create >= 0)
                elements += plan->tensors[plan->steps[s].create].elements;
        plan->peak_elements = elements > plan->peak_elements ? elements : plan->peak_elements;
        for (int s = plan->stage_begin[k]; s < plan->stage_begin[k + 1]; s++)
            for (int d = 0; d < plan->steps[s].n_destroy; d++)
                elements -= plan->tensors[plan->steps[s].destroy[d]].elements;
    }
}

/* Sets from when to when intermediates live, and the peak of memory. */
static void find_lifetimes(struct plan *plan)
{
    find_last_steps(plan);
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
        int last = plan->tensors[t].last_step;
        if (plan->tensors[t].loop < 0 && plan->tensors[t].filled_from < 0 && last < plan->n_steps) {
            struct plan_step *step = &plan->steps[last];
            step->destroy[step->n_destroy++] = t;
        }
    }
    find_peak(plan);
}

/* --- stages --- */

/* How many stages follow the first of the steps that write, replace or read a tensor, among those
 * after the one at hand, by what they do in their stage; -1: there is none. */
struct plan_depth {
    int written[N_PLAN_PHASES], replaced[N_PLAN_PHASES], read[N_PLAN_PHASES];
    int last
        [N_PLAN_PHASES]; /* while steps are ordered: the last step that writes it; -1: none yet */
};

static int max_depth(int a, int b)
{
    return a > b ? a : b;
}

/* The stages that must follow a step: those of each that must come after it, and one more unless that one
 * comes after it in the stage. */
static int find_depth(const struct plan_step *step, const struct plan_depth *of)
{
    const struct plan_depth *C = &of[step->C.tensor];
    int depth = 0;
    for (int phase = 0; phase < N_PLAN_PHASES; phase++) {
        int more = (int)step->phase < phase ? 0 : 1;
        /* A step that replaces C shares no stage with sums of an earlier phase into C. */
        int after_sum = !step->add && (int)step->phase > phase;
        depth = max_depth(depth, of[step->A.tensor].written[phase] + more);
        if (step->B.tensor >= 0)
            depth = max_depth(depth, of[step->B.tensor].written[phase] + more);
        depth = max_depth(depth, max_depth(C->replaced[phase], C->read[phase]) + more);
        depth = max_depth(depth, C->written[phase] + after_sum);
    }
    return depth;
}

static void note_depth(const struct plan_step *step, int depth, struct plan_depth *of)
{
    struct plan_depth *C = &of[step->C.tensor];
    int *read_A = &of[step->A.tensor].read[step->phase];
    C->written[step->phase] = max_depth(C->written[step->phase], depth);
    if (!step->add)
        C->replaced[step->phase] = max_depth(C->replaced[step->phase], depth);
    *read_A = max_depth(*read_A, depth);
    if (step->B.tensor >= 0) {
        int *read_B = &of[step->B.tensor].read[step->phase];
        *read_B = max_depth(*read_B, depth);
    }
}

/* Where a step goes: those of a stage that do the same and write to the same tensor follow the first of
 * them. */
struct stage_place {
    int stage, phase, first, step;
};

struct stage_search {
    const struct plan_step *from; /* the steps in their first order */
    struct stage_place *place;    /* of each step */
    struct plan_depth *depths;    /* of each tensor */
};

static void reset_depths(const struct plan *plan, struct stage_search *search)
{
    memset(search->depths, -1, (size_t)plan->n_tensors * sizeof *search->depths);
}

/* Stages, counted from first_stage on, of the steps [begin, end); returns the next stage. */
static int find_stages(const struct plan *plan, int begin, int end, int first_stage,
                       struct stage_search *search)
{
    struct stage_place *place = search->place;
    int deepest = -1;
    reset_depths(plan, search);
    /* First how many stages must follow each. */
    for (int s = end - 1; s >= begin; s--) {
        place[s].stage = find_depth(&search->from[s], search->depths);
        note_depth(&search->from[s], place[s].stage, search->depths);
        deepest = max_depth(deepest, place[s].stage);
    }
    for (int s = begin; s < end; s++)
        place[s].stage = first_stage + deepest - place[s].stage;
    return first_stage + deepest + 1;
}

/* Likewise, where loops are steps: each is a stage. */
static int find_stages_and_loops(const struct plan *plan, int begin, int end, int first_stage,
                                 struct stage_search *search)
{
    int stage = first_stage;
    for (int s = begin; s <= end; s++) {
        if (s < end && search->from[s].loop < 0)
            continue;
        if (begin < s)
            stage = find_stages(plan, begin, s, stage, search);
        if (s < end)
            search->place[s].stage = stage++;
        begin = s + 1;
    }
    return stage;
}

static int compare_places(const void *left, const void *right)
{
    const struct stage_place *a = left, *b = right;
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->step < b->step ? -1 : 1;
}

/* Sorts the places of the steps. Of those that write to a tensor, none is in a stage before an earlier
 * one's. */
static void sort_places(const struct plan *plan, struct stage_search *search)
{
    struct stage_place *place = search->place;
    reset_depths(plan, search);
    for (int s = 0; s < plan->n_steps; s++) {
        int phase = (int)search->from[s].phase;
        int *last = &search->depths[search->from[s].C.tensor].last[phase];
        bool has_first = *last >= 0 && place[*last].stage == place[s].stage;
        place[s].phase = phase;
        place[s].first = has_first ? place[*last].first : s;
        *last = place[s].step = s;
    }
    qsort(place, (size_t)plan->n_steps, sizeof *place, compare_places);
}

/* Orders the steps by their stages, those that join side by side. */
static void make_stages(struct plan *plan, struct stage_search *search)
{
    int n = 0;
    plan->first_iterated_stage = find_stages_and_loops(plan, 0, plan->first_iterated, 0, search);
    plan->first_final_stage = find_stages_and_loops(plan, plan->first_iterated, plan->first_final,
                                                    plan->first_iterated_stage, search);
    plan->n_stages = find_stages_and_loops(plan, plan->first_final, plan->n_steps,
                                           plan->first_final_stage, search);
    sort_places(plan, search);
    for (int k = 0; k < plan->n_stages; k++) {
        plan->stage_begin[k] = n;
        for (; n < plan->n_steps && search->place[n].stage == k; n++) {
            const struct stage_place *place = &search->place[n];
            plan->steps[n] = search->from[place->step];
            plan->steps[n].joins = place->phase == PLAN_CONTRACT && place->step > place->first &&
                                   plan->tensors[plan->steps[n].C.tensor].labels.rank > 0;
        }
    }
    plan->stage_begin[plan->n_stages] = n;
}

enum status plan_builder_stages(struct plan *plan)
{
    size_t n = (size_t)plan->n_steps + 1, n_tensors = (size_t)plan->n_tensors + 1;
    struct plan_step *from = malloc(n * sizeof *from);
    struct stage_search search = {.from = from,
                                  .place = calloc(n, sizeof *search.place),
                                  .depths = malloc(n_tensors * sizeof *search.depths)};
    plan->stage_begin = calloc(n, sizeof *plan->stage_begin);
    enum status status = CHECK_MEMORY(from && search.place && search.depths && plan->stage_begin,
                                      "no memory for a plan of %d steps", plan->n_steps);
    if (status == STATUS_OK) {
        memcpy(from, plan->steps, (size_t)plan->n_steps * sizeof *from);
        make_stages(plan, &search);
        find_lifetimes(plan);
    }
    free(from);
    free(search.place);
    free(search.depths);
    return status;
}
