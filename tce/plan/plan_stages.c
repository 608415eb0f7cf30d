/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of a plan: which steps run together, and how long intermediates live.
 *
 * A step must come after an earlier one if it reads what that one writes, writes what that one
 * reads, or replaces what that one writes; if it adds to it, both may be in one stage, where
 * they join. In a stage, what is packed comes first and what is unpacked last, so that a step may read what an
 * earlier phase makes. A step is put into the last stage that lets all others follow: intermediates
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

/* Sets from when to when intermediates live. */
static void find_lifetimes(struct plan *plan)
{
    for (int s = 0; s < plan->n_steps; s++) {
        struct plan_step *step = &plan->steps[s];
        bool creates = !step->add && step->C.tensor >= plan->n_program_tensors;
        step->create = creates ? step->C.tensor : -1;
        if (creates)
            plan->tensors[step->create].first_step = s;
        note_use(plan, &step->C, s);
        note_use(plan, &step->A, s);
        note_use(plan, &step->B, s);
    }
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
        struct plan_tensor *tensor = &plan->tensors[t];
        struct plan_step *last = &plan->steps[tensor->last_step];
        if (tensor->filled_from >= 0 || tensor->loop >= 0)
            continue;
        if (tensor->first_step < plan->first_iterated && tensor->last_step >= plan->first_iterated)
            tensor->last_step = plan->n_steps;
        else
            last->destroy[last->n_destroy++] = t;
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

/* --- stages --- */

/* The last steps that write, replace or read a tensor, among the steps after the one at hand, by
 * their distance from the end: N_PLAN_PHASES for each stage that follows, and one for each phase of
 * its own; -1: no such step. */
struct plan_depth {
    int written, replaced, read;
    /* While steps are ordered: the last one so far that writes it in each phase; -1: none. */
    int last[N_PLAN_PHASES];
};

static int max_depth(int a, int b)
{
    return a > b ? a : b;
}

/* The place of a step from the end: before each step that must come after it, in a phase of its kind. Sums share a
 * stage, but what replaces C comes before sums of an earlier phase.
 * least  places that are taken by other stages */
static int find_depth(const struct plan_step *step, const struct plan_depth *of, int least)
{
    const struct plan_depth *C = &of[step->C.tensor];
    int own = N_PLAN_PHASES - 1 - (int)step->phase;
    int after = max_depth(of[step->A.tensor].written, max_depth(C->replaced, C->read)) + 1;
    if (step->B.tensor >= 0)
        after = max_depth(after, of[step->B.tensor].written + 1);
    after = max_depth(max_depth(after, least),
                      step->add ? C->written - C->written % N_PLAN_PHASES : C->written);
    int n_stages = (max_depth(after, own) - own + N_PLAN_PHASES - 1) / N_PLAN_PHASES;
    return N_PLAN_PHASES * n_stages + own;
}

static void note_depth(const struct plan_step *step, int depth, struct plan_depth *of)
{
    struct plan_depth *C = &of[step->C.tensor];
    C->written = max_depth(C->written, depth);
    C->replaced = step->add ? C->replaced : max_depth(C->replaced, depth);
    of[step->A.tensor].read = max_depth(of[step->A.tensor].read, depth);
    if (step->B.tensor >= 0)
        of[step->B.tensor].read = max_depth(of[step->B.tensor].read, depth);
}

/* Where a step goes: those that do the same in a stage and write to the same tensor follow the first of them. */
struct stage_place {
    int slot; /* N_PLAN_PHASES * stage + phase */
    int first, step;
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

/* Finds the places from the end, slot, of the steps [begin, end), before *n_after stages, to which theirs are added.
 * A loop over tiles has a stage of its own. */
static void find_slots(int begin, int end, int *n_after, struct stage_search *search)
{
    int least = N_PLAN_PHASES * *n_after;
    for (int s = end - 1; s >= begin; s--) {
        const struct plan_step *step = &search->from[s];
        if (step->loop >= 0)
            least = N_PLAN_PHASES * *n_after;
        int depth = search->place[s].slot = find_depth(step, search->depths, least);
        note_depth(step, depth, search->depths);
        *n_after = max_depth(*n_after, depth / N_PLAN_PHASES + 1);
        if (step->loop >= 0)
            least = N_PLAN_PHASES * *n_after;
    }
}

static int compare_places(const void *left, const void *right)
{
    const struct stage_place *a = left, *b = right;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
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
        const struct plan_step *step = &search->from[s];
        int *last = &search->depths[step->C.tensor].last[step->phase];
        bool has_first = *last >= 0 && place[*last].slot == place[s].slot;
        place[s].first = has_first ? place[*last].first : s;
        *last = place[s].step = s;
    }
    qsort(place, (size_t)plan->n_steps, sizeof *place, compare_places);
}

/* Orders the steps by their stages, those that join side by side. */
static void make_stages(struct plan *plan, struct stage_search *search)
{
    int n = 0, n_final = 0;
    reset_depths(plan, search);
    find_slots(plan->first_final, plan->n_steps, &n_final, search);
    int n_iterated = n_final;
    find_slots(plan->first_iterated, plan->first_final, &n_iterated, search);
    plan->n_stages = n_iterated;
    find_slots(0, plan->first_iterated, &plan->n_stages, search);
    plan->first_iterated_stage = plan->n_stages - n_iterated;
    plan->first_final_stage = plan->n_stages - n_final;
    for (int s = 0; s < plan->n_steps; s++)
        search->place[s].slot = N_PLAN_PHASES * plan->n_stages - 1 - search->place[s].slot;
    sort_places(plan, search);
    for (int k = 0; k < plan->n_stages; k++) {
        plan->stage_begin[k] = n;
        for (; n < plan->n_steps && search->place[n].slot / N_PLAN_PHASES == k; n++) {
            const struct stage_place *place = &search->place[n];
            struct plan_step *step = &plan->steps[n];
            *step = search->from[place->step];
            step->joins = step->phase == PLAN_CONTRACT && place->step > place->first &&
                          plan->tensors[step->C.tensor].labels.rank > 0;
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
        find_peak(plan);
    }
    free(from);
    free(search.place);
    free(search.depths);
    return status;
}
