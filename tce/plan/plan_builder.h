/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of plan_create and the passes that it consists of; private to them.
 *
 * A term becomes a product (product.h), whose parts are the nodes of a tree: its factors, and what steps make of two
 * others. Parts with equal keys are one intermediate. */
#pragma once

#include "tce/plan/plan.h"
#include "tce/plan/product.h"

/* A part of a term, made of two others by a step, or a factor. */
struct plan_node {
    uint64_t left;       /* the part that joins the rest of this one; 0: a single factor */
    bool is_factor;      /* as it is, without a step */
    double total, flops; /* of all steps below, infinite without steps; of its own */
    struct product_operand operand; /* the step's result */
};

/* A term, factored. */
struct plan_term {
    int statement;
    int loop;                      /* that the statement is in; -1 */
    const struct program_term *of; /* the program's */
    struct product product;
    struct plan_node *node; /* of each part; owned */
    bool pays; /* an intermediate of the product that is then copied would, if it is used twice */
};

/* A part that may be shared, and the intermediate that holds it, with the key's numbers of its indices; tensor -1: it
 * is not made yet. */
struct plan_part {
    struct product_key key; /* first: the tree is ordered by it */
    int n_uses;             /* by those that are factored */
    struct product_factor made;
};

struct plan_step_list {
    int n;
    struct plan_step *steps;
};

/* C += factor * A * B, with indices of the product, that steps of a list are to do; tensor -1: no B. */
struct plan_contraction {
    const struct plan_term *term;
    const struct product *product; /* the term's, or that over pairs */
    struct plan_step_list *list;
    double factor;
    bool
        into_target; /* what is made ends in the term's target; else in an intermediate, which is new */
    struct product_factor C, A, B;
};

/* When a step is done, in this order. */
enum plan_time { PLAN_BEFORE, PLAN_ITERATED, PLAN_FINAL, N_PLAN_TIMES };

/* A packed tensor that is there. */
struct plan_packed {
    int of, version; /* of the full tensor */
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
    struct plan_step_list steps[N_PLAN_TIMES];
    struct plan_step_list *loops; /* of each loop; plan_create's, then the plan's */
    int n_packed;
    struct plan_packed *packed;
    struct plan_step_list
        sums; /* the steps that unpack sums over pairs, not yet in the other lists */
};

/* The part with this key, or NULL. */
struct plan_part *plan_builder_find(const struct plan_builder *builder,
                                    const struct product_key *key);

void plan_builder_free_parts(struct plan_builder *builder);

/* First pass: lists all terms, factors them in order and counts
 * how often each part is used.
 * Errors: as plan_create. */
enum status plan_builder_factor(struct plan_builder *builder);

/* Second pass: the steps. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_steps(struct plan_builder *builder);

/* When a statement outside of loops is done. */
enum plan_time plan_builder_time(const struct plan_builder *builder, int statement);

/* The step C = A * B, or C = A if B is NULL or not there, but for flops and what else its kind asks for; of a scalar
 * with the larger factor first: its tasks are the blocks of A. The indices are of the product. */
struct plan_step plan_builder_step(const struct plan_builder *builder, int statement,
                                   const struct product *product, const struct product_factor *C,
                                   const struct product_factor *A, const struct product_factor *B);

/* Appends a step, which adds to its C if that is set. Errors: STATUS_NO_MEMORY, as the functions
 * below. */
enum status plan_builder_append(struct plan_builder *builder, struct plan_step_list *list,
                                struct plan_step step);

/* Appends one step that does it as it is. */
enum status plan_builder_contract(struct plan_builder *builder,
                                  const struct plan_contraction *contraction);

/* Appends a tensor. loop: that it is local to; -1 */
enum status plan_builder_add_tensor(struct plan *plan, const char *name,
                                    const struct block_labels *labels, int loop);

/* A new intermediate with the labels of made->operand; sets made->tensor. */
enum status plan_builder_intermediate(struct plan_builder *builder, const struct product *product,
                                      int loop, struct product_factor *made);

/* Contracts by steps over pairs, if symmetries allow it and the setting asks for it; sums of a
 * statement's target are left to plan_builder_unpack.
 * made  out: whether it did */
enum status plan_builder_pairs(struct plan_builder *builder,
                               const struct plan_contraction *contraction, bool *made);

/* Appends builder->sums from the first one on, which leave it. */
enum status plan_builder_unpack(struct plan_builder *builder, int first,
                                struct plan_step_list *list);

/* Third pass, on the finished list: takes out the steps that pack what need not be stored, and leaves out blocks
 * that the symmetry of a tensor makes of others. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_store(struct plan_builder *builder);

/* Last pass: orders the steps by stages, and sets the lifetimes of
 * intermediates and the peak of memory. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_stages(struct plan *plan);
