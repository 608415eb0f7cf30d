/* SPDX-License-Identifier: BSD-3-Clause */
/* From a program to a list of binary and unary contractions, in stages that run as a pool
 * each.
 *
 * - A product of several tensors is factored (plan_factors.c); its parts are
 *   intermediates, and the last step adds it to its target. The first term of `=` replaces
 *   the target's value, the others add to it.
 * - A part that occurs again, up to the names of indices and the order of factors, is
 *   computed once, if none of its tensors has been changed in between (product_key). A
 *   part that is there costs nothing when later products are factored. Whole products are
 *   shared too, if the operations saved are worth the copies (PLAN_MOVE_FLOPS).
 * - A part that does not change in the iterations is computed once before them. A whole product
 *   likewise, under the condition for sharing.
 * - An intermediate lives from the step that makes it to the last one that reads it; if
 *   that is iterated but the first is not, to the end of the plan.
 * - A stage has steps that may run at the same time; what is added to a tensor in one stage
 *   is added to a block of it by one task.
 * - A product whose summed or target indices are exchanged in pairs by symmetries of its factors runs over
 *   pairs of values, each once (plan_pairs.c), if the operations that this saves are worth the
 *   packing and unpacking of its tensors.
 * Terms are taken as they stand: A*B + A*C is not made into A*(B + C). */
#pragma once

#include "support/base/status.h"
#include "tce/language/program.h"
#include "tce/plan/label_spaces.h"
#include "tce/run/contraction.h"
#include "tce/tensor/packing.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Operations of DGEMM in the time in which an element is read, permuted and added. */
#define PLAN_MOVE_FLOPS (SECONDS_PER_ELEMENT / SECONDS_PER_FLOP)

struct plan_tensor {
    char *name;                 /* of an intermediate "#1", "#2", ... */
    struct block_labels labels; /* of spaces that the plan owns or borrows */
    struct symmetry inherited;  /* of a packed tensor, by which it is stored; owned */
    double elements;            /* that are stored */
    int loop;                   /* that it is local to; -1: none, it is distributed */
    struct packing *packing;    /* of a packed tensor; owned; NULL: not packed */
    bool unstored; /* nothing reads it but what packs it, and what fills it can do that */
    int filled_from; /* what fills that tensor fills this packed one, before the first step; -1: none */
    bool is_set;     /* while steps are made: the next one that writes to it adds to it */
    int first_step, last_step; /* that use it; only of intermediates, which are the tensors
                                  from plan->n_program_tensors on. last_step n_steps: no
                                  step destroys it; the executor may, at the end of the run
                                  or before the next from step 0 */
};

/* Whether products run over pairs. */
enum plan_pairs {
    PLAN_PAIRS_AUTO, /* where it pays */
    PLAN_PAIRS_NEVER,
    PLAN_PAIRS_ALWAYS /* where it takes fewer operations */
};

/* The kinds of steps. Those of one kind run together in a stage, in this order. */
enum plan_phase {
    PLAN_PACK,     /* C = the packed A, by C's packing */
    PLAN_CONTRACT, /* C += A * B or A, as a task pool; or a loop over tiles */
    PLAN_UNPACK,   /* C += the unpacked A, by A's packing */
    N_PLAN_PHASES
};

struct plan_operand {
    int tensor;          /* -1: there is no B */
    int index[MAX_RANK]; /* numbers in the step, as in contraction.h */
};

struct plan_step {
    enum plan_phase phase;
    int loop; /* a whole loop over tiles, in a stage of its own, whose C and A are one of its scalars; -1:
                 a contraction */
    int statement; /* for which it is done; the first one, if it serves several */
    struct plan_operand C, A, B;
    int name[MAX_INDICES]; /* of the indices: numbers of program_index; -1: unused */
    int with[MAX_INDICES]; /* the other index of a pair; -1: unpaired */
    double factor;
    bool add;
    bool joins;                /* the step before it, in the same stage and with the same C;
                                  what is added to a scalar has tasks of its own */
    int create;                /* C, if it is an intermediate that this does not add to: made
                                  before the stage; -1: none */
    int n_destroy, destroy[2]; /* intermediates that are not needed after the stage */
    double flops;              /* two for each pair of elements of A and B, or element of A */
};

