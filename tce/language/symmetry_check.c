/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/symmetry_check.h"

#include "tce/tensor/odometer.h"
#include "tce/tensor/tensor_functions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- fills --- */

/* Places that may be exchanged: of one space and on one side of the bar. */
static void class_places(const struct program_tensor *tensor, int class_of[])
{
    for (int d = 0; d < tensor->rank; d++)
        class_of[d] = 2 * tensor->space[d] + (tensor->sign[d] > 0);
}

/* Exchanges of neighbours of each class, which generate all permutations of its places. */
static int list_all_exchanges(const struct program_tensor *tensor,
                              struct signed_permutation exchanges[MAX_RANK])
{
    int class_of[MAX_RANK], n = 0;
    class_places(tensor, class_of);
    for (int d = 0; d < tensor->rank; d++)
        for (int e = d + 1; e < tensor->rank; e++) {
            if (class_of[e] != class_of[d])
                continue;
            exchanges[n] = symmetry_identity();
            exchanges[n].place[d] = (int8_t)e;
            exchanges[n++].place[e] = (int8_t)d;
            break;
        }
    return n;
}

/* The symmetry of a tensor that holds what fills it, NULL: numbers without any. Empty if it has more
 * permutations than a group may. */
static enum status find_fill_symmetry(const struct program_tensor *tensor,
                                      const struct fill_symmetry *fill, struct symmetry *symmetry)
{
    struct signed_permutation all[MAX_RANK];
    int class_of[MAX_RANK];
    bool contradicts;
    *symmetry = (struct symmetry){0};
    if (!fill || (fill->rank > 0 && fill->rank != tensor->rank))
        return STATUS_OK;
    if (fill->rank == 0) {
        enum status status = symmetry_generate(tensor->rank, list_all_exchanges(tensor, all), all,
                                               symmetry, &contradicts);
        return status == STATUS_LIMIT ? STATUS_OK : status;
    }
    TRY(symmetry_generate(tensor->rank, fill->n_exchanges, fill->exchanges, symmetry,
                          &contradicts));
    class_places(tensor, class_of);
    symmetry_restrict(symmetry, tensor->rank, class_of);
    return STATUS_OK;
}

/* Whether the fill has all exchanges that are declared. */
static enum status check_filled_exchanges(const struct program *program,
                                          const struct program_tensor *tensor,
                                          const struct fill_symmetry *fill,
                                          const struct symmetry *symmetry)
{
    for (int x = 0; x < tensor->n_exchanges; x++) {
        const struct program_exchange *exchange = &tensor->exchanges[x];
        int sign = exchange->permutation.sign;
        bool has = symmetry_sign(symmetry, tensor->rank, &exchange->permutation) == sign;
        if (!has && !(fill && fill->rank == 0 && sign > 0))
            return source_fail(
                program->file, exchange->place,
                "'%s' is filled with '%s', which is not %s under this exchange: leave it out, or "
                "fill another tensor and assign it to '%s' by sym(...) or antisym(...)",
                tensor->name, tensor->fill, sign > 0 ? "symmetric" : "antisymmetric", tensor->name);
    }
    return STATUS_OK;
}

/* The symmetry of a fill, by its name; NULL: none is known. */
static const struct fill_symmetry *find_fill(const char *name, int n,
                                             const struct fill_symmetry fills[])
{
    static const struct fill_symmetry functions[] = {{.name = "constant"}, {.name = "delta"}};
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
        if (strcmp(functions[f].name, name) == 0)
            return &functions[f];
    for (int f = 0; f < n; f++)
        if (strcmp(fills[f].name, name) == 0)
            return &fills[f];
    return NULL;
}

