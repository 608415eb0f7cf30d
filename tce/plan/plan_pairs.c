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
 * Pairs are chosen exchange by exchange: each round adds the pairs of the factor's symmetry with
 * the largest gain, and the best of these choices is taken. The steps are packed factors, products
 * of them for each combination of signs, and sums that are unpacked. */
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

struct pair_choice {
    int n;
    int pair[MOST_PAIRS][2]; /* numbers of product->index */
    /* Symmetries of each factor that exchange chosen pairs alone: the sign for each set of pairs, as bits;
     * 0: none exchanges these. */
    int n_flips[2];
    int8_t flip_sign[2][MOST_COMBINATIONS];
    int n_combinations;                   /* of signs, for which neither factor is zero */
    unsigned negative[MOST_COMBINATIONS]; /* pairs, as bits, with sign -1 */
};

/* A product that may run over pairs. */
struct pair_problem {
    struct plan_builder *builder;
    const struct plan_contraction *contraction;
    const struct product_factor *factor[2]; /* A, B */
    const struct symmetry *symmetry[2];     /* NULL: none */
    bool constant[2];                       /* while the product's statement is iterated */
    /* By its packed parts, which are filled in its place: nothing else reads it. */
    bool replaced[2];
};

/* The product of a choice with given signs. The pairs follow the indices of the term's product. */
struct pair_product {
    struct product product; /* owns the indices alone */
    const struct pair_choice *choice;
    unsigned negative;
    struct packing packing; /* of C */
};

/* Product of the signs of some pairs. */
static int sign_of(unsigned negative, unsigned pairs)
{
    return __builtin_popcount(negative & pairs) % 2 == 0 ? 1 : -1;
}

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
    int statement = problem->contraction->term->statement;
    bool iterated = plan_builder_time(builder, statement) == PLAN_ITERATED;
    for (int f = 0; f < 2; f++) {
        int t = problem->factor[f]->tensor;
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
    const struct product *product = problem->contraction->product;
    int n = 0;
    return product->index[left].space == product->index[right].space &&
           pair_space_is_possible(product->spaces->spaces[product->index[left].space].space) &&
           are_alike_in(&problem->factor[0]->operand, left, right, &n) &&
           are_alike_in(&problem->factor[1]->operand, left, right, &n) &&
           are_alike_in(&problem->contraction->C.operand, left, right, &n) && n == 2;
}

/* The place x of an index in the choice, pair[x / 2][x % 2]; -1: it is in no pair. */
static int place_in_choice(const struct pair_choice *choice, int index)
{
    int x = 2 * choice->n - 1;
    while (x >= 0 && choice->pair[x / 2][x % 2] != index)
        x--;
    return x;
}

/* Whether the index at place x, which may be -1, has this partner. */
static bool is_partner(const struct pair_choice *choice, int x, int index)
{
    return x >= 0 && choice->pair[x / 2][1 - x % 2] == index;
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
        int left = operand->index[d], right = operand->index[permutation->place[d]];
        int x = place_in_choice(choice, left);
        if (left == right)
            continue;
        if (!is_partner(choice, x, right))
            return false;
        *pairs |= 1U << x / 2;
    }
    return true;
}

static void list_flips(const struct pair_problem *problem, int f, struct pair_choice *choice)
{
    const struct symmetry *symmetry = problem->symmetry[f];
    int8_t *sign = choice->flip_sign[f];
    unsigned pairs;
    memset(sign, 0, MOST_COMBINATIONS);
    choice->n_flips[f] = sign[0] = 1;
    for (int e = 0; symmetry && e < symmetry->n; e++)
        if (find_flip(choice, &problem->factor[f]->operand, &symmetry->elements[e], &pairs) &&
            sign[pairs] == 0) {
            sign[pairs] = symmetry->elements[e].sign;
            choice->n_flips[f]++;
        }
}

/* Whether neither factor's part with these signs is zero. */
static bool meets_flips(const struct pair_choice *choice, unsigned negative)
{
    for (int f = 0; f < 2; f++)
        for (unsigned pairs = 0; pairs < 1U << choice->n; pairs++)
            if (choice->flip_sign[f][pairs] == -sign_of(negative, pairs))
                return false;
    return true;
}

static void find_combinations(const struct pair_problem *problem, struct pair_choice *choice)
{
    list_flips(problem, 0, choice);
    list_flips(problem, 1, choice);
    choice->n_combinations = 0;
    for (unsigned negative = 0; negative < 1U << choice->n; negative++)
        if (meets_flips(choice, negative))
            choice->negative[choice->n_combinations++] = negative;
}

