/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of an unbalanced tree (uts.h), each a task that adds its children: counted, and the
 * same in every iteration.
 *
 * The low-level functions for SHA-1 cost half of what their successors do for
 * messages as short as these; deprecated after this version. */
#define OPENSSL_API_COMPAT 10100

#include "sched/lab/workloads/uts.h"

#include "sched/lab/workloads/workload.h"
#include "support/io/words.h"

#include <math.h>
#include <openssl/sha.h>
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

static const char defaults[] = "-t 1 -a 0 -d 6 -b 4 -q 0.234375 -m 4 -f 0.5 -r 0 -g 1";

/* The original's options: a whole number at a field, or a real one. */
static const struct {
    char letter;
    bool real;
    size_t offset;
    double min, max;
} parameters[] = {
    {'t', false, offsetof(struct uts_tree, type), 0, UTS_BALANCED},
    {'a', false, offsetof(struct uts_tree, shape), 0, UTS_FIXED},
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
    if (text[strspn(text, " \t\r\n")] == '\0')
        return FAIL(STATUS_USAGE, "--uts: the name of a tree is missing, for instance T1");
    TRY(parse_options(defaults, tree));
    return parse_options(text, tree);
}

/* --- random states --- */

static void store_big_endian(uint32_t number, unsigned char bytes[4])
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
}

static void digest_state(const unsigned char *bytes, size_t size, struct uts_node *node)
{
    SHA_CTX context;
    SHA1_Init(&context);
    SHA1_Update(&context, bytes, size);
    SHA1_Final(node->state, &context);
}

void uts_root(const struct uts_tree *tree, struct uts_node *root)
{
    unsigned char bytes[UTS_STATE_SIZE] = {0};
    store_big_endian((uint32_t)tree->seed, bytes + 16);
    digest_state(bytes, sizeof bytes, root);
    root->height = 0;
}

void uts_child(const struct uts_tree *tree, const struct uts_node *node, int index,
               struct uts_node *child)
{
    unsigned char bytes[UTS_STATE_SIZE + 4];
    memcpy(bytes, node->state, UTS_STATE_SIZE);
    store_big_endian((uint32_t)index, bytes + UTS_STATE_SIZE);
    for (int i = 0; i < tree->granularity; i++)
        digest_state(bytes, sizeof bytes, child);
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
    switch (tree->shape) {
    case UTS_LINEAR:
        return b * (1 - h / d);
    case UTS_EXPDEC:
        return b * pow(h, -log(b) / log(d));
    case UTS_CYCLIC:
        return h > 5 * d ? 0 : pow(b, sin(2 * M_PI * h / d));
    default:
        return h < d ? b : 0;
    }
}

static int geometric(const struct uts_tree *tree, const struct uts_node *node)
{
    double b = branching_at(tree, node->height);
    /* No children for a mean of 0 or NaN. */
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
    switch (tree->type) {
    case UTS_BINOMIAL:
        return node->height == 0 ? (int)tree->branching : count_binomial(tree, node);
    case UTS_GEOMETRIC:
        return geometric(tree, node);
    case UTS_HYBRID:
        return node->height < tree->shift * tree->max_depth ? geometric(tree, node)
                                                            : count_binomial(tree, node);
    default:
        return node->height < tree->max_depth ? (int)tree->branching : 0;
    }
}

/* --- the pool --- */

/* Seconds of a simulated node: 8 million per second, about the speed of the authors' program on a
 * core of 2024. */
static const double NODE_S = 125e-9;

/* Counts of nodes. */
struct uts_count {
    int64_t nodes;
    int64_t leaves;
    int64_t depth; /* the largest height */
};

struct workload_uts {
    struct workload workload; /* first */
    struct uts_tree tree;
    struct uts_count count; /* of this process, in the iteration in progress */
    struct uts_count total; /* of all processes, in the first iteration */
};

static int run_node(void *record, void *context)
{
    struct workload_uts *self = context;
    const struct uts_node *node = record;
    int n_children = uts_n_children(&self->tree, node);
    self->count.nodes++;
    self->count.leaves += n_children == 0;
    if (node->height > self->count.depth)
        self->count.depth = node->height;
    for (int i = 0; i < n_children; i++) {
        struct uts_node child;
        uts_child(&self->tree, node, i, &child);
        TRY(taskpool_add(self->workload.pool, &child));
    }
    return STATUS_OK;
}

static double node_time(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    return NODE_S * ((const struct workload *)context)->settings.time_scale;
}

/* The first process begins with the root. */
static enum status add_root(struct workload *workload, MPI_Comm comm)
{
    struct workload_uts *self = (struct workload_uts *)workload;
    struct uts_node root;
    int rank;
    MPI_Comm_rank(comm, &rank);
    uts_root(&self->tree, &root);
    return rank == 0 ? taskpool_add(workload->pool, &root) : STATUS_OK;
}

static enum status count_tree(struct workload *workload, MPI_Comm comm)
{
    struct workload_uts *self = (struct workload_uts *)workload;
    struct uts_count sum = self->count;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 2, MPI_INT64_T, MPI_SUM, comm); /* nodes and leaves */
    MPI_Allreduce(MPI_IN_PLACE, &sum.depth, 1, MPI_INT64_T, MPI_MAX, comm);
    self->count = (struct uts_count){0};
    if (self->total.nodes == 0)
        self->total = sum;
    if (memcmp(&sum, &self->total, sizeof sum) != 0)
        return FAIL(STATUS_PROTOCOL,
                    "%lld nodes of the tree were visited, and %lld in the first "
                    "iteration",
                    (long long)sum.nodes, (long long)self->total.nodes);
    return STATUS_OK;
}

static void add_tree(const struct workload *workload, json_t *result)
{
    const struct uts_count *total = &((const struct workload_uts *)workload)->total;
    json_object_set_new(result, "nodes", json_integer(total->nodes));
    json_object_set_new(result, "leaves", json_integer(total->leaves));
    json_object_set_new(result, "depth", json_integer(total->depth));
}

static enum status create_tree(struct workload *workload, MPI_Comm comm)
{
    (void)comm;
    workload->problem.record_size = sizeof(struct uts_node);
    workload->problem.run_record = run_node;
    workload->time = node_time;
    workload->begin = add_root;
    workload->end_iteration = count_tree;
    workload->add_result = add_tree;
    return uts_parse(workload->settings.uts, &((struct workload_uts *)workload)->tree);
}

static const struct option_row tree_row =
    TEXT_OPTION("uts", WORKLOAD_FIELD(uts), .value = "TREE",
                .help = "the nodes of an unbalanced tree: T1 to T5, T1L, T3L, or the options of "
                        "the UTS benchmark, such as \"-t 1 -a 3 -d 10 -b 4 -r 19\"");

const struct workload_kind workload_uts = {
    .rows = &tree_row, .n_rows = 1, .size = sizeof(struct workload_uts), .create = create_tree};
