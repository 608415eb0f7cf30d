/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass over pairs: pairs of indices of a product A * B run over p >= q or p > q only.
 *
 * Take pairs of indices such as (a, b) and (c, d) of A[abcd] and (c, d) and (i, j) of B[cdij]. A is the sum
 * of its parts that are symmetric (+1) or antisymmetric (-1) in each of its pairs, and so is B. A symmetry
 * of A that exchanges some of its pairs at once, with a sign, leaves those parts of A the product of
 * whose signs in these pairs is that sign; likewise of B. The product is the sum, over the signs of all
 * pairs that are left, of the products of parts. Each of these runs over each pair once: with k pairs it
 * takes 2^-k of the operations. So every independent condition halves them:
 *   - t antisymmetric in c and d: 1/2; in i and j, too: 1/4;
 *   - A[abcd] = A[badc] and B[cdij] = B[dcji]: two of eight combinations of signs, 1/4.
 *
 * Pairs are chosen exchange by exchange: each time those of the symmetry of a factor with the largest gain are
 * added, and the best of these choices is taken. The steps are packed factors, products of them for each
 * combination of signs, and sums that are unpacked. */
#include "support/base/array.h"
#include "tce/plan/plan_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Operations that pairs must save: for their steps and synchronisations, a tenth of a millisecond; and for each
 * element that is packed before the iterations and takes memory in them, beside the tensor itself. Below
 * the latter CCSD of small molecules would be up to 4 % faster with up to 15 % more memory. */
#define LEAST_SAVED 2e6
#define KEPT_FLOPS  50

enum { MOST_PAIRS = 4, MOST_COMBINATIONS = 1 << MOST_PAIRS };

/* Pairs of a choice that a symmetry exchanges at once, as bits, and the sign that this gives. */
struct pair_flip {
    unsigned pairs;
    int sign;
};

struct pair_choice {
    int n;
    int pair[MOST_PAIRS][2]; /* numbers of product->index */
    /* The symmetries of each factor that exchange chosen pairs alone, the identity first. */
    int n_flips[2];
    struct pair_flip flips[2][MOST_COMBINATIONS];
    int n_combinations; /* of signs, for which neither factor is zero */
    int8_t sign[MOST_COMBINATIONS][MOST_PAIRS];
};

/* A product that may run over pairs. */
struct pair_problem {
    struct plan_builder *builder;
    const struct plan_term *term;
    struct plan_step_list *list;
    const struct plan_write *write;
    const struct plan_use *use[2];      /* A, B */
    const struct symmetry *symmetry[2]; /* NULL: none */
    bool constant[2];                   /* while the product's statement is iterated */
    bool
        replaced[2]; /* by its packed parts, which are filled in its place: nothing else reads it */
};

/* The product of a choice with given signs: its indices are those of the term's product and, after them, the
 * pairs. */
struct pair_product {
    struct product product; /* owns the indices alone */
    const struct pair_choice *choice;
    const int8_t *sign;
    const struct pair_space *pairs[MOST_PAIRS];
};

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
        int t = problem->use[f]->tensor;
        bool own = t < builder->plan->n_program_tensors;
        if (own && program->tensors[t].symmetry.n > 1)
            problem->symmetry[f] = &program->tensors[t].symmetry;
        problem->constant[f] = iterated && own && !builder->changes[t];
        problem->replaced[f] =
            problem->constant[f] && program->tensors[t].fills_packed && count_uses(program, t) == 1;
    }
}

/* --- choice --- */

/* The place of an index in an operand; -1: it has none, -2: several. */
static int single_place(const struct product_operand *operand, int index)
{
    int place = -1;
    for (int d = 0; d < operand->rank; d++)
        if (operand->index[d] == index)
            place = place == -1 ? d : -2;
    return place;
}

/* Whether an operand has both, each once and with the same labels, or none of them.
 * n  out: increased if it has them */
static bool are_alike_in(const struct product_operand *operand, int left, int right, int *n)
{
    int l = single_place(operand, left), r = single_place(operand, right);
    *n += l >= 0;
    if (l < 0 || r < 0)
        return l == -1 && r == -1;
    return operand->has_irrep[l] == operand->has_irrep[r] && operand->sign[l] == operand->sign[r];
}