/* Adds the pairs that a symmetry of a factor exchanges; false: some cannot be pairs, or all are there. */
static bool add_exchange(const struct pair_problem *problem, int f,
                         const struct signed_permutation *permutation, struct pair_choice *choice)
{
    const struct product_operand *operand = &problem->factor[f]->operand;
    int n = choice->n;
    for (int d = 0; d < operand->rank; d++) {
        int e = permutation->place[d], left = operand->index[d], right = operand->index[e];
        int x = place_in_choice(choice, left);
        if (permutation->place[e] != d)
            return false;
        if (e <= d || is_partner(choice, x, right))
            continue;
        if (x >= 0 || place_in_choice(choice, right) >= 0 || choice->n == MOST_PAIRS ||
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
    for (int c = 0; c < choice->n_combinations; c++)
        met |= 1U << (choice->negative[c] & pairs);
    return __builtin_popcount(met);
}

/* Operations that a choice saves of those without pairs, less those in the time that packing and unpacking
 * take in each run, and what memory is worth. */
static double find_gain(const struct pair_problem *problem, const struct pair_choice *choice,
                        double flops)
{
    const struct plan_tensor *tensors = problem->builder->plan->tensors;
    const struct product_factor *C = &problem->contraction->C;
    double gain = flops * (1 - choice->n_combinations / (double)(1 << choice->n));
    for (int f = 0; f < 2; f++) {
        const struct product_factor *factor = problem->factor[f];
        if (pairs_in(choice, &factor->operand) != 0 && !problem->replaced[f])
            gain -= (problem->constant[f] ? KEPT_FLOPS : PLAN_MOVE_FLOPS) *
                    tensors[factor->tensor].elements / choice->n_flips[f] *
                    count_packed(choice, &factor->operand);
    }
    if (pairs_in(choice, &C->operand) != 0)
        gain -= PLAN_MOVE_FLOPS * tensors[C->tensor].elements * count_packed(choice, &C->operand);
    return gain;
}

/* Adds one exchange after another, each time that with the largest gain, and chooses the best of what is met.
 * flops   that the product takes without pairs
 * chosen  out: no pairs if none pay */
static void choose_pairs(const struct pair_problem *problem, double flops,
                         struct pair_choice *chosen)
{
    bool always = problem->builder->pairs == PLAN_PAIRS_ALWAYS;
    double best = always ? -INFINITY : LEAST_SAVED;
    struct pair_choice from = {0};
    *chosen = from;
    do {
        struct pair_choice next = {0};
        double most = -INFINITY;
        for (int f = 0; f < 2; f++)
            for (int e = 0; problem->symmetry[f] && e < problem->symmetry[f]->n; e++) {
                struct pair_choice tried = from;
                if (!add_exchange(problem, f, &problem->symmetry[f]->elements[e], &tried))
                    continue;
                find_combinations(problem, &tried);
                double gain = find_gain(problem, &tried, flops);
                /* Without a combination the product is zero; it is left as it is. */
                if (tried.n_combinations > 0 && gain > most) {
                    next = tried;
                    most = gain;
                }
            }
        if (most > best) {
            best = most;
            *chosen = next;
        }
        from = next;
    } while (from.n > 0);
}

/* --- products over pairs --- */

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
        *term = (struct packing_term){0, sign_of(pairs->negative, exchanged)};
        for (int p = 0; p < choice->n; p++)
            if (exchanged >> p & 1)
                term->flipped |= 1U << place_of[p];
        for (unsigned flip = 0; f >= 0 && flip < 1U << choice->n; flip++)
            met[exchanged ^ flip] = met[exchanged ^ flip] || choice->flip_sign[f][flip] != 0;
    }
    for (int t = 0; t < packing->n_terms; t++)
        packing->term[t].factor /= packing->n_terms;
}

/* An operand over the pairs, each where the first of its indices is, and how it is packed.
 * f         the factor; -1: the target
 * weighted  pairs that are summed over have weights */
