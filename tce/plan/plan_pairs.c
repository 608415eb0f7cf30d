/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of products over pairs: packed factors, products of them for each combination of signs, sums
 * that are unpacked. */
#include "support/base/array.h"
#include "tce/plan/pair_choice.h"
#include "tce/plan/pair_product.h"
#include "tce/plan/plan_builder.h"

#include <stdlib.h>

/* Operations that one must save: for its steps and synchronisations, a tenth of a millisecond; and for each
 * element that is packed before the iterations and takes memory in them, beside the tensor itself. Below
 * the latter CCSD of small molecules would be up to 4 % faster with up to 15 % more memory. */
#define LEAST_SAVED 2e6
#define KEPT_FLOPS  50

/* A product that may run over pairs. */
struct pair_problem {
    struct plan_builder *builder;
    const struct plan_term *term;
    struct plan_step_list *list;
    const struct plan_write *write;
    const struct plan_use *use[2]; /* A, B */
    struct pair_factor factor[2];
    bool constant[2]; /* while the product's statement is iterated */
    bool
        replaced[2]; /* by its packed parts, which are filled in its place: nothing else reads it */
    int weighted; /* the factor that is to have the weights of summed pairs: a constant one, if there is */
};

/* --- choice --- */

/* How many factors of all products a tensor is. */
static int count_uses(const struct program *program, int tensor)
{
    int n = 0;
    for (int s = 0; s < program->n_statements; s++)
        for (int t = 0; t < program->statements[s].n_terms; t++)
            for (int f = 0; f < program->statements[s].terms[t].n_factors; f++)
                n += program->statements[s].terms[t].factors[f].tensor == tensor;
    return n;
}

static void init_problem(struct pair_problem *problem)
{
    const struct plan_builder *builder = problem->builder;
    const struct program *program = builder->program;
    bool iterated = problem->term->statement >= program->first_iterated &&
                    problem->term->statement < program->first_final;
    for (int f = 0; f < 2; f++) {
        const struct plan_use *use = problem->use[f];
        bool own = use->tensor < builder->plan->n_program_tensors;
        bool has = own && program->tensors[use->tensor].symmetry.n > 1;
        problem->factor[f] = (struct pair_factor){
            &use->operand, has ? &program->tensors[use->tensor].symmetry : NULL};
        problem->constant[f] = iterated && own && !builder->changes[use->tensor];
        problem->replaced[f] = problem->constant[f] && program->tensors[use->tensor].fills_packed &&
                               count_uses(program, use->tensor) == 1;
    }
    problem->weighted = problem->constant[1] && !problem->constant[0];
}

/* Different signs of the pairs in an operand, among all combinations. */
static int count_packed(const struct pair_choice *choice, const struct product_operand *operand)
{
    unsigned pairs = pair_choice_in(choice, operand), met = 0;
    for (int c = 0; c < choice->n_combinations; c++) {
        unsigned negative = 0;
        for (int p = 0; p < choice->n; p++)
            negative |= (pairs >> p & 1 && choice->sign[c][p] < 0) << p;
        met |= 1U << negative;
    }
    return __builtin_popcount(met);
}

/* Operations in the time that packing and unpacking take in each run, and what memory is worth. */
static double packing_cost(const struct pair_problem *problem, const struct pair_choice *choice)
{
    const struct plan_tensor *tensors = problem->builder->plan->tensors;
    const struct plan_write *write = problem->write;
    double cost = 0;
    for (int f = 0; f < 2; f++) {
        struct pair_flip flips[PAIRS_MAX_COMBINATIONS];
        int n_flips = pair_choice_flips(choice, &problem->factor[f], flips);
        if (pair_choice_in(choice, problem->factor[f].operand) != 0 && !problem->replaced[f])
            cost += (problem->constant[f] ? KEPT_FLOPS : PLAN_MOVE_FLOPS) *
                    tensors[problem->use[f]->tensor].elements / n_flips *
                    count_packed(choice, problem->factor[f].operand);
    }
    if (pair_choice_in(choice, &write->C.operand) != 0)
        cost += PLAN_MOVE_FLOPS * tensors[write->C.tensor].elements *
                count_packed(choice, &write->C.operand);
    return cost;
}

