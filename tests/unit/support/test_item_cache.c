/* SPDX-License-Identifier: BSD-3-Clause */
/* A cache of items: what is pinned stays, the budget is kept by what is not, the
 * least recently used goes first, and every item loaded is unloaded once. */
#include "support/arrays/item_cache.h"
#include "tests/check.h"

#include <stdbool.h>
#include <stdlib.h>

enum { N_ITEMS = 20 };

/* Loads and unloads of the source, and whether the next load fails. */
struct ledger {
    int64_t item[N_ITEMS]; /* content of each: a tag that reveals a wrong item */
    bool here[N_ITEMS];
    int n_loads, n_unloads;
    int64_t last_unloaded;
    bool refuse;
};

/* Bytes of an item: none, or some that differ. */
static int64_t bytes_of(int64_t number)
{
    return number % 5 * 100;
}

static enum status load(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct ledger *ledger = context;
    if (ledger->refuse)
        return FAIL(STATUS_NO_MEMORY, "refused");
    assert_true(number >= 0 && number < N_ITEMS);
    assert_false(ledger->here[number]);
    ledger->here[number] = true;
    ledger->item[number] = 1000 + number;
    ledger->n_loads++;
    *item = &ledger->item[number];
    *bytes = bytes_of(number);
    return STATUS_OK;
}

static void unload(int64_t number, void *item, void *context)
{
    struct ledger *ledger = context;
    assert_true(ledger->here[number]);
    assert_ptr_equal(item, &ledger->item[number]);
    ledger->here[number] = false;
    ledger->item[number] = 0;
    ledger->n_unloads++;
    ledger->last_unloaded = number;
}

static struct item_cache *create(struct ledger *ledger, int64_t budget)
{
    struct item_cache *cache;
    struct item_cache_source source = {load, unload, ledger};
    check_ok(item_cache_create(N_ITEMS, budget, &source, &cache));
    return cache;
}

static void pin(struct item_cache *cache, int64_t number)
{
    void *item;
    check_ok(item_cache_pin(cache, number, &item));
    assert_int_equal(*(int64_t *)item, 1000 + number);
}

static void use(struct item_cache *cache, int64_t number)
{
    pin(cache, number);
    item_cache_release(cache, number);
}

TEST(an_item_is_loaded_once_while_there_is_room)
{
    struct ledger ledger = {0};
    struct item_cache *cache = create(&ledger, 1000000);
    for (int round = 0; round < 3; round++)
        for (int64_t number = 0; number < N_ITEMS; number++)
            use(cache, number);
    assert_int_equal(ledger.n_loads, N_ITEMS);
    assert_int_equal(ledger.n_unloads, 0);
    assert_true(item_cache_holds(cache, 7));
    item_cache_clear(cache);
    assert_int_equal(ledger.n_unloads, N_ITEMS);
    assert_false(item_cache_holds(cache, 7));
    use(cache, 7);
    assert_true(item_cache_holds(cache, 7));
    assert_int_equal(ledger.n_loads, N_ITEMS + 1);
    item_cache_destroy(cache);
    assert_int_equal(ledger.n_unloads, N_ITEMS + 1);
    item_cache_destroy(NULL);
}

TEST(the_least_recently_used_goes_first)
{
    struct ledger ledger = {0};
    struct item_cache *cache = create(&ledger, 600);
    use(cache, 3); /* 300 bytes */
    use(cache, 2); /* 200 */
    use(cache, 1); /* 100: full */
    use(cache, 3);
    use(cache, 6); /* 100 */
    assert_int_equal(ledger.n_unloads, 1);
    assert_int_equal(ledger.last_unloaded, 2);
    use(cache, 11); /* 100: what 2 left is enough */
    assert_int_equal(ledger.n_unloads, 1);
    use(cache, 16);
    assert_int_equal(ledger.last_unloaded, 1);
    use(cache, 2); /* 3 has to go: 300 for 200 */
    assert_int_equal(ledger.last_unloaded, 3);
    assert_int_equal(ledger.n_unloads, 3);
    item_cache_destroy(cache);
}

TEST(without_a_budget_only_what_is_pinned_is_kept)
{
    struct ledger ledger = {0};
    struct item_cache *cache = create(&ledger, 0);
    pin(cache, 4);
    pin(cache, 4);
    pin(cache, 9);
    item_cache_release(cache, 4);
    assert_true(ledger.here[4] && ledger.here[9]);
    item_cache_release(cache, 4);
    assert_true(!ledger.here[4] && ledger.here[9]);
    item_cache_release(cache, 9);
    assert_false(ledger.here[9]);
    assert_int_equal(ledger.n_loads, 2);
    item_cache_destroy(cache);
}

TEST(a_failure_to_load_leaves_the_cache_as_it_was)
{
    struct ledger ledger = {0};
    struct item_cache *cache = create(&ledger, 400);
    void *item;
    use(cache, 4);
    ledger.refuse = true;
    check_status(STATUS_NO_MEMORY, item_cache_pin(cache, 3, &item));
    assert_true(ledger.here[4]);
    use(cache, 4);
    ledger.refuse = false;
    use(cache, 3);
    assert_int_equal(ledger.n_loads, 2);
    item_cache_destroy(cache);
    assert_int_equal(ledger.n_unloads, ledger.n_loads);
}

/* A cache by the rule alone: pins, and when each item was last used. */
struct model {
    int64_t budget, clock;
    int pins[N_ITEMS];
    int64_t used_at[N_ITEMS]; /* 0: not here */
};

static void model_keep_budget(struct model *model)
{
    for (;;) {
        int64_t bytes = 0, oldest = -1;
        for (int64_t i = 0; i < N_ITEMS; i++) {
            if (model->used_at[i] == 0)
                continue;
            bytes += bytes_of(i);
            if (model->pins[i] == 0 && (oldest < 0 || model->used_at[i] < model->used_at[oldest]))
                oldest = i;
        }
        if (bytes <= model->budget || oldest < 0)
            return;
        model->used_at[oldest] = 0;
    }
}

static void check_random_use(int64_t budget, unsigned seed)
{
    struct ledger ledger = {0};
    struct model model = {.budget = budget};
    struct item_cache *cache = create(&ledger, budget);
    uint64_t random = seed;
    for (int step = 0; step < 20000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int64_t number = (int64_t)(random >> 33) % N_ITEMS;
        if (model.pins[number] > 0 && (random >> 20) % 4 != 0) {
            item_cache_release(cache, number);
            model.pins[number]--;
            if (model.pins[number] == 0)
                model_keep_budget(&model);
        } else {
            pin(cache, number);
            model.pins[number]++;
            model.used_at[number] = ++model.clock;
            model_keep_budget(&model);
        }
        for (int64_t i = 0; i < N_ITEMS; i++)
            assert_int_equal(ledger.here[i], model.used_at[i] > 0);
    }
    for (int64_t i = 0; i < N_ITEMS; i++)
        for (; model.pins[i] > 0; model.pins[i]--)
            item_cache_release(cache, i);
    item_cache_destroy(cache);
    assert_int_equal(ledger.n_unloads, ledger.n_loads);
}

TEST(random_use_follows_the_rule)
{
    const int64_t budgets[] = {0, 100, 399, 1000, 2500, 100000};
    for (unsigned b = 0; b < sizeof budgets / sizeof budgets[0]; b++)
        check_random_use(budgets[b], b);
}
