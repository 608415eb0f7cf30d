/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/block_index.h"

#include "support/base/array.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS (INT64_C(1) << 62)

/* A state at d: the irrep and the sum of spins that indices d, d + 1, ... must still have.
 *   before[d][state][t]  existing completions whose tile at d is smaller than t,
 *                        n_tiles + 1 entries; NULL for a state that no tuple reaches
 *                        or that cannot be completed */
struct block_index {
    struct block_labels labels;
    int max_spin; /* of any sum that is still needed, either sign */
    int n_states;
    int64_t n_tuples;
    int64_t n_stored;
    int64_t *stored; /* tuples, ascending; NULL: all of them */
    int64_t **before[MAX_RANK];
};

static int label_state(const struct block_index *index, int irrep, int spin)
{
    return (spin + index->max_spin) * N_IRREPS + irrep;
}

/* The state after tile t at d, -1 if no completion can bring that much spin together. */
static int next_state(const struct block_index *index, int d, int state, int32_t t)
{
    const struct index_space *space = index->labels.space[d];
    int irrep = (state % N_IRREPS) ^ space->irrep[t];
    int spin = state / N_IRREPS - index->max_spin - index->labels.sign[d] * space->spin[t];
    return abs(spin) > index->max_spin ? -1 : label_state(index, irrep, spin);
}

/* Sets reached[d * n_states + state] for the states that some beginning of a tuple leads to. */
static void find_reached(const struct block_index *index, bool *reached)
{
    const struct block_labels *labels = &index->labels;
    reached[label_state(index, labels->irrep, labels->spin)] = true;
    for (int d = 0; d < labels->rank; d++)
        for (int state = 0; state < index->n_states; state++) {
            if (!reached[d * index->n_states + state])
                continue;
            for (int32_t t = 0; t < labels->space[d]->n_tiles; t++) {
                int next = next_state(index, d, state, t);
                if (next >= 0)
                    reached[(d + 1) * index->n_states + next] = true;
            }
        }
}

/* Completions of a state at d. count has the completions of the states at d + 1. */
static enum status count_state(struct block_index *index, int d, int state, const int64_t *count,
                               int64_t *n)
{
    int32_t n_tiles = index->labels.space[d]->n_tiles;
    int64_t *before = calloc((size_t)n_tiles + 1, sizeof *before);
    *n = 0;
    TRY(CHECK_MEMORY(before, "no memory for an index of blocks"));
    for (int32_t t = 0; t < n_tiles; t++) {
        int next = next_state(index, d, state, t);
        int64_t completions = next < 0 ? 0 : count[next];
        if (completions > MAX_BLOCKS - before[t]) {
            free(before);
            return FAIL(STATUS_LIMIT, "a tensor would have more than 2^62 blocks");
        }
        before[t + 1] = before[t] + completions;
    }
    *n = before[n_tiles];
    if (*n == 0)
        free(before);
    else
        index->before[d][state] = before;
    return STATUS_OK;
}

/* Counts the completions of every reached state, from the last index to the first. States that no
 * tuple reaches are left out: their counts could exceed the limit where the tensor's does not. */
static enum status count_completions(struct block_index *index, const bool *reached, int64_t *count)
{
    const int n_states = index->n_states, rank = index->labels.rank;
    int64_t *later = count, *now = count + n_states;
    later[label_state(index, 0, 0)] = 1;
    for (int d = rank - 1; d >= 0; d--) {
        for (int state = 0; state < n_states; state++) {
            now[state] = 0;
            if (reached[d * n_states + state])
                TRY(count_state(index, d, state, later, &now[state]));
        }
        int64_t *swap = later;
        later = now;
        now = swap;
    }
    index->n_tuples = later[label_state(index, index->labels.irrep, index->labels.spin)];
    return STATUS_OK;
}

