/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/symmetry_proof.h"

#include "tce/execution/nested_loops.h"
#include "tce/language/symmetry_operators.h"
#include "tce/tensor/tensor_functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A difference between equal elements, relative to the sizes of what makes them. */
#define TOLERANCE 1e-12

/* Values of each space at least, at most MAX_RANK, and products of elements that a trial may take. A stored tensor that takes
 * more alone is not computed, and counts with its declared symmetry. */
enum { LEAST_VALUES = 3 };
#define MOST_PRODUCTS        5e7
#define MOST_TENSOR_PRODUCTS 2e5
#define ELEMENT_PRODUCTS     20 /* in the time of a filled element */

struct proof {
    const struct program *program;
    int n_fills;
    const struct fill_symmetry *fills;
    int64_t n_values;           /* of every space */
    bool *is_needed;            /* n_tensors: a symmetry in question depends on it */
    bool *is_random;            /* n_tensors: it is not computed */
    struct whole_array *arrays; /* n_tensors; those that are needed */
    /* n_tensors: the parts of a scalar in the present loop, by the values of the loop's indices. */
    struct whole_array *sums;
};

/* Whether a statement adds to a scalar in an ordered loop. */
static bool is_ordered_sum(const struct program *program, const struct program_statement *statement)
{
    return statement->loop >= 0 && program->loops[statement->loop].ordered &&
           program->tensors[statement->target.tensor].loop < 0;
}

static bool is_in_question(const struct program *program, const struct program_statement *statement)
{
    return statement->tries_symmetry || is_ordered_sum(program, statement);
}

/* --- sizes --- */

/* The most places that a tensor has in one space. */
static int count_places_of_space(const struct program_tensor *tensor)
{
    int most = 0;
    for (int d = 0; d < tensor->rank; d++) {
        int n = 0;
        for (int e = 0; e < tensor->rank; e++)
            n += tensor->space[e] == tensor->space[d];
        most = n > most ? n : most;
    }
    return most;
}

/* Different indices of a product, and of its target. */
static int count_product_indices(const struct program *program,
                                 const struct program_statement *statement,
                                 const struct program_term *term)
{
    int n = 0, index[MAX_RANK * (PROGRAM_MAX_FACTORS + 1)];
    for (int f = -1; f < term->n_factors; f++) {
        const struct program_factor *factor = f < 0 ? &statement->target : &term->factors[f];
        for (int d = 0; d < program->tensors[factor->tensor].rank; d++) {
            int i = 0;
            while (i < n && index[i] != factor->index[d])
                i++;
            index[i] = factor->index[d];
            n += i == n;
        }
    }
    return n;
}

/* Products of elements where each space has n values. */
static double count_element_products(const struct program *program,
                                     const struct program_statement *statement, int64_t n)
{
    double products = 0;
    for (int t = 0; t < statement->n_terms; t++)
        products += pow((double)n, count_product_indices(program, statement, &statement->terms[t]));
    return products;
}

static bool is_computed(const struct proof *self, int tensor)
{
    return self->is_needed[tensor] && !self->is_random[tensor];
}

/* Marks the factors of what is computed; whether any is new. */
static bool mark_factors(struct proof *self, const struct program_statement *statement)
{
    bool any = false;
    for (int t = 0; t < statement->n_terms && is_computed(self, statement->target.tensor); t++)
        for (int f = 0; f < statement->terms[t].n_factors; f++) {
            bool *is_needed = &self->is_needed[statement->terms[t].factors[f].tensor];
            any = any || !*is_needed;
            *is_needed = true;
        }
    return any;
}

/* Marks the tensors that statements in question depend on; false if there is no such statement. */
static bool choose_tensors(struct proof *self)
{
    const struct program *program = self->program;
    bool any = false, grows = true;
    for (int s = 0; s < program->n_statements; s++) {
        int target = program->statements[s].target.tensor;
        if (program->tensors[target].loop < 0 &&
            count_element_products(program, &program->statements[s], LEAST_VALUES) >
                MOST_TENSOR_PRODUCTS)
            self->is_random[target] = true;
    }
    for (int s = 0; s < program->n_statements; s++) {
        int target = program->statements[s].target.tensor;
        if (!is_in_question(program, &program->statements[s]))
            continue;
        any = self->is_needed[target] = true;
        self->is_random[target] = false;
    }
    while (grows) {
        grows = false;
        for (int s = 0; s < program->n_statements; s++)
            grows = mark_factors(self, &program->statements[s]) || grows;
    }
    return any;
}