/* Whether two indices may be a pair: of one space, and both in the same two of A, B and C. */
static bool may_pair(const struct pair_problem *problem, int left, int right)
{
    const struct product *product = &problem->term->product;
    int n = 0;
    return product->index[left].space == product->index[right].space &&
           pair_space_is_possible(product->spaces->spaces[product->index[left].space].space) &&
           are_alike_in(&problem->use[0]->operand, left, right, &n) &&
           are_alike_in(&problem->use[1]->operand, left, right, &n) &&
           are_alike_in(&problem->write->C.operand, left, right, &n) && n == 2;
}

/* The pair of the choice that an index is the first or the second of; -1: it is in none. */
static int pair_of_index(const struct pair_choice *choice, int index, bool *second)
{
    for (int p = 0; p < choice->n; p++)
        for (int i = 0; i < 2; i++)
            if (choice->pair[p][i] == index) {
                *second = i == 1;
                return p;
            }
    return -1;
}

/* The pairs that an operand has, as bits. */
static unsigned pairs_in(const struct pair_choice *choice, const struct product_operand *operand)
{
    unsigned pairs = 0;
    for (int p = 0; p < choice->n; p++)
        if (single_place(operand, choice->pair[p][0]) >= 0)
            pairs |= 1U << p;
    return pairs;
}

/* The chosen pairs that a permutation of an operand's places exchanges; false if it moves anything else. */
static bool find_flip(const struct pair_choice *choice, const struct product_operand *operand,
                      const struct signed_permutation *permutation, unsigned *pairs)
{
    *pairs = 0;
    for (int d = 0; d < operand->rank; d++) {
        bool second;
        int left = operand->index[d], right = operand->index[permutation->place[d]];
        int p = left == right ? -1 : pair_of_index(choice, left, &second);
        if (left != right && (p < 0 || choice->pair[p][second ? 0 : 1] != right))
            return false;
        *pairs |= p < 0 ? 0 : 1U << p;
    }
    return true;
}

static void list_flips(const struct pair_problem *problem, int f, struct pair_choice *choice)
{
    const struct symmetry *symmetry = problem->symmetry[f];
    struct pair_flip *flips = choice->flips[f];
    int n = 1;
    flips[0] = (struct pair_flip){0, 1};
    for (int e = 0; symmetry && e < symmetry->n; e++) {
        unsigned pairs;
        if (!find_flip(choice, &problem->use[f]->operand, &symmetry->elements[e], &pairs))
            continue;
        int known = 0;
        while (known < n && flips[known].pairs != pairs)
            known++;
        if (known == n)
            flips[n++] = (struct pair_flip){pairs, symmetry->elements[e].sign};
    }
    choice->n_flips[f] = n;
}

/* Whether a factor's part with these signs, bit p for -1 of pair p, is not zero. */
static bool meets_flips(const struct pair_choice *choice, int f, unsigned negative)
{
    for (int i = 0; i < choice->n_flips[f]; i++) {
        const struct pair_flip *flip = &choice->flips[f][i];
        if ((__builtin_popcount(negative & flip->pairs) % 2 == 0 ? 1 : -1) != flip->sign)
            return false;
    }
    return true;
}

static void find_combinations(const struct pair_problem *problem, struct pair_choice *choice)
{
    list_flips(problem, 0, choice);
    list_flips(problem, 1, choice);
    choice->n_combinations = 0;
    for (unsigned negative = 0; negative < 1U << choice->n; negative++) {
        if (!meets_flips(choice, 0, negative) || !meets_flips(choice, 1, negative))
            continue;
        int8_t *sign = choice->sign[choice->n_combinations++];
        for (int p = 0; p < choice->n; p++)
            sign[p] = negative >> p & 1 ? -1 : 1;
    }
}