/* The steps of a loop over tiles, for each tuple of tiles one after another. */
struct plan_loop {
    int n_steps;
    struct plan_step *steps; /* flops: of all tuples, ordered or not */
    double share;            /* of them that are computed, nearly */
    double flops;            /* of these */
};

struct plan {
    const struct program *program; /* borrowed */
    struct label_spaces spaces;
    int n_program_tensors; /* the program's, with its numbers */
    int n_tensors;
    struct plan_tensor *tensors;
    int n_steps;
    struct plan_step *steps;
    int n_stages;
    int *stage_begin;         /* n_stages + 1: steps */
    int first_iterated_stage; /* n_stages if nothing is iterated */
    int first_iterated;       /* its first step; n_steps if nothing is iterated */
    int first_final_stage;    /* of what follows the iterations; n_stages if nothing does */
    int first_final;
    struct plan_loop *loops; /* program->n_loops */
    double saved_flops;      /* by pairs, of one run of all steps */
    double *statement_flops; /* of the steps of each statement, program->n_statements */
    double *naive_flops;     /* of one loop nest over all indices of each product, without
                                 labels: a multiplication or addition for each factor */
    double peak_elements;    /* of all tensors that exist at a time */
};

/* program, space  borrowed until plan_destroy; a space for each of the program's, bound
 *                 ones included. The same on every process; not collective.
 * Errors: STATUS_INPUT, with the place, if a product cannot be factored with at most
 * MAX_RANK indices; STATUS_NO_MEMORY, STATUS_LIMIT. */
enum status plan_create(const struct program *program, const struct index_space *const space[],
                        enum plan_pairs pairs, struct plan **plan);
void plan_destroy(struct plan *plan);

/* Chooses how long the tiles of the program's spaces are where it says nothing: those for which a simple model of
 * the time of all contractions of the plan is least (plan_tiles.c). Only the program decides: results are the same
 * on any number of processes.
 * plan  over spaces whose tiles are as long as labels allow
 * tile  of each of the program's spaces: 0 is replaced by the values in a tile; PROGRAM_TILE if no contraction
 *       outside of loops over tiles has an index of the space; more if all spaces had more than
 *       INDEX_SPACE_MAX_TILES else
 * Errors: STATUS_NO_MEMORY. */
enum status plan_choose_tiles(const struct plan *plan, int64_t tile[]);

/* Whether the tensor is there as long as the executor is, distributed. */
bool plan_keeps_tensor(const struct plan *plan, int tensor);

/* The loop over tiles that a stage is, a number of plan->loops; -1: contractions. */
int plan_stage_loop(const struct plan *plan, int stage);

/* The steps of a stage that do one thing: [begin, end). */
void plan_stage_phase(const struct plan *plan, int stage, enum plan_phase phase, int *begin,
                      int *end);

/* The passes whose work can be printed. */
enum plan_pass {
    PLAN_PASS_ALL,
    PLAN_PASS_FACTORIZE, /* operations of each statement */
    PLAN_PASS_SHARE,     /* intermediates that several contractions read */
    PLAN_PASS_PAIR,      /* contractions over pairs, and what they save */
    PLAN_PASS_STAGE,     /* the steps of each stage, and memory */
    PLAN_PASS_TILE       /* the tiles of each space */
};

/* The tiles of every space; the tasks of every stage and its steps, each as a formula with its line, flops, and its
 * intermediate's elements and MB; the sum of each statement and of all; the naive cost; the peak memory of tensors.
 * Or what one pass has made. Errors: STATUS_NO_MEMORY, STATUS_LIMIT. */
enum status plan_print(const struct plan *plan, enum plan_pass pass, FILE *stream);