/* Products of elements, in which filled elements count, too, where each space has n values. */
static double count_trial_work(const struct proof *self, int64_t n)
{
    const struct program *program = self->program;
    double work = 0;
    for (int s = 0; s < program->n_statements; s++)
        if (is_computed(self, program->statements[s].target.tensor))
            work += count_element_products(program, &program->statements[s], n);
    for (int t = 0; t < program->n_tensors; t++)
        work +=
            self->is_needed[t] ? ELEMENT_PRODUCTS * pow((double)n, program->tensors[t].rank) : 0;
    return work;
}

/* Whether anything is subtracted, so that sums over permutations may vanish where indices have few values. */
static bool subtracts_anything(const struct proof *self)
{
    const struct program *program = self->program;
    bool has = false;
    for (int t = 0; t < program->n_tensors; t++)
        for (int x = 0; x < program->tensors[t].n_exchanges && self->is_needed[t]; x++)
            has = has || program->tensors[t].exchanges[x].permutation.sign < 0;
    for (int s = 0; s < program->n_statements; s++) {
        const struct program_statement *statement = &program->statements[s];
        for (int t = 0; t < statement->n_terms && is_computed(self, statement->target.tensor); t++)
            has = has || statement->terms[t].coefficient < 0;
    }
    return has;
}

/* Values with which the indices that are permuted can all differ. */
static int64_t find_wanted_values(const struct proof *self)
{
    bool signs = subtracts_anything(self);
    int wanted = LEAST_VALUES;
    for (int t = 0; t < self->program->n_tensors && signs; t++) {
        int places = self->is_needed[t] ? count_places_of_space(&self->program->tensors[t]) : 0;
        places = places < PROGRAM_MAX_PERMUTED ? places : PROGRAM_MAX_PERMUTED;
        wanted = places > wanted ? places : wanted;
    }
    for (int l = 0; l < self->program->n_loops; l++)
        wanted = self->program->loops[l].n > wanted ? self->program->loops[l].n : wanted;
    return wanted;
}

static enum status choose_values(struct proof *self)
{
    const struct program *program = self->program;
    int s = 0;
    self->n_values = find_wanted_values(self);
    if (count_trial_work(self, self->n_values) <= MOST_PRODUCTS)
        return STATUS_OK;
    while (!is_in_question(program, &program->statements[s]))
        s++;
    return source_fail(program->file, program->statements[s].place,
                       "the program has too many indices to show the symmetry that this needs: "
                       "leave the symmetry out of the declaration, or order out of the loop "
                       "('a, b' for 'a >= b')");
}

/* --- numbers --- */

/* A value of a space among those of all spaces; spaces that are bound to the same orbitals have them in
 * common. */
static int64_t number_value(const struct proof *self, int space, int64_t value)
{
    const struct program_space *spaces = self->program->spaces;
    int first = spaces[space].binding ? 0 : space;
    while (first < space &&
           !(spaces[first].binding && strcmp(spaces[first].binding, spaces[space].binding) == 0))
        first++;
    return first * self->n_values + value;
}

/* Random numbers, each a function of a name, a number and up to MAX_RANK keys. */
struct random_numbers {
    struct tensor_function function;
    int64_t key[MAX_RANK + 2];
};

static struct random_numbers random_numbers_of(const char *name, double number, int rank)
{
    struct random_numbers numbers = {.key = {0}};
    tensor_function_find("random", 0, NULL, rank + 2, &numbers.function); /* there is one */
    for (; *name; name++)
        numbers.key[0] = (31 * numbers.key[0] + *name) % 1000000007;
    memcpy(&numbers.key[1], &number, sizeof number);
    return numbers;
}

static double draw_number(struct random_numbers *numbers, const int64_t key[])
{
    for (int d = 0; d < numbers->function.rank - 2; d++)
        numbers->key[d + 2] = key[d];
    return numbers->function.element(numbers->key, &numbers->function);
}

static void sort_keys(int n, int64_t key[])
{
    for (int d = 1; d < n; d++)
        for (int e = d; e > 0 && key[e - 1] > key[e]; e--) {
            int64_t less = key[e];
            key[e] = key[e - 1];
            key[e - 1] = less;
        }
}

/* The least, in any order, of the key's images under a fill's symmetry, with its places in the order of the
 * values. */