/* The best of all choices, of the operations that the product takes without pairs.
 * found  out: whether there is one */
static enum status choose_pairs(const struct pair_problem *problem, double flops,
                                struct pair_choice *chosen, bool *found)
{
    struct pair_search search;
    struct pair_choice choice;
    bool always = problem->builder->pairs == PLAN_PAIRS_ALWAYS;
    double best = 0;
    *found = false;
    enum status status = pair_search_init(&problem->term->product, &problem->factor[0],
                                          &problem->factor[1], &problem->write->C.operand, &search);
    while (status == STATUS_OK && pair_search_next(&search, &choice)) {
        double saved = flops * (1 - pair_choice_fraction(&choice));
        if (*found && saved <= best)
            continue;
        double gain = saved - packing_cost(problem, &choice);
        if ((!always && gain < LEAST_SAVED) || (*found && gain <= best))
            continue;
        *found = true;
        best = gain;
        *chosen = choice;
    }
    pair_search_fini(&search);
    return status;
}

/* --- packed tensors --- */

/* How often the tensor of a factor has been changed before. */
static int version_of(const struct plan_term *term, int tensor)
{
    for (int f = 0; f < term->product.n_factors; f++)
        if (term->product.factor[f].tensor == tensor)
            return term->product.factor[f].version;
    return 0;
}

static bool same_places(const struct packing *a, const struct packing *b)
{
    bool same = a->n == b->n;
    for (int d = 0; same && d < a->n; d++)
        same = a->place[d].first == b->place[d].first && a->place[d].second == b->place[d].second &&
               a->place[d].pairs == b->place[d].pairs &&
               a->place[d].weighted == b->place[d].weighted;
    return same;
}

static enum status add_packing(struct plan *plan, const struct packing *packing, int *number)
{
    TRY(array_append(&plan->packings, &plan->n_packings, sizeof *plan->packings));
    *number = plan->n_packings - 1;
    plan->packings[*number] = *packing;
    return STATUS_OK;
}

/* A packed tensor that is there; -1: none. */
static int find_packed(const struct plan_builder *builder, const struct plan_packed *asked,
                       const struct packing *packing, bool before)
{
    for (int p = 0; p < builder->n_packed; p++) {
        const struct plan_packed *packed = &builder->packed[p];
        if (packed->of == asked->of && packed->version == asked->version &&
            (packed->before || !before) &&
            same_places(&builder->plan->packings[packed->packing], packing))
            return packed->tensor;
    }
    return -1;
}

/* Appends the step that packs a factor, before the iterations if it does not change in them. */
static enum status append_packing(const struct pair_problem *problem, int f,
                                  const struct pair_product *pairs, const struct packing *packing,
                                  struct plan_packed *made, struct plan_use *packed)
{
    struct plan_builder *builder = problem->builder;
    struct plan *plan = builder->plan;
    struct plan_step_list *list = problem->constant[f] ? &builder->before : problem->list;
    struct plan_step *step;
    TRY(plan_builder_intermediate(builder, &pairs->product, -1, packed));
    TRY(add_packing(plan, packing, &made->packing));
    TRY(plan_builder_append(list, problem->term->statement, &pairs->product, packed, packed, NULL,
                            &step));
    step->A = plan_builder_number(&problem->term->product, problem->use[f], step);
    step->phase = PLAN_PACK;
    step->packing = made->packing;
    step->create = made->tensor = packed->tensor;
    step->flops = plan->tensors[packed->tensor].elements * packing->n_terms;
    made->before = list == &builder->before;
    TRY(array_append(&builder->packed, &builder->n_packed, sizeof *builder->packed));
    builder->packed[builder->n_packed - 1] = *made;
    return STATUS_OK;
}

/* The factor that has the weights of summed pairs: the other one if they would take a symmetry from this one, by
 * which it is stored. */
