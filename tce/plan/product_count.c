/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Laws of labels that tuples of values must meet, and how many beginnings of tuples have
 * brought together what: count[state] over irreps and sums of spins of all laws. */
enum { MAX_LAWS = 3 };

struct label_count {
    const struct product *product;
    int n_laws;
    const struct product_operand *law[MAX_LAWS];
    int n_irreps[MAX_LAWS]; /* 1 if the law's indices have only irrep 0 */
    int max_spin[MAX_LAWS]; /* of a sum, either sign */
    size_t n_states;
    double *now, *next;
};

/* One class of an index: what it changes in each law. */
struct label_move {
    double size;
    int irrep[MAX_LAWS], spin[MAX_LAWS];
};

static const struct label_space *label_space_of(const struct product *product, int index)
{
    return &product->spaces->spaces[product->index[index].space];
}

static bool is_counted(const struct label_count *count, int index)
{
    for (int law = 0; law < count->n_laws; law++)
        for (int d = 0; d < count->law[law]->rank; d++)
            if (count->law[law]->index[d] == index)
                return true;
    return false;
}

static void size_law(struct label_count *count, int law)
{
    const struct product_operand *operand = count->law[law];
    count->n_irreps[law] = 1;
    count->max_spin[law] = 0;
    for (int d = 0; d < operand->rank; d++) {
        const struct label_space *space = label_space_of(count->product, operand->index[d]);
        if (space->without_irreps && operand->has_irrep[d])
            count->n_irreps[law] = N_IRREPS;
        count->max_spin[law] += operand->sign[d] != 0 ? space->max_spin : 0;
    }
    count->n_states *= (size_t)(count->n_irreps[law] * (2 * count->max_spin[law] + 1));
}

static struct label_move move_of(const struct label_count *count, int index,
                                 const struct label_class *labels)
{
    struct label_move move = {.size = labels->size};
    for (int law = 0; law < count->n_laws; law++) {
        const struct product_operand *operand = count->law[law];
        for (int d = 0; d < operand->rank; d++) {
            if (operand->index[d] != index)
                continue;
            move.irrep[law] ^= operand->has_irrep[d] ? labels->irrep : 0;
            move.spin[law] += operand->sign[d] * labels->spin;
        }
    }
    return move;
}

/* The state after a move. Sums of spins stay within max_spin, which counts all indices. */
static size_t state_after(const struct label_count *count, size_t state,
                          const struct label_move *move)
{
    size_t result = 0, scale = 1;
    for (int law = 0; law < count->n_laws; law++) {
        size_t n_irreps = (size_t)count->n_irreps[law];
        size_t n_spin_sums = (size_t)(2 * count->max_spin[law] + 1);
        size_t irrep = (state % n_irreps) ^ (size_t)(n_irreps > 1 ? move->irrep[law] : 0);
        size_t spin = (size_t)((int)(state / n_irreps % n_spin_sums) + move->spin[law]);
        result += scale * (irrep + n_irreps * spin);
        scale *= n_irreps * n_spin_sums;
        state /= n_irreps * n_spin_sums;
    }
    return result;
}

static void count_moves_of_index(struct label_count *count, int index)
{
    const struct label_space *space = label_space_of(count->product, index);
    memset(count->next, 0, count->n_states * sizeof *count->next);
    for (int c = 0; c < space->n_classes; c++) {
        struct label_move move = move_of(count, index, &space->label_class[c]);
        for (size_t state = 0; state < count->n_states; state++)
            if (count->now[state] != 0)
                count->next[state_after(count, state, &move)] += count->now[state] * move.size;
    }
    double *swap = count->now;
    count->now = count->next;
    count->next = swap;
}

/* The state in which nothing, or just what the laws ask for, has been brought together;
 * false if no tuple can do that. */
static bool find_label_state(const struct label_count *count, bool end, size_t *state)
{
    size_t scale = 1;
    *state = 0;
    for (int law = 0; law < count->n_laws; law++) {
        int irrep = end ? count->law[law]->irrep : 0, spin = end ? count->law[law]->spin : 0;
        int max_spin = count->max_spin[law];
        if (irrep >= count->n_irreps[law] || abs(spin) > max_spin)
            return false;
        *state += scale * (size_t)(irrep + count->n_irreps[law] * (spin + max_spin));
        scale *= (size_t)(count->n_irreps[law] * (2 * max_spin + 1));
    }
    return true;
}

enum status product_count(const struct product *product, int n,
                          const struct product_operand *const operand[], double *result)
{
    struct label_count count = {.product = product, .n_laws = n, .n_states = 1};
    size_t begin, end;
    *result = 0;
    for (int law = 0; law < n; law++) {
        count.law[law] = operand[law];
        size_law(&count, law);
    }
    if (!find_label_state(&count, true, &end) || !find_label_state(&count, false, &begin))
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

/* Whether what the target asks for follows from A's and B's laws and need not be counted. */
static bool target_follows(const struct product *product, const struct product_operand *A,
                           const struct product_operand *B)
{
    const struct product_operand *target = &product->target;
    struct product_operand implied;
    product_combine(product, product_all(product), A, B, &implied);
    if (implied.irrep != target->irrep || implied.spin != target->spin)
        return false;
    for (int d = 0; d < target->rank; d++) {
        int e = 0;
        while (implied.index[e] != target->index[d])
            e++;
        if (implied.has_irrep[e] != target->has_irrep[d] || implied.sign[e] != target->sign[d])
            return false;
    }
    return true;
}

enum status product_flops(const struct product *product, const struct product_operand *A,
                          const struct product_operand *B, bool into_target, double *flops)
{
    const struct product_operand *law[MAX_LAWS] = {A};
    int n = 1;
    if (B)
        law[n++] = B;
    if (into_target && !target_follows(product, A, B))
        law[n++] = &product->target;
    TRY(product_count(product, n, law, flops));
    *flops *= 2;
    return STATUS_OK;
}
