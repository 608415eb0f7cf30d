/* SPDX-License-Identifier: BSD-3-Clause */
/* Index spaces by their labels: how many values have which label, copies with all irreps 0, for
 * intermediates whose indices carry no irrep constraint, and spaces of pairs. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/pair_space.h"

#include <stdbool.h>

/* Enough for pairs: sums of two spins are -2 to 2. */
enum { MAX_LABEL_CLASSES = 5 * N_IRREPS };

/* Values of a space with the same labels. */
struct label_class {
    int irrep, spin;
    double size;
};

struct label_space {
    const struct index_space *space;    /* borrowed, or of the pairs */
    struct index_space *without_irreps; /* NULL if all irreps are 0 */
    struct pair_space *pairs;           /* of the values of a space, which it is then; else NULL */
    int pairs_of;                       /* number of that space */
    int max_spin;                       /* either sign; 0: no spins */
    int n_classes;
    struct label_class label_class[MAX_LABEL_CLASSES];
};

/* Zeros: none yet. */
struct label_spaces {
    int n;
    struct label_space *spaces;
};

/* Appends a space, which is borrowed until label_spaces_fini. Errors: STATUS_NO_MEMORY. */
enum status label_spaces_add(struct label_spaces *spaces, const struct index_space *space);
void label_spaces_fini(struct label_spaces *spaces);

/* The number of the space of pairs of a space, which is appended where it is new.
 * Errors: as pair_space_create. */
enum status label_spaces_find_pairs(struct label_spaces *spaces, int of, int sign, int *number);

/* A space of these tiles, with irreps or without. */
const struct index_space *label_spaces_with(const struct label_spaces *spaces, int space,
                                            bool irreps);

/* The number of a space that label_spaces_with has given. */
int label_spaces_number(const struct label_spaces *spaces, const struct index_space *space);