static enum status count_blocks(struct block_index *index)
{
    const int n_states = index->n_states, rank = index->labels.rank;
    bool *reached = calloc((size_t)(n_states * (rank + 1)), sizeof *reached);
    int64_t *count = calloc(2 * (size_t)n_states, sizeof *count);
    bool complete = reached && count;
    for (int d = 0; d < rank; d++) {
        index->before[d] = calloc((size_t)n_states, sizeof(int64_t *));
        complete = complete && index->before[d];
    }
    enum status status = CHECK_MEMORY(complete, "no memory for an index of blocks");
    if (status != STATUS_OK)
        goto done;
    find_reached(index, reached);
    status = count_completions(index, reached, count);
done:
    free(reached);
    free(count);
    return status;
}

static void decode_tuple(const struct block_index *index, int64_t tuple, int32_t tile[])
{
    const struct block_labels *labels = &index->labels;
    int state = label_state(index, labels->irrep, labels->spin);
    for (int d = 0; d < labels->rank; d++) {
        const int64_t *before = index->before[d][state];
        tile[d] = (int32_t)array_find_last(before, labels->space[d]->n_tiles, tuple);
        tuple -= before[tile[d]];
        state = next_state(index, d, state, tile[d]);
    }
}

/* The number of a tuple, -1 if labels do not allow it. */
static int64_t encode_tuple(const struct block_index *index, const int32_t tile[])
{
    const struct block_labels *labels = &index->labels;
    if (index->n_tuples == 0)
        return -1;
    int state = label_state(index, labels->irrep, labels->spin);
    int64_t tuple = 0;
    for (int d = 0; d < labels->rank; d++) {
        assert(tile[d] >= 0 && tile[d] < labels->space[d]->n_tiles);
        const int64_t *before = index->before[d][state];
        if (!before)
            return -1;
        tuple += before[tile[d]];
        state = next_state(index, d, state, tile[d]);
        if (state < 0)
            return -1;
    }
    return state == label_state(index, 0, 0) ? tuple : -1;
}

/* Raises a tile at d to the next one that a completion has; false if none has. */
static bool raise_tile(const struct block_index *index, int d, int state, int32_t *tile)
{
    const int64_t *before = index->before[d][state];
    int32_t next = *tile + 1, n_tiles = index->labels.space[d]->n_tiles;
    while (next < n_tiles && before[next + 1] == before[next])
        next++;
    if (next == n_tiles)
        return false;
    *tile = next;
    return true;
}

/* Sets the tiles at d, d + 1, ... of the first completion. */
static void complete_first(const struct block_index *index, int d, int state, int32_t tile[])
{
    for (; d < index->labels.rank; d++) {
        tile[d] = -1;
        raise_tile(index, d, state, &tile[d]);
        state = next_state(index, d, state, tile[d]);
    }
}

bool block_index_first(const struct block_index *index, int32_t tile[])
{
    if (index->n_tuples == 0)
        return false;
    complete_first(index, 0, label_state(index, index->labels.irrep, index->labels.spin), tile);
    return true;
}

bool block_index_next(const struct block_index *index, int32_t tile[])
{
    int d, last = index->labels.rank - 1;
    int state[MAX_RANK + 1] = {label_state(index, index->labels.irrep, index->labels.spin)};
    for (d = 0; d < last; d++)
        state[d + 1] = next_state(index, d, state[d], tile[d]);
    for (d = last; d >= 0 && !raise_tile(index, d, state[d], &tile[d]);)
        d--;
    if (d < 0)
        return false;
    complete_first(index, d + 1, next_state(index, d, state[d], tile[d]), tile);
    return true;
}

/* --- symmetry --- */

static void permute_tuple(const struct block_labels *labels, int image, const int32_t tile[],
                          int32_t permuted[])
{
    for (int d = 0; d < labels->rank; d++)
        permuted[d] = tile[labels->symmetry->elements[image].place[d]];
}

/* The element of the symmetry that makes the last tuple of this one. */
static int find_last_image(const struct block_labels *labels, const int32_t tile[])
{
    int32_t last[MAX_RANK], permuted[MAX_RANK];
    int image = 0;
    permute_tuple(labels, 0, tile, last);
    for (int e = 1; e < labels->symmetry->n; e++) {
        int d = 0;
        permute_tuple(labels, e, tile, permuted);
        while (d < labels->rank && permuted[d] == last[d])
            d++;
        if (d == labels->rank || permuted[d] < last[d])
            continue;
        image = e;
        memcpy(last, permuted, sizeof last);
    }
    return image;
}

