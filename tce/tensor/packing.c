/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/packing.h"

#include <stdlib.h>
#include <string.h>

/* The elements of a block along one place of the packed tensor: where each comes from and goes to,
 * relative to the block's first one. */
struct element_list {
    int64_t n;
    int64_t *from, *to;
    double *weight;
};

/* A block being moved, place by place. */
struct packing_scratch {
    int n;
    struct element_list list[MAX_RANK];
    double *buffer; /* of a block that is elsewhere */
};

/* --- symmetry --- */

/* The place of the packed tensor that holds these places of the full one; -1: none does.
 * turned  out: it holds them the other way around */
static int find_packed_place(const struct packing *packing, int first, int second, bool *turned)
{
    for (int d = 0; d < packing->n; d++) {
        const struct packed_place *place = &packing->place[d];
        *turned = place->first == second && place->second == first;
        if (*turned || (place->first == first && place->second == second))
            return d;
    }
    return -1;
}

/* The permutation of the packed tensor's places that one of the full tensor's stands for; false: it takes
 * pairs apart or exchanges different ones. */
static bool permute_packed_places(const struct packing *packing,
                                  const struct signed_permutation *full,
                                  struct signed_permutation *packed)
{
    *packed = symmetry_identity();
    packed->sign = full->sign;
    for (int d = 0; d < packing->n; d++) {
        const struct packed_place *place = &packing->place[d];
        int second = place->second < 0 ? -1 : full->place[place->second];
        bool turned;
        int e = find_packed_place(packing, full->place[place->first], second, &turned);
        if (e < 0 || packing->place[e].pairs != place->pairs ||
            packing->place[e].weighted != place->weighted)
            return false;
        packed->place[d] = (int8_t)e;
        if (turned && place->pairs)
            packed->sign = (int8_t)(packed->sign * place->pairs->sign);
    }
    return true;
}

enum status packing_symmetry(const struct packing *packing, const struct symmetry *full,
                             struct symmetry *packed)
{
    struct signed_permutation *found = calloc((size_t)full->n + 1, sizeof *found);
    bool contradicts;
    int n = 0;
    *packed = (struct symmetry){0};
    TRY(CHECK_MEMORY(found, "no memory for the symmetry of a packed tensor"));
    for (int e = 0; e < full->n; e++)
        n += permute_packed_places(packing, &full->elements[e], &found[n]);
    enum status status = symmetry_generate(packing->n, n, found, packed, &contradicts);
    free(found);
    return status;
}

/* --- scratch --- */

/* Values of the two places of a pair, or of the one place: the most elements of a list. */
static int64_t most_in_list(const struct packed_place *place, const struct block_labels *full)
{
    int64_t n = full->space[place->first]->max_tile;
    return place->second >= 0 ? n * full->space[place->second]->max_tile : n;
}

void packing_scratch_destroy(struct packing_scratch *scratch)
{
    if (!scratch)
        return;
    for (int d = 0; d < scratch->n; d++) {
        free(scratch->list[d].from);
        free(scratch->list[d].to);
        free(scratch->list[d].weight);
    }
    free(scratch->buffer);
    free(scratch);
}

enum status packing_scratch_create(const struct packing *packing, const struct block_labels *labels,
                                   int64_t max_block, struct packing_scratch **made)
{
    struct packing_scratch *scratch = *made = calloc(1, sizeof *scratch);
    TRY(CHECK_MEMORY(scratch, "no memory for a block of pairs"));
    scratch->n = packing->n;
    scratch->buffer = malloc(((size_t)max_block + 1) * sizeof *scratch->buffer);
    bool complete = scratch->buffer != NULL;
    for (int d = 0; d < packing->n; d++) {
        size_t n = (size_t)most_in_list(&packing->place[d], labels) + 1;
        struct element_list *list = &scratch->list[d];
        list->from = malloc(n * sizeof *list->from);
        list->to = malloc(n * sizeof *list->to);
        list->weight = malloc(n * sizeof *list->weight);
        complete = complete && list->from && list->to && list->weight;
    }
    enum status status = CHECK_MEMORY(complete, "no memory for a block of pairs");
    if (status != STATUS_OK) {
        packing_scratch_destroy(scratch);
        *made = NULL;
    }
    return status;
}