static enum status bind_fill(struct program *program, int number, int n,
                             const struct fill_symmetry fills[])
{
    struct program_tensor *tensor = &program->tensors[number];
    const struct fill_symmetry *fill = find_fill(tensor->fill, n, fills);
    bool stays = tensor->loop >= 0 || !program_computes(program, 0, program->n_statements, number);
    struct symmetry symmetry;
    TRY(find_fill_symmetry(tensor, fill, &symmetry));
    enum status status = check_filled_exchanges(program, tensor, fill, &symmetry);
    tensor->any_order = stays && fill && fill->rank == 0;
    if (status == STATUS_OK && symmetry.n > 0 && tensor->loop < 0 && stays) {
        symmetry_fini(&tensor->symmetry);
        tensor->symmetry = symmetry;
        tensor->fills_packed = fill->fills_packed;
    } else {
        symmetry_fini(&symmetry);
    }
    return status;
}

/* --- random numbers --- */

/* A difference between equal numbers, relative to their sizes. */
#define TOLERANCE 1e-12

/* The least number of values of a space; the largest number of elements drawn for a whole program,
 * counting each permutation of a symmetry; the longest chain of local tensors, each computed from
 * the next. */
enum { LEAST_VALUES = 3, MOST_STEPS = 20000000, MOST_NESTED = 30 };

struct trial {
    const struct program *program;
    struct tensor_function random; /* of a tensor's number and values */
    int64_t n_values;              /* of every space */
    int64_t steps;                 /* left; negative: too few */
    int nested;
};

/* An element, and the sum of the absolute values of all products that make it. */
struct number {
    double value, size;
};

static struct number draw_number(const struct trial *self, int number, int rank,
                                 const int64_t value[])
{
    int64_t key[MAX_RANK + 1] = {number};
    memcpy(key + 1, value, (size_t)rank * sizeof *value);
    struct tensor_function random = self->random;
    random.rank = rank + 1;
    double drawn = random.element(key, &random);
    return (struct number){drawn, fabs(drawn)};
}

/* One that is the same where places of one space and one side of the bar are exchanged. */
static struct number draw_in_any_order(const struct trial *self, int number,
                                       const struct program_tensor *tensor, const int64_t value[])
{
    int class_of[MAX_RANK];
    int64_t sorted[MAX_RANK];
    class_places(tensor, class_of);
    memcpy(sorted, value, (size_t)tensor->rank * sizeof *value);
    for (int d = 0; d < tensor->rank; d++)
        for (int e = d + 1; e < tensor->rank; e++)
            if (class_of[d] == class_of[e] && sorted[d] > sorted[e]) {
                int64_t less = sorted[e];
                sorted[e] = sorted[d];
                sorted[d] = less;
            }
    return draw_number(self, number, tensor->rank, sorted);
}

/* An element of a stored tensor: drawn for the least image of its values under the symmetry, times
 * the sign; zero if the symmetry maps it to its own opposite. */
static struct number draw_element(struct trial *self, int tensor, const int64_t value[])
{
    const struct program_tensor *declared = &self->program->tensors[tensor];
    int64_t least[MAX_RANK], image[MAX_RANK];
    int sign = 1;
    self->steps -= 1 + declared->symmetry.n;
    if (declared->any_order)
        return draw_in_any_order(self, tensor, declared, value);
    memcpy(least, value, (size_t)declared->rank * sizeof *value);
    for (int e = 1; e < declared->symmetry.n; e++) {
        const struct signed_permutation *element = &declared->symmetry.elements[e];
        int d = 0, order = 0;
        for (; d < declared->rank; d++)
            image[d] = value[element->place[d]];
        for (d = 0; d < declared->rank && order == 0; d++)
            order = (image[d] > least[d]) - (image[d] < least[d]);
        if (order == 0 && sign != element->sign)
            sign = 0;
        if (order < 0) {
            memcpy(least, image, (size_t)declared->rank * sizeof *value);
            sign = element->sign;
        }
    }
    struct number drawn = draw_number(self, tensor, declared->rank, least);
    return (struct number){sign * drawn.value, drawn.size};
}

/* --- statements --- */

