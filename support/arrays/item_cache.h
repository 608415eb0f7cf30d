/* SPDX-License-Identifier: BSD-3-Clause */
/* A cache of items by number with a budget in bytes; the least recently used item
 * is evicted first. An item that is pinned stays, even
 * beyond the budget; a budget of 0 keeps an item only while it is pinned. */
#pragma once

#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Loads and unloads items. */
struct item_cache_source {
    /* Makes item `number`; *bytes is what counts against the budget. */
    enum status (*load)(int64_t number, void *context, void **item, int64_t *bytes);
    /* Disposes of it (writes back an accumulator, frees the memory). NULL: free(item). */
    void (*unload)(int64_t number, void *item, void *context);
    void *context; /* borrowed */
};

struct item_cache;

enum status item_cache_create(int64_t n_items, int64_t budget_bytes,
                              const struct item_cache_source *source, struct item_cache **cache);

/* Bytes of its index, which the budget does not count. */
int64_t item_cache_bytes(int64_t n_items);

/* Unloads everything, then frees the cache; NULL is fine. */
void item_cache_destroy(struct item_cache *cache);

/* Loads the item unless it is here, and keeps it until it is released as often
 * as it was pinned. Errors: as load. */
enum status item_cache_pin(struct item_cache *cache, int64_t number, void **item);
void item_cache_release(struct item_cache *cache, int64_t number);

/* Whether the item is here; does not count as a use. */
bool item_cache_holds(const struct item_cache *cache, int64_t number);

/* Unloads every item; none may be pinned. */
void item_cache_clear(struct item_cache *cache);
