/* SPDX-License-Identifier: BSD-3-Clause */
/* The low-level functions for SHA-1 cost half of what their successors do for
 * messages as short as these; deprecated after this version. */
#define OPENSSL_API_COMPAT 10100

#include "sched/lab/workloads/uts.h"

#include "support/io/words.h"

#include <math.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Children of a node whose number has no bound by its distribution. */
enum { MAX_CHILDREN = 100 };

/* --- parameters --- */

static const struct {
    const char *name;
    const char *options;
} known_trees[] = {
    {"T1", "-t 1 -a 3 -d 10 -b 4 -r 19"},
    {"T2", "-t 1 -a 2 -d 16 -b 6 -r 502"},
    {"T3", "-t 0 -b 2000 -q 0.124875 -m 8 -r 42"},
    {"T4", "-t 2 -a 0 -d 16 -b 6 -r 1 -q 0.234375 -m 4"},
    {"T5", "-t 1 -a 0 -d 20 -b 4 -r 34"},
    {"T1L", "-t 1 -a 3 -d 13 -b 4 -r 29"},
    {"T3L", "-t 0 -b 2000 -q 0.200014 -m 5 -r 7"},
};

static const struct uts_tree defaults = {
    .type = UTS_GEOMETRIC,
    .shape = UTS_LINEAR,
    .max_depth = 6,
    .branching = 4,
    .parent_prob = 15.0 / 64.0,
    .n_children = 4,
    .shift = 0.5,
    .seed = 0,
    .granularity = 1,
};

/* The original's options: a whole number at a field, or a real one. */
static const struct {
    char letter;
    bool real;
    size_t offset;
    double min, max;
} parameters[] = {
    {'t', false, offsetof(struct uts_tree, type), 0, UTS_N_TYPES - 1},
    {'a', false, offsetof(struct uts_tree, shape), 0, UTS_N_SHAPES - 1},
    {'d', false, offsetof(struct uts_tree, max_depth), 1, 1e6},
    {'b', true, offsetof(struct uts_tree, branching), 0, 1e9},
    {'q', true, offsetof(struct uts_tree, parent_prob), 0, 1},
    {'m', false, offsetof(struct uts_tree, n_children), 0, MAX_CHILDREN},
    {'f', true, offsetof(struct uts_tree, shift), 0, 1},
    {'r', false, offsetof(struct uts_tree, seed), 0, INT32_MAX},
    {'g', false, offsetof(struct uts_tree, granularity), 1, 1e6},
};

static int find_parameter(struct word word)
{
    if (word.length != 2 || word.begin[0] != '-')
        return -1;
    for (int i = 0; i < (int)(sizeof parameters / sizeof parameters[0]); i++)
        if (word.begin[1] == parameters[i].letter)
            return i;
    return -1;
}

static enum status store_parameter(struct word word, int i, struct uts_tree *tree)
{
    double value;
    if (!word_to_real(word, &value) || !(value >= parameters[i].min) ||
        !(value <= parameters[i].max) || (!parameters[i].real && value != floor(value)))
        return FAIL(STATUS_USAGE, "--uts: -%c takes a%s number from %g to %g, not '%s'",
                    parameters[i].letter, parameters[i].real ? "" : " whole", parameters[i].min,
                    parameters[i].max, word_show(word).text);
    char *field = (char *)tree + parameters[i].offset;
    if (parameters[i].real)
        *(double *)(void *)field = value;
    else
        *(int *)(void *)field = (int)value;
    return STATUS_OK;
}

static enum status parse_options(const char *text, struct uts_tree *tree)
{
    struct word rest = word_from_text(text), word;
    while (take_word(&rest, &word)) {
        int i = find_parameter(word);
        if (i < 0)
            return FAIL(STATUS_USAGE,
                        "--uts: '%s' is neither T1 to T5, T1L, T3L nor one of the "
                        "options -t -a -d -b -q -m -f -r -g",
                        word_show(word).text);
        take_word(&rest, &word);
        TRY(store_parameter(word, i, tree));
    }
    return STATUS_OK;
}