/* The indices of a product with their values, from 0 on. */
struct loop_nest {
    int n, index[MAX_RANK * (PROGRAM_MAX_FACTORS + 1)];
    int64_t value[MAX_RANK * (PROGRAM_MAX_FACTORS + 1)], end[MAX_RANK * (PROGRAM_MAX_FACTORS + 1)];
};

/* The position of an index, which is appended if it is new. */
static int find_in_nest(struct loop_nest *nest, int index, int64_t end)
{
    int i = 0;
    while (i < nest->n && nest->index[i] != index)
        i++;
    if (i == nest->n) {
        nest->index[nest->n] = index;
        nest->value[nest->n] = 0;
        nest->end[nest->n++] = end;
    }
    return i;
}

/* Appends the indices of a factor that are new. */
static void add_to_nest(const struct trial *self, struct loop_nest *nest,
                        const struct program_factor *factor)
{
    for (int d = 0; d < self->program->tensors[factor->tensor].rank; d++)
        find_in_nest(nest, factor->index[d], self->n_values);
}

static struct number evaluate_tensor(struct trial *self, int tensor, int s, const int64_t value[]);

/* One product of the factors' elements. */
static struct number evaluate_product(struct trial *self, const struct program_term *term, int s,
                                      struct loop_nest *nest)
{
    struct number product = {term->coefficient, fabs(term->coefficient)};
    for (int f = 0; f < term->n_factors && self->steps >= 0; f++) {
        const struct program_factor *factor = &term->factors[f];
        int64_t value[MAX_RANK];
        for (int d = 0; d < self->program->tensors[factor->tensor].rank; d++)
            value[d] = nest->value[find_in_nest(nest, factor->index[d], self->n_values)];
        struct number element = evaluate_tensor(self, factor->tensor, s, value);
        product.value *= element.value;
        product.size *= element.size;
    }
    return product;
}

/* The sum of statement s where n indices have these values. */
static struct number evaluate_statement(struct trial *self, int s, int n, const int index[],
                                        const int64_t value[])
{
    const struct program *program = self->program;
    struct number sum = {0, 0};
    for (int t = 0; t < program->statements[s].n_terms; t++) {
        const struct program_term *term = &program->statements[s].terms[t];
        struct loop_nest nest;
        nest.n = 0;
        for (int i = 0; i < n; i++)
            nest.value[find_in_nest(&nest, index[i], self->n_values)] = value[i];
        for (int f = 0; f < term->n_factors; f++)
            add_to_nest(self, &nest, &term->factors[f]);
        do {
            struct number product = evaluate_product(self, term, s, &nest);
            sum.value += product.value;
            sum.size += product.size;
        } while (self->steps >= 0 && odometer_next(nest.n - n, NULL, nest.end + n, nest.value + n));
    }
    return sum;
}

/* The element of a local tensor, or of a scalar at values of the loop's indices, after the loop's
 * statements before number s. A drawn factor marks elements that a local tensor's labels forbid
 * although its products do not. */
static struct number evaluate_in_loop(struct trial *self, int tensor, int s,
                                      const struct program_loop *loop, const int64_t value[])
{
    const struct program_tensor *declared = &self->program->tensors[tensor];
    const bool local = declared->loop >= 0;
    bool keeps_labels = true;
    struct number sum = {0, 0};
    if (local && declared->fill)
        sum = draw_element(self, tensor, value);
    for (int before = loop->first_statement; before < s; before++) {
        const struct program_statement *statement = &self->program->statements[before];
        if (statement->target.tensor != tensor)
            continue;
        struct number part =
            evaluate_statement(self, before, local ? declared->rank : loop->n,
                               local ? statement->target.index : loop->index, value);
        sum.value = part.value + (statement->add ? sum.value : 0);
        sum.size = part.size + (statement->add ? sum.size : 0);
        keeps_labels = keeps_labels && statement->keeps_labels;
    }
    if (local && !keeps_labels) {
        struct number zeros = draw_in_any_order(self, ~tensor, declared, value);
        sum = (struct number){zeros.value * sum.value, zeros.size * sum.size};
    }
    return sum;
}