static enum status find_weighted(const struct pair_problem *problem,
                                 const struct pair_product *pairs, int *weighted)
{
    const struct pair_factor *factor = &problem->factor[problem->weighted];
    int n[2] = {0};
    *weighted = problem->weighted;
    for (int with = 0; with < 2 && factor->symmetry; with++) {
        struct packing packing;
        struct symmetry symmetry;
        pair_product_packing(pairs, factor, with == 1, &packing);
        TRY(packing_symmetry(&packing, factor->symmetry, &symmetry));
        n[with] = symmetry.n;
        symmetry_fini(&symmetry);
    }
    if (n[1] < n[0])
        *weighted = 1 - problem->weighted;
    return STATUS_OK;
}

/* A factor over the pairs, packed unless it is there or has none of them. */
static enum status make_packed(const struct pair_problem *problem, int f,
                               const struct pair_product *pairs, bool weighted,
                               struct plan_use *packed)
{
    const struct plan_use *use = problem->use[f];
    struct plan_packed made = {.of = use->tensor,
                               .version = version_of(problem->term, use->tensor)};
    struct packing packing;
    packed->operand = pairs->product.factor[f].operand;
    packed->tensor = use->tensor;
    if (pair_choice_in(pairs->choice, &use->operand) == 0)
        return STATUS_OK;
    pair_product_packing(pairs, &problem->factor[f], weighted, &packing);
    bool before = problem->constant[f] || problem->list == &problem->builder->before;
    packed->tensor = find_packed(problem->builder, &made, &packing, before);
    return packed->tensor >= 0 ? STATUS_OK
                               : append_packing(problem, f, pairs, &packing, &made, packed);
}

/* --- sums over pairs --- */

/* The step that unpacks a sum; its flops: elements. */
static enum status describe_unpacking(const struct pair_problem *problem,
                                      const struct pair_product *pairs, const struct plan_use *sum,
                                      int packing, struct plan_step *unpack)
{
    struct plan_step_list scratch = {0};
    struct plan_step *step;
    enum status status =
        plan_builder_append(&scratch, problem->term->statement, &problem->term->product,
                            &problem->write->C, &problem->write->C, NULL, &step);
    if (status == STATUS_OK) {
        *unpack = *step;
        unpack->A = plan_builder_number(&pairs->product, sum, unpack);
        unpack->phase = PLAN_UNPACK;
        unpack->packing = packing;
        unpack->flops = problem->builder->plan->tensors[problem->write->C.tensor].elements;
    }
    free(scratch.steps);
    return status;
}

/* The sum of all products with the signs at hand in the pairs of C; made if it is not there.
 * is_new  out: it has been made here */
static enum status find_pair_sum(const struct pair_problem *problem,
                                 const struct pair_product *pairs, struct plan_use *sum,
                                 bool *is_new)
{
    struct plan_builder *builder = problem->builder;
    const struct pair_factor target = {&problem->write->C.operand, NULL};
    struct packing packing;
    int number;
    pair_product_packing(pairs, &target, false, &packing);
    sum->operand = pairs->product.target;
    *is_new = false;
    for (int s = 0; s < builder->n_sums; s++)
        if (builder->sums[s].unpack.C.tensor == problem->write->C.tensor &&
            same_places(&builder->plan->packings[builder->sums[s].packing], &packing)) {
            sum->tensor = builder->sums[s].tensor;
            return STATUS_OK;
        }
    *is_new = true;
    TRY(plan_builder_intermediate(builder, &pairs->product, -1, sum));
    TRY(add_packing(builder->plan, &packing, &number));
    TRY(array_append(&builder->sums, &builder->n_sums, sizeof *builder->sums));
    struct plan_pair_sum *made = &builder->sums[builder->n_sums - 1];
    made->packing = number;
    made->tensor = sum->tensor;
    return describe_unpacking(problem, pairs, sum, number, &made->unpack);
}

