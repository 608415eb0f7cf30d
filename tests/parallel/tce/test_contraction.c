/* SPDX-License-Identifier: BSD-3-Clause */
/* Contractions of block-sparse tensors agree with nested loops, and bit for bit with
 * themselves under every mode, cache and prefetch. */
#include "support/base/sha256.h"
#include "tce/run/stage.h"
#include "tests/cases/contraction_cases.h"
#include "tests/cases/darray_case.h"
#include "tests/cases/pool_cases.h"
#include "tests/reference/contraction_reference.h"

#include <string.h>

enum { N_CASES = 400, N_CASES_OF_SYMMETRY = 100 };

/* Pseudo-random numbers in [-1, 1), by indices, rank and irrep of a tensor. */
static double element(const int64_t value[], void *context)
{
    const struct block_labels *labels = *(const struct block_labels **)context;
    struct random_stream random;
    uint64_t position = 0;
    for (int d = 0; d < labels->rank; d++)
        position = position * 1000 + (uint64_t)value[d];
    random_stream_init(&random, position, (uint64_t)(labels->rank + labels->irrep));
    return 2 * random_unit(&random) - 1;
}

static void fill(struct tensor *tensor)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    tensor_fill(tensor, element, &labels);
}

static struct tensor *make(const char *name, const struct block_labels *labels)
{
    struct tensor *tensor;
    check_ok(tensor_create(name, labels, MPI_COMM_WORLD, &tensor));
    assert_true((double)tensor->n_elements == tensor_count_elements(labels));
    fill(tensor);
    return tensor;
}

static void make_tensors(struct contraction_case *one)
{
    struct contraction_problem *problem = &one->problem;
    problem->C.tensor = make("C", &one->C);
    problem->A.tensor = make("A", &one->A);
    problem->B.tensor = problem->has_B ? make("B", &one->B) : NULL;
}

static void destroy_tensors(struct contraction_case *one)
{
    tensor_destroy(one->problem.C.tensor);
    tensor_destroy(one->problem.A.tensor);
    tensor_destroy(one->problem.B.tensor);
}

/* From the same C. */
static void run(const struct contraction_case *one, const char *pool, int way)
{
    const struct contraction_settings settings = {
        .cache_bytes = (int64_t[]){0, 2000, 100000000}[way % 3], .prefetch = way % 2};
    struct taskpool_settings pool_settings = pool_case_settings(pool);
    struct stage *stage;
    check_ok(stage_create(1, &one->problem, &settings, &stage));
    check_ok(stage_start(stage, &pool_settings, MPI_COMM_WORLD));
    fill(one->problem.C.tensor);
    check_ok(stage_run(stage));
    stage_destroy(stage);
}

static double *elements_of(const struct tensor *tensor)
{
    double *elements = malloc((size_t)(tensor->n_elements + 1) * sizeof *elements), *to = elements;
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
        darray_get(tensor->data, block, to);
        to += darray_block_size(tensor->data, block);
    }
    darray_sync();
    return elements;
}

/* Returns how many elements are not 0. */
static int64_t check_against_reference(const struct contraction_case *one)
{
    struct tensor *C = one->problem.C.tensor;
    double *actual = elements_of(C), largest = 1;
    fill(C);
    check_ok(contraction_reference(&one->problem, MPI_COMM_WORLD));
    double *expected = elements_of(C);
    int64_t n = 0;
    for (int64_t i = 0; i < C->n_elements; i++) {
        largest = fmax(largest, fabs(expected[i]));
        n += expected[i] != 0;
    }
    for (int64_t i = 0; i < C->n_elements; i++)
        check_close(actual[i], expected[i], 1e-12 * largest);
    free(actual);
    free(expected);
    return n;
}

static void digest_of(const struct contraction_case *one, char digest[SHA256_HEX_SIZE])
{
    check_ok(tensor_sha256(one->problem.C.tensor, MPI_COMM_WORLD, digest));
}

