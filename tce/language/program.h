/* SPDX-License-Identifier: BSD-3-Clause */
/* A .tce program as data, and the parser that makes it of the text of a file.
 *
 *     tile 20                                       # values in a tile, else chosen
 *     space O = 240 irrep 0, 180 irrep 1 tile 30    # blocks; also `alpha` or `beta`
 *     space v = virtual                             # bound by a method
 *     index i, j, k : O
 *     index a, b : v
 *     tensor A[i,j,a,b] = wave(0.3)                 # filled by a function of the indices
 *     tensor T[a,b|i,j] irrep 1 spin 0              # upper | lower; zero
 *     tensor g[i,a,j,b] = integrals                 # bound by a method
 *     tensor t[i,j,a,b] symmetric (i a)(j b)        # what exchanges change nothing, or the sign
 *     scalar E
 *     A[i,j,a,b] += 1/2 * T[a,b,i,j] - 0.25 * g[i,a,j,b] * ...
 *     iterate t1 from r1, t2 from r2, energy E      # what follows is repeated by the method
 *     finally energy Et                             # what follows comes once, after that
 *     report E4 "fourth order"                      # a scalar that belongs to the result
 *     for a >= b >= c by tile                       # once for every unique tuple of their tiles
 *         tensor W[a,b,c,i,j,k]                     # of that tuple alone
 *         W[a,b,c,i,j,k] = sym(a i, b j, c k) g[i,a,...] * ...
 *         E4 = W[a,b,c,i,j,k] * ...                 # summed over all tuples
 *     end
 *
 * Names are declared before they are used; spaces, indices and tensors (with scalars) may
 * share a name. In a declaration of a tensor an index only says its space, so [i,i] is two
 * places of it; in a statement a bar may stand where the declaration has it. A statement is
 * `=`, `+=` or `-=` with a sum of products of numbers and tensors; `/` divides by a number.
 * `sym(...)` or `antisym(...)` before a product stands for the sum over all permutations of its groups
 * of indices, the odd ones of `antisym` subtracted: as many products.
 * A statement ends with its line; a line that ends with an operator or a comma, or inside
 * brackets, continues in the next. `#` begins a comment. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/symmetry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in the text of a program, from 1; a column is a byte. */
struct source_place {
    int line, column;
};

/* Beyond these a number is a slip. */
enum {
    PROGRAM_MAX_NAMES = 5000,      /* spaces, indices, tensors: of each */
    PROGRAM_MAX_SIZE = 1000000000, /* values in a block or a tile */
    PROGRAM_MAX_FACTORS = 8,       /* tensors in a product */
    PROGRAM_MAX_TERMS = 100000,    /* products in a program */
    PROGRAM_MAX_PERMUTED = 6,      /* groups of indices that are permuted */
    PROGRAM_MAX_LOOP_INDICES = 6   /* of a loop over tiles */
};

/* Values in a tile where the program says nothing and no contraction has the space. */
enum { PROGRAM_TILE = 40 };

struct program_space {
    char *name;
    struct source_place place;
    char *binding; /* what a method binds it to; NULL if it has blocks */
    struct source_place binding_place;
    int n_blocks;
    struct index_block *blocks;
    int tile;        /* values in a tile; 0: the program's */
    bool has_irreps; /* others than 0 occur, or may when it is bound */
};

/* A name for the values of a space. */
struct program_index {
    char *name;
    struct source_place place;
    int space; /* number */
};

/* An exchange of places that a declaration says to change at most the sign. */
struct program_exchange {
    struct source_place place;
    struct signed_permutation permutation;
};

