/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors as vectors: results agree with one process's over whole lists of numbers, and
 * are bitwise independent of the number of processes. */
#include "tce/tensor/tensor_algebra.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* In tiles of uneven sizes. */
static const struct index_block blocks[] = {{7, 0, 0}, {1, 1, 0}, {11, 2, 0}};

static struct index_space *space;
static struct block_labels labels;
static struct tensor *x, *y, *empty, *number;

static double element_of_x(const int64_t value[], void *context)
{
    (void)context;
    return sin(1.0 + (double)(31 * value[0] + value[1])) * pow(10, (double)(value[0] % 7) - 3);
}

static double element_of_y(const int64_t value[], void *context)
{
    (void)context;
    return cos(2.0 + (double)(17 * value[0] - 5 * value[1]));
}

static struct tensor *make(const char *name, const struct block_labels *its_labels,
                           tensor_element *element)
{
    struct tensor *tensor;
    check_ok(tensor_create(name, its_labels, MPI_COMM_WORLD, &tensor));
    tensor_fill(tensor, element, NULL);
    return tensor;
}

static double minus_2500(const int64_t value[], void *context)
{
    (void)value;
    (void)context;
    return -2500;
}

static void start(void)
{
    const struct block_labels of_number = {0};
    check_ok(darray_start());
    check_ok(index_space_create("s", 3, blocks, 3, &space));
    labels = (struct block_labels){.rank = 2, .space = {space, space}, .sign = {1, 1}, .irrep = 2};
    struct block_labels none = labels;
    none.irrep = 7;
    x = make("x", &labels, element_of_x);
    y = make("y", &labels, element_of_y);
    empty = make("empty", &none, element_of_x);
    number = make("number", &of_number, minus_2500);
    /* Irreps 0 and 2, in either order; 1 has no partner 3. */
    assert_int_equal(x->n_elements, 2 * 7 * 11);
    assert_int_equal(empty->n_elements, 0);
}

static void stop(void)
{
    tensor_destroy(x);
    tensor_destroy(y);
    tensor_destroy(empty);
    tensor_destroy(number);
    index_space_destroy(space);
    darray_stop();
}

/* All elements, block after block; the caller frees them. */
static double *elements_of(const struct tensor *tensor)
{
    double *elements = malloc((size_t)tensor->n_elements * sizeof *elements), *to = elements;
    darray_sync();
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
        darray_get(tensor->data, block, to);
        to += darray_block_size(tensor->data, block);
    }
    darray_sync();
    return elements;
}

/* result = sum of coefficients times the terms, which may occur several times and be the result. */
static void check_combination(int n, const double coefficients[],
                              const struct tensor *const terms[], struct tensor *result)
{
    double *old[3], *other = elements_of(result == x ? y : x);
    for (int t = 0; t < n; t++)
        old[t] = elements_of(terms[t]);
    tensor_combine(n, coefficients, terms, result);
    double *new = elements_of(result), *same = elements_of(result == x ? y : x);
    assert_memory_equal(same, other, (size_t)x->n_elements * sizeof *same);
    for (int64_t i = 0; i < result->n_elements; i++) {
        double sum = 0, bound = 0;
        for (int t = 0; t < n; t++) {
            sum += coefficients[t] * old[t][i];
            bound += fabs(coefficients[t] * old[t][i]);
        }
        check_close(new[i], sum, n == 1 ? 0 : 2e-15 * bound);
    }
    for (int t = 0; t < n; t++)
        free(old[t]);
    free(other);
    free(same);
    free(new);
}

TEST(sums_are_those_of_one_process)
{
    const double nothing[] = {NAN}, two = 2;
    const struct tensor *const itself = y, *const nil = empty;
    check_combination(2, (double[]){2, 1}, (const struct tensor *[]){x, y}, y);
    check_combination(2, (double[]){-0.3, 0.7}, (const struct tensor *[]){x, y}, y);
    check_combination(2, (double[]){0, 1}, (const struct tensor *[]){x, y}, y);
    check_combination(3, (double[]){1, 2, -0.5}, (const struct tensor *[]){x, x, x}, x);
    check_combination(1, &two, &nil, empty);
    /* A copy is exact: old elements of the result are not read unless it is among the terms. */
    tensor_combine(1, nothing, &itself, y);
    check_combination(1, (double[]){1}, (const struct tensor *[]){x}, y);
    tensor_fill(y, element_of_y, NULL);
}

/* By one process: the products of a block in order, then the blocks in order. */
static double serial_dot(const struct tensor *tensor, const double *a, const double *b)
{
    double dot = 0;
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
        double sum = 0;
        for (int64_t i = 0; i < darray_block_size(tensor->data, block); i++)
            sum += *a++ * *b++;
        dot += sum;
    }
    return dot;
}

/* Vectors of one tensor, of one without blocks as well, and of a scalar as well. */
TEST(scalar_products_are_those_of_one_process)
{
    static double lines[1000];
    const struct tensor *const of_x[] = {x, empty, number}, *const of_y[] = {y, empty, number};
    double *a = elements_of(x), *b = elements_of(y), xx = serial_dot(x, a, a), dot[2], max;
    for (int n = 1; n <= 3; n++) {
        const struct tensor_vector others[] = {{n, of_x}, {n, of_y}};
        double more = n == 3 ? 2500.0 * 2500 : 0, max_x = n == 3 ? 2500 : 0, max_y = max_x;
        for (int64_t i = 0; i < x->n_elements; i++) {
            max_x = fmax(max_x, fabs(a[i]));
            max_y = fmax(max_y, fabs(b[i]));
        }
        tensor_dots(&others[0], 2, others, lines, dot, &max);
        check_close(dot[0], xx + more, 1e-13 * dot[0]);
        check_close(dot[1], serial_dot(x, a, b) + more, 1e-13 * dot[0]);
        check_close(max, max_x, 0);
        tensor_dots(&others[1], 1, others, lines, dot, &max);
        check_close(dot[0], serial_dot(x, a, b) + more, 1e-13 * (xx + more));
        check_close(max, max_y, 0);
        tensor_dots(&others[0], 0, NULL, lines, NULL, &max);
        check_close(max, max_x, 0);
    }
    const struct tensor *const nil = empty;
    const struct tensor_vector of_nil = {1, &nil};
    tensor_dots(&of_nil, 1, &of_nil, lines, dot, &max);
    check_close(dot[0], 0, 0);
    check_close(max, 0, 0);
    free(a);
    free(b);
}

TEST_SETUP(start)
TEST_TEARDOWN(stop)
