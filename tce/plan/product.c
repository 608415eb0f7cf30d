/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/product.h"

#include <stdlib.h>
#include <string.h>

/* The number of an index of the program in the product, where it may be new. */
static int number_of(struct product *product, const struct program *program, int name)
{
    for (int i = 0; i < product->n_indices; i++)
        if (product->index[i].name == name)
            return i;
    product->index[product->n_indices] =
        (struct product_index){.name = name, .with = -1, .space = program->indices[name].space};
    return product->n_indices++;
}

static struct product_factor product_factor_of(struct product *product,
                                               const struct program *program,
                                               const struct program_factor *factor,
                                               const int version[])
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    struct product_operand operand = {
        .rank = tensor->rank, .irrep = tensor->irrep, .spin = tensor->spin};
    for (int d = 0; d < tensor->rank; d++) {
        operand.index[d] = number_of(product, program, factor->index[d]);
        operand.has_irrep[d] = true;
        operand.sign[d] = tensor->sign[d];
    }
    return (struct product_factor){factor->tensor, version[factor->tensor], operand};
}

enum status product_init(const struct program *program, const struct label_spaces *spaces,
                         const struct program_factor *target, const struct program_term *term,
                         const int version[], struct product *product)
{
    int n_places = program->tensors[target->tensor].rank;
    for (int f = 0; f < term->n_factors; f++)
        n_places += program->tensors[term->factors[f].tensor].rank;
    *product =
        (struct product){.spaces = spaces,
                         .n_factors = term->n_factors,
                         .factor = calloc((size_t)term->n_factors + 1, sizeof *product->factor),
                         .index = calloc((size_t)n_places + 1, sizeof *product->index)};
    if (!product->factor || !product->index) {
        product_fini(product);
        return FAIL(STATUS_NO_MEMORY, "no memory for a product of %d tensors", term->n_factors);
    }
    product->target = product_factor_of(product, program, target, version);
    for (int i = 0; i < product->n_indices; i++)
        product->index[i].outer = true;
    for (int f = 0; f < term->n_factors; f++) {
        product->factor[f] = product_factor_of(product, program, &term->factors[f], version);
        for (int d = 0; d < product->factor[f].operand.rank; d++)
            product->index[product->factor[f].operand.index[d]].factors |= UINT64_C(1) << f;
    }
    return STATUS_OK;
}

void product_fini(struct product *product)
{
    free(product->factor);
    free(product->index);
    *product = (struct product){0};
}

uint64_t product_all(const struct product *product)
{
    return UINT64_MAX >> (64 - product->n_factors);
}

bool product_has(const struct product *product, uint64_t part, int index)
{
    const struct product_index *asked = &product->index[index];
    return (asked->factors & part) != 0 && (asked->outer || (asked->factors & ~part) != 0);
}

int product_rank(const struct product *product, uint64_t part)
{
    int rank = 0;
    for (int i = 0; i < product->n_indices; i++)
        rank += product_has(product, part, i);
    return rank;
}

/* --- labels of a part --- */

enum label_kind { IRREPS, SPINS };

/* Whole multiples of A's and B's laws, added. */
struct combination {
    int of_A, of_B;
};

static int times_in(const struct product_operand *operand, int index)
{
    int n = 0;
    for (int d = 0; operand && d < operand->rank; d++)
        n += operand->index[d] == index;
    return n;
}

/* Appends the indices that the part has and that are in both A and B, or in one alone. */
static void append_indices(const struct product *product, uint64_t part,
                           const struct product_operand *from, const struct product_operand *other,
                           bool shared, struct product_operand *result)
{
    for (int d = 0; from && d < from->rank; d++) {
        int index = from->index[d];
        if (product_has(product, part, index) && (times_in(other, index) > 0) == shared &&
            times_in(result, index) == 0)
            result->index[result->rank++] = index;
    }
}

/* The factor of an index's irrep or spin in the law of an operand. */
static int label_weight(enum label_kind kind, const struct product_operand *operand, int index)
{
    int weight = 0;
    for (int d = 0; operand && d < operand->rank; d++)
        if (operand->index[d] == index)
            weight += kind == IRREPS ? operand->has_irrep[d] : operand->sign[d];
    return weight;
}

static bool index_has_labels(const struct product *product, enum label_kind kind, int index)
{
    const struct label_space *space = &product->spaces->spaces[product->index[index].space];
    return kind == IRREPS ? space->without_irreps != NULL : space->max_spin > 0;
}

/* The factor of an index in a combination; an irrep taken twice is trivial. */
static int combined_weight(enum label_kind kind, struct combination c,
                           const struct product_operand *A, const struct product_operand *B,
                           int index)
{
    int weight = c.of_A * label_weight(kind, A, index) + c.of_B * label_weight(kind, B, index);
    return kind == IRREPS ? weight & 1 : weight;
}