static struct product_operand pack_operand(const struct pair_product *pairs,
                                           const struct product_operand *full, int f, bool weighted,
                                           struct packing *packing)
{
    struct product_operand packed = {.irrep = full->irrep, .spin = full->spin};
    const struct product *product = &pairs->product;
    int place_of[MOST_PAIRS] = {0};
    *packing = (struct packing){0};
    for (int d = 0; d < full->rank; d++) {
        int x = place_in_choice(pairs->choice, full->index[d]), e = packed.rank;
        if (x >= 0 && x % 2 == 1)
            continue;
        packed.rank = ++packing->n;
        packing->place[e] = (struct packed_place){.first = d, .second = -1};
        packed.index[e] = full->index[d];
        if (x >= 0) {
            packed.index[e] = product->n_indices - pairs->choice->n + x / 2;
            place_of[x / 2] = e;
            packing->place[e].second = single_place(full, pairs->choice->pair[x / 2][1]);
            packing->place[e].weighted = weighted && !product->index[packed.index[e]].outer;
        }
        const struct label_space *space =
            &product->spaces->spaces[product->index[packed.index[e]].space];
        packing->place[e].pairs = space->pairs;
        packed.has_irrep[e] = full->has_irrep[d] || !space->without_irreps;
        packed.sign[e] = space->max_spin > 0 ? full->sign[d] : 1;
    }
    list_packing_terms(pairs, f, pairs_in(pairs->choice, full), place_of, packing);
    return packed;
}

/* Errors: STATUS_NO_MEMORY, STATUS_LIMIT; the indices are to be freed then, too. */
static enum status init_pair_product(const struct pair_problem *problem,
                                     const struct pair_choice *choice, unsigned negative,
                                     struct pair_product *pairs)
{
    const struct product *full = problem->contraction->product;
    const struct product_factor *C = &problem->contraction->C;
    struct label_spaces *spaces = &problem->builder->plan->spaces;
    *pairs = (struct pair_product){.product = *full, .choice = choice, .negative = negative};
    struct product *product = &pairs->product;
    product->index = calloc((size_t)(full->n_indices + choice->n), sizeof *product->index);
    TRY(CHECK_MEMORY(product->index, "no memory for a product over pairs"));
    memcpy(product->index, full->index, (size_t)full->n_indices * sizeof *full->index);
    for (int p = 0; p < choice->n; p++) {
        struct product_index *index = &product->index[product->n_indices++];
        *index = full->index[choice->pair[p][0]];
        index->with = full->index[choice->pair[p][1]].name;
        index->outer = single_place(&C->operand, choice->pair[p][0]) >= 0;
        TRY(label_spaces_find_pairs(spaces, index->space, sign_of(negative, 1U << p),
                                    &index->space));
    }
    product->target = *C;
    product->target.operand = pack_operand(pairs, &C->operand, -1, false, &pairs->packing);
    return STATUS_OK;
}

/* --- packed tensors --- */

/* A new intermediate. */
static enum status add_packed(struct plan_builder *builder, const struct pair_product *pairs,
                              const struct packing *packing, struct product_factor *packed)
{
    TRY(plan_builder_intermediate(builder, &pairs->product, -1, packed));
    struct packing *kept = builder->plan->tensors[packed->tensor].packing = malloc(sizeof *kept);
    TRY(CHECK_MEMORY(kept, "no memory for a product over pairs"));
    *kept = *packing;
    return STATUS_OK;
}

/* Whether a tensor is packed from the same places. */
static bool is_packed_so(const struct plan *plan, int tensor, const struct packing *packing)
{
    const struct packing *other = plan->tensors[tensor].packing;
    bool same = other->n == packing->n;
    for (int d = 0; same && d < packing->n; d++) {
        const struct packed_place *a = &other->place[d], *b = &packing->place[d];
        same = a->first == b->first && a->second == b->second && a->pairs == b->pairs &&
               a->weighted == b->weighted;
    }
    return same;
}

/* A packed tensor that is there; -1: none. */
static int find_packed(const struct plan_builder *builder, const struct plan_packed *asked,
                       const struct packing *packing)
{
    for (int p = 0; p < builder->n_packed; p++) {
        const struct plan_packed *packed = &builder->packed[p];
        if (packed->of == asked->of && packed->version == asked->version &&
            packed->before >= asked->before && is_packed_so(builder->plan, packed->tensor, packing))
            return packed->tensor;
    }
    return -1;
}

/* A has the weights of summed pairs, unless they could take from it a symmetry by which it is stored. */
static bool has_weights(const struct pair_problem *problem, const struct pair_choice *choice, int f)
{
    bool B = problem->symmetry[0] && problem->symmetry[0]->n > choice->n_flips[0];
    return f == (B ? 1 : 0);
}

/* A factor over the pairs, packed unless it is there or has none of them: before the iterations if it does not
 * change in them. */