static void take_least_image(const struct fill_symmetry *fill, const struct symmetry *group,
                             int64_t key[MAX_RANK])
{
    int64_t least[MAX_RANK] = {0}, image[MAX_RANK] = {0};
    for (int e = 0; e < group->n; e++) {
        for (int d = 0; d < fill->rank; d++)
            image[d] = key[group->elements[e].place[fill->values_order[d]]];
        if (e == 0 || memcmp(image, least, sizeof least) < 0)
            memcpy(least, image, sizeof least);
    }
    memcpy(key, least, sizeof least);
}

/* A label of a space as it stands in program_space.labels; of orbitals, spins are known by the bar. */
static bool has_irreps(const struct program_space *space)
{
    const uint32_t trivial = 7;
    return (space->labels & ~trivial) != 0;
}

static bool has_spins(const struct program *program, const struct program_tensor *tensor, int d)
{
    const uint32_t without = 0x492492; /* bit 3 irrep + 1 of each irrep */
    const struct program_space *space = &program->spaces[tensor->space[d]];
    return space->binding ? tensor->has_bar : (space->labels & ~without) != 0;
}

/* Which labels the spaces of a tensor have. */
struct label_kinds {
    bool irreps, spins;
};

static struct label_kinds find_label_kinds(const struct program *program,
                                           const struct program_tensor *tensor)
{
    struct label_kinds kinds = {false, false};
    for (int d = 0; d < tensor->rank; d++) {
        kinds.irreps = kinds.irreps || has_irreps(&program->spaces[tensor->space[d]]);
        kinds.spins = kinds.spins || has_spins(program, tensor, d);
    }
    return kinds;
}

/* Multiplies the elements by a random function of the sum of their indices' labels, which stands for the
 * zeros that labels make. Integrals are left alone: their zeros follow from their symmetry. */
static void multiply_by_labels(const struct proof *self, const struct program_tensor *tensor,
                               bool spins, struct whole_array *array)
{
    struct random_numbers numbers = random_numbers_of(spins ? "spin" : "irrep", 0, 1);
    double label[MAX_RANK][MAX_RANK]; /* of each value in each place */
    int64_t value[MAX_RANK] = {0}, i = 0;
    for (int d = 0; d < tensor->rank; d++)
        for (int64_t v = 0; v < self->n_values; v++) {
            int64_t key = number_value(self, tensor->space[d], v);
            label[d][v] = (spins ? tensor->sign[d] : 1) * M_PI * draw_number(&numbers, &key);
        }
    do {
        double sum = spins ? tensor->spin : tensor->irrep;
        for (int d = 0; d < tensor->rank; d++)
            sum += label[d][value[d]];
        array->elements[i] *= 1.5 + cos(sum);
        array->norms[i++] *= 2.5;
    } while (nested_loops_next(array->rank, array->size, value));
}

/* Numbers with the symmetry of the fill, of any size and sign where the fill's are special. */
static enum status fill_with_random(const struct proof *self, const struct program_tensor *tensor,
                                    struct whole_array *array)
{
    const struct fill_symmetry *fill = symmetry_check_find_fill(tensor, self->n_fills, self->fills);
    const char *name = fill && fill->values_of ? fill->values_of : tensor->fill;
    struct tensor_function function = {.argument = 0};
    tensor_function_find(name, tensor->n_arguments, tensor->arguments, tensor->rank, &function);
    struct random_numbers numbers = random_numbers_of(name, function.argument, tensor->rank);
    struct symmetry group = {0};
    bool contradicts;
    bool has_rank = fill && fill->rank > 0 && fill->rank == tensor->rank;
    if (has_rank)
        TRY(symmetry_generate(tensor->rank, fill->n_exchanges, fill->exchanges, &group,
                              &contradicts));
    int64_t value[MAX_RANK] = {0}, key[MAX_RANK] = {0}, i = 0;
    do {
        for (int d = 0; d < tensor->rank; d++)
            key[d] = number_value(self, tensor->space[d], value[d]);
        if (fill && fill->rank == 0)
            sort_keys(tensor->rank, key);
        else if (has_rank)
            take_least_image(fill, &group, key);
        array->elements[i++] = draw_number(&numbers, key);
    } while (nested_loops_next(array->rank, array->size, value));
    symmetry_fini(&group);
    const struct label_kinds kinds = find_label_kinds(self->program, tensor);
    if (kinds.irreps && !has_rank)
        multiply_by_labels(self, tensor, false, array);
    if (kinds.spins && !has_rank)
        multiply_by_labels(self, tensor, true, array);
    return STATUS_OK;
}