/* Number of the result's indices that the law restricts; -1 if it restricts a summed index, too, or
 * if a weight is not one that labels of a tensor can have. */
static int score_law(const struct product *product, enum label_kind kind, struct combination c,
                     const struct product_operand *A, const struct product_operand *B,
                     const struct product_operand *result)
{
    int score = 0;
    for (int i = 0; i < product->n_indices; i++) {
        if (!index_has_labels(product, kind, i))
            continue;
        int weight = combined_weight(kind, c, A, B, i);
        if (weight != 0 && (times_in(result, i) == 0 || abs(weight) > 1))
            return -1;
        score += weight != 0;
    }
    return score;
}

/* Gives the result the law, of all combinations of A's and B's, that restricts most of its indices. */
static void set_law(const struct product *product, enum label_kind kind,
                    const struct product_operand *A, const struct product_operand *B,
                    struct product_operand *result)
{
    static const struct combination tried[] = {{1, 1}, {1, -1}, {1, 0}, {0, 1}};
    struct combination best = {0, 0};
    int best_score = -1;
    for (int t = 0; t < (B ? 4 : 1); t++) {
        int score = score_law(product, kind, tried[t], A, B, result);
        if (score > best_score) {
            best_score = score;
            best = tried[t];
        }
    }
    for (int d = 0; d < result->rank; d++) {
        int index = result->index[d];
        int weight =
            index_has_labels(product, kind, index) ? combined_weight(kind, best, A, B, index) : 1;
        if (kind == IRREPS)
            result->has_irrep[d] = weight != 0;
        else
            result->sign[d] = (int8_t)weight;
    }
    if (kind == IRREPS)
        result->irrep = (best.of_A ? A->irrep : 0) ^ (B && best.of_B ? B->irrep : 0);
    else
        result->spin = best.of_A * A->spin + (B ? best.of_B * B->spin : 0);
}

void product_combine(const struct product *product, uint64_t part, const struct product_operand *A,
                     const struct product_operand *B, struct product_operand *result)
{
    *result = (struct product_operand){0};
    if (B)
        append_indices(product, part, A, B, true, result);
    append_indices(product, part, A, B, false, result);
    append_indices(product, part, B, A, false, result);
    set_law(product, IRREPS, A, B, result);
    set_law(product, SPINS, A, B, result);
}

/* --- counts --- */

enum { MAX_LAWS = 2, IRREP_BITS = 3 };

/* Laws of labels that tuples of values must meet, and the number of beginnings of tuples for each
 * state. The state of a beginning has the irreps of all laws as low bits. Their sums of spins are
 * the digits of the number above; a digit's zero is max_spin. */
struct label_count {
    const struct product *product;
    int n_laws;
    const struct product_operand *law[MAX_LAWS];
    int irrep_shift[MAX_LAWS]; /* -1: its indices have only irrep 0 */
    int max_spin[MAX_LAWS];    /* of a sum, either sign */
    int spin_scale[MAX_LAWS];
    int n_irrep_bits, n_spin_states;
    size_t n_states;
    double *now, *next;
};

/* A change of the state. */
struct label_move {
    size_t irreps;
    int spins;
};

static const struct label_space *label_space_of(const struct product *product, int index)
{
    return &product->spaces->spaces[product->index[index].space];
}

static bool is_counted(const struct label_count *count, int index)
{
    for (int law = 0; law < count->n_laws; law++)
        if (times_in(count->law[law], index) > 0)
            return true;
    return false;
}

static void add_law(struct label_count *count, const struct product_operand *operand)
{
    int law = count->n_laws++;
    bool has_irreps = false;
    count->law[law] = operand;
    for (int d = 0; d < operand->rank; d++) {
        const struct label_space *space = label_space_of(count->product, operand->index[d]);
        has_irreps = has_irreps || (space->without_irreps && operand->has_irrep[d]);
        count->max_spin[law] += operand->sign[d] != 0 ? space->max_spin : 0;
    }
    count->irrep_shift[law] = has_irreps ? count->n_irrep_bits : -1;
    count->n_irrep_bits += has_irreps ? IRREP_BITS : 0;
    count->spin_scale[law] = count->n_spin_states;
    count->n_spin_states *= 2 * count->max_spin[law] + 1;
    count->n_states = (size_t)count->n_spin_states << count->n_irrep_bits;
}

static void add_move(const struct label_count *count, int law, int irrep, int spin,
                     struct label_move *move)
{
    if (count->irrep_shift[law] >= 0)
        move->irreps ^= (size_t)irrep << count->irrep_shift[law];
    move->spins += spin * count->spin_scale[law];
}

