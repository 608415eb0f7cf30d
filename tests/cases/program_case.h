/* SPDX-License-Identifier: BSD-3-Clause */
/* Random small contraction programs: as text, and as the data that the text was made from,
 * so that a test needs no parser to interpret it. Every form of the language occurs. */
#pragma once

#include "support/base/random.h"
#include "tce/execution/program_instance.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CASE_SPACES = 3,
    CASE_BLOCKS = 4,
    CASE_VALUES = 20, /* of a space, at most */
    CASE_INDICES = 8,
    CASE_RANK = 5,
    CASE_TENSORS = 64,
    CASE_FACTORS = 6,
    CASE_TERMS = 3,
    CASE_STATEMENTS = 5,
    CASE_ELEMENTS = 6000, /* of a tensor, at most */
    CASE_TUPLES = 30000,  /* values of all indices of a product together, at most */
    CASE_TEXT = 16000
};

struct case_space {
    bool bound; /* by program_instance_init */
    int tile;   /* 0: the default of the program */
    int n_blocks;
    struct index_block blocks[CASE_BLOCKS];
    int size;
    int8_t irrep[CASE_VALUES], spin[CASE_VALUES]; /* of each value */
};

struct case_tensor {
    bool scalar; /* declared as one */
    int rank, space[CASE_RANK], sign[CASE_RANK];
    bool bar;
    int irrep, spin;
    const char *fill; /* NULL: none */
    int n_arguments;
    double argument;
};

struct case_factor {
    int tensor, index[CASE_RANK];
};

struct case_term {
    double coefficient;
    int n_factors;
    struct case_factor factors[CASE_FACTORS];
};

struct case_statement {
    struct case_factor target;
    bool add;
    int n_terms;
    struct case_term terms[CASE_TERMS]; /* -= has negated coefficients */
};

struct program_case {
    uint64_t seed;
    struct random_stream random;
    int n_irreps;
    bool spins;
    int n_spaces, tile;
    struct case_space spaces[CASE_SPACES];
    int space[CASE_INDICES]; /* of each index */
    int n_tensors;
    struct case_tensor tensors[CASE_TENSORS];
    int n_statements;
    struct case_statement statements[CASE_STATEMENTS];
    int n_refused; /* statements that were left out because no labels can meet them */
    size_t length;
    char text[CASE_TEXT];
};

/* A random program, identical on every process for one seed. Statements that the parser refuses are
 * left out, after a check of all values that nothing could come of them. */
void program_case_init(struct program_case *one, uint64_t seed);

/* A tensor's name in the text. */
struct case_name {
    char text[16];
};
struct case_name case_tensor_name(int tensor);

/* Bindings of the bound spaces; returns their number. */
int program_case_bindings(const struct program_case *one,
                          struct space_binding bindings[CASE_SPACES]);

/* Whether the labels allow the factor's element; value: of each index. */
bool program_case_exists(const struct program_case *one, const struct case_factor *factor,
                         const int value[CASE_INDICES]);

/* Indices, to run through all their values. */
struct case_loops {
    int n, index[CASE_INDICES];
    int value[CASE_INDICES]; /* of every index; 0 if it is not among them */
};
void case_loops_add(const struct program_case *one, const struct case_factor *factor,
                    struct case_loops *loops);
bool case_loops_next(const struct program_case *one, struct case_loops *loops);