static enum status make_packed(const struct pair_problem *problem, int f,
                               const struct pair_product *pairs, struct product_factor *packed)
{
    struct plan_builder *builder = problem->builder;
    const struct product_factor *full = problem->factor[f];
    struct plan_step_list *before = &builder->steps[PLAN_BEFORE];
    struct plan_step_list *list = problem->constant[f] ? before : problem->contraction->list;
    struct plan_packed made = {full->tensor, full->version, -1, list == before};
    struct packing packing;
    *packed = *full;
    if (pairs_in(pairs->choice, &full->operand) == 0)
        return STATUS_OK;
    packed->operand =
        pack_operand(pairs, &full->operand, f, has_weights(problem, pairs->choice, f), &packing);
    packed->tensor = find_packed(builder, &made, &packing);
    if (packed->tensor >= 0)
        return STATUS_OK;
    TRY(add_packed(builder, pairs, &packing, packed));
    made.tensor = packed->tensor;
    TRY(array_append(&builder->packed, &builder->n_packed, sizeof *builder->packed));
    builder->packed[builder->n_packed - 1] = made;
    struct plan_step step = plan_builder_step(builder, problem->contraction->term->statement,
                                              &pairs->product, packed, full, NULL);
    step.phase = PLAN_PACK;
    step.flops = builder->plan->tensors[packed->tensor].elements * packing.n_terms;
    return plan_builder_append(builder, list, step);
}

/* --- sums over pairs --- */

/* The sum of all products with the signs at hand in the pairs of C, sum->operand; made if it is not there, with the
 * step that unpacks it at the end, whose flops are elements. */
static enum status find_pair_sum(const struct pair_problem *problem,
                                 const struct pair_product *pairs, struct product_factor *sum)
{
    struct plan_builder *builder = problem->builder;
    const struct product_factor *C = &problem->contraction->C;
    for (int s = 0; s < builder->sums.n; s++) {
        const struct plan_step *unpack = &builder->sums.steps[s];
        sum->tensor = unpack->A.tensor;
        if (unpack->C.tensor == C->tensor &&
            is_packed_so(builder->plan, sum->tensor, &pairs->packing))
            return STATUS_OK;
    }
    TRY(add_packed(builder, pairs, &pairs->packing, sum));
    TRY(array_append(&builder->sums.steps, &builder->sums.n, sizeof *builder->sums.steps));
    struct plan_step *unpack = &builder->sums.steps[builder->sums.n - 1];
    *unpack = plan_builder_step(builder, problem->contraction->term->statement, &pairs->product, C,
                                sum, NULL);
    unpack->phase = PLAN_UNPACK;
    unpack->flops = builder->plan->tensors[C->tensor].elements;
    return STATUS_OK;
}

enum status plan_builder_unpack(struct plan_builder *builder, int first,
                                struct plan_step_list *list)
{
    for (int s = first; s < builder->sums.n; s++)
        TRY(plan_builder_append(builder, list, builder->sums.steps[s]));
    builder->sums.n = first;
    return STATUS_OK;
}

/* --- steps --- */

/* Appends the product of packed factors for one combination of signs. */
static enum status append_combination(const struct pair_problem *problem,
                                      const struct pair_product *pairs)
{
    struct plan_contraction packed = *problem->contraction;
    packed.product = &pairs->product;
    packed.C = pairs->product.target;
    TRY(make_packed(problem, 0, pairs, &packed.A));
    TRY(make_packed(problem, 1, pairs, &packed.B));
    if (pairs_in(pairs->choice, &problem->contraction->C.operand) != 0)
        TRY(find_pair_sum(problem, pairs, &packed.C));
    return plan_builder_contract(problem->builder, &packed);
}

enum status plan_builder_pairs(struct plan_builder *builder,
                               const struct plan_contraction *contraction, bool *made)
{
    struct pair_problem problem = {.builder = builder,
                                   .contraction = contraction,
                                   .factor = {&contraction->A, &contraction->B}};
    struct pair_choice choice;
    double full, packed = 0;
    int first_sum = builder->sums.n;
    *made = false;
    init_problem(&problem);
    if (builder->pairs == PLAN_PAIRS_NEVER || (!problem.symmetry[0] && !problem.symmetry[1]))
        return STATUS_OK;
    TRY(product_count(contraction->product, &contraction->A.operand, &contraction->B.operand,
                      &full));
    full *= 2;
    choose_pairs(&problem, full, &choice);
    *made = choice.n > 0;
    for (int c = 0; c < choice.n_combinations; c++) {
        struct pair_product pairs;
        enum status status = init_pair_product(&problem, &choice, choice.negative[c], &pairs);
        if (status == STATUS_OK)
            status = append_combination(&problem, &pairs);
        free(pairs.product.index);
        TRY(status);
        packed += contraction->list->steps[contraction->list->n - 1].flops;
    }
    builder->plan->saved_flops += *made ? full - packed : 0;
    return contraction->into_target ? STATUS_OK
                                    : plan_builder_unpack(builder, first_sum, contraction->list);
}