/* The move of one class of an index. */
static struct label_move move_of(const struct label_count *count, int index,
                                 const struct label_class *labels)
{
    struct label_move move = {0, 0};
    for (int law = 0; law < count->n_laws; law++) {
        const struct product_operand *operand = count->law[law];
        for (int d = 0; d < operand->rank; d++)
            if (operand->index[d] == index)
                add_move(count, law, operand->has_irrep[d] ? labels->irrep : 0,
                         operand->sign[d] * labels->spin, &move);
    }
    return move;
}

/* Sums of spins stay within max_spin, which counts all indices: no digit runs over. */
static size_t state_after(const struct label_count *count, size_t state,
                          const struct label_move *move)
{
    size_t spins = (size_t)((int)(state >> count->n_irrep_bits) + move->spins);
    size_t irreps = state & (((size_t)1 << count->n_irrep_bits) - 1);
    return spins << count->n_irrep_bits | (irreps ^ move->irreps);
}

static void count_moves_of_index(struct label_count *count, int index)
{
    const struct label_space *space = label_space_of(count->product, index);
    memset(count->next, 0, count->n_states * sizeof *count->next);
    for (int c = 0; c < space->n_classes; c++) {
        struct label_move move = move_of(count, index, &space->label_class[c]);
        for (size_t state = 0; state < count->n_states; state++)
            if (count->now[state] != 0)
                count->next[state_after(count, state, &move)] +=
                    count->now[state] * space->label_class[c].size;
    }
    double *swap = count->now;
    count->now = count->next;
    count->next = swap;
}

/* The states in which nothing, and in which just what the laws ask for has been brought together; false if no
 * tuple can do that. */
static bool find_label_states(const struct label_count *count, size_t *begin, size_t *end)
{
    struct label_move first = {0, 0}, all = {0, 0};
    for (int law = 0; law < count->n_laws; law++) {
        const struct product_operand *operand = count->law[law];
        if ((operand->irrep != 0 && count->irrep_shift[law] < 0) ||
            abs(operand->spin) > count->max_spin[law])
            return false;
        add_move(count, law, 0, count->max_spin[law], &first);
        add_move(count, law, operand->irrep, operand->spin, &all);
    }
    *begin = state_after(count, 0, &first);
    *end = state_after(count, *begin, &all);
    return true;
}

enum status product_count(const struct product *product, const struct product_operand *A,
                          const struct product_operand *B, double *result)
{
    struct label_count count = {.product = product, .n_spin_states = 1};
    size_t begin, end;
    *result = 0;
    add_law(&count, A);
    if (B)
        add_law(&count, B);
    if (!find_label_states(&count, &begin, &end))
        return STATUS_OK;
    double *states = calloc(2 * count.n_states, sizeof *states);
    TRY(CHECK_MEMORY(states, "no memory to count operations"));
    count.now = states;
    count.next = states + count.n_states;
    count.now[begin] = 1;
    for (int i = 0; i < product->n_indices; i++)
        if (is_counted(&count, i))
            count_moves_of_index(&count, i);
    *result = count.now[end];
    free(states);
    return STATUS_OK;
}

/* --- keys --- */

struct key_search {
    const struct product *product;
    uint64_t part;
    struct product_key key, least; /* so far */
};

static void append_key_factor(struct key_search *search, int f)
{
    const struct product_factor *factor = &search->product->factor[f];
    struct product_key *key = &search->key;
    key->word[key->n_words++] = factor->tensor;
    key->word[key->n_words++] = factor->version;
    for (int d = 0; d < factor->operand.rank; d++) {
        int index = factor->operand.index[d], number = 0;
        while (number < key->n_indices && key->index[number] != index)
            number++;
        if (number == key->n_indices)
            key->index[key->n_indices++] = index;
        key->word[key->n_words++] = 2 * number + product_has(search->product, search->part, index);
    }
}

static int compare_words(const struct product_key *left, const struct product_key *right)
{
    for (int w = 0; w < left->n_words; w++)
        if (left->word[w] != right->word[w])
            return left->word[w] < right->word[w] ? -1 : 1;
    return 0;
}

/* Appends the factors that are left in every order that may still give the smallest words. */
static void search_factor_orders(struct key_search *search, uint64_t left)
{
    int n_words = search->key.n_words, n_indices = search->key.n_indices;
    int order = search->least.n_words > 0 ? compare_words(&search->key, &search->least) : -1;
    if (left == 0 && order < 0)
        search->least = search->key;
    for (uint64_t next = order > 0 ? 0 : left; next != 0; next &= next - 1) {
        append_key_factor(search, __builtin_ctzll(next));
        search_factor_orders(search, left & ~(next & -next));
        search->key.n_words = n_words;
        search->key.n_indices = n_indices;
    }
}

void product_key(const struct product *product, uint64_t part, struct product_key *key)
{
    struct key_search search = {.product = product, .part = part};
    search.key.word[search.key.n_words++] = __builtin_popcountll(part);
    search_factor_orders(&search, part);
    *key = search.least;
}