/* Adds the pairs that a symmetry of a factor exchanges; false: some cannot be pairs, or all are there. */
static bool add_exchange(const struct pair_problem *problem, int f,
                         const struct signed_permutation *permutation, struct pair_choice *choice)
{
    const struct product_operand *operand = &problem->use[f]->operand;
    int n = choice->n;
    for (int d = 0; d < operand->rank; d++) {
        int e = permutation->place[d], left = operand->index[d], right = operand->index[e];
        bool second;
        if (permutation->place[e] != d)
            return false;
        if (e <= d)
            continue;
        int p = pair_of_index(choice, left, &second);
        if (p >= 0 && choice->pair[p][second ? 0 : 1] == right)
            continue;
        if (p >= 0 || pair_of_index(choice, right, &second) >= 0 || choice->n == MOST_PAIRS ||
            !may_pair(problem, left, right))
            return false;
        choice->pair[choice->n][0] = left < right ? left : right;
        choice->pair[choice->n++][1] = left < right ? right : left;
    }
    return choice->n > n;
}

/* Different signs of the pairs in an operand, among all combinations. */
static int count_packed(const struct pair_choice *choice, const struct product_operand *operand)
{
    unsigned pairs = pairs_in(choice, operand), met = 0;
    for (int c = 0; c < choice->n_combinations; c++) {
        unsigned negative = 0;
        for (int p = 0; p < choice->n; p++)
            negative |= (pairs >> p & 1 && choice->sign[c][p] < 0) << p;
        met |= 1U << negative;
    }
    return __builtin_popcount(met);
}

/* Operations that a choice saves of those without pairs, less those in the time that packing and unpacking
 * take in each run, and what memory is worth. */
static double find_gain(const struct pair_problem *problem, const struct pair_choice *choice,
                        double flops)
{
    const struct plan_tensor *tensors = problem->builder->plan->tensors;
    const struct plan_use *C = &problem->write->C;
    double gain = flops * (1 - choice->n_combinations / (double)(1 << choice->n));
    for (int f = 0; f < 2; f++) {
        const struct plan_use *use = problem->use[f];
        if (pairs_in(choice, &use->operand) != 0 && !problem->replaced[f])
            gain -= (problem->constant[f] ? KEPT_FLOPS : PLAN_MOVE_FLOPS) *
                    tensors[use->tensor].elements / choice->n_flips[f] *
                    count_packed(choice, &use->operand);
    }
    if (pairs_in(choice, &C->operand) != 0)
        gain -= PLAN_MOVE_FLOPS * tensors[C->tensor].elements * count_packed(choice, &C->operand);
    return gain;
}

/* The choice with the largest gain among those with one more exchange; no pairs: there is none. */
static struct pair_choice extend_choice(const struct pair_problem *problem,
                                        const struct pair_choice *from, double flops, double *gain)
{
    struct pair_choice best = {0};
    *gain = -INFINITY;
    for (int f = 0; f < 2; f++)
        for (int e = 0; problem->symmetry[f] && e < problem->symmetry[f]->n; e++) {
            struct pair_choice tried = *from;
            if (!add_exchange(problem, f, &problem->symmetry[f]->elements[e], &tried))
                continue;
            find_combinations(problem, &tried);
            double found = find_gain(problem, &tried, flops);
            /* Without a combination the product is zero; it is left as it is. */
            if (tried.n_combinations > 0 && found > *gain) {
                best = tried;
                *gain = found;
            }
        }
    return best;
}

/* flops  that the product takes without pairs
 * chosen  out: no pairs if none pay */
static void choose_pairs(const struct pair_problem *problem, double flops,
                         struct pair_choice *chosen)
{
    bool always = problem->builder->pairs == PLAN_PAIRS_ALWAYS;
    double best = always ? -INFINITY : LEAST_SAVED, gain;
    struct pair_choice tried = {0};
    *chosen = tried;
    for (;;) {
        tried = extend_choice(problem, &tried, flops, &gain);
        if (tried.n == 0)
            return;
        if (gain > best) {
            best = gain;
            *chosen = tried;
        }
    }
}

/* --- products over pairs --- */