double packing_scratch_bytes(const struct packing *packing, const struct block_labels *labels,
                             int64_t max_block)
{
    double bytes = (double)max_block * sizeof(double);
    for (int d = 0; d < packing->n; d++)
        bytes += (double)most_in_list(&packing->place[d], labels) *
                 (2 * sizeof(int64_t) + sizeof(double));
    return bytes;
}

/* --- moving --- */

static void append_element(struct element_list *list, int64_t from, int64_t to, double weight)
{
    list->from[list->n] = from;
    list->to[list->n] = to;
    list->weight[list->n++] = weight;
}

/* to[...] += factor * weights * from[...] along the places from d on. */
static void move_elements_from(const struct packing_scratch *move, int d, double factor,
                               const double *from, double *to)
{
    const struct element_list *list = &move->list[d];
    if (d < move->n - 1) {
        for (int64_t i = 0; i < list->n; i++)
            move_elements_from(move, d + 1, factor * list->weight[i], from + list->from[i],
                               to + list->to[i]);
        return;
    }
    for (int64_t i = 0; i < list->n; i++)
        to[list->to[i]] += factor * list->weight[i] * from[list->from[i]];
}

static void move_elements(const struct packing_scratch *move, double factor, const double *from,
                          double *to)
{
    if (move->n == 0)
        *to += factor * *from;
    else
        move_elements_from(move, 0, factor, from, to);
}

/* Distances of neighbours along each place of a block. */
static void find_strides(const struct block_labels *labels, const int32_t tile[], int64_t stride[])
{
    int64_t next = 1;
    for (int d = labels->rank - 1; d >= 0; d--) {
        stride[d] = next;
        next *= index_space_tile_size(labels->space[d], tile[d]);
    }
}

/* A block to be read. */
struct source_block {
    const double *elements; /* NULL: none exists */
    int64_t stride[MAX_RANK];
    int sign;
};

/* A block where it lies, or a copy of it; or the stored one that the tensor's symmetry makes it of. */
static struct source_block reach_block(const struct tensor *tensor, const int32_t tile[],
                                       double *buffer)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    const struct stored_block found = block_index_find(tensor->blocks, tile);
    const struct signed_permutation image = block_index_image(tensor->blocks, found.image);
    struct source_block source = {.sign = image.sign};
    int32_t stored[MAX_RANK];
    int64_t stride[MAX_RANK];
    if (found.block < 0)
        return source;
    for (int d = 0; d < labels->rank; d++)
        stored[d] = tile[image.place[d]];
    find_strides(labels, stored, stride);
    for (int d = 0; d < labels->rank; d++)
        source.stride[image.place[d]] = stride[d];
    source.elements = darray_near(tensor->data, found.block);
    if (source.elements)
        return source;
    darray_get(tensor->data, found.block, buffer);
    source.elements = buffer;
    return source;
}

/* --- packing --- */

/* The pairs of a tile: from a block of the full tensor whose two places are apart by `first` and
 * `second` per value. */
static void list_packed_pairs(const struct packed_place *place, int32_t tile, int64_t first,
                              int64_t second, int64_t stride, struct element_list *list)
{
    const struct pair_space *pairs = place->pairs;
    bool diagonal = pairs->P[tile] == pairs->Q[tile];
    int64_t n_p = index_space_tile_size(pairs->of, pairs->P[tile]);
    int64_t n_q = index_space_tile_size(pairs->of, pairs->Q[tile]);
    list->n = 0;
    for (int64_t p = 0; p < n_p; p++) {
        int64_t end = !diagonal ? n_q : pairs->sign > 0 ? p + 1 : p;
        for (int64_t q = 0; q < end; q++)
            append_element(list, p * first + q * second, list->n * stride,
                           place->weighted && !(diagonal && p == q) ? 2 : 1);
    }
}

