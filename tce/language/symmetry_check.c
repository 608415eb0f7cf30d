/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/symmetry_check.h"

#include "tce/language/symmetry_operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- fills --- */

static bool has_statement(const struct program *program, int tensor)
{
    for (int s = 0; s < program->n_statements; s++)
        if (program->statements[s].target.tensor == tensor)
            return true;
    return false;
}

/* Places that may be exchanged: of one space and on one side of the bar. */
static void class_places(const struct program_tensor *tensor, int class_of[])
{
    for (int d = 0; d < tensor->rank; d++)
        class_of[d] = 2 * tensor->space[d] + (tensor->sign[d] > 0);
}

/* Exchanges of neighbours of each class, which generate all permutations of its places. */
static int list_all_exchanges(const struct program_tensor *tensor,
                              struct signed_permutation exchanges[MAX_RANK])
{
    int class_of[MAX_RANK], n = 0;
    class_places(tensor, class_of);
    for (int d = 0; d < tensor->rank; d++)
        for (int e = d + 1; e < tensor->rank; e++) {
            if (class_of[e] != class_of[d])
                continue;
            exchanges[n] = symmetry_identity();
            exchanges[n].place[d] = (int8_t)e;
            exchanges[n++].place[e] = (int8_t)d;
            break;
        }
    return n;
}

/* The symmetry of a tensor that holds what fills it, NULL: numbers without any. Empty if it has more
 * permutations than a group may. */
static enum status find_fill_symmetry(const struct program_tensor *tensor,
                                      const struct fill_symmetry *fill, struct symmetry *symmetry)
{
    struct signed_permutation all[MAX_RANK];
    int class_of[MAX_RANK];
    bool contradicts;
    *symmetry = (struct symmetry){0};
    if (!fill || (fill->rank > 0 && fill->rank != tensor->rank))
        return STATUS_OK;
    if (fill->rank == 0) {
        enum status status = symmetry_generate(tensor->rank, list_all_exchanges(tensor, all), all,
                                               symmetry, &contradicts);
        return status == STATUS_LIMIT ? STATUS_OK : status;
    }
    TRY(symmetry_generate(tensor->rank, fill->n_exchanges, fill->exchanges, symmetry,
                          &contradicts));
    class_places(tensor, class_of);
    symmetry_restrict(symmetry, tensor->rank, class_of);
    return STATUS_OK;
}

/* Whether a fill has a declared exchange. */
static bool fill_has(const struct program_tensor *tensor, const struct fill_symmetry *fill,
                     const struct symmetry *symmetry, const struct signed_permutation *exchange)
{
    if (fill && fill->rank == 0)
        return exchange->sign > 0;
    return symmetry_sign(symmetry, tensor->rank, exchange) == exchange->sign;
}

/* That it lacks a declared exchange, the first of those. */
static enum status refuse_fill(const struct program *program, const struct program_tensor *tensor,
                               int exchange, const bool lacks[])
{
    int sign = tensor->exchanges[exchange].permutation.sign;
    return source_fail(
        program->file, tensor->exchanges[exchange].place,
        "'%s' is filled with '%s', which is not %s under this exchange: leave it out, or fill "
        "another tensor, of which a statement makes '%s' with %s",
        tensor->name, tensor->fill, sign > 0 ? "symmetric" : "antisymmetric", tensor->name,
        symmetry_operators_for(program, tensor, lacks, tensor->index).text);
}

/* Whether the fill has all exchanges that are declared. */
static enum status check_filled_exchanges(const struct program *program,
                                          const struct program_tensor *tensor,
                                          const struct fill_symmetry *fill,
                                          const struct symmetry *symmetry)
{
    bool *lacks = calloc((size_t)tensor->n_exchanges + 1, sizeof *lacks);
    int first = -1;
    TRY(CHECK_MEMORY(lacks, "no memory for the symmetry of a tensor"));
    for (int x = tensor->n_exchanges - 1; x >= 0; x--) {
        lacks[x] = !fill_has(tensor, fill, symmetry, &tensor->exchanges[x].permutation);
        first = lacks[x] ? x : first;
    }
    enum status status = first >= 0 ? refuse_fill(program, tensor, first, lacks) : STATUS_OK;
    free(lacks);
    return status;
}