/* The space of pairs of a space of the plan, which is added where it is new; its number. */
static enum status find_pair_space(struct plan *plan, int of, int sign,
                                   const struct pair_space **pairs, int *number)
{
    int p = 0;
    while (p < plan->n_pair_spaces &&
           (plan->pair_spaces[p].of != of || plan->pair_spaces[p].pairs->sign != sign))
        p++;
    if (p == plan->n_pair_spaces) {
        TRY(array_append(&plan->pair_spaces, &plan->n_pair_spaces, sizeof *plan->pair_spaces));
        struct plan_pair_space *made = &plan->pair_spaces[p];
        made->of = of;
        TRY(pair_space_create(plan->spaces.spaces[of].space, sign, &made->pairs));
        TRY(label_spaces_add(&plan->spaces, made->pairs->space, &made->number));
    }
    *pairs = plan->pair_spaces[p].pairs;
    *number = plan->pair_spaces[p].number;
    return STATUS_OK;
}

/* An operand over the pairs, each where the first of its indices is. */
static struct product_operand operand_over_pairs(const struct pair_product *pairs,
                                                 const struct product_operand *full)
{
    struct product_operand packed = {.irrep = full->irrep, .spin = full->spin};
    const struct product *product = &pairs->product;
    for (int d = 0; d < full->rank; d++) {
        bool second = false;
        int pair = pair_of_index(pairs->choice, full->index[d], &second);
        if (pair >= 0 && second)
            continue;
        int e = packed.rank++;
        packed.index[e] = pair < 0 ? full->index[d] : product->n_indices - pairs->choice->n + pair;
        const struct label_space *space =
            &product->spaces->spaces[product->index[packed.index[e]].space];
        packed.has_irrep[e] = full->has_irrep[d] || !space->without_irreps;
        packed.sign[e] = space->has_spins ? full->sign[d] : 1;
    }
    return packed;
}

/* Errors: STATUS_NO_MEMORY, STATUS_LIMIT; the indices are to be freed then, too. */
static enum status init_pair_product(const struct pair_problem *problem,
                                     const struct pair_choice *choice, const int8_t *sign,
                                     struct pair_product *pairs)
{
    const struct product *full = &problem->term->product;
    *pairs = (struct pair_product){.product = *full, .choice = choice, .sign = sign};
    struct product *product = &pairs->product;
    product->index = calloc((size_t)(full->n_indices + choice->n), sizeof *product->index);
    TRY(CHECK_MEMORY(product->index, "no memory for a product over pairs"));
    memcpy(product->index, full->index, (size_t)full->n_indices * sizeof *full->index);
    for (int p = 0; p < choice->n; p++) {
        struct product_index *index = &product->index[product->n_indices++];
        *index = full->index[choice->pair[p][0]];
        index->with = full->index[choice->pair[p][1]].name;
        TRY(find_pair_space(problem->builder->plan, index->space, sign[p], &pairs->pairs[p],
                            &index->space));
    }
    product->target = operand_over_pairs(pairs, &problem->write->C.operand);
    return STATUS_OK;
}

/* --- packed tensors --- */

/* Lists one of each set of exchanges that a factor's symmetry makes equal, with the sign of the parts.
 * f         the factor; -1: the target
 * place_of  of each pair in the packed tensor */
static void list_packing_terms(const struct pair_product *pairs, int f, unsigned in,
                               const int place_of[MOST_PAIRS], struct packing *packing)
{
    const struct pair_choice *choice = pairs->choice;
    bool met[MOST_COMBINATIONS] = {false};
    for (unsigned exchanged = 0; exchanged < 1U << choice->n; exchanged++) {
        if ((exchanged & ~in) != 0 || met[exchanged])
            continue;
        struct packing_term *term = &packing->term[packing->n_terms++];
        *term = (struct packing_term){0, 1};
        for (int p = 0; p < choice->n; p++)
            if (exchanged >> p & 1) {
                term->flipped |= 1U << place_of[p];
                term->factor *= pairs->sign[p];
            }
        for (int i = 0; f >= 0 && i < choice->n_flips[f]; i++)
            met[exchanged ^ choice->flips[f][i].pairs] = true;
    }
    for (int t = 0; t < packing->n_terms; t++)
        packing->term[t].factor /= packing->n_terms;
}