/* Adds one term of a packed block.
 * tile    of the packed block
 * source  of the full tensor, whose labels are `labels` */
static void add_packed_term(const struct packing *packing, const struct packing_term *term,
                            const struct block_labels *labels, const struct source_block *source,
                            const struct block_labels *packed_labels, const int32_t tile[],
                            struct packing_scratch *move, double *block)
{
    const int64_t *stride = source->stride;
    int64_t packed_stride[MAX_RANK];
    find_strides(packed_labels, tile, packed_stride);
    for (int d = 0; d < packing->n; d++) {
        const struct packed_place *place = &packing->place[d];
        bool flipped = term->flipped >> d & 1;
        struct element_list *list = &move->list[d];
        list->n = 0;
        if (place->pairs)
            list_packed_pairs(place, tile[d], stride[flipped ? place->second : place->first],
                              stride[flipped ? place->first : place->second], packed_stride[d],
                              list);
        else
            for (int64_t p = 0; p < index_space_tile_size(labels->space[place->first], tile[d]);
                 p++)
                append_element(list, p * stride[place->first], p * packed_stride[d], 1);
    }
    move_elements(move, source->sign * term->factor, source->elements, block);
}

/* The tiles of the full tensor that a term reads for a packed block. */
static void find_source_tiles(const struct packing *packing, const struct packing_term *term,
                              const int32_t tile[], int32_t at[])
{
    for (int d = 0; d < packing->n; d++) {
        const struct packed_place *place = &packing->place[d];
        bool flipped = term->flipped >> d & 1;
        at[place->first] = tile[d];
        if (!place->pairs)
            continue;
        at[flipped ? place->second : place->first] = place->pairs->P[tile[d]];
        at[flipped ? place->first : place->second] = place->pairs->Q[tile[d]];
    }
}

/* The packed block for which a term reads these tiles of the full tensor; false: none does. */
static bool find_packed_tiles(const struct packing *packing, const struct packing_term *term,
                              const int32_t at[], int32_t tile[])
{
    for (int d = 0; d < packing->n; d++) {
        const struct packed_place *place = &packing->place[d];
        bool flipped = term->flipped >> d & 1;
        tile[d] = at[place->first];
        if (!place->pairs)
            continue;
        int32_t P = at[flipped ? place->second : place->first];
        int32_t Q = at[flipped ? place->first : place->second];
        tile[d] = pair_space_tile(place->pairs, P, Q);
        if (P < Q || tile[d] < 0)
            return false;
    }
    return true;
}

enum status packing_pack(const struct packing *packing, const struct tensor *full,
                         struct tensor *packed)
{
    const struct block_labels *labels = block_index_labels(full->blocks);
    struct packing_scratch *move;
    TRY(packing_scratch_create(packing, labels, full->max_block, &move));
    for (int64_t block = 0; block < block_index_n(packed->blocks); block++) {
        double *own = darray_local(packed->data, block);
        int32_t tile[MAX_RANK], at[MAX_RANK];
        if (!own)
            continue;
        block_index_tuple(packed->blocks, block, tile);
        memset(own, 0, (size_t)darray_block_size(packed->data, block) * sizeof *own);
        for (int t = 0; t < packing->n_terms; t++) {
            find_source_tiles(packing, &packing->term[t], tile, at);
            const struct source_block source = reach_block(full, at, move->buffer);
            if (source.elements)
                add_packed_term(packing, &packing->term[t], labels, &source,
                                block_index_labels(packed->blocks), tile, move, own);
        }
    }
    packing_scratch_destroy(move);
    return STATUS_OK;
}