/* The element that an exchange of places makes of the one at these values. */
static int64_t exchanged_element(const struct whole_array *array,
                                 const struct signed_permutation *exchange, const int64_t value[])
{
    int64_t other = 0;
    for (int d = 0; d < array->rank; d++)
        other += array->stride[d] * value[exchange->place[d]];
    return other;
}

/* Gives both elements of an exchange the lesser of their numbers, with signs, and 0 to one that is its own
 * opposite; whether that changes anything. number: 1 + an element of their orbit, at first their own */
static bool join_orbits(const struct whole_array *array, const struct signed_permutation *exchange,
                        int64_t number[])
{
    int64_t value[MAX_RANK] = {0}, i = 0;
    bool any = false;
    do {
        int64_t *one = &number[i++], *other = &number[exchanged_element(array, exchange, value)];
        int64_t turned = exchange->sign * *other;
        if (*one == turned)
            continue;
        any = true;
        *one = *one == -turned ? 0 : llabs(*one) < llabs(turned) ? *one : turned;
        *other = exchange->sign * *one;
    } while (nested_loops_next(array->rank, array->size, value));
    return any;
}

/* Random numbers with the symmetry that the tensor declares: one for each orbit of elements. */
static enum status fill_declared(const struct program_tensor *tensor, struct whole_array *array)
{
    struct random_numbers numbers = random_numbers_of(tensor->name, 0, 1);
    int64_t *number = malloc((size_t)array->n * sizeof *number);
    bool changes = true;
    TRY(CHECK_MEMORY(number, "no memory for the symmetry of tensor %s", tensor->name));
    for (int64_t i = 0; i < array->n; i++)
        number[i] = i + 1;
    while (changes) {
        changes = false;
        for (int x = 0; x < tensor->n_exchanges; x++)
            changes = join_orbits(array, &tensor->exchanges[x].permutation, number) || changes;
    }
    for (int64_t i = 0; i < array->n; i++) {
        int64_t orbit = llabs(number[i]);
        double sign = number[i] < 0 ? -1 : number[i] > 0;
        array->elements[i] = sign * draw_number(&numbers, &orbit);
        array->norms[i] = 0;
    }
    free(number);
    return STATUS_OK;
}

static enum status make_arrays(struct proof *self)
{
    const struct program *program = self->program;
    int64_t size[MAX_RANK];
    for (int d = 0; d < MAX_RANK; d++)
        size[d] = self->n_values;
    for (int t = 0; t < program->n_tensors; t++) {
        const struct program_tensor *tensor = &program->tensors[t];
        if (!self->is_needed[t])
            continue;
        TRY(whole_array_init(tensor->name, tensor->rank, size, &self->arrays[t]));
        if (self->is_random[t])
            TRY(fill_declared(tensor, &self->arrays[t]));
        else if (tensor->fill)
            TRY(fill_with_random(self, tensor, &self->arrays[t]));
    }
    return STATUS_OK;
}

/* --- labels --- */

/* Whether the labels of a product's factors give its target's: the equations of all add up to nothing. */
static bool conserves_labels(const struct program *program,
                             const struct program_statement *statement,
                             const struct program_term *term, bool spins)
{
    bool conserved = true;
    int sum = 0;
    for (int g = -1; g < term->n_factors; g++) {
        const struct program_factor *of = g < 0 ? &statement->target : &term->factors[g];
        const struct program_tensor *tensor = &program->tensors[of->tensor];
        sum = spins ? sum + (g < 0 ? -tensor->spin : tensor->spin) : sum ^ tensor->irrep;
        for (int d = 0; d < tensor->rank; d++) {
            int count = 0;
            for (int f = -1; f < term->n_factors; f++) {
                const struct program_factor *factor =
                    f < 0 ? &statement->target : &term->factors[f];
                for (int e = 0; e < program->tensors[factor->tensor].rank; e++)
                    if (factor->index[e] == of->index[d])
                        count += spins && f < 0 ? -program->tensors[factor->tensor].sign[e]
                                                : program->tensors[factor->tensor].sign[e];
            }
            conserved = conserved && (spins ? count == 0 : count % 2 == 0);
        }
    }
    return conserved && sum == 0;
}

