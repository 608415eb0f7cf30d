/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors over pairs of values (pair_space.h), packed from those over the values and unpacked to them.
 *
 * A place of a packed tensor is a place of the full one, or two places of it, a pair. Packing takes of a
 * tensor the part that is symmetric in each pair of sign +1 and antisymmetric in each pair of sign -1,
 * for two pairs (a, b) and (c, d), for instance,
 *     packed[ab][cd] = 1/4 (full[abcd] + s full[bacd] + t full[abdc] + s t full[badc]).
 * Where the full tensor's symmetry makes terms equal, fewer of them are listed. Unpacking adds it back:
 *     full[abcd] += packed[ab][cd], full[bacd] += s packed[ab][cd], ...
 * A sum over all c and d of such parts of two tensors is a sum over the pairs, with weight 2 for
 * pairs of different values. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/pair_space.h"
#include "tce/tensor/symmetry.h"
#include "tce/tensor/tensor.h"

#include <stdbool.h>

/* Terms that packing adds up, at most. */
enum { PACKING_MAX_TERMS = 16 };

struct packed_place {
    int first, second;              /* places of the full tensor; second -1: no pair */
    const struct pair_space *pairs; /* borrowed; NULL: no pair */
    bool weighted;                  /* pairs of different values are packed twofold */
};

struct packing_term {
    unsigned flipped; /* bit d: the two places of the pair at d are exchanged */
    double factor;
};

struct packing {
    int n; /* places of the packed tensor */
    struct packed_place place[MAX_RANK];
    int n_terms;
    struct packing_term term[PACKING_MAX_TERMS];
};

/* The symmetry that the packed tensor has of the full one's: exchanges of whole pairs, each with the sign of the
 * pairs that are turned around. Pairs with weights have none with others.
 * packed  out: to be freed by symmetry_fini. Errors: STATUS_NO_MEMORY. */
enum status packing_symmetry(const struct packing *packing, const struct symmetry *full,
                             struct symmetry *packed);

/* Sets this process's blocks of the packed tensor. Not collective; nothing is synchronised: the full
 * tensor must have been. Errors: STATUS_NO_MEMORY. */
enum status packing_pack(const struct packing *packing, const struct tensor *full,
                         struct tensor *packed);

/* Adds to this process's blocks of the full tensor, or sets them. Likewise. */
enum status packing_unpack(const struct packing *packing, const struct tensor *packed, bool add,
                           struct tensor *full);

/* Room for packing_add_block. labels: of the full tensor; max_block: elements of the packed one's.
 * Errors: STATUS_NO_MEMORY. */
struct packing_scratch;
enum status packing_scratch_create(const struct packing *packing, const struct block_labels *labels,
                                   int64_t max_block, struct packing_scratch **scratch);
void packing_scratch_destroy(struct packing_scratch *scratch);

/* Bytes that it takes, at most. */
double packing_scratch_bytes(const struct packing *packing, const struct block_labels *labels,
                             int64_t max_block);

/* Adds to blocks of the packed tensor, which start at zero, what one block of the full tensor gives to
 * them: for full tensors that are computed block by block and not kept. Every process may add blocks.
 * With at most two terms the sums do not depend on the order in which blocks come.
 * labels  of the full tensor
 * tile    of its block; packed blocks that are not stored are left out, whose elements are `full` */
void packing_add_block(const struct packing *packing, const struct block_labels *labels,
                       const int32_t tile[], const double *full, struct tensor *packed,
                       struct packing_scratch *scratch);