enum status uts_parse(const char *text, struct uts_tree *tree)
{
    for (size_t i = 0; i < sizeof known_trees / sizeof known_trees[0]; i++)
        if (strcmp(text, known_trees[i].name) == 0)
            text = known_trees[i].options;
    *tree = defaults;
    if (text[strspn(text, " \t\r\n")] == '\0')
        return FAIL(STATUS_USAGE, "--uts: the name of a tree is missing, for instance T1");
    return parse_options(text, tree);
}

/* --- random states --- */

static void store_big_endian(uint32_t number, unsigned char bytes[4])
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
}

void uts_root(const struct uts_tree *tree, struct uts_node *root)
{
    unsigned char bytes[UTS_STATE_SIZE] = {0};
    SHA_CTX context;
    store_big_endian((uint32_t)tree->seed, bytes + 16);
    SHA1_Init(&context);
    SHA1_Update(&context, bytes, sizeof bytes);
    SHA1_Final(root->state, &context);
    root->height = 0;
}

void uts_child(const struct uts_tree *tree, const struct uts_node *node, int index,
               struct uts_node *child)
{
    unsigned char bytes[UTS_STATE_SIZE + 4];
    memcpy(bytes, node->state, UTS_STATE_SIZE);
    store_big_endian((uint32_t)index, bytes + UTS_STATE_SIZE);
    for (int i = 0; i < tree->granularity; i++) {
        SHA_CTX context;
        SHA1_Init(&context);
        SHA1_Update(&context, bytes, sizeof bytes);
        SHA1_Final(child->state, &context);
    }
    child->height = node->height + 1;
}

/* u of the node. */
static double unit(const struct uts_node *node)
{
    const unsigned char *last = node->state + UTS_STATE_SIZE - 4;
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        bits = bits << 8 | last[i];
    return (double)(bits & 0x7fffffff) / 2147483648.0;
}

/* --- numbers of children --- */

/* b_h of the header's formulae. */
static double branching_at(const struct uts_tree *tree, int height)
{
    double b = tree->branching, h = height, d = tree->max_depth;
    if (height == 0)
        return b;
    switch ((enum uts_shape)tree->shape) {
    case UTS_LINEAR:
        return b * (1 - h / d);
    case UTS_EXPDEC:
        return b * pow(h, -log(b) / log(d));
    case UTS_CYCLIC:
        return h > 5 * d ? 0 : pow(b, sin(2 * M_PI * h / d));
    case UTS_FIXED:
    case UTS_N_SHAPES:
        break;
    }
    return h < d ? b : 0;
}

static int geometric(const struct uts_tree *tree, const struct uts_node *node)
{
    double b = branching_at(tree, node->height);
    /* None on average are none, also where the formula has no value. */
    if (!(b > 0))
        return 0;
    double p = 1 / (1 + b);
    /* b above some 1e16: log(1 - p) below would be 0, and the quotient infinite. */
    if (!(1 - p < 1))
        return MAX_CHILDREN;
    double n = floor(log(1 - unit(node)) / log(1 - p));
    return n < MAX_CHILDREN ? (int)n : MAX_CHILDREN;
}

static int count_binomial(const struct uts_tree *tree, const struct uts_node *node)
{
    return unit(node) < tree->parent_prob ? tree->n_children : 0;
}

int uts_n_children(const struct uts_tree *tree, const struct uts_node *node)
{
    switch ((enum uts_type)tree->type) {
    case UTS_BINOMIAL:
        return node->height == 0 ? (int)tree->branching : count_binomial(tree, node);
    case UTS_GEOMETRIC:
        return geometric(tree, node);
    case UTS_HYBRID:
        return node->height < tree->shift * tree->max_depth ? geometric(tree, node)
                                                            : count_binomial(tree, node);
    case UTS_BALANCED:
    case UTS_N_TYPES:
        break;
    }
    return node->height < tree->max_depth ? (int)tree->branching : 0;
}

void uts_count_node(struct uts_count *count, const struct uts_node *node, int n_children)
{
    count->nodes++;
    count->leaves += n_children == 0;
    if (node->height > count->depth)
        count->depth = node->height;
}