/* An element that statement s reads. */
static struct number evaluate_tensor(struct trial *self, int tensor, int s, const int64_t value[])
{
    int loop = self->program->tensors[tensor].loop;
    if (loop < 0)
        return draw_element(self, tensor, value);
    struct number element = {0, 0};
    if (self->nested++ == MOST_NESTED)
        self->steps = -1;
    if (self->steps >= 0)
        element = evaluate_in_loop(self, tensor, s, &self->program->loops[loop], value);
    self->nested--;
    return element;
}

/* --- claims --- */

/* Values of a space, so that all indices of a product and of its target can differ. */
static void choose_values(struct trial *self, int first, int end)
{
    const struct program *program = self->program;
    self->n_values = LEAST_VALUES;
    for (int s = first; s < end; s++)
        for (int t = 0; t < program->statements[s].n_terms; t++) {
            const struct program_term *term = &program->statements[s].terms[t];
            struct loop_nest nest;
            nest.n = 0;
            add_to_nest(self, &nest, &program->statements[s].target);
            for (int f = 0; f < term->n_factors; f++)
                add_to_nest(self, &nest, &term->factors[f]);
            for (int i = 0; i < nest.n; i++) {
                int64_t n = 0;
                for (int j = 0; j < nest.n; j++)
                    n += program->indices[nest.index[j]].space ==
                         program->indices[nest.index[i]].space;
                self->n_values = n > self->n_values ? n : self->n_values;
            }
        }
}

/* An element of the target of statement s, or with a loop the part of the scalar that s is the last to add to. */
static struct number evaluate_claim(struct trial *self, int s, const struct program_loop *loop,
                                    const int64_t value[])
{
    const struct program_factor *target = &self->program->statements[s].target;
    const int rank = self->program->tensors[target->tensor].rank;
    return loop ? evaluate_in_loop(self, target->tensor, s + 1, loop, value)
                : evaluate_statement(self, s, rank, target->index, value);
}

/* Compares an element of statement s, all indices at different values, with the elements after
 * exchanges of the values.
 * broken  out: the first of n exchanges that changes more than the sign; n without one */
static enum status find_broken(struct trial *self, int s, const struct program_loop *loop, int n,
                               const struct program_exchange exchanges[], int *broken)
{
    const struct program *program = self->program;
    const struct program_factor *target = &program->statements[s].target;
    const int *index = loop ? loop->index : target->index;
    const int n_indices = loop ? loop->n : program->tensors[target->tensor].rank;
    int64_t value[MAX_RANK] = {0}, image[MAX_RANK];
    for (int d = 0; d < n_indices; d++)
        for (int e = 0; e < d; e++)
            value[d] += program->indices[index[e]].space == program->indices[index[d]].space;
    const struct number element = evaluate_claim(self, s, loop, value);
    for (*broken = 0; *broken < n && self->steps >= 0; ++*broken) {
        const struct signed_permutation *exchange = &exchanges[*broken].permutation;
        for (int d = 0; d < n_indices; d++)
            image[d] = value[exchange->place[d]];
        struct number moved = evaluate_claim(self, s, loop, image);
        if (!(fabs(element.value - exchange->sign * moved.value) <=
              TOLERANCE * (element.size + moved.size)))
            break;
    }
    if (self->steps >= 0)
        return STATUS_OK;
    return source_fail(program->file, loop ? loop->place : program->statements[s].place,
                       "this has too many indices to show its symmetry: compute parts of it in "
                       "statements of their own, leave the symmetry out of the declaration, or "
                       "order out of the loop ('a, b' for 'a >= b')");
}

/* "T[j,i]": a target with its places exchanged. */
struct target_text {
    char text[256];
};