void packing_add_block(const struct packing *packing, const struct block_labels *labels,
                       const int32_t tile[], const double *full, struct tensor *packed,
                       struct packing_scratch *scratch)
{
    struct source_block source = {.elements = full, .sign = 1};
    find_strides(labels, tile, source.stride);
    for (int t = 0; t < packing->n_terms; t++) {
        int32_t at[MAX_RANK];
        if (!find_packed_tiles(packing, &packing->term[t], tile, at))
            continue;
        int64_t block = block_index_number(packed->blocks, at);
        if (block < 0)
            continue;
        size_t n = (size_t)darray_block_size(packed->data, block);
        memset(scratch->buffer, 0, n * sizeof *scratch->buffer);
        add_packed_term(packing, &packing->term[t], labels, &source,
                        block_index_labels(packed->blocks), at, scratch, scratch->buffer);
        darray_acc(packed->data, block, scratch->buffer);
    }
}

/* --- unpacking --- */

/* Where the pair (p, q) of two tiles, with p >= q if they are one, is among the pairs of the tile. */
static int64_t pair_offset(const struct pair_space *pairs, bool diagonal, int64_t n_q, int64_t p,
                           int64_t q)
{
    return diagonal ? p * (p + pairs->sign) / 2 + q : p * n_q + q;
}

/* All values of two places, whose tiles are P and Q. */
static void list_values_of_tiles(const struct pair_space *pairs, int32_t P, int32_t Q,
                                 int64_t first, int64_t second, int64_t stride,
                                 struct element_list *list)
{
    int64_t n_p = index_space_tile_size(pairs->of, P), n_q = index_space_tile_size(pairs->of, Q);
    for (int64_t p = 0; p < n_p; p++)
        for (int64_t q = 0; q < n_q; q++) {
            bool exchanged = P < Q || (P == Q && p < q);
            if (P == Q && p == q && pairs->sign < 0)
                continue;
            int64_t offset = exchanged ? pair_offset(pairs, P == Q, n_p, q, p)
                                       : pair_offset(pairs, P == Q, n_q, p, q);
            append_element(list, offset * stride, p * first + q * second,
                           exchanged ? pairs->sign : 1);
        }
}

/* Adds to a block; tile: of the full tensor's block. */
static void unpack_block(const struct packing *packing, const int32_t tile[],
                         const struct tensor *packed, const struct tensor *full,
                         struct packing_scratch *move, double *block)
{
    const struct block_labels *labels = block_index_labels(full->blocks);
    int32_t at[MAX_RANK];
    int64_t stride[MAX_RANK];
    for (int d = 0; d < packing->n; d++) {
        const struct packed_place *place = &packing->place[d];
        at[d] = place->pairs
                    ? pair_space_tile(place->pairs, tile[place->first], tile[place->second])
                    : tile[place->first];
        if (at[d] < 0)
            return;
    }
    const struct source_block source = reach_block(packed, at, move->buffer);
    if (!source.elements)
        return;
    find_strides(labels, tile, stride);
    for (int d = 0; d < packing->n; d++) {
        const struct packed_place *place = &packing->place[d];
        struct element_list *list = &move->list[d];
        list->n = 0;
        if (place->pairs)
            list_values_of_tiles(place->pairs, tile[place->first], tile[place->second],
                                 stride[place->first], stride[place->second], source.stride[d],
                                 list);
        else
            for (int64_t p = 0; p < index_space_tile_size(labels->space[place->first], at[d]); p++)
                append_element(list, p * source.stride[d], p * stride[place->first], 1);
    }
    move_elements(move, source.sign, source.elements, block);
}

enum status packing_unpack(const struct packing *packing, const struct tensor *packed, bool add,
                           struct tensor *full)
{
    struct packing_scratch *move;
    TRY(packing_scratch_create(packing, block_index_labels(full->blocks), packed->max_block,
                               &move));
    for (int64_t block = 0; block < block_index_n(full->blocks); block++) {
        double *own = darray_local(full->data, block);
        int32_t tile[MAX_RANK];
        if (!own)
            continue;
        block_index_tuple(full->blocks, block, tile);
        if (!add)
            memset(own, 0, (size_t)darray_block_size(full->data, block) * sizeof *own);
        unpack_block(packing, tile, packed, full, move, own);
    }
    packing_scratch_destroy(move);
    return STATUS_OK;
}