/* A tensor keeps the elements that its labels allow. Most statements make no others. */
static void apply_labels(const struct proof *self, const struct program_statement *statement)
{
    const struct program *program = self->program;
    int target = statement->target.tensor;
    const struct program_tensor *tensor = &program->tensors[target];
    const struct label_kinds kinds = find_label_kinds(program, tensor);
    bool keeps_irreps = true, keeps_spins = true;
    for (int t = 0; t < statement->n_terms; t++) {
        const struct program_term *term = &statement->terms[t];
        keeps_irreps = keeps_irreps && conserves_labels(program, statement, term, false);
        keeps_spins = keeps_spins && conserves_labels(program, statement, term, true);
    }
    if (kinds.irreps && !keeps_irreps)
        multiply_by_labels(self, tensor, false, &self->arrays[target]);
    if (kinds.spins && !keeps_spins)
        multiply_by_labels(self, tensor, true, &self->arrays[target]);
}

/* --- symmetries --- */

static bool is_symmetric(const struct whole_array *array, const struct signed_permutation *exchange)
{
    int64_t value[MAX_RANK] = {0}, i = 0;
    do {
        int64_t other = exchanged_element(array, exchange, value);
        double difference =
            (double)fabsl(array->elements[other] - exchange->sign * array->elements[i]);
        if (!(difference <= TOLERANCE * (array->norms[i] + array->norms[other])))
            return false;
        i++;
    } while (nested_loops_next(array->rank, array->size, value));
    return true;
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

/* Refuses a statement for the first exchange that its target lacks. */
static enum status refuse_statement(const struct program *program,
                                    const struct program_statement *statement, int first,
                                    const bool lacks[])
{
    const struct program_tensor *tensor = &program->tensors[statement->target.tensor];
    const struct program_exchange *exchange = &tensor->exchanges[first];
    const struct signed_permutation identity = symmetry_identity();
    return source_fail(
        program->file, statement->place,
        "this does not make %s equal to %s%s, as line %d declares: write %s before the products "
        "that lack it, or take the symmetry out of the declaration",
        show_target(program, &statement->target, &exchange->permutation).text,
        exchange->permutation.sign < 0 ? "-" : "",
        show_target(program, &statement->target, &identity).text, exchange->place.line,
        symmetry_operators_for(program, tensor, lacks, statement->target.index).text);
}

static enum status check_target(const struct proof *self, const struct program_statement *statement)
{
    const struct program_tensor *tensor = &self->program->tensors[statement->target.tensor];
    const struct whole_array *array = &self->arrays[statement->target.tensor];
    bool *lacks = calloc((size_t)tensor->n_exchanges + 1, sizeof *lacks);
    int first = -1;
    TRY(CHECK_MEMORY(lacks, "no memory for the symmetry of a tensor"));
    for (int x = tensor->n_exchanges - 1; x >= 0; x--) {
        lacks[x] = !is_symmetric(array, &tensor->exchanges[x].permutation);
        first = lacks[x] ? x : first;
    }
    enum status status =
        first >= 0 ? refuse_statement(self->program, statement, first, lacks) : STATUS_OK;
    free(lacks);
    return status;
}

/* --- ordered loops --- */

/* Adds a statement's products to the parts of its scalar. */
static enum status add_to_sum(const struct proof *self, const struct program_statement *statement)
{
    const struct program_loop *loop = &self->program->loops[statement->loop];
    struct whole_array *sum = &self->sums[statement->target.tensor];
    int64_t size[MAX_RANK];
    for (int d = 0; d < loop->n; d++)
        size[d] = self->n_values;
    if (!sum->elements)
        TRY(whole_array_init(self->program->tensors[statement->target.tensor].name, loop->n, size,
                             sum));
    nested_loops_run(statement, self->arrays, loop->index, sum);
    return STATUS_OK;
}

/* Refuses the last statement of a sum that changes when neighbours of a >= b >= ... are exchanged. */
static enum status check_sum(const struct program *program,
                             const struct program_statement *statement,
                             const struct whole_array *sum)
{
    const struct program_loop *loop = &program->loops[statement->loop];
    for (int i = 0; i + 1 < loop->n; i++) {
        struct signed_permutation exchange = symmetry_identity();
        exchange.place[i] = (int8_t)(i + 1);
        exchange.place[i + 1] = (int8_t)i;
        if (is_symmetric(sum, &exchange))
            continue;
        const char *name = program->indices[loop->index[i]].name;
        const char *next = program->indices[loop->index[i + 1]].name;
        return source_fail(
            program->file, statement->place,
            "the sum into '%s' changes when '%s' and '%s' exchange their roles, but '%s >= %s' in "
            "line %d stands for both orders: make the sum symmetric, or write '%s, %s'",
            program->tensors[statement->target.tensor].name, name, next, name, next,
            loop->place.line, name, next);
    }
    return STATUS_OK;
}

/* Checks the sums of a loop, at its end. */
static enum status end_loop(const struct proof *self, const struct program_loop *loop)
{
    for (int s = loop->end_statement - 1; s >= loop->first_statement; s--) {
        const struct program_statement *statement = &self->program->statements[s];
        struct whole_array *sum = &self->sums[statement->target.tensor];
        if (!sum->elements)
            continue;
        enum status status = check_sum(self->program, statement, sum);
        whole_array_fini(sum);
        TRY(status);
    }
    return STATUS_OK;
}

/* --- the run --- */

static enum status prove_statement(const struct proof *self, int s)
{
    const struct program *program = self->program;
    const struct program_statement *statement = &program->statements[s];
    const struct program_factor *target = &statement->target;
    if (is_computed(self, target->tensor)) {
        nested_loops_run(statement, self->arrays, target->index, &self->arrays[target->tensor]);
        apply_labels(self, statement);
        if (is_ordered_sum(program, statement))
            TRY(add_to_sum(self, statement));
        else if (statement->tries_symmetry)
            TRY(check_target(self, statement));
    }
    if (statement->loop >= 0 && s + 1 == program->loops[statement->loop].end_statement)
        return end_loop(self, &program->loops[statement->loop]);
    return STATUS_OK;
}

/* Whether iterated statements read a tensor before they make it: the value of the last iteration. */
static bool is_carried(const struct program *program, int tensor)
{
    for (int s = program->first_iterated; s < program->first_final; s++) {
        const struct program_statement *statement = &program->statements[s];
        for (int t = 0; t < statement->n_terms; t++)
            for (int f = 0; f < statement->terms[t].n_factors; f++)
                if (statement->terms[t].factors[f].tensor == tensor)
                    return true;
        if (statement->target.tensor == tensor)
            return false;
    }
    return false;
}

/* Unknowns, and what an iteration leaves for the next, are numbers with the symmetry that they declare. */
static enum status start_iteration_anew(const struct proof *self)
{
    const struct program *program = self->program;
    for (int u = 0; u < program->n_unknowns; u++)
        if (self->is_needed[program->unknowns[u].tensor])
            TRY(fill_declared(&program->tensors[program->unknowns[u].tensor],
                              &self->arrays[program->unknowns[u].tensor]));
    for (int s = program->first_iterated; s < program->first_final; s++) {
        int target = program->statements[s].target.tensor;
        if (is_computed(self, target) && is_carried(program, target))
            TRY(fill_declared(&program->tensors[target], &self->arrays[target]));
    }
    return STATUS_OK;
}

static enum status prove_statements(const struct proof *self)
{
    const struct program *program = self->program;
    for (int s = 0; s < program->n_statements; s++) {
        if (s == program->first_iterated)
            TRY(start_iteration_anew(self));
        TRY(prove_statement(self, s));
    }
    return STATUS_OK;
}

static enum status run_proof(struct proof *self)
{
    TRY(choose_values(self));
    TRY(make_arrays(self));
    return prove_statements(self);
}

enum status symmetry_proof_run(const struct program *program, int n,
                               const struct fill_symmetry fills[])
{
    size_t n_tensors = (size_t)program->n_tensors + 1;
    struct proof self = {.program = program,
                         .n_fills = n,
                         .fills = fills,
                         .is_needed = calloc(n_tensors, sizeof *self.is_needed),
                         .is_random = calloc(n_tensors, sizeof *self.is_random),
                         .arrays = calloc(n_tensors, sizeof *self.arrays),
                         .sums = calloc(n_tensors, sizeof *self.sums)};
    enum status status = CHECK_MEMORY(self.is_needed && self.is_random && self.arrays && self.sums,
                                      "no memory for %zu arrays", n_tensors);
    if (status == STATUS_OK && choose_tensors(&self))
        status = run_proof(&self);
    for (int t = 0; t < program->n_tensors && self.arrays && self.sums; t++) {
        whole_array_fini(&self.arrays[t]);
        whole_array_fini(&self.sums[t]);
    }
    free(self.is_needed);
    free(self.is_random);
    free(self.arrays);
    free(self.sums);
    return status;
}