/* Under one pool after another, with the bits of another pool, cache and prefetch. */
TEST(random_contractions_agree_with_nested_loops)
{
    int n_not_zero = 0, n_pools = pool_case_count(true);
    for (int i = 0; i < N_CASES; i++) {
        char digest[2][SHA256_HEX_SIZE];
        struct contraction_case one;
        contraction_case_init(&one, (uint64_t)i);
        make_tensors(&one);
        for (int way = 0; way < 2; way++) {
            run(&one, pool_case_find((i + 3 * way) % n_pools, true), i / n_pools + way);
            digest_of(&one, digest[way]);
        }
        assert_string_equal(digest[1], digest[0]);
        n_not_zero += check_against_reference(&one) > 0;
        destroy_tensors(&one);
        contraction_case_fini(&one);
    }
    print_message("%d of %d results are not zero\n", n_not_zero, N_CASES);
    /* The labels must not be such that there is mostly nothing to do. */
    assert_true(n_not_zero > N_CASES / 2);
}

/* --- symmetries --- */

/* Exchanges two places of one space and sign, if the labels have two such; the tensor's sign is random. */
static void choose_symmetry(struct block_labels *labels, uint64_t seed, struct symmetry *symmetry)
{
    struct signed_permutation exchange = symmetry_identity();
    struct random_stream random;
    bool contradicts;
    random_stream_init(&random, seed, 0);
    int n = 0;
    for (int d = 0; d < labels->rank; d++)
        for (int e = 0; e < d; e++)
            if (labels->space[d] == labels->space[e] && labels->sign[d] == labels->sign[e] &&
                case_below(&random, ++n) == 0) {
                exchange = symmetry_identity();
                exchange.place[d] = (int8_t)e;
                exchange.place[e] = (int8_t)d;
                exchange.sign = case_below(&random, 2) ? 1 : -1;
            }
    check_ok(symmetry_generate(labels->rank, 1, &exchange, symmetry, &contradicts));
}

/* Indices 0 to 2, 3 to 5 and so on get one space, whose spins are left out. */
static void share_spaces(struct contraction_case *one)
{
    struct contraction_operand *operands[] = {&one->problem.C, &one->problem.A, &one->problem.B};
    struct block_labels *labels[] = {&one->C, &one->A, &one->B};
    for (int o = 0; o < 3; o++)
        for (int d = 0; d < labels[o]->rank; d++) {
            int index = operands[o]->index[d];
            labels[o]->space[d] = one->space[index / 3 * 3];
            labels[o]->sign[d] = 0;
        }
}

/* The sum over the symmetry's permutations of `element`. */
static double symmetric_element(const int64_t value[], void *context)
{
    const struct block_labels *labels = *(const struct block_labels **)context;
    double sum = 0;
    for (int e = 0; e < labels->symmetry->n; e++) {
        int64_t image[MAX_RANK] = {0};
        for (int d = 0; d < labels->rank; d++)
            image[d] = value[labels->symmetry->elements[e].place[d]];
        sum += labels->symmetry->elements[e].sign * element(image, context);
    }
    return sum;
}

/* A tensor of symmetric_element with all blocks, or with the unique ones alone. */
static struct tensor *make_symmetric(const char *name, const struct block_labels *labels,
                                     struct block_labels *made, bool unique)
{
    struct tensor *tensor;
    *made = *labels;
    made->symmetry = unique ? labels->symmetry : NULL;
    check_ok(tensor_create(name, made, MPI_COMM_WORLD, &tensor));
    tensor_fill(tensor, symmetric_element, (void *)&labels);
    return tensor;
}

