/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a batch brings quartets of like kinds together and leaves those of the same kinds in their
 * order. */
#include "basis/quartets/primitive_order.h"
#include "tests/check.h"

enum { N_PAIRS = 100 };

static struct shell_pair pairs[2][N_PAIRS];
static struct pair_class classes[2];
static struct quartet quartets[PRIMITIVE_ORDER_MAX];
static struct primitive_order order;

/* Pairs of these numbers of kinds, which are no function of their numbers that is easy to guess. */
static struct quartet_batch make_batch(int n_bra_kinds, int n_ket_kinds, int32_t n)
{
    const int n_kinds[2] = {n_bra_kinds, n_ket_kinds};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < N_PAIRS; i++)
            pairs[side][i].kind = (uint8_t)(i * i % 97 % n_kinds[side]);
        classes[side] =
            (struct pair_class){.pairs = pairs[side], .n_pairs = N_PAIRS, .n_kinds = n_kinds[side]};
    }
    for (int32_t i = 0; i < n; i++)
        quartets[i] = (struct quartet){i * 7 % N_PAIRS, i * 31 % N_PAIRS};
    return (struct quartet_batch){&classes[0], &classes[1], n, quartets};
}

static int kinds_of(int32_t i)
{
    return pairs[1][quartets[i].ket].kind * PAIR_KINDS_MAX + pairs[0][quartets[i].bra].kind;
}

/* Places are those of a stable sort: before a quartet are those of lower kinds, and of the same kinds those
 * that were before it. */
static void check_order(int n_bra_kinds, int n_ket_kinds, int32_t n)
{
    const struct quartet_batch batch = make_batch(n_bra_kinds, n_ket_kinds, n);
    const int16_t *places = primitive_order_find(&batch, &order);
    for (int32_t i = 0; i < n; i++) {
        int32_t before = 0;
        for (int32_t j = 0; j < n; j++)
            before += kinds_of(j) < kinds_of(i) || (kinds_of(j) == kinds_of(i) && j < i);
        assert_int_equal(places ? places[i] : i, before);
    }
}

static void test_places_are_those_of_a_stable_sort(void **state)
{
    (void)state;
    check_order(1, 1, PRIMITIVE_ORDER_MAX);
    check_order(2, 1, PRIMITIVE_ORDER_MAX);
    check_order(1, 3, 17);
    check_order(4, 5, 1);
    check_order(4, 5, PRIMITIVE_ORDER_MAX);
    check_order(PAIR_KINDS_MAX, PAIR_KINDS_MAX, PRIMITIVE_ORDER_MAX);
}

static void test_like_quartets_stay_where_they_are(void **state)
{
    (void)state;
    struct quartet_batch batch = make_batch(1, 1, 100);
    assert_null(primitive_order_find(&batch, &order));
    batch = make_batch(4, 4, 1);
    assert_null(primitive_order_find(&batch, &order));
    batch = make_batch(4, 4, 100);
    assert_non_null(primitive_order_find(&batch, &order));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_are_those_of_a_stable_sort),
        cmocka_unit_test(test_like_quartets_stay_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