static enum status bind_fill(struct program *program, int number, const struct fill_symmetry *fill)
{
    struct program_tensor *tensor = &program->tensors[number];
    struct symmetry symmetry;
    TRY(find_fill_symmetry(tensor, fill, &symmetry));
    enum status status = check_filled_exchanges(program, tensor, fill, &symmetry);
    if (status != STATUS_OK) {
        symmetry_fini(&symmetry);
        return status;
    }
    if (symmetry.n > 0 && tensor->loop < 0 && !has_statement(program, number)) {
        symmetry_fini(&tensor->symmetry);
        tensor->symmetry = symmetry;
        tensor->fills_packed = fill->fills_packed;
    } else {
        symmetry_fini(&symmetry);
    }
    return STATUS_OK;
}

const struct fill_symmetry *symmetry_check_find_fill(const struct program_tensor *tensor, int n,
                                                     const struct fill_symmetry fills[])
{
    for (int f = 0; tensor->fill && f < n; f++)
        if (strcmp(fills[f].name, tensor->fill) == 0)
            return &fills[f];
    return NULL;
}

static enum status bind_fills(struct program *program, int n, const struct fill_symmetry fills[])
{
    for (int t = 0; t < program->n_tensors; t++)
        if (program->tensors[t].fill)
            TRY(bind_fill(program, t, symmetry_check_find_fill(&program->tensors[t], n, fills)));
    return STATUS_OK;
}

/* --- statements --- */

/* Beyond these a statement's symmetry is not looked for here. */
enum { MOST_FACTORS = 6, MOST_TERMS = 5000, MOST_STEPS = 200000 };

/* A product in canonical form, and its coefficient. The words are, of each factor, its tensor and its
 * indices: of the target by their places, others as they first occur. */
struct canonical_term {
    double coefficient;
    int n_words;
    int word[MOST_FACTORS * (1 + MAX_RANK)];
};

struct term_search {
    const struct program *program;
    const struct program_factor *target;
    const struct program_term *term;
    const struct signed_permutation *exchange;     /* of the target's places */
    int n_summed, summed[MOST_FACTORS * MAX_RANK]; /* indices, by their numbers */
    int sign;
    struct canonical_term now,
        least;      /* so far; the coefficient of least: its sign, 0 if both are met */
    int64_t *steps; /* left */
};

static int number_term_index(struct term_search *search, int index)
{
    for (int d = 0; d < search->program->tensors[search->target->tensor].rank; d++)
        if (search->target->index[d] == index)
            return search->exchange->place[d];
    int i = 0;
    while (i < search->n_summed && search->summed[i] != index)
        i++;
    search->summed[i] = index;
    search->n_summed += i == search->n_summed;
    return MAX_RANK + i;
}

/* Compares the words so far with as many of the least ones. */
static int compare_with_least(const struct term_search *search)
{
    for (int w = 0; w < search->now.n_words; w++)
        if (search->now.word[w] != search->least.word[w])
            return search->now.word[w] < search->least.word[w] ? -1 : 1;
    return 0;
}

static void note_canonical(struct term_search *search)
{
    bool first = search->least.n_words == 0;
    int order = first ? -1 : compare_with_least(search);
    if (order < 0) {
        search->least = search->now;
        search->least.coefficient = search->sign;
    } else if (order == 0 && search->least.coefficient != search->sign) {
        search->least.coefficient = 0;
    }
}

static void search_words(struct term_search *search, unsigned left);

/* Appends a factor, its indices permuted in each way that its symmetry has, and goes on. */
static void append_term_factor(struct term_search *search, int f, unsigned left)
{
    const struct program_factor *factor = &search->term->factors[f];
    const struct program_tensor *tensor = &search->program->tensors[factor->tensor];
    const struct signed_permutation identity = symmetry_identity();
    const struct symmetry *symmetry = &tensor->symmetry;
    int n_words = search->now.n_words, n_summed = search->n_summed, sign = search->sign;
    for (int e = 0; e < (symmetry->n > 0 ? symmetry->n : 1); e++) {
        const struct signed_permutation *p = symmetry->n > 0 ? &symmetry->elements[e] : &identity;
        search->now.word[search->now.n_words++] = factor->tensor;
        for (int d = 0; d < tensor->rank; d++)
            search->now.word[search->now.n_words++] =
                number_term_index(search, factor->index[p->place[d]]);
        search->sign = sign * p->sign;
        search_words(search, left & ~(1U << f));
        search->now.n_words = n_words;
        search->n_summed = n_summed;
        search->sign = sign;
    }
}