struct program_tensor {
    char *name;
    struct source_place place;
    int rank; /* 0: a scalar */
    int space[MAX_RANK];
    int8_t sign[MAX_RANK]; /* +1 upper, -1 lower; without a bar +1 */
    bool has_bar;          /* needed if a space has spins, known once spaces are bound */
    int irrep, spin;
    int n_exchanges; /* declared; they generate its symmetry */
    struct program_exchange *exchanges;
    struct symmetry symmetry; /* what the plan may use: see symmetry_check.h */
    bool fills_packed; /* what fills it, and nothing assigns to, also fills its packed parts */
    bool
        any_order; /* its fill does not depend on the order of places of one space and side of the bar */
    int loop;      /* that it is local to, a number of program_loop; -1: none, it is stored */
    /* A local tensor: the index of the loop whose tile a place is confined to, a number of
     * program_index; -1: all values. */
    int loop_index[MAX_RANK];
    char *fill; /* a function's or a binding's name; NULL: zero */
    struct source_place fill_place;
    int n_arguments;
    double *arguments; /* of the fill */
};

/* A tensor with its indices, as it stands in a statement. */
struct program_factor {
    struct source_place place;
    int tensor;          /* number */
    int index[MAX_RANK]; /* numbers of program_index */
};

/* A product. */
struct program_term {
    struct source_place place;
    double coefficient;
    int n_factors; /* in [1, PROGRAM_MAX_FACTORS] */
    struct program_factor *factors;
};

/* target = or += a sum of products; -= has negated coefficients. */
struct program_statement {
    struct source_place place;
    char *text; /* as it was written, on one line */
    int loop;   /* that it stands in; -1: none */
    struct program_factor target;
    bool add;
    /* The factors' labels imply the target's: products are zero where the target has no block. */
    bool keeps_labels;
    int n_terms;
    struct program_term *terms;
};

/* An unknown of the iterations and the tensor that becomes its next value, of the same form. */
struct program_unknown {
    int tensor, residual;
};

/* A loop over tuples of tiles of its indices, which are of one space if they are ordered. Its statements
 * make local tensors and scalars: what a statement adds to a scalar is summed over all tuples, an
 * ordered one standing for all its permutations. */
struct program_loop {
    struct source_place place;
    int n, index[PROGRAM_MAX_LOOP_INDICES]; /* numbers of program_index */
    bool ordered;                           /* a >= b >= ... by the numbers of their tiles */
    int tile;                               /* values; 0: by the sizes of its tensors */
    int first_statement, end_statement;
};

/* A scalar of the result. */
struct program_report {
    struct source_place place;
    int tensor;
    char *label; /* for people */
};

struct program {
    char *file; /* for messages: source_fail(program->file, place, ...) */
    int tile;   /* where a space says nothing; 0: chosen */
    int n_spaces, n_indices, n_tensors, n_statements;
    struct program_space *spaces;
    struct program_index *indices;
    struct program_tensor *tensors;
    struct program_statement *statements;
    int n_unknowns; /* 0: nothing is iterated */
    struct program_unknown *unknowns;
    int energy;                        /* tensor; -1 without `iterate` */
    int first_iterated;                /* statement; n_statements without `iterate` */
    struct source_place iterate_place; /* line 0 without it */
    int final_energy;                  /* tensor that `finally` names; -1: none */
    int first_final;                   /* statement; n_statements without `finally` */
    struct source_place finally_place; /* line 0 without it */
    int n_loops;
    struct program_loop *loops;
    int n_reports;
    struct program_report *reports;
};

/* Reads and checks the text (length bytes). file appears in messages, with line and
 * column. What is checked here needs no sizes of bound spaces: names, ranks, that an index
 * fits its place (the same space), indices repeated or missing on the left, an output among
 * its own factors, labels that can never be met, and that what is iterated is computed anew
 * each time.
 * Errors: STATUS_INPUT, STATUS_LIMIT, STATUS_NO_MEMORY. On failure *program is empty. */
enum status program_parse(const char *text, size_t length, const char *file,
                          struct program *program);
void program_fini(struct program *program);

/* Whether a statement of [first, end) computes the tensor. */
bool program_computes(const struct program *program, int first, int end, int tensor);

/* Records "FILE:LINE:COLUMN: ..." and returns STATUS_INPUT. */
enum status source_fail(const char *file, struct source_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