/* Factors with unique blocks give the result of factors with all blocks. */
TEST(factors_that_store_unique_blocks)
{
    int n_left_out = 0;
    for (int i = 0; i < N_CASES_OF_SYMMETRY; i++) {
        struct contraction_case one;
        struct symmetry symmetry[2];
        contraction_case_init(&one, 400000 + (uint64_t)i);
        share_spaces(&one);
        choose_symmetry(&one.A, (uint64_t)i, &symmetry[0]);
        choose_symmetry(&one.B, (uint64_t)i + 1000, &symmetry[1]);
        one.A.symmetry = &symmetry[0];
        one.B.symmetry = &symmetry[1];
        double *result[2];
        for (int unique = 0; unique < 2; unique++) {
            struct block_labels labels[2];
            struct contraction_case tried = one;
            tried.problem.C.labels = &one.C;
            tried.problem.A.labels = &labels[0];
            tried.problem.B.labels = &labels[1];
            tried.problem.C.tensor = make("C", &one.C);
            tried.problem.A.tensor = make_symmetric("A", &one.A, &labels[0], unique);
            if (one.problem.has_B)
                tried.problem.B.tensor = make_symmetric("B", &one.B, &labels[1], unique);
            run(&tried, "--sched=counter", i);
            result[unique] = elements_of(tried.problem.C.tensor);
            n_left_out += unique && block_index_n(tried.problem.A.tensor->blocks) <
                                        block_index_n_tuples(tried.problem.A.tensor->blocks);
            destroy_tensors(&tried);
        }
        int64_t n = (int64_t)tensor_count_elements(&one.C);
        for (int64_t e = 0; e < n; e++)
            check_close(result[1][e], result[0][e], 1e-11 * fmax(1, fabs(result[0][e])));
        free(result[0]);
        free(result[1]);
        symmetry_fini(&symmetry[0]);
        symmetry_fini(&symmetry[1]);
        contraction_case_fini(&one);
    }
    print_message("%d of %d tensors have blocks that are not stored\n", n_left_out,
                  N_CASES_OF_SYMMETRY);
    assert_true(n_left_out > N_CASES_OF_SYMMETRY / 8);
}

/* Operands of a contraction over one unlabelled space of 10 in tiles of 3, from letters. */
static struct contraction_operand operand_of(const char *letters, const struct index_space *space,
                                             struct block_labels *labels)
{
    *labels = (struct block_labels){0};
    struct contraction_operand operand = {.labels = labels};
    for (int d = 0; d < MAX_RANK && letters[d]; d++) {
        labels->space[d] = space;
        labels->sign[d] = 1;
        operand.index[d] = letters[d] - 'a';
        labels->rank++;
    }
    return operand;
}

static enum status add_elements(const struct contraction_access *access, void *sum)
{
    *(double *)sum += (double)access->elements;
    return STATUS_OK;
}

TEST(operations_and_bytes)
{
    static const struct {
        const char *C, *A, *B;
        double flops;
    } forms[] = {
        {"ijkl", "ijab", "abkl", 2e6}, {"ijkl", "abij", "klab", 2e6}, {"klij", "ijab", "abkl", 2e6},
        {"jikl", "ijab", "abkl", 2e6}, {"ijkl", "ijab", "bakl", 2e6}, {"ij", "ki", "jk", 2e3},
        {"bij", "bik", "bkj", 2e4},    {"ibj", "ibk", "kbj", 2e4},    {"ijb", "ikb", "kjb", 2e4},
        {"ikjl", "iajb", "kbla", 2e6}, {"i", "iaa", "", 0},           {"i", "iaa", "ai", 200},
        {"", "ijab", "abij", 2e4},     {"ij", "ij", "ij", 200},
    };
    struct index_block block = {.size = 10};
    struct index_space *space;
    check_ok(index_space_create("s", 1, &block, 3, &space));
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        struct block_labels C, A, B;
        struct contraction_problem problem = {.C = operand_of(forms[f].C, space, &C),
                                              .A = operand_of(forms[f].A, space, &A),
                                              .B = operand_of(forms[f].B, space, &B),
                                              .has_B = forms[f].B[0] != 0,
                                              .factor = 1};
        struct stage *stage;
        double flops = 0, elements = 0, of_cost = 0;
        check_ok(stage_create(1, &problem, &(struct contraction_settings){0}, &stage));
        for (int64_t task = 0; task < stage_n_tasks(stage); task++) {
            struct task_cost cost = stage_task_cost(stage, task);
            flops += cost.flops;
            of_cost += cost.elements;
            check_ok(stage_visit_blocks(stage, task, add_elements, &elements));
            elements += forms[f].C[0] == 0; /* the part of a scalar, which is no block */
        }
        assert_true(flops == forms[f].flops);
        assert_true(elements == of_cost);
        stage_destroy(stage);
    }
    index_space_destroy(space);
}

