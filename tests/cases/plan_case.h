/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of plans: a program given as text with its spaces, and the properties
 * of every plan. */
#pragma once

#include "tce/language/program.h"
#include "tce/language/symmetry_check.h"
#include "tce/methods/method_bindings.h"
#include "tce/plan/plan.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { PLAN_CASE_SPACES = 8 };

struct plan_case {
    struct program program;
    struct index_space *space[PLAN_CASE_SPACES];
    struct plan *plan;
};

/* The spaces of the program; bound ones have n_occupied or n_virtual values. */
static inline void plan_case_spaces(struct plan_case *made, int64_t n_occupied, int64_t n_virtual)
{
    assert_true(made->program.n_spaces <= PLAN_CASE_SPACES);
    for (int s = 0; s < made->program.n_spaces; s++) {
        const struct program_space *from = &made->program.spaces[s];
        bool occupied = from->binding && strcmp(from->binding, "occupied") == 0;
        int64_t tile = from->tile > 0 ? from->tile : made->program.tile;
        struct index_block block = {.size = occupied ? n_occupied : n_virtual};
        check_ok(index_space_create(from->name, from->binding ? 1 : from->n_blocks,
                                    from->binding ? &block : from->blocks,
                                    tile > 0 ? tile : PROGRAM_TILE, &made->space[s]));
    }
}

static inline enum status plan_case_plan(struct plan_case *made, enum plan_pairs pairs)
{
    const struct index_space *space[PLAN_CASE_SPACES];
    memcpy(space, made->space, sizeof space);
    return plan_create(&made->program, space, pairs, &made->plan);
}

static inline void plan_case_fini(struct plan_case *made)
{
    plan_destroy(made->plan);
    for (int s = 0; s < made->program.n_spaces; s++)
        index_space_destroy(made->space[s]);
    program_fini(&made->program);
    *made = (struct plan_case){0};
}

static inline double plan_case_flops(const struct plan *plan)
{
    double flops = 0;
    for (int s = 0; s < plan->n_steps; s++)
        flops += plan->steps[s].flops;
    return flops;
}

/* Of the products of two tensors. */
static inline double plan_case_product_flops(const struct plan *plan)
{
    double flops = 0;
    for (int s = 0; s < plan->n_steps; s++)
        flops += plan->steps[s].B.tensor >= 0 ? plan->steps[s].flops : 0;
    return flops;
}

/* Every intermediate is made once, written whole by the step that makes it, which others may add to, not
 * used before or after it exists, and destroyed unless iterations keep it. */
static inline void plan_case_check_lifetimes(const struct plan *plan)
{
    bool *exists = calloc((size_t)plan->n_tensors + 1, sizeof *exists);
    assert_non_null(exists);
    for (int t = 0; t < plan->n_tensors; t++)
        exists[t] = plan_keeps_tensor(plan, t) || plan->tensors[t].loop >= 0;
    for (int s = 0; s < plan->n_steps; s++) {
        const struct plan_step *step = &plan->steps[s];
        assert_true(exists[step->A.tensor]);
        assert_true(step->B.tensor < 0 || exists[step->B.tensor]);
        if (step->C.tensor >= plan->n_program_tensors)
            assert_true(step->create == step->C.tensor || (step->create < 0 && step->add));
        if (step->create >= 0) {
            assert_false(exists[step->create] || step->add);
            exists[step->create] = true;
        }
        assert_true(exists[step->C.tensor]);
        for (int d = 0; d < step->n_destroy; d++) {
            assert_true(exists[step->destroy[d]]);
            assert_int_equal(plan->tensors[step->destroy[d]].last_step, s);
            exists[step->destroy[d]] = false;
        }
    }
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
        const struct plan_tensor *tensor = &plan->tensors[t];
        bool kept = tensor->last_step == plan->n_steps;
        if (tensor->filled_from >= 0 || tensor->loop >= 0)
            continue;
        assert_int_equal(exists[t], kept);
        assert_true(!kept || tensor->first_step < plan->first_iterated);
    }
    free(exists);
}

static inline bool plan_case_reads(const struct plan_step *step, int tensor)
{
    return step->A.tensor == tensor || step->B.tensor == tensor;
}

