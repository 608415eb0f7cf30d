/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of integrals returns accepted integrals, stays below its bound and frees its memory. */
#include "hf/fock/integral_store.h"
#include "support/base/memory.h"
#include "tests/check.h"

static const struct kept_size size = {.n_integrals = {500}};

static struct tile_quartet quartet_of(int64_t number)
{
    return (struct tile_quartet){number, number / 2, number / 3, number / 5};
}

static bool add_sized(struct integral_store *store, int64_t number, const struct kept_size *taken)
{
    struct tile_quartet quartet = quartet_of(number);
    struct kept_quartets *kept = integral_store_reserve(store, &quartet, 1, taken);
    if (!kept)
        return false;
    assert_null(integral_store_find(store, &quartet, 1)); /* not filled yet */
    for (int64_t i = 0; i < taken->n_integrals[KEPT_DOUBLE]; i++)
        ((double *)kept->integrals[KEPT_DOUBLE])[i] =
            (double)(number * taken->n_integrals[KEPT_DOUBLE] + i);
    integral_store_commit(store);
    return true;
}

static bool has_sized(struct integral_store *store, int64_t number, const struct kept_size *taken)
{
    struct tile_quartet quartet = quartet_of(number);
    const struct kept_quartets *kept = integral_store_find(store, &quartet, 1);
    if (!kept)
        return false;
    for (int64_t i = 0; i < taken->n_integrals[KEPT_DOUBLE]; i++)
        assert_true(((double *)kept->integrals[KEPT_DOUBLE])[i] ==
                    (double)(number * taken->n_integrals[KEPT_DOUBLE] + i));
    return true;
}

static bool add_quartet_of(struct integral_store *store, int64_t number)
{
    return add_sized(store, number, &size);
}

static bool has_quartet_of(struct integral_store *store, int64_t number)
{
    return has_sized(store, number, &size);
}

TEST(it_has_what_it_took)
{
    enum { N = 1000 };
    struct integral_store *store;
    check_ok(integral_store_create(1000000000, 0, &store));
    for (int64_t number = 0; number < N; number++) {
        assert_false(has_quartet_of(store, number));
        assert_true(add_quartet_of(store, number));
    }
    for (int build = 0; build < 3; build++)
        for (int64_t number = 0; number < N; number++)
            assert_true(has_quartet_of(store, number));
    assert_true(integral_store_bytes(store) > N * kept_quartets_bytes(&size));
    integral_store_clear(store);
    assert_false(has_quartet_of(store, 0));
    assert_true(integral_store_bytes(store) < N * kept_quartets_bytes(&size) / 10);
    integral_store_destroy(store);
}

/* Quartets of one number under other operations are others. */
TEST(numbers_of_operations_are_apart)
{
    struct integral_store *store;
    struct tile_quartet quartet = quartet_of(7);
    check_ok(integral_store_create(1000000000, 0, &store));
    assert_true(add_quartet_of(store, 7));
    assert_null(integral_store_find(store, &quartet, 4));
    assert_non_null(integral_store_find(store, &quartet, 1));
    integral_store_destroy(store);
}

/* All that it took stays; nothing is kept after the first without room. */
TEST(it_keeps_to_its_bound)
{
    const struct kept_size small = {.n_integrals = {5}};
    struct integral_store *store;
    int64_t bound = 20 * kept_quartets_bytes(&size), n = 0;
    check_ok(integral_store_create(bound, 0, &store));
    for (int64_t number = 0; number < 30; number++) {
        assert_int_equal(integral_store_is_full(store), number > n);
        n += add_quartet_of(store, number);
        assert_true(integral_store_bytes(store) <= bound);
    }
    assert_in_range(n, 15, 20);
    for (int64_t number = 0; number < 30; number++)
        assert_int_equal(has_quartet_of(store, number), number < n);
    assert_false(add_sized(store, 40, &small));
    integral_store_clear(store);
    assert_false(integral_store_is_full(store));
    assert_true(add_sized(store, 40, &small));
    integral_store_destroy(store);
}

static int64_t resident_bytes(void)
{
    int64_t bytes = memory_part_bytes();
    if (bytes == 0)
        skip();
    return bytes;
}

TEST(it_touches_what_is_computed_and_returns_it)
{
    enum { N = 10 };
    const struct kept_size large = {.n_integrals = {1000000}};
    struct integral_store *store;
    check_ok(integral_store_create(2 * N * kept_quartets_bytes(&large), 0, &store));
    int64_t before = resident_bytes();
    int64_t all = N * kept_quartets_bytes(&large);
    /* Huge pages, an eighth for what a sanitizer notes, and shares of libraries, which others begin to use. */
    int64_t margin = all / 4;
    assert_true(resident_bytes() < before + margin);
    for (int64_t number = 0; number < N; number++)
        assert_true(add_sized(store, number, &large));
    int64_t filled = resident_bytes();
    assert_true(filled > before + all - margin && filled < before + all + margin);
    integral_store_clear(store);
    assert_true(resident_bytes() < before + margin);
    assert_true(add_sized(store, 0, &large));
    assert_true(has_sized(store, 0, &large));
    integral_store_destroy(store);
}

TEST(nothing_fits_into_no_bytes)
{
    struct integral_store *store;
    check_ok(integral_store_create(1, 0, &store));
    assert_false(add_quartet_of(store, 1));
    assert_false(has_quartet_of(store, 1));
    integral_store_destroy(store);
}