/* Appends the steps that unpack the sums for a tensor. */
static enum status unpack_sums(struct plan_builder *builder, int statement, int tensor, bool is_new,
                               struct plan_step_list *list)
{
    int n_left = 0;
    for (int s = 0; s < builder->n_sums; s++) {
        if (builder->sums[s].unpack.C.tensor != tensor) {
            builder->sums[n_left++] = builder->sums[s];
            continue;
        }
        TRY(array_append(&list->steps, &list->n, sizeof *list->steps));
        struct plan_step *step = &list->steps[list->n - 1];
        *step = builder->sums[s].unpack;
        step->create = is_new ? tensor : -1;
        step->add = !is_new && (plan_builder_adds(builder, statement) ||
                                tensor >= builder->plan->n_program_tensors);
        builder->is_set = builder->is_set || tensor < builder->plan->n_program_tensors;
        is_new = false;
    }
    builder->n_sums = n_left;
    return STATUS_OK;
}

enum status plan_builder_unpack(struct plan_builder *builder, int statement,
                                struct plan_step_list *list)
{
    return unpack_sums(builder, statement, builder->program->statements[statement].target.tensor,
                       false, list);
}

/* --- products --- */

/* Appends the product of packed factors for one combination of signs.
 * first  whether it is the first of a new C without pairs */
static enum status append_combination(const struct pair_problem *problem,
                                      const struct pair_product *pairs, bool first, double *flops)
{
    struct plan_builder *builder = problem->builder;
    const struct plan_write *write = problem->write;
    struct plan_use A, B, C = {write->C.tensor, pairs->product.target};
    bool summed = pair_choice_in(pairs->choice, &write->C.operand) != 0, new_sum = false;
    struct plan_step *step;
    int weighted;
    TRY(find_weighted(problem, pairs, &weighted));
    TRY(make_packed(problem, 0, pairs, weighted == 0, &A));
    TRY(make_packed(problem, 1, pairs, weighted == 1, &B));
    if (summed)
        TRY(find_pair_sum(problem, pairs, &C, &new_sum));
    TRY(plan_builder_append_ordered(builder, problem->list, problem->term->statement,
                                    &pairs->product, &C, &A, &B, &step));
    step->factor = write->factor;
    if (summed) {
        step->create = new_sum ? C.tensor : -1;
        step->add = !new_sum;
    } else if (write->is_new) {
        step->create = first ? C.tensor : -1;
        step->add = !first;
    } else {
        step->add = plan_builder_adds(builder, problem->term->statement);
        builder->is_set = true;
    }
    TRY(product_flops(&pairs->product, &A.operand, &B.operand, !write->is_new, &step->flops));
    *flops += step->flops;
    return STATUS_OK;
}

static enum status append_combinations(const struct pair_problem *problem,
                                       const struct pair_choice *choice, double *flops)
{
    for (int c = 0; c < choice->n_combinations; c++) {
        struct pair_product pairs;
        enum status status =
            pair_product_init(problem->builder->plan, &problem->term->product, choice,
                              choice->sign[c], &problem->use[0]->operand, &problem->use[1]->operand,
                              &problem->write->C.operand, &pairs);
        if (status == STATUS_OK)
            status = append_combination(problem, &pairs, c == 0, flops);
        pair_product_fini(&pairs);
        TRY(status);
    }
    return STATUS_OK;
}

enum status plan_builder_pairs(struct plan_builder *builder, const struct plan_term *term,
                               struct plan_step_list *list, const struct plan_write *write,
                               const struct plan_use *A, const struct plan_use *B, bool *made)
{
    struct pair_problem problem = {
        .builder = builder, .term = term, .list = list, .write = write, .use = {A, B}};
    struct pair_choice choice;
    double full, packed = 0;
    *made = false;
    init_problem(&problem);
    if (builder->pairs == PLAN_PAIRS_NEVER ||
        (!problem.factor[0].symmetry && !problem.factor[1].symmetry))
        return STATUS_OK;
    TRY(product_flops(&term->product, &A->operand, &B->operand, !write->is_new, &full));
    TRY(choose_pairs(&problem, full, &choice, made));
    if (!*made)
        return STATUS_OK;
    TRY(append_combinations(&problem, &choice, &packed));
    builder->plan->saved_flops += full - packed;
    return write->is_new ? unpack_sums(builder, term->statement, write->C.tensor, true, list)
                         : STATUS_OK;
}
