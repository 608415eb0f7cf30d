/* SPDX-License-Identifier: BSD-3-Clause */
/* The operators sym(...) and antisym(...) that make what a declaration of symmetry asks for, for messages. */
#pragma once

#include "tce/language/program.h"

struct operators_text {
    char text[256];
};

/* "sym(i a, j b)" of symmetric (i a)(j b), "antisym(i, j) antisym(a, b, c)" of antisymmetric i j, a b c: an
 * operator for each list of groups with an exchange that is lacking.
 * lacks  of each of the tensor's exchanges
 * index  that stands in each place of the tensor, numbers of program_index */
struct operators_text symmetry_operators_for(const struct program *program,
                                             const struct program_tensor *tensor,
                                             const bool lacks[], const int index[]);
