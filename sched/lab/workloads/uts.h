/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees of the Unbalanced Tree Search benchmark: a node holds all that its
 * children are made from, so that any process can walk any part of a tree.
 *
 * A node's state is 20 bytes of SHA-1: of the root, the digest of 16 zero bytes
 * and the seed; of child i, the digest of the parent's state and i; both numbers
 * as 4 bytes, the highest first. A node's random number u in [0, 1) is its state's
 * last 31 bits divided by 2^31. The number of its children follows from u:
 *   binomial   m if u < q, else none; the root has floor(b)
 *   geometric  floor(log(1 - u) / log(1 - 1 / (1 + b_h))) at height h, b_h on average,
 *              at most 100, where b_0 = b and
 *              linear  b_h = b (1 - h / d)
 *              expdec  b_h = b h^(-log b / log d)
 *              cyclic  b_h = b^sin(2 pi h / d), 0 above height 5 d
 *              fixed   b_h = b below height d, 0 from there on
 *   hybrid     geometric below height f d, binomial from there on; at most 100
 *   balanced   floor(b) below height d, none from there on
 *
 * Source: Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng, UTS: An Unbalanced
 * Tree Search Benchmark, LCPC 2006, and the options of their program. */
#pragma once

#include "support/base/status.h"

#include <stdint.h>

/* The values of the original's options -t and -a. */
enum { UTS_BINOMIAL, UTS_GEOMETRIC, UTS_HYBRID, UTS_BALANCED };
enum { UTS_LINEAR, UTS_EXPDEC, UTS_CYCLIC, UTS_FIXED };

struct uts_tree {
    int type;           /* -t */
    int shape;          /* -a: of the geometric part */
    int max_depth;      /* -d, d: of the geometric part */
    double branching;   /* -b, b: of the root */
    double parent_prob; /* -q, q: that a binomial node has children */
    int n_children;     /* -m, m: that it has then */
    double shift;       /* -f, f: of max_depth, where a hybrid tree changes */
    int seed;           /* -r */
    int granularity;    /* -g: times that a child is computed */
};

enum { UTS_STATE_SIZE = 20 };

struct uts_node {
    unsigned char state[UTS_STATE_SIZE];
    int32_t height; /* 0: the root */
};

/* Reads "T1" ... "T5", "T1L", "T3L", or the original's options, such as
 * "-t 1 -a 3 -d 10 -b 4 -r 19"; other
 * options have the original's defaults. A binomial tree of q m >= 1 may be infinite or not: T3L
 * ends.
 * Errors: STATUS_USAGE, which names the word at fault. */
enum status uts_parse(const char *text, struct uts_tree *tree);

void uts_root(const struct uts_tree *tree, struct uts_node *root);

/* Number of children of a node. */
int uts_n_children(const struct uts_tree *tree, const struct uts_node *node);

/* Child `index` of a node. */
void uts_child(const struct uts_tree *tree, const struct uts_node *node, int index,
               struct uts_node *child);
