/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of plan_create and the passes that it consists of; private to them. */
#pragma once

#include "tce/plan/factorization.h"
#include "tce/plan/plan.h"

/* A term, factored. */
struct plan_term {
    int statement;
    struct source_place place;
    double coefficient;
    bool add; /* to what the target holds by then */
    struct product product;
    struct factorization factorization;
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
    int n_places;                      /* in all products, before they are factored */
    int n_uses;                        /* by those that are factored */
    struct plan_made before, iterated; /* made before the iterations, or in them */
};

struct plan_step_list {
    int n;
    struct plan_step *steps;
};

struct plan_builder {
    struct plan *plan;
    const struct program *program;
    int *version;  /* of each tensor at a point of the program */
    bool *changes; /* of each tensor, whether iterations change it */
    int n_terms;
    struct plan_term *terms;
    void *parts; /* tree of struct plan_part, tsearch */
    struct plan_step_list before, iterated, final;
    struct plan_step_list *loops; /* of each loop; plan_create's, then the plan's */
};

/* The part with this key, NULL if there is none. */
struct plan_part *plan_builder_find(const struct plan_builder *builder,
                                    const struct product_key *key);

void plan_builder_free_parts(struct plan_builder *builder);

/* Whether the last step of the product takes so many operations that an intermediate
 * which is then copied pays if it is used twice. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_pays(const struct plan_term *term, bool *pays);

/* First pass: lists all terms and their possible parts, factors them in order and counts
 * how often each part is used.
 * Errors: as plan_create. */
enum status plan_builder_factor(struct plan_builder *builder);

/* Second pass: the steps. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_steps(struct plan_builder *builder);

/* Third pass, on the finished list: orders the steps by stages, and sets the lifetimes of
 * intermediates and the peak of memory. Errors: STATUS_NO_MEMORY. */
enum status plan_builder_stages(struct plan *plan);