/* --- blocks that several tasks make --- */

/* C[i,j] += A[i,k] B[k,j] - A[i,k] D[j,k] / 2, of 30 x 30 in two blocks, with 30,000 values of k in 15 tiles. */
struct sliced_case {
    struct index_space *outer, *halved, *summed;
    struct block_labels C, A, B, D;
    struct contraction_problem problems[2];
};

static struct contraction_operand two_indices(struct block_labels *labels, int index0,
                                              const struct index_space *space0, int index1,
                                              const struct index_space *space1)
{
    *labels = (struct block_labels){.rank = 2, .space = {space0, space1}, .sign = {1, 1}};
    return (struct contraction_operand){
        .labels = labels, .tensor = make("sliced", labels), .index = {index0, index1}};
}

static void make_sliced(struct sliced_case *made)
{
    enum { I, J, K };
    struct index_block outer = {.size = 30}, summed = {.size = 30000};
    check_ok(index_space_create("s", 1, &outer, 30, &made->outer));
    check_ok(index_space_create("r", 1, &outer, 15, &made->halved));
    check_ok(index_space_create("t", 1, &summed, 2000, &made->summed));
    struct contraction_problem first = {.C = two_indices(&made->C, I, made->outer, J, made->halved),
                                        .A = two_indices(&made->A, I, made->outer, K, made->summed),
                                        .B =
                                            two_indices(&made->B, K, made->summed, J, made->halved),
                                        .has_B = true,
                                        .add = true,
                                        .factor = 1};
    made->problems[0] = made->problems[1] = first;
    made->problems[1].B = two_indices(&made->D, J, made->halved, K, made->summed);
    made->problems[1].factor = -0.5;
    made->problems[1].joins = true;
}

static void destroy_sliced(struct sliced_case *made)
{
    tensor_destroy(made->problems[0].C.tensor);
    tensor_destroy(made->problems[0].A.tensor);
    tensor_destroy(made->problems[0].B.tensor);
    tensor_destroy(made->problems[1].B.tensor);
    index_space_destroy(made->outer);
    index_space_destroy(made->halved);
    index_space_destroy(made->summed);
}

/* Twice, as parts are made anew. */
static void run_sliced(const struct sliced_case *made, const char *pool)
{
    const struct contraction_settings settings = {.cache_bytes = 1000000, .prefetch = true};
    struct taskpool_settings pool_settings = pool_case_settings(pool);
    struct stage *stage;
    check_ok(stage_create(2, made->problems, &settings, &stage));
    assert_true(stage_n_tasks(stage) > 3);
    assert_true(stage_parts_elements(stage) == (double)stage_n_tasks(stage) / 2 * 30 * 30);
    check_ok(stage_start(stage, &pool_settings, MPI_COMM_WORLD));
    for (int i = 0; i < 2; i++) {
        fill(made->problems[0].C.tensor);
        check_ok(stage_run(stage));
    }
    stage_destroy(stage);
}

TEST(parts_of_blocks_add_up)
{
    static const char *const pools[] = {"--sched=static", "--sched=steal", "--sched=persist"};
    char digest[3][SHA256_HEX_SIZE];
    struct sliced_case made;
    make_sliced(&made);
    struct tensor *C = made.problems[0].C.tensor;
    for (int p = 0; p < 3; p++) {
        run_sliced(&made, pools[p]);
        check_ok(tensor_sha256(C, MPI_COMM_WORLD, digest[p]));
        assert_string_equal(digest[p], digest[0]);
    }
    double *actual = elements_of(C);
    fill(C);
    for (int t = 0; t < 2; t++)
        check_ok(contraction_reference(&made.problems[t], MPI_COMM_WORLD));
    double *expected = elements_of(C);
    for (int64_t i = 0; i < C->n_elements; i++)
        check_close(actual[i], expected[i], 1e-9);
    free(actual);
    free(expected);
    destroy_sliced(&made);
}

TEST_SETUP(darray_case_start)

TEST_TEARDOWN(darray_case_stop)