/* Describes how an operand of the full product is packed into that of this one.
 * f         the factor; -1: the target
 * weighted  pairs that are summed over have weights */
static void describe_packing(const struct pair_product *pairs,
                             const struct product_operand *operand, int f, bool weighted,
                             struct packing *packing)
{
    const struct pair_choice *choice = pairs->choice;
    int place_of[MOST_PAIRS] = {0};
    *packing = (struct packing){0};
    for (int d = 0; d < operand->rank; d++) {
        bool second = false;
        int pair = pair_of_index(choice, operand->index[d], &second), first_pair;
        if (pair >= 0 && second)
            continue;
        struct packed_place *place = &packing->place[packing->n++];
        *place = (struct packed_place){.first = d, .second = -1};
        if (pair < 0)
            continue;
        first_pair = pairs->product.n_indices - choice->n;
        place_of[pair] = packing->n - 1;
        place->second = single_place(operand, choice->pair[pair][1]);
        place->pairs = pairs->pairs[pair];
        place->weighted = weighted && single_place(&pairs->product.target, first_pair + pair) < 0;
    }
    list_packing_terms(pairs, f, pairs_in(choice, operand), place_of, packing);
}

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
    struct plan_step_list *list = problem->constant[f] ? &builder->before : problem->list;
    TRY(plan_builder_intermediate(builder, &pairs->product, -1, packed));
    TRY(add_packing(builder->plan, packing, &made->packing));
    made->tensor = packed->tensor;
    made->before = list == &builder->before;
    struct plan_step step = plan_builder_step(builder, problem->term->statement, &pairs->product,
                                              packed, problem->use[f], NULL);
    step.phase = PLAN_PACK;
    step.packing = made->packing;
    step.create = packed->tensor;
    step.flops = builder->plan->tensors[packed->tensor].elements * packing->n_terms;
    TRY(array_append(&builder->packed, &builder->n_packed, sizeof *builder->packed));
    builder->packed[builder->n_packed - 1] = *made;
    return plan_builder_append(list, &step);
}

/* A has the weights of summed pairs, unless they could take from it a symmetry by which it is stored. */
static bool has_weights(const struct pair_problem *problem, const struct pair_choice *choice, int f)
{
    bool B = problem->symmetry[0] && problem->symmetry[0]->n > choice->n_flips[0];
    return f == (B ? 1 : 0);
}

/* A factor over the pairs, packed unless it is there or has none of them. */
static enum status make_packed(const struct pair_problem *problem, int f,
                               const struct pair_product *pairs, struct plan_use *packed)
{
    const struct plan_use *use = problem->use[f];
    struct plan_packed made = {.of = use->tensor,
                               .version = version_of(problem->term, use->tensor)};
    struct packing packing;
    *packed = (struct plan_use){use->tensor, operand_over_pairs(pairs, &use->operand)};
    if (pairs_in(pairs->choice, &use->operand) == 0)
        return STATUS_OK;
    describe_packing(pairs, &use->operand, f, has_weights(problem, pairs->choice, f), &packing);
    bool before = problem->constant[f] || problem->list == &problem->builder->before;
    packed->tensor = find_packed(problem->builder, &made, &packing, before);
    return packed->tensor >= 0 ? STATUS_OK
                               : append_packing(problem, f, pairs, &packing, &made, packed);
}

/* --- sums over pairs --- */

/* The sum of all products with the signs at hand in the pairs of C; made if it is not there, with the step that
 * unpacks it at the end, whose flops are elements.
 * is_new  out: it has been made here */
