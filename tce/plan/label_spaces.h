/* SPDX-License-Identifier: BSD-3-Clause */
/* Index spaces by their labels: how many values have which label, and copies with all irreps 0,
 * for intermediates whose indices carry no irrep constraint. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/index_space.h"

#include <stdbool.h>

/* Enough for pairs: sums of two spins are -2 to 2. */
enum { MAX_LABEL_CLASSES = 5 * N_IRREPS };

/* Values of a space with the same labels. */
struct label_class {
    int irrep, spin;
    double size;
};

struct label_space {
    const struct index_space *space;    /* borrowed */
    struct index_space *without_irreps; /* NULL if all irreps are 0 */
    bool has_spins;
    int max_spin; /* either sign */
    int n_classes;
    struct label_class label_class[MAX_LABEL_CLASSES];
};

struct label_spaces {
    int n;
    struct label_space *spaces;
};

/* space  n of them; borrowed until label_spaces_fini
 * Errors: STATUS_NO_MEMORY; nothing is then held. */
enum status label_spaces_init(int n, const struct index_space *const space[],
                              struct label_spaces *spaces);
void label_spaces_fini(struct label_spaces *spaces);

/* Appends a space; borrowed likewise. number  out: its number. Errors: STATUS_NO_MEMORY. */
enum status label_spaces_add(struct label_spaces *spaces, const struct index_space *space,
                             int *number);

/* A space of these tiles, with irreps or without. */
const struct index_space *label_spaces_with(const struct label_spaces *spaces, int space,
                                            bool irreps);
