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
static struct tensor *x, *y;

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

static void start(void)
{
    check_ok(darray_start());
    check_ok(index_space_create("s", 3, blocks, 3, &space));
    labels = (struct block_labels){.rank = 2, .space = {space, space}, .sign = {1, 1}, .irrep = 2};
}

static void stop(void)
{
    index_space_destroy(space);
    darray_stop();
}

static void make_tensors(void)
{
    x = make("x", &labels, element_of_x);
    y = make("y", &labels, element_of_y);
}

static void destroy_tensors(void)
{
    tensor_destroy(x);
    tensor_destroy(y);
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

/* y = alpha x + beta y, by one process and by all. */
static void check_combination(double alpha, double beta)
{
    const struct tensor *const terms[] = {x, y};
    const double coefficients[] = {alpha, beta};
    double *old_x = elements_of(x), *old_y = elements_of(y);
    tensor_combine(2, coefficients, terms, y);
    double *new_x = elements_of(x), *new_y = elements_of(y);
    for (int64_t i = 0; i < x->n_elements; i++) {
        check_close(new_x[i], old_x[i], 0);
        check_close(new_y[i], alpha * old_x[i] + beta * old_y[i],
                    1e-15 * (fabs(alpha * old_x[i]) + fabs(beta * old_y[i])));
    }
    free(old_x);
    free(old_y);
    free(new_x);
    free(new_y);
}

TEST(sums_are_those_of_one_process)
{
    make_tensors();
    /* Irreps 0 and 2, in either order; 1 has no partner 3. */
    assert_int_equal(x->n_elements, 2 * 7 * 11);
    check_combination(2, 1);
    check_combination(-0.3, 0.7);
    check_combination(0, 1);
    destroy_tensors();
}

/* The old elements of the result are not read unless it is among the terms. */
TEST(a_copy_is_exact)
{
    make_tensors();
    const double one = 1, nothing[] = {NAN};
    const struct tensor *const from = x, *const itself = y;
    tensor_combine(1, nothing, &itself, y);
    tensor_combine(1, &one, &from, y);
    double *copied = elements_of(y), *original = elements_of(x);
    assert_memory_equal(copied, original, (size_t)x->n_elements * sizeof *copied);
    free(copied);
    free(original);
    destroy_tensors();
}

TEST(a_vector_may_occur_several_times)
{
    make_tensors();
    const double coefficients[] = {1, 2, -0.5};
    const struct tensor *const terms[] = {x, x, x};
    double *old = elements_of(x);
    tensor_combine(3, coefficients, terms, x);
    double *new = elements_of(x);
    for (int64_t i = 0; i < x->n_elements; i++)
        check_close(new[i], 2.5 * old[i], 1e-15 * fabs(3 * old[i]));
    free(old);
    free(new);
    destroy_tensors();
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

static double serial_max(const struct tensor *tensor, const double *a)
{
    double max = 0;
    for (int64_t i = 0; i < tensor->n_elements; i++)
        max = fmax(max, fabs(a[i]));
    return max;
}

/* Values for all scalar products below. */
static double lines[1000];

TEST(scalar_products_are_those_of_one_process)
{
    make_tensors();
    const struct tensor *const of_x[] = {x}, *const of_y[] = {y};
    const struct tensor_vector others[] = {{1, of_x}, {1, of_y}};
    double dot[2], max, *a = elements_of(x), *b = elements_of(y);
    tensor_dots(&others[0], 2, others, lines, dot, &max);
    check_close(dot[0], serial_dot(x, a, a), 1e-13 * dot[0]);
    check_close(dot[1], serial_dot(x, a, b), 1e-13 * dot[0]);
    check_close(max, serial_max(x, a), 0);
    tensor_dots(&others[1], 1, others, lines, dot, &max);
    check_close(dot[0], serial_dot(x, a, b), 1e-13 * serial_dot(x, a, a));
    check_close(max, serial_max(y, b), 0);
    tensor_dots(&others[0], 0, NULL, lines, NULL, &max);
    check_close(max, serial_max(x, a), 0);
    free(a);
    free(b);
    destroy_tensors();
}

/* Also a scalar and a tensor without blocks among them. */
TEST(several_tensors_are_one_vector)
{
    make_tensors();
    struct block_labels none = labels, of_number = {0};
    none.irrep = 7;
    struct tensor *empty = make("empty", &none, element_of_x), *number;
    const double value = -2500;
    check_ok(tensor_create("number", &of_number, MPI_COMM_WORLD, &number));
    if (darray_local(number->data, 0))
        darray_put(number->data, 0, &value);
    double *a = elements_of(x), *b = elements_of(y), dot[2], max;
    const struct tensor *const first[] = {x, empty, number}, *const second[] = {y, empty, number};
    struct tensor_vector others[] = {{3, first}, {3, second}};
    tensor_dots(&others[0], 2, others, lines, dot, &max);
    check_close(dot[0], serial_dot(x, a, a) + value * value, 1e-13 * dot[0]);
    check_close(dot[1], serial_dot(x, a, b) + value * value, 1e-13 * dot[0]);
    check_close(max, 2500, 0);
    others[0].n = others[1].n = 2;
    tensor_dots(&others[0], 2, others, lines, dot, &max);
    check_close(dot[0], serial_dot(x, a, a), 1e-13 * dot[0]);
    free(a);
    free(b);
    tensor_destroy(empty);
    tensor_destroy(number);
    destroy_tensors();
}

TEST(a_tensor_without_blocks_is_zero)
{
    make_tensors();
    struct block_labels none = labels;
    none.irrep = 7;
    struct tensor *empty = make("empty", &none, element_of_x);
    const struct tensor *const vector[] = {empty};
    const struct tensor_vector others[] = {{1, vector}};
    double dot = 1, max = 1, two = 2;
    assert_int_equal(empty->n_elements, 0);
    tensor_combine(1, &two, vector, empty);
    tensor_dots(&others[0], 1, others, lines, &dot, &max);
    check_close(dot, 0, 0);
    check_close(max, 0, 0);
    tensor_destroy(empty);
    destroy_tensors();
}

TEST_SETUP(start)
TEST_TEARDOWN(stop)
