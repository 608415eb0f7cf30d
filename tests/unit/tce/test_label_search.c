/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for labels finds a block exactly where trying all labels finds one; it ends when its
 * effort is spent. */
#include "tce/language/label_search.h"
#include "tests/check.h"

#include <stdlib.h>

enum { N_SPACES = 3, N_INDICES = 6, N_TENSORS = 4, RANK = 4, LABELS = 3 * N_IRREPS };

static uint64_t random_state = 1;

/* Below n; Marsaglia, J. Stat. Softw. 8 (14) (2003), xorshift64. */
static int draw_below(int n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)n);
}

/* A target and its product, with what they stand on. */
struct product {
    struct program_space spaces[N_SPACES];
    struct program_index indices[N_INDICES];
    struct program_tensor tensors[N_TENSORS];
    struct program_factor factors[N_TENSORS];
    const struct program_factor *order[N_TENSORS];
    struct program program;
};

/* Up to four labels in a space, of a group of random order. */
static void make_random(struct product *product)
{
    *product = (struct product){0};
    int n_irreps = 1 << draw_below(4), n_spin_values = 1 + draw_below(3);
    for (int s = 0; s < N_SPACES; s++)
        for (int n = 1 + draw_below(4); n > 0; n--)
            product->spaces[s].labels |=
                UINT32_C(1) << (3 * draw_below(n_irreps) + (1 + draw_below(n_spin_values)) % 3);
    for (int i = 0; i < N_INDICES; i++)
        product->indices[i].space = draw_below(N_SPACES);
    for (int t = 0; t < N_TENSORS; t++) {
        struct program_tensor *tensor = &product->tensors[t];
        tensor->rank = draw_below(RANK + 1);
        tensor->irrep = draw_below(3) == 0 ? draw_below(n_irreps) : 0;
        tensor->spin = draw_below(4) == 0 ? draw_below(3) - 1 : 0;
        product->factors[t].tensor = t;
        product->order[t] = &product->factors[t];
        for (int d = 0; d < tensor->rank; d++) {
            product->factors[t].index[d] = draw_below(N_INDICES);
            tensor->space[d] = product->indices[product->factors[t].index[d]].space;
            tensor->sign[d] = draw_below(2) ? 1 : -1;
        }
    }
    product->program = (struct program){.n_spaces = N_SPACES,
                                        .n_indices = N_INDICES,
                                        .n_tensors = N_TENSORS,
                                        .spaces = product->spaces,
                                        .indices = product->indices,
                                        .tensors = product->tensors};
}

/* Whether tensors [first, last) have blocks where the indices have these labels. */
static bool have_blocks(const struct product *product, int first, int last, const int label[])
{
    for (int t = first; t < last; t++) {
        const struct program_tensor *tensor = &product->tensors[t];
        int irrep = 0, spin = 0;
        for (int d = 0; d < tensor->rank; d++) {
            int l = label[product->factors[t].index[d]];
            irrep ^= l / 3;
            spin += tensor->sign[d] * (l % 3 - 1);
        }
        if (irrep != tensor->irrep || spin != tensor->spin)
            return false;
    }
    return true;
}

/* Every label for every index from i on. */
static bool try_all(const struct product *product, int first, int last, int i, int label[])
{
    if (i == N_INDICES)
        return have_blocks(product, first, last, label);
    uint32_t labels = product->spaces[product->indices[i].space].labels;
    for (label[i] = 0; label[i] < LABELS; label[i]++)
        if ((labels >> label[i] & 1) && try_all(product, first, last, i + 1, label))
            return true;
    return false;
}

static void test_the_search_finds_what_trying_all_labels_finds(void **state)
{
    (void)state;
    int n_possible = 0;
    enum { N_TRIALS = 3000 };
    for (int trial = 0; trial < N_TRIALS; trial++) {
        struct product product;
        make_random(&product);
        int n = 1 + draw_below(N_TENSORS), label[N_INDICES];
        int64_t effort = 100000;
        bool possible;
        check_ok(label_search(&product.program, n, product.order, &effort, &possible));
        assert_true(effort > 0);
        assert_int_equal(possible, try_all(&product, 0, n, 0, label));
        n_possible += possible;
    }
    /* Both answers were asked for often. */
    assert_in_range(n_possible, N_TRIALS / 10, N_TRIALS - N_TRIALS / 10);
}

static bool has_repeated_index(const struct product *product, int t)
{
    for (int d = 0; d < product->tensors[t].rank; d++)
        for (int e = 0; e < d; e++)
            if (product->factors[t].index[d] == product->factors[t].index[e])
                return true;
    return false;
}

static void test_a_tensor_alone_is_searched_as_well(void **state)
{
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        struct product product;
        make_random(&product);
        int label[N_INDICES];
        for (int t = 0; t < N_TENSORS; t++)
            if (!has_repeated_index(&product, t))
                assert_int_equal(label_search_tensor(&product.program, &product.tensors[t]),
                                 try_all(&product, t, t + 1, 0, label));
    }
}

static void test_bound_spaces_and_spent_effort_make_everything_possible(void **state)
{
    (void)state;
    struct product product;
    do
        make_random(&product);
    while (product.tensors[0].rank == 0);
    product.tensors[0].spin = MAX_RANK;
    int64_t effort = 1000;
    bool possible;
    check_ok(label_search(&product.program, 1, product.order, &effort, &possible));
    assert_false(possible);
    int64_t none = 0;
    check_ok(label_search(&product.program, 1, product.order, &none, &possible));
    assert_true(possible);
    char binding[] = "virtual";
    product.spaces[product.tensors[0].space[0]].binding = binding;
    check_ok(label_search(&product.program, 1, product.order, &effort, &possible));
    assert_true(possible);
    assert_true(label_search_tensor(&product.program, &product.tensors[0]));
}

/* 64 tensors of rank 12 over all 24 labels: nothing overflows, and it ends. */
static void test_the_largest_product_is_searched(void **state)
{
    (void)state;
    enum { N = PROGRAM_MAX_FACTORS + 1, ALL = N * MAX_RANK };
    static struct program_index indices[ALL];
    static struct program_tensor tensors[N];
    static struct program_factor factors[N];
    const struct program_factor *order[N];
    struct program_space space = {.labels = (UINT32_C(1) << LABELS) - 1};
    for (int t = 0; t < N; t++) {
        tensors[t] = (struct program_tensor){.rank = MAX_RANK, .irrep = t % N_IRREPS, .spin = 12};
        factors[t].tensor = t;
        order[t] = &factors[t];
        for (int d = 0; d < MAX_RANK; d++) {
            tensors[t].sign[d] = t % 2 == 0 ? 1 : -1;
            factors[t].index[d] = t * MAX_RANK + d;
        }
    }
    const struct program program = {.n_spaces = 1,
                                    .n_indices = ALL,
                                    .n_tensors = N,
                                    .spaces = &space,
                                    .indices = indices,
                                    .tensors = tensors};
    int64_t effort = 100000000;
    bool possible;
    check_ok(label_search(&program, N, order, &effort, &possible));
    assert_true(possible);
    assert_true(effort > 0);
    tensors[N - 1].spin = 13;
    check_ok(label_search(&program, N, order, &effort, &possible));
    assert_false(possible);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_search_finds_what_trying_all_labels_finds),
        cmocka_unit_test(test_a_tensor_alone_is_searched_as_well),
        cmocka_unit_test(test_bound_spaces_and_spent_effort_make_everything_possible),
        cmocka_unit_test(test_the_largest_product_is_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