/* No step reads or replaces what another one of its phase in its stage writes; those that add to the same
 * tensor are side by side. Phases are in order. */
static inline void plan_case_check_stage(const struct plan *plan, int begin, int end)
{
    if (plan->steps[begin].loop >= 0) {
        assert_int_equal(end - begin, 1);
        return;
    }
    for (int s = begin; s < end; s++) {
        const struct plan_step *step = &plan->steps[s];
        bool follows =
            s > begin && step[-1].C.tensor == step->C.tensor && step[-1].phase == step->phase;
        bool joins = step->phase == PLAN_CONTRACT &&
                     plan->tensors[step->C.tensor].labels.rank > 0 && follows;
        assert_true(step->joins == joins && (!follows || step->add));
        assert_true(s == begin || step[-1].phase <= step->phase);
        for (int other = begin; other < end; other++) {
            const struct plan_step *another = &plan->steps[other];
            bool same = another->C.tensor == step->C.tensor;
            assert_false(another->phase <= step->phase &&
                         plan_case_reads(another, step->C.tensor) &&
                         (another->phase == step->phase || other > s));
            if (other < s && same && another->phase == step->phase)
                assert_true(follows);
        }
    }
}

/* Each step of the stages [first, last] is in the last one that lets all others follow, by every
 * pair of steps. */
static inline void plan_case_check_latest(const struct plan *plan, int first, int last)
{
    int begin = plan->stage_begin[first], end = plan->stage_begin[last + 1], stage = last;
    int *n_after = calloc((size_t)(end - begin) + 1, sizeof *n_after);
    assert_non_null(n_after);
    for (int s = end - 1; s >= begin; s--) {
        const struct plan_step *step = &plan->steps[s];
        int *n = &n_after[s - begin];
        for (int other = s + 1; other < end; other++) {
            const struct plan_step *later = &plan->steps[other];
            bool same = later->C.tensor == step->C.tensor;
            bool follows = plan_case_reads(later, step->C.tensor) ||
                           plan_case_reads(step, later->C.tensor) || (same && !later->add);
            bool late = (follows && step->phase >= later->phase) ||
                        (same && !step->add && step->phase > later->phase);
            int after = n_after[other - begin] + (late ? 1 : 0);
            *n = (follows || same) && after > *n ? after : *n;
        }
        while (s < plan->stage_begin[stage])
            stage--;
        assert_int_equal(stage, last - *n);
    }
    free(n_after);
}

/* Stages are all steps in order; no stage is empty, none begins before the iterations and
 * ends in them; a loop over tiles is a stage, between the others. */
static inline void plan_case_check_stages(const struct plan *plan)
{
    assert_int_equal(plan->stage_begin[0], 0);
    assert_int_equal(plan->stage_begin[plan->n_stages], plan->n_steps);
    assert_int_equal(plan->stage_begin[plan->first_iterated_stage], plan->first_iterated);
    for (int k = 0; k < plan->n_stages; k++) {
        assert_true(plan->stage_begin[k] < plan->stage_begin[k + 1]);
        plan_case_check_stage(plan, plan->stage_begin[k], plan->stage_begin[k + 1]);
    }
    for (int k = 0, first = 0; k <= plan->n_stages; k++) {
        bool loop = k < plan->n_stages && plan_stage_loop(plan, k) >= 0;
        bool part = k == plan->first_iterated_stage || k == plan->first_final_stage;
        if (!loop && !part && k < plan->n_stages)
            continue;
        if (first < k)
            plan_case_check_latest(plan, first, k - 1);
        first = loop ? k + 1 : k;
    }
}

/* A plan with all properties, where 5 values are occupied and 20 virtual. */
static inline void plan_case_init(struct plan_case *made, const char *text, enum plan_pairs pairs)
{
    *made = (struct plan_case){0};
    check_ok(program_parse(text, strlen(text), "case.tce", &made->program));
    check_ok(symmetry_check_program(&made->program, METHOD_N_FILLS, method_fill_symmetries));
    plan_case_spaces(made, 5, 20);
    check_ok(plan_case_plan(made, pairs));
    plan_case_check_lifetimes(made->plan);
    plan_case_check_stages(made->plan);
}
