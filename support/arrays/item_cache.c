/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/item_cache.h"

#include <assert.h>
#include <stdlib.h>

/* An item that is here, in the list from the most to the least recently used. */
struct entry {
    int64_t number, bytes;
    int pins;
    void *item;
    struct entry *newer, *older;
};

struct item_cache {
    struct item_cache_source source;
    int64_t budget, used;
    struct entry **entries; /* by number; NULL where absent */
    int64_t n_items;
    struct entry *newest, *oldest;
};

enum status item_cache_create(int64_t n_items, int64_t budget_bytes,
                              const struct item_cache_source *source, struct item_cache **cache)
{
    struct item_cache *made = calloc(1, sizeof *made);
    *cache = NULL;
    if (made)
        made->entries = calloc((size_t)n_items + 1, sizeof(struct entry *));
    if (!made || !made->entries) {
        free(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for a cache of %lld items", (long long)n_items);
    }
    made->source = *source;
    made->budget = budget_bytes;
    made->n_items = n_items;
    *cache = made;
    return STATUS_OK;
}

int64_t item_cache_bytes(int64_t n_items)
{
    return (int64_t)sizeof(struct item_cache) + (n_items + 1) * (int64_t)sizeof(struct entry *);
}

static void unlink_entry(struct item_cache *cache, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(struct item_cache *cache, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

static void drop(struct item_cache *cache, struct entry *entry)
{
    unlink_entry(cache, entry);
    cache->entries[entry->number] = NULL;
    cache->used -= entry->bytes;
    if (cache->source.unload)
        cache->source.unload(entry->number, entry->item, cache->source.context);
    else
        free(entry->item);
    free(entry);
}

/* Drops the oldest unpinned items until the budget is kept or all are pinned. */
static void keep_budget(struct item_cache *cache)
{
    struct entry *entry = cache->oldest;
    while (entry && cache->used > cache->budget) {
        struct entry *newer = entry->newer;
        if (entry->pins == 0)
            drop(cache, entry);
        entry = newer;
    }
}

enum status item_cache_pin(struct item_cache *cache, int64_t number, void **item)
{
    assert(number >= 0 && number < cache->n_items);
    struct entry *entry = cache->entries[number];
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        TRY(CHECK_MEMORY(entry, "no memory for a cache entry"));
        entry->number = number;
        enum status status =
            cache->source.load(number, cache->source.context, &entry->item, &entry->bytes);
        if (status != STATUS_OK) {
            free(entry);
            return status;
        }
        cache->entries[number] = entry;
        cache->used += entry->bytes;
        link_newest(cache, entry);
    } else if (cache->newest != entry) {
        unlink_entry(cache, entry);
        link_newest(cache, entry);
    }
    entry->pins++;
    *item = entry->item;
    keep_budget(cache);
    return STATUS_OK;
}

void item_cache_release(struct item_cache *cache, int64_t number)
{
    struct entry *entry = cache->entries[number];
    assert(entry && entry->pins > 0);
    entry->pins--;
    if (entry->pins == 0)
        keep_budget(cache);
}

bool item_cache_holds(const struct item_cache *cache, int64_t number)
{
    assert(number >= 0 && number < cache->n_items);
    return cache->entries[number] != NULL;
}

void item_cache_clear(struct item_cache *cache)
{
    while (cache->oldest) {
        assert(cache->oldest->pins == 0);
        drop(cache, cache->oldest);
    }
}

void item_cache_destroy(struct item_cache *cache)
{
    if (!cache)
        return;
    item_cache_clear(cache);
    free(cache->entries);
    free(cache);
}