static enum status find_pair_sum(const struct pair_problem *problem,
                                 const struct pair_product *pairs, struct plan_use *sum,
                                 bool *is_new)
{
    struct plan_builder *builder = problem->builder;
    const struct plan_use *C = &problem->write->C;
    struct packing packing;
    int number;
    describe_packing(pairs, &C->operand, -1, false, &packing);
    sum->operand = pairs->product.target;
    *is_new = false;
    for (int s = 0; s < builder->sums.n; s++)
        if (builder->sums.steps[s].C.tensor == C->tensor &&
            same_places(&builder->plan->packings[builder->sums.steps[s].packing], &packing)) {
            sum->tensor = builder->sums.steps[s].A.tensor;
            return STATUS_OK;
        }
    *is_new = true;
    TRY(plan_builder_intermediate(builder, &pairs->product, -1, sum));
    TRY(add_packing(builder->plan, &packing, &number));
    struct plan_step unpack =
        plan_builder_step(builder, problem->term->statement, &pairs->product, C, sum, NULL);
    unpack.phase = PLAN_UNPACK;
    unpack.packing = number;
    unpack.flops = builder->plan->tensors[C->tensor].elements;
    return plan_builder_append(&builder->sums, &unpack);
}

/* Appends the steps that unpack the sums for a tensor. */
static enum status unpack_sums(struct plan_builder *builder, int statement, int tensor, bool is_new,
                               struct plan_step_list *list)
{
    bool own = tensor < builder->plan->n_program_tensors;
    int n_left = 0;
    for (int s = 0; s < builder->sums.n; s++) {
        struct plan_step *unpack = &builder->sums.steps[s];
        if (unpack->C.tensor != tensor) {
            builder->sums.steps[n_left++] = *unpack;
            continue;
        }
        unpack->create = is_new ? tensor : -1;
        unpack->add = !is_new && (plan_builder_adds(builder, statement) || !own);
        builder->is_set = builder->is_set || own;
        is_new = false;
        TRY(plan_builder_append(list, unpack));
    }
    builder->sums.n = n_left;
    return STATUS_OK;
}

enum status plan_builder_unpack(struct plan_builder *builder, int statement,
                                struct plan_step_list *list)
{
    return unpack_sums(builder, statement, builder->program->statements[statement].target.tensor,
                       false, list);
}

/* --- steps --- */

/* Appends the product of packed factors for one combination of signs.
 * first  whether it is the first of a new C without pairs */
static enum status append_combination(const struct pair_problem *problem,
                                      const struct pair_product *pairs, bool first, double *flops)
{
    struct plan_builder *builder = problem->builder;
    const struct plan_write *write = problem->write;
    struct plan_use A, B, C = {write->C.tensor, pairs->product.target};
    bool summed = pairs_in(pairs->choice, &write->C.operand) != 0, is_new = first && write->is_new;
    TRY(make_packed(problem, 0, pairs, &A));
    TRY(make_packed(problem, 1, pairs, &B));
    if (summed)
        TRY(find_pair_sum(problem, pairs, &C, &is_new));
    struct plan_step step =
        plan_builder_step(builder, problem->term->statement, &pairs->product, &C, &A, &B);
    step.factor = write->factor;
    step.create = is_new ? C.tensor : -1;
    step.add =
        summed || write->is_new ? !is_new : plan_builder_adds(builder, problem->term->statement);
    builder->is_set = builder->is_set || (!summed && !write->is_new);
    TRY(product_flops(&pairs->product, &A.operand, &B.operand, !write->is_new, &step.flops));
    *flops += step.flops;
    return plan_builder_append(problem->list, &step);
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
    if (builder->pairs == PLAN_PAIRS_NEVER || (!problem.symmetry[0] && !problem.symmetry[1]))
        return STATUS_OK;
    TRY(product_flops(&term->product, &A->operand, &B->operand, !write->is_new, &full));
    choose_pairs(&problem, full, &choice);
    *made = choice.n > 0;
    for (int c = 0; c < choice.n_combinations; c++) {
        struct pair_product pairs;
        enum status status = init_pair_product(&problem, &choice, choice.sign[c], &pairs);
        if (status == STATUS_OK)
            status = append_combination(&problem, &pairs, c == 0, &packed);
        free(pairs.product.index);
        TRY(status);
    }
    builder->plan->saved_flops += *made ? full - packed : 0;
    return *made && write->is_new
               ? unpack_sums(builder, term->statement, write->C.tensor, true, list)
               : STATUS_OK;
}
