/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of plan_create and the passes that it consists of; private to them. */
#pragma once

#include "tce/plan/plan.h"
#include "tce/plan/product.h"

/* A part of a term that a step makes of two others, or of a factor; or a factor as it is. */
struct plan_node {
    uint64_t part;
    int left, right;                /* nodes; -1 for a single factor */
    bool is_factor;                 /* as it is, without a step */
    double flops;                   /* of its own step */
    struct product_operand operand; /* the step's result */
};

/* A term, factored. */
struct plan_term {
    int statement;
    struct source_place place;
    double coefficient;
    struct product product;
    int n_nodes;
    struct plan_node *node; /* the factors first, the product last; owned */
};

/* An intermediate that holds a part. */
struct plan_made {
    int tensor;           /* -1: none */
    int number[MAX_RANK]; /* in the key, of the index at each place */
};

/* A part that may be shared, by the words of its key. */
struct plan_part {
    int n_words;
    const int *words;                  /* behind the part, in the memory of both */
    int n_uses;                        /* by those that are factored */
    struct plan_made before, iterated; /* made before the iterations, or in them */
};

struct plan_step_list {
    int n;
    struct plan_step *steps;
};

/* A tensor with indices of the product at hand. */
struct plan_use {
    int tensor;
    struct product_operand operand;
};

/* The result of a step: an intermediate, which is new, or the target of a statement. */
struct plan_write {
    struct plan_use C;
    bool is_new;
    double factor;
};

/* A packed tensor that is there. */
struct plan_packed {
    int of, version; /* what it is packed from */
    int packing;     /* a number of plan->packings */
    int tensor;
    bool before; /* the iterations */
};

struct plan_builder {
    struct plan *plan;
    const struct program *program;
    enum plan_pairs pairs;
    int *version;  /* of each tensor at a point of the program */
    bool *changes; /* of each tensor, whether iterations change it */
    int n_terms;
    struct plan_term *terms;
    void *parts; /* tree of struct plan_part, tsearch */
    struct plan_step_list before, iterated, final;
    struct plan_step_list *loops; /* of each loop; plan_create's, then the plan's */
    bool is_set;                  /* the target of the statement at hand, by its terms so far */
    int n_packed;
    struct plan_packed *packed;
    struct plan_step_list
        sums; /* the steps that unpack sums over pairs, not yet in the other lists */
};

/* The part with this key, NULL if there is none. */
struct plan_part *plan_builder_find(const struct plan_builder *builder,
                                    const struct product_key *key);

void plan_builder_free_parts(struct plan_builder *builder);

/* Whether the last step of the product takes so many operations that an intermediate
 * which is then copied pays if it is used twice. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_pays(const struct plan_term *term, bool *pays);

/* First pass: lists all terms, factors them in order and counts
 * how often each part is used.
 * Errors: as plan_create. */
enum status plan_builder_factor(struct plan_builder *builder);

/* Second pass: the steps. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_steps(struct plan_builder *builder);

/* The step C = A * B, or C = A if B is NULL, but for flops and what else its kind asks for; of a scalar with the
 * larger factor first: its tasks are the blocks of A. The indices are of the product. */
struct plan_step plan_builder_step(const struct plan_builder *builder, int statement,
                                   const struct product *product, const struct plan_use *C,
                                   const struct plan_use *A, const struct plan_use *B);

/* Errors: STATUS_NO_MEMORY, as those of the functions below. */
enum status plan_builder_append(struct plan_step_list *list, const struct plan_step *step);

/* A new intermediate with the labels of use->operand; sets use->tensor. loop: that it is local to; -1 */
enum status plan_builder_intermediate(struct plan_builder *builder, const struct product *product,
                                      int loop, struct plan_use *use);

/* Whether the statement adds to what its target holds by now. */
bool plan_builder_adds(const struct plan_builder *builder, int statement);

/* Makes A * B by steps over pairs, if symmetries allow it and the setting asks for it; sums of a
 * statement's target are left to plan_builder_unpack.
 * made  out: whether it did */
enum status plan_builder_pairs(struct plan_builder *builder, const struct plan_term *term,
                               struct plan_step_list *list, const struct plan_write *write,
                               const struct plan_use *A, const struct plan_use *B, bool *made);

/* Adds the sums over pairs to the target of the statement that ends. */
enum status plan_builder_unpack(struct plan_builder *builder, int statement,
                                struct plan_step_list *list);

/* Third pass, on the finished list: takes out the steps that pack what need not be stored, and leaves out blocks
 * that the symmetry of a tensor makes of others. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_store(struct plan_builder *builder);

/* Last pass: orders the steps by stages, and sets the lifetimes of
 * intermediates and the peak of memory. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_stages(struct plan *plan);
