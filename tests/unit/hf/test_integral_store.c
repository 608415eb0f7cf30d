/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of integrals has what it took, stays below its bound, makes room for what is asked for,
 * and returns its memory. */
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
    struct kept_quartets *kept = integral_store_add(store, &quartet, 0, taken);
    if (!kept)
        return false;
    for (int64_t i = 0; i < taken->n_integrals[KEPT_DOUBLE]; i++)
        ((double *)kept->integrals[KEPT_DOUBLE])[i] =
            (double)(number * taken->n_integrals[KEPT_DOUBLE] + i);
    return true;
}

static bool has_sized(struct integral_store *store, int64_t number, const struct kept_size *taken)
{
    struct tile_quartet quartet = quartet_of(number);
    const struct kept_quartets *kept = integral_store_find(store, &quartet, 0);
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

static void it_has_what_it_took(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct integral_store *store;
    check_ok(integral_store_create(MPI_COMM_SELF, INT64_MAX, 0, &store));
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
    check_ok(integral_store_create(MPI_COMM_SELF, bound, 0, &store));
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

/* A size that depends on the number: from a thirtieth of `size` to thrice as much. */
static struct kept_size size_of(int64_t number)
{
    int64_t part = 1 + number * 37 % 97;
    return (struct kept_size){.n_integrals = {15 * part}};
}

/* A build that asks for some quartets of each ten, chosen by the build; returns how many are kept. */
static int64_t ask_for_some(struct integral_store *store, int64_t build, int64_t n, int64_t bound)
{
    int64_t n_kept = 0;
    integral_store_begin(store);
    for (int64_t number = 0; number < n; number++) {
        struct kept_size taken = size_of(number);
        if ((number * 7 + build * build) % 10 < 6)
            n_kept += has_sized(store, number, &taken) || add_sized(store, number, &taken);
        assert_true(integral_store_bytes(store) <= bound);
    }
    return n_kept;
}

static void it_fills_the_holes_that_others_left(void **state)
{
    (void)state;
    enum { N = 300, N_ASKED = N * 6 / 10 };
    struct integral_store *store;
    int64_t bound = N_ASKED / 2 * kept_quartets_bytes(&size);
    check_ok(integral_store_create(MPI_COMM_SELF, bound, 0, &store));
    int64_t first = ask_for_some(store, 0, N, bound);
    assert_in_range(first, N_ASKED / 4, N_ASKED - 1);
    for (int64_t build = 1; build < 40; build++)
        ask_for_some(store, build, N, bound);
    /* Once nothing else is there, as much fits as in the beginning, but for holes of no use. */
    for (int64_t build = 0; build < 2; build++)
        ask_for_some(store, 0, N, bound);
    assert_true(ask_for_some(store, 0, N, bound) >= first * 8 / 10);
    integral_store_destroy(store);
}

/* Full where an add of this build failed, less room is left than the others took, and there are no holes. */
static void it_says_when_it_is_full(void **state)
{
    (void)state;
    const struct kept_size small = {.n_integrals = {5}}, large = {.n_integrals = {5000}};
    struct integral_store *store;
    check_ok(integral_store_create(MPI_COMM_SELF, 9 * kept_quartets_bytes(&size), 0, &store));
    integral_store_begin(store);
    assert_false(integral_store_is_full(store));
    assert_false(add_sized(store, 0, &large));
    assert_false(integral_store_is_full(store));
    int64_t number = 1;
    while (add_quartet_of(store, number))
        number++;
    assert_in_range(number, 5, 9);
    assert_true(integral_store_is_full(store));
    integral_store_begin(store);
    assert_false(integral_store_is_full(store));
    assert_false(add_quartet_of(store, number));
    integral_store_begin(store); /* all of which the build before did not ask for are gone */
    assert_false(integral_store_is_full(store));
    assert_true(add_sized(store, 1, &small));
    assert_true(add_quartet_of(store, 2));
    integral_store_destroy(store);
}

static int64_t resident_bytes(void)
{
    int64_t bytes = memory_part_bytes();
    if (bytes == 0)
        skip();
    return bytes;
}

static void it_touches_what_is_computed_and_returns_it(void **state)
{
    (void)state;
    enum { N = 10 };
    const struct kept_size large = {.n_integrals = {1000000}};
    struct integral_store *store;
    check_ok(integral_store_create(MPI_COMM_SELF, 2 * N * kept_quartets_bytes(&large), 0, &store));
    int64_t before = resident_bytes();
    integral_store_begin(store);
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

static void nothing_fits_into_no_bytes(void **state)
{
    (void)state;
    struct integral_store *store;
    check_ok(integral_store_create(MPI_COMM_SELF, 1, 0, &store));
    integral_store_begin(store);
    assert_false(add_quartet_of(store, 1));
    assert_false(has_quartet_of(store, 1));
    integral_store_destroy(store);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_what_it_took),
        cmocka_unit_test(it_keeps_to_its_bound_and_drops_what_is_not_asked_for),
        cmocka_unit_test(it_fills_the_holes_that_others_left),
        cmocka_unit_test(it_says_when_it_is_full),
        cmocka_unit_test(it_touches_what_is_computed_and_returns_it),
        cmocka_unit_test(nothing_fits_into_no_bytes),
    };
    return check_run_parallel(tests, &argc, &argv);
}
