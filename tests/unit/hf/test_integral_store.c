/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of integrals has what it took, stays below its bound, and makes room for what is asked
 * for. */
#include "hf/fock/integral_store.h"
#include "tests/check.h"

#include <string.h>

static const struct kept_size size = {.n_quartets = 100, .n_integrals = 500};

static struct tile_quartet quartet_of(int64_t number)
{
    return (struct tile_quartet){number, number / 2, number / 3, number / 5};
}

static bool add_quartet_of(struct integral_store *store, int64_t number)
{
    struct tile_quartet quartet = quartet_of(number);
    struct kept_quartets *kept = integral_store_add(store, &quartet, &size);
    if (!kept)
        return false;
    for (int64_t q = 0; q < size.n_quartets; q++)
        assert_false(kept_quartets_has(kept, q));
    kept_quartets_note(kept, number % size.n_quartets);
    for (int64_t i = 0; i < size.n_integrals; i++)
        kept->integrals[i] = (double)(number * size.n_integrals + i);
    return true;
}

static bool has_quartet_of(struct integral_store *store, int64_t number)
{
    struct tile_quartet quartet = quartet_of(number);
    const struct kept_quartets *kept = integral_store_find(store, &quartet);
    if (!kept)
        return false;
    for (int64_t q = 0; q < size.n_quartets; q++)
        assert_int_equal(kept_quartets_has(kept, q), q == number % size.n_quartets);
    for (int64_t i = 0; i < size.n_integrals; i++)
        assert_true(kept->integrals[i] == (double)(number * size.n_integrals + i));
    return true;
}

static void it_has_what_it_took(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct integral_store *store;
    check_ok(integral_store_create(INT64_MAX, &store));
    integral_store_begin(store);
    for (int64_t number = 0; number < N; number++) {
        assert_false(has_quartet_of(store, number));
        assert_true(add_quartet_of(store, number));
    }
    for (int build = 0; build < 3; build++, integral_store_begin(store))
        for (int64_t number = 0; number < N; number++)
            assert_true(has_quartet_of(store, number));
    assert_true(integral_store_bytes(store) > N * kept_quartets_bytes(&size));
    integral_store_clear(store);
    assert_false(has_quartet_of(store, 0));
    assert_true(integral_store_bytes(store) < N * kept_quartets_bytes(&size) / 10);
    integral_store_destroy(store);
}

/* Numbers asked for in one build. */
static int64_t ask_for(struct integral_store *store, int64_t first, int64_t last, int64_t bound)
{
    int64_t n_found = 0;
    integral_store_begin(store);
    for (int64_t number = first; number < last; number++) {
        bool found = has_quartet_of(store, number);
        n_found += found;
        if (!found)
            add_quartet_of(store, number);
        assert_true(integral_store_bytes(store) <= bound);
    }
    return n_found;
}

static void it_keeps_to_its_bound_and_drops_what_is_not_asked_for(void **state)
{
    (void)state;
    struct integral_store *store;
    int64_t bound = 20 * kept_quartets_bytes(&size);
    check_ok(integral_store_create(bound, &store));
    assert_int_equal(ask_for(store, 0, 10, bound), 0);
    int64_t n = ask_for(store, 0, 30, bound);
    assert_int_equal(n, 10);
    n = ask_for(store, 0, 30, bound);
    assert_in_range(n, 15, 20);
    /* Others: room for them comes with the build after. */
    assert_int_equal(ask_for(store, 100, 130, bound), 0);
    assert_int_equal(ask_for(store, 100, 130, bound), 0);
    assert_int_equal(ask_for(store, 100, 130, bound), n);
    /* Without need, nothing is dropped. */
    assert_int_equal(ask_for(store, 100, 105, bound), 5);
    assert_int_equal(ask_for(store, 100, 105, bound), 5);
    assert_int_equal(ask_for(store, 100, 105, bound), 5);
    assert_true(has_quartet_of(store, 99 + n));
    integral_store_destroy(store);
}

static void nothing_fits_into_no_bytes(void **state)
{
    (void)state;
    struct integral_store *store;
    check_ok(integral_store_create(1, &store));
    integral_store_begin(store);
    assert_false(add_quartet_of(store, 1));
    assert_false(has_quartet_of(store, 1));
    integral_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_what_it_took),
        cmocka_unit_test(it_keeps_to_its_bound_and_drops_what_is_not_asked_for),
        cmocka_unit_test(nothing_fits_into_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