static enum status list_stored(struct block_index *index)
{
    index->n_stored = index->n_tuples;
    if (!index->labels.symmetry)
        return STATUS_OK;
    index->stored = malloc((size_t)(index->n_tuples + 1) * sizeof *index->stored);
    TRY(CHECK_MEMORY(index->stored, "no memory for a list of %lld blocks",
                     (long long)index->n_tuples));
    index->n_stored = 0;
    for (int64_t tuple = 0; tuple < index->n_tuples; tuple++) {
        int32_t tile[MAX_RANK];
        decode_tuple(index, tuple, tile);
        if (find_last_image(&index->labels, tile) == 0)
            index->stored[index->n_stored++] = tuple;
    }
    int64_t *less = realloc(index->stored, (size_t)(index->n_stored + 1) * sizeof *less);
    index->stored = less ? less : index->stored;
    return STATUS_OK;
}

/* --- the index --- */

enum status block_index_create(const struct block_labels *labels, struct block_index **index)
{
    *index = NULL;
    assert(labels->rank >= 0 && labels->rank <= MAX_RANK);
    struct block_index *made = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for an index of blocks"));
    made->labels = *labels;
    for (int d = 0; d < labels->rank; d++)
        made->max_spin += abs(labels->sign[d]) * index_space_max_spin(labels->space[d]);
    made->n_states = N_IRREPS * (2 * made->max_spin + 1);
    enum status status = abs(labels->spin) <= made->max_spin ? count_blocks(made) : STATUS_OK;
    if (status == STATUS_OK)
        status = list_stored(made);
    if (status != STATUS_OK)
        block_index_destroy(made);
    else
        *index = made;
    return status;
}

void block_index_destroy(struct block_index *index)
{
    if (!index)
        return;
    for (int d = 0; d < index->labels.rank; d++) {
        for (int state = 0; index->before[d] && state < index->n_states; state++)
            free(index->before[d][state]);
        free(index->before[d]);
    }
    free(index->stored);
    free(index);
}

const struct block_labels *block_index_labels(const struct block_index *index)
{
    return &index->labels;
}

int64_t block_index_n(const struct block_index *index)
{
    return index->n_stored;
}

int64_t block_index_n_tuples(const struct block_index *index)
{
    return index->n_tuples;
}

double block_index_bytes(const struct block_index *index)
{
    return index->stored ? (double)(index->n_stored + 1) * sizeof *index->stored : 0;
}

void block_index_tuple(const struct block_index *index, int64_t block, int32_t tile[])
{
    assert(block >= 0 && block < index->n_stored);
    decode_tuple(index, index->stored ? index->stored[block] : block, tile);
}

/* The block that is stored of a tuple, -1 if none is. */
static int64_t find_stored(const struct block_index *index, int64_t tuple)
{
    if (!index->stored || tuple < 0)
        return tuple;
    int64_t block = array_find_last(index->stored, index->n_stored, tuple);
    return block >= 0 && index->stored[block] == tuple ? block : -1;
}

int64_t block_index_number(const struct block_index *index, const int32_t tile[])
{
    return find_stored(index, encode_tuple(index, tile));
}

struct stored_block block_index_find(const struct block_index *index, const int32_t tile[])
{
    struct stored_block found = {.tuple = encode_tuple(index, tile)};
    found.block = found.tuple;
    if (!index->stored || found.tuple < 0)
        return found;
    int32_t last[MAX_RANK];
    found.image = find_last_image(&index->labels, tile);
    permute_tuple(&index->labels, found.image, tile, last);
    found.block = block_index_number(index, last);
    return found;
}

struct signed_permutation block_index_image(const struct block_index *index, int image)
{
    return image == 0 ? symmetry_identity() : index->labels.symmetry->elements[image];
}

int64_t block_index_size(const struct block_index *index, const int32_t tile[])
{
    int64_t size = 1;
    for (int d = 0; d < index->labels.rank; d++)
        size *= index_space_tile_size(index->labels.space[d], tile[d]);
    return size;
}
