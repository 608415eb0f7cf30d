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

/* A number of its own for each integral. */
static double value_of(int64_t number, const struct kept_size *taken, int64_t i)
{
    return (double)(number * taken->n_integrals[KEPT_DOUBLE] + i);
}

static bool add(struct integral_store *store, int64_t number, const struct kept_size *taken)
{
    struct tile_quartet quartet = quartet_of(number);
    struct kept_quartets *kept = integral_store_reserve(store, &quartet, 1, taken);
    if (!kept)
        return false;
    assert_null(integral_store_find(store, &quartet, 1)); /* not filled yet */
    for (int64_t i = 0; i < taken->n_integrals[KEPT_DOUBLE]; i++)
        ((double *)kept->integrals[KEPT_DOUBLE])[i] = value_of(number, taken, i);
    integral_store_commit(store);
    return true;
}

static bool has(struct integral_store *store, int64_t number, const struct kept_size *taken)
{
    struct tile_quartet quartet = quartet_of(number);
    const struct kept_quartets *kept = integral_store_find(store, &quartet, 1);
    for (int64_t i = 0; kept && i < taken->n_integrals[KEPT_DOUBLE]; i++)
        assert_true(((double *)kept->integrals[KEPT_DOUBLE])[i] == value_of(number, taken, i));
    return kept != NULL;
}

TEST(it_has_what_it_took)
{
    enum { N = 1000 };
    struct integral_store *store;
    check_ok(integral_store_create(1000000000, 0, &store));
    for (int64_t number = 0; number < N; number++) {
        assert_false(has(store, number, &size));
        assert_true(add(store, number, &size));
    }
    for (int64_t number = 0; number < N; number++)
        assert_true(has(store, number, &size));
    struct tile_quartet quartet = quartet_of(7); /* under other operations it is another one */
    assert_null(integral_store_find(store, &quartet, 4));
    assert_true(integral_store_bytes(store) > N * kept_quartets_bytes(&size));
    integral_store_clear(store);
    assert_false(has(store, 0, &size));
    assert_true(integral_store_bytes(store) < N * kept_quartets_bytes(&size) / 10);
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
        n += add(store, number, &size);
        assert_true(integral_store_bytes(store) <= bound);
    }
    assert_in_range(n, 15, 20);
    for (int64_t number = 0; number < 30; number++)
        assert_int_equal(has(store, number, &size), number < n);
    assert_false(add(store, 40, &small));
    integral_store_clear(store);
    assert_false(integral_store_is_full(store));
    assert_true(add(store, 40, &small));
    integral_store_destroy(store);
}

TEST(it_touches_what_is_computed_and_returns_it)
{
    enum { N = 10 };
    const struct kept_size large = {.n_integrals = {1000000}};
    struct integral_store *store;
    check_ok(integral_store_create(2 * N * kept_quartets_bytes(&large), 0, &store));
    int64_t before = memory_part_bytes();
    if (before == 0)
        skip();
    int64_t all = N * kept_quartets_bytes(&large);
    /* Huge pages, an eighth for what a sanitizer notes, and shares of libraries, which others begin to use. */
    int64_t margin = all / 4;
    assert_true(memory_part_bytes() < before + margin);
    for (int64_t number = 0; number < N; number++)
        assert_true(add(store, number, &large));
    int64_t filled = memory_part_bytes();
    assert_true(filled > before + all - margin && filled < before + all + margin);
    integral_store_clear(store);
    assert_true(memory_part_bytes() < before + margin);
    assert_true(add(store, 0, &large));
    assert_true(has(store, 0, &large));
    integral_store_destroy(store);
}