static struct target_text show_target(const struct program *program,
                                      const struct program_factor *target,
                                      const struct signed_permutation *exchange)
{
    struct target_text shown;
    const struct program_tensor *tensor = &program->tensors[target->tensor];
    size_t n = (size_t)snprintf(shown.text, sizeof shown.text, "%s", tensor->name);
    for (int d = 0; d < tensor->rank && n < sizeof shown.text; d++)
        n += (size_t)snprintf(shown.text + n, sizeof shown.text - n, "%s%s%s", d == 0 ? "[" : ",",
                              program->indices[target->index[exchange->place[d]]].name,
                              d == tensor->rank - 1 ? "]" : "");
    return shown;
}

static enum status check_statement(struct trial *self, int s)
{
    const struct program *program = self->program;
    const struct program_statement *statement = &program->statements[s];
    const struct program_tensor *tensor = &program->tensors[statement->target.tensor];
    const struct signed_permutation identity = symmetry_identity();
    int broken;
    choose_values(self, s, s + 1);
    TRY(find_broken(self, s, NULL, tensor->n_exchanges, tensor->exchanges, &broken));
    if (broken == tensor->n_exchanges)
        return STATUS_OK;
    const struct program_exchange *exchange = &tensor->exchanges[broken];
    return source_fail(
        program->file, statement->place,
        "this does not make %s equal to %s%s, as line %d declares: permute its products by "
        "sym(...) or antisym(...), declare symmetries of their factors, or take this one "
        "out of the declaration",
        show_target(program, &statement->target, &exchange->permutation).text,
        exchange->permutation.sign < 0 ? "-" : "",
        show_target(program, &statement->target, &identity).text, exchange->place.line);
}

/* Exchanges neighbours of a >= b >= ...; s: the last statement that adds to a scalar. */
static enum status check_sum(struct trial *self, const struct program_loop *loop, int s)
{
    const struct program *program = self->program;
    const struct program_statement *statement = &program->statements[s];
    struct program_exchange exchanges[PROGRAM_MAX_LOOP_INDICES];
    int broken;
    for (int i = 0; i + 1 < loop->n; i++) {
        exchanges[i].permutation = symmetry_identity();
        exchanges[i].permutation.place[i] = (int8_t)(i + 1);
        exchanges[i].permutation.place[i + 1] = (int8_t)i;
    }
    TRY(find_broken(self, s, loop, loop->n - 1, exchanges, &broken));
    if (broken == loop->n - 1)
        return STATUS_OK;
    const char *name = program->indices[loop->index[broken]].name;
    const char *next = program->indices[loop->index[broken + 1]].name;
    return source_fail(
        program->file, statement->place,
        "the sum into '%s' changes when '%s' and '%s' exchange their roles, but '%s >= %s' "
        "in line %d stands for both orders: make the sum symmetric, declare symmetries of "
        "its tensors, or write '%s, %s'",
        program->tensors[statement->target.tensor].name, name, next, name, next, loop->place.line,
        name, next);
}

static enum status check_loop(struct trial *self, const struct program_loop *loop)
{
    choose_values(self, loop->first_statement, loop->end_statement);
    for (int s = loop->first_statement; s < loop->end_statement; s++) {
        int tensor = self->program->statements[s].target.tensor;
        if (self->program->tensors[tensor].loop < 0 &&
            !program_computes(self->program, s + 1, loop->end_statement, tensor))
            TRY(check_sum(self, loop, s));
    }
    return STATUS_OK;
}

enum status symmetry_check_program(struct program *program, int n,
                                   const struct fill_symmetry fills[])
{
    struct trial self = {.program = program, .steps = MOST_STEPS};
    for (int t = 0; t < program->n_tensors; t++)
        if (program->tensors[t].fill)
            TRY(bind_fill(program, t, n, fills));
    TRY(tensor_function_find("random", 0, NULL, MAX_RANK + 1, &self.random));
    for (int s = 0; s < program->n_statements; s++)
        if (program->tensors[program->statements[s].target.tensor].n_exchanges > 0)
            TRY(check_statement(&self, s));
    for (int l = 0; l < program->n_loops; l++)
        if (program->loops[l].ordered)
            TRY(check_loop(&self, &program->loops[l]));
    return STATUS_OK;
}
