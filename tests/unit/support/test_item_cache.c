/* SPDX-License-Identifier: BSD-3-Clause */
/* A cache of items against its rule alone: what is pinned stays, the budget is kept by what is not,
 * the least recently used goes first, a failure to load changes nothing, and every item loaded is
 * unloaded once. */
#include "support/arrays/item_cache.h"
#include "tests/check.h"

#include <stdbool.h>

enum { N_ITEMS = 20 };

/* The source of the items. */
struct ledger {
    int64_t item[N_ITEMS]; /* content of each: a tag that reveals a wrong item */
    bool here[N_ITEMS], refuse;
};

/* The rule: pins, and when each item was last used. */
struct model {
    int64_t budget, clock;
    int pins[N_ITEMS];
    int64_t used_at[N_ITEMS]; /* 0: not here */
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
    assert_false(ledger->here[number]);
    ledger->here[number] = true;
    ledger->item[number] = 1000 + number;
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
}

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

/* One in eight loads is refused. */
static void pin(struct item_cache *cache, int64_t number, uint64_t random, struct ledger *ledger,
                struct model *model)
{
    void *item;
    ledger->refuse = random % 8 == 0;
    if (ledger->refuse && !ledger->here[number]) {
        check_status(STATUS_NO_MEMORY, item_cache_pin(cache, number, &item));
        return;
    }
    check_ok(item_cache_pin(cache, number, &item));
    assert_int_equal(*(int64_t *)item, 1000 + number);
    model->pins[number]++;
    model->used_at[number] = ++model->clock;
    model_keep_budget(model);
}

static void release(struct item_cache *cache, int64_t number, struct model *model)
{
    item_cache_release(cache, number);
    model->pins[number]--;
    if (model->pins[number] == 0)
        model_keep_budget(model);
}

static void check_random_use(int64_t budget, uint64_t random)
{
    struct ledger ledger = {0};
    struct model model = {.budget = budget};
    struct item_cache *cache;
    struct item_cache_source source = {load, unload, &ledger};
    check_ok(item_cache_create(N_ITEMS, budget, &source, &cache));
    for (int step = 0; step < 20000; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        int64_t number = (int64_t)(random >> 33) % N_ITEMS;
        if (model.pins[number] > 0 && (random >> 20) % 4 != 0)
            release(cache, number, &model);
        else
            pin(cache, number, random >> 40, &ledger, &model);
        for (int64_t i = 0; i < N_ITEMS; i++) {
            assert_int_equal(ledger.here[i], model.used_at[i] > 0);
            assert_int_equal(item_cache_holds(cache, i), ledger.here[i]);
        }
    }
    for (int64_t i = 0; i < N_ITEMS; i++)
        while (model.pins[i] > 0)
            release(cache, i, &model);
    item_cache_clear(cache);
    pin(cache, 7, 1, &ledger, &model);
    release(cache, 7, &model);
    item_cache_destroy(cache);
    for (int64_t i = 0; i < N_ITEMS; i++)
        assert_false(ledger.here[i]);
}

TEST(random_use_follows_the_rule)
{
    const int64_t budgets[] = {0, 100, 399, 1000, 2500, 100000};
    for (unsigned b = 0; b < sizeof budgets / sizeof budgets[0]; b++)
        check_random_use(budgets[b], b);
    item_cache_destroy(NULL);
}