/* Appends the factors that are left, tensors in the order of their numbers, in every order and form
 * that may lead to the least words. */
static void search_words(struct term_search *search, unsigned left)
{
    const struct program_factor *factors = search->term->factors;
    if (--*search->steps < 0 || (search->least.n_words > 0 && compare_with_least(search) > 0))
        return;
    if (left == 0) {
        note_canonical(search);
        return;
    }
    int first = -1;
    for (int f = 0; f < search->term->n_factors; f++)
        if ((left >> f & 1) && (first < 0 || factors[f].tensor < factors[first].tensor))
            first = f;
    for (int f = first; f < search->term->n_factors; f++)
        if ((left >> f & 1) && factors[f].tensor == factors[first].tensor)
            append_term_factor(search, f, left);
}

/* Appends the canonical forms of a statement's products, the target's places exchanged. */
static void list_canonical(const struct program *program, const struct program_statement *statement,
                           const struct signed_permutation *exchange, double factor, int64_t *steps,
                           struct canonical_term list[])
{
    for (int t = 0; t < statement->n_terms; t++) {
        const struct program_term *term = &statement->terms[t];
        struct term_search search = {.program = program,
                                     .target = &statement->target,
                                     .term = term,
                                     .exchange = exchange,
                                     .sign = 1,
                                     .steps = steps};
        search_words(&search, (1U << term->n_factors) - 1);
        list[t] = search.least;
        list[t].coefficient *= factor * term->coefficient;
    }
}

static int compare_canonical(const void *left, const void *right)
{
    const struct canonical_term *l = left, *r = right;
    if (l->n_words != r->n_words)
        return l->n_words < r->n_words ? -1 : 1;
    for (int w = 0; w < l->n_words; w++)
        if (l->word[w] != r->word[w])
            return l->word[w] < r->word[w] ? -1 : 1;
    return 0;
}

/* Whether the coefficients of each product cancel. */
static bool all_cancel(int n, struct canonical_term list[])
{
    qsort(list, (size_t)n, sizeof *list, compare_canonical);
    for (int t = 0; t < n;) {
        const struct canonical_term *first = &list[t];
        double sum = 0, size = 0;
        for (; t < n && compare_canonical(first, &list[t]) == 0; t++) {
            sum += list[t].coefficient;
            size += fabs(list[t].coefficient);
        }
        if (fabs(sum) > 1e-14 * size)
            return false;
    }
    return true;
}

static bool may_search(const struct program_statement *statement)
{
    bool may = statement->n_terms <= MOST_TERMS;
    for (int t = 0; t < statement->n_terms && may; t++)
        may = statement->terms[t].n_factors <= MOST_FACTORS;
    return may;
}

static enum status find_kept_symmetry(const struct program *program,
                                      struct program_statement *statement)
{
    const struct program_tensor *tensor = &program->tensors[statement->target.tensor];
    const struct signed_permutation identity = symmetry_identity();
    int64_t steps = MOST_STEPS;
    int n = statement->n_terms;
    statement->tries_symmetry = tensor->n_exchanges > 0;
    if (tensor->n_exchanges == 0 || !may_search(statement))
        return STATUS_OK;
    struct canonical_term *list = calloc(2 * (size_t)n, sizeof *list);
    TRY(CHECK_MEMORY(list, "no memory for the symmetry of %d products", n));
    bool kept = true;
    for (int x = 0; x < tensor->n_exchanges && kept; x++) {
        const struct signed_permutation *exchange = &tensor->exchanges[x].permutation;
        list_canonical(program, statement, exchange, 1, &steps, list);
        list_canonical(program, statement, &identity, -exchange->sign, &steps, list + n);
        kept = steps >= 0 && all_cancel(2 * n, list);
    }
    statement->tries_symmetry = !kept;
    free(list);
    return STATUS_OK;
}

enum status symmetry_check_program(struct program *program, int n,
                                   const struct fill_symmetry fills[])
{
    TRY(bind_fills(program, n, fills));
    for (int s = 0; s < program->n_statements; s++)
        TRY(find_kept_symmetry(program, &program->statements[s]));
    return STATUS_OK;
}
