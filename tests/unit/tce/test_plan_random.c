/* SPDX-License-Identifier: BSD-3-Clause */
/* The algebra of plans: random small programs, run step by step and statement by statement
 * in plain loops over elements; and orders of factors against all that there are.
 *
 *     test_plan_random [N]
 *
 * makes N short programs (600), and a sixth as many of long products. */
#include "support/base/random.h"
#include "tce/language/parser.h"
#include "tests/cases/plan_case.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_POOL = 6, N_INPUTS = 5, MAX_TENSORS = 200 };

/* ---- Programs, as data. */

struct maker {
    struct random_stream random;
    struct plan_case made;
    int max_factors;
};

static int below(struct maker *maker, int bound)
{
    return (int)random_below(&maker->random, (uint64_t)bound);
}

static char *name_of(const char *letter, int number)
{
    char name[40];
    snprintf(name, sizeof name, "%.20s%d", letter, number);
    return strdup(name);
}

/* Two spaces of up to three tiles, with or without labels, and indices of them. */
static void make_indices(struct maker *maker)
{
    struct program *program = &maker->made.program;
    int n_irreps = 1 << below(maker, 3);
    bool spins = below(maker, 3) == 0;
    program->n_spaces = 2;
    program->spaces = calloc(2, sizeof *program->spaces);
    for (int s = 0; s < 2; s++) {
        struct program_space *space = &program->spaces[s];
        space->name = name_of("s", s);
        space->n_blocks = 2 + below(maker, 2);
        space->blocks = calloc(3, sizeof *space->blocks);
        space->tile = 2;
        for (int b = 0; b < space->n_blocks; b++)
            space->blocks[b] = (struct index_block){.size = 1 + below(maker, 2),
                                                    .irrep = below(maker, n_irreps),
                                                    .spin = spins ? below(maker, 3) - 1 : 0};
    }
    program->n_indices = MAX_POOL;
    program->indices = calloc(MAX_POOL, sizeof *program->indices);
    for (int i = 0; i < MAX_POOL; i++)
        program->indices[i] =
            (struct program_index){.name = name_of("i", i), .space = below(maker, 2)};
}

static int add_tensor(struct maker *maker, int rank, const int space[])
{
    struct program *program = &maker->made.program;
    struct program_tensor *tensor = &program->tensors[program->n_tensors];
    assert_true(program->n_tensors < MAX_TENSORS);
    *tensor = (struct program_tensor){
        .name = name_of("t", program->n_tensors), .rank = rank, .has_bar = true, .loop = -1};
    if (below(maker, 8) == 0)
        tensor->irrep = below(maker, 4);
    if (below(maker, 8) == 0)
        tensor->spin = below(maker, 3) - 1;
    int n_upper = below(maker, rank + 1);
    for (int d = 0; d < rank && d < MAX_RANK; d++) {
        tensor->space[d] = space[d];
        tensor->sign[d] = d < n_upper ? 1 : -1;
    }
    return program->n_tensors++;
}

/* The target of number n: its indices, each once. */
static struct program_factor add_target(struct maker *maker)
{
    const struct program *program = &maker->made.program;
    struct program_factor target = {0};
    int space[MAX_RANK], rank = 0, n = below(maker, 4);
    for (int i = 0; i < MAX_POOL && rank < n; i++)
        if (below(maker, 2)) {
            target.index[rank] = i;
            space[rank++] = program->indices[i].space;
        }
    target.tensor = add_tensor(maker, rank, space);
    return target;
}

/* A tensor that is there, other than the target, with indices that fit it. */
static struct program_factor choose_factor(struct maker *maker, int target)
{
    const struct program *program = &maker->made.program;
    struct program_factor factor = {0};
    do
        factor.tensor = below(maker, program->n_tensors);
    while (factor.tensor == target);
    const struct program_tensor *tensor = &program->tensors[factor.tensor];
    for (int d = 0; d < tensor->rank; d++) {
        /* In a pool of two spaces every one may have to be looked for. */
        int index = below(maker, MAX_POOL);
        for (int tried = 0; program->indices[index].space != tensor->space[d]; tried++) {
            assert_true(tried < MAX_POOL);
            index = (index + 1) % MAX_POOL;
        }
        factor.index[d] = index;
    }
    return factor;
}

/* Adds a factor with those of the target's indices that the term lacks. */
static void complete_term(struct maker *maker, const struct program_factor *target,
                          struct program_term *term)
{
    const struct program *program = &maker->made.program;
    struct program_factor last = {0};
    int space[MAX_RANK], rank = 0;
    for (int d = 0; d < program->tensors[target->tensor].rank; d++) {
        bool found = false;
        for (int f = 0; f < term->n_factors; f++)
            for (int e = 0; e < program->tensors[term->factors[f].tensor].rank; e++)
                found = found || term->factors[f].index[e] == target->index[d];
        if (found)
            continue;
        last.index[rank] = target->index[d];
        space[rank++] = program->indices[target->index[d]].space;
    }
    if (rank == 0)
        return;
    last.tensor = add_tensor(maker, rank, space);
    term->factors[term->n_factors++] = last;
}

static void make_term(struct maker *maker, const struct program_factor *target,
                      struct program_term *term)
{
    term->coefficient = (1 + below(maker, 4)) / 2.0 - 1.25;
    term->factors = calloc((size_t)maker->max_factors + 1, sizeof *term->factors);
    term->n_factors = 1 + below(maker, maker->max_factors);
    for (int f = 0; f < term->n_factors; f++)
        term->factors[f] = choose_factor(maker, target->tensor);
    complete_term(maker, target, term);
}

/* Some terms are those of an earlier statement, so that there is something to share. */
static void copy_term(struct maker *maker, const struct program_statement *from,
                      struct program_term *term)
{
    const struct program_term *original = &from->terms[below(maker, from->n_terms)];
    *term = *original;
    term->factors = calloc((size_t)maker->max_factors + 1, sizeof *term->factors);
    for (int f = 0; f < original->n_factors; f++)
        term->factors[f] = original->factors[original->n_factors - 1 - f];
}

static void make_statement(struct maker *maker, int number)
{
    struct program *program = &maker->made.program;
    struct program_statement *statement = &program->statements[number];
    int copied = number > 0 && below(maker, 2) ? below(maker, number) : -1;
    statement->text = name_of("statement ", number);
    statement->loop = -1;
    statement->target = copied >= 0 ? program->statements[copied].target : add_target(maker);
    statement->add = below(maker, 3) == 0;
    statement->loop = -1;
    statement->n_terms = 1 + below(maker, 3);
    statement->terms = calloc((size_t)statement->n_terms, sizeof *statement->terms);
    for (int t = 0; t < statement->n_terms; t++)
        if (copied >= 0 && below(maker, 2))
            copy_term(maker, &program->statements[copied], &statement->terms[t]);
        else
            make_term(maker, &statement->target, &statement->terms[t]);
}

static void make_program(struct maker *maker)
{
    struct program *program = &maker->made.program;
    *program =
        (struct program){.file = strdup("random"), .tile = 2, .energy = -1, .final_energy = -1};
    make_indices(maker);
    program->tensors = calloc(MAX_TENSORS, sizeof *program->tensors);
    for (int t = 0; t < N_INPUTS; t++) {
        int space[4], rank = below(maker, 5);
        for (int d = 0; d < rank; d++)
            space[d] = program->indices[below(maker, MAX_POOL)].space;
        add_tensor(maker, rank, space);
    }
    program->n_statements = 1 + below(maker, 6);
    program->statements = calloc(6, sizeof *program->statements);
    for (int s = 0; s < program->n_statements; s++)
        make_statement(maker, s);
    program->first_iterated = below(maker, program->n_statements + 1);
    program->first_final = program->n_statements;
    program->n_unknowns = 1;
    program->unknowns = calloc(1, sizeof *program->unknowns);
    plan_case_spaces(&maker->made, 0, 0);
    check_ok(plan_case_plan(&maker->made));
}

/* ---- Dense arrays of all values, zero where there is no block. */

struct dense {
    const struct block_labels *labels;
    double *value; /* NULL: does not exist */
};

static size_t dense_size(const struct block_labels *labels)
{
    size_t n = 1;
    for (int d = 0; d < labels->rank; d++)
        n *= (size_t)labels->space[d]->size;
    return n;
}

static bool is_allowed(const struct block_labels *labels, const int index[], const int64_t at[])
{
    int irrep = 0, spin = 0;
    for (int d = 0; d < labels->rank; d++) {
        const struct index_space *space = labels->space[d];
        int32_t tile = 0;
        while (space->first[tile + 1] <= at[index[d]])
            tile++;
        irrep ^= space->irrep[tile];
        spin += labels->sign[d] * space->spin[tile];
    }
    return irrep == labels->irrep && spin == labels->spin;
}

static double *element(const struct dense *dense, const int index[], const int64_t at[])
{
    size_t offset = 0;
    assert_non_null(dense->value);
    for (int d = 0; d < dense->labels->rank; d++)
        offset = offset * (size_t)dense->labels->space[d]->size + (size_t)at[index[d]];
    return &dense->value[offset];
}

/* Steps to the next tuple of values of n indices; false after the last. */
static bool next_tuple(int n, const int64_t size[], int64_t at[])
{
    for (int i = n - 1; i >= 0; i--) {
        if (++at[i] < size[i])
            return true;
        at[i] = 0;
    }
    return false;
}

static void make_dense(const struct block_labels *labels, struct random_stream *random,
                       struct dense *dense)
{
    int index[MAX_RANK];
    int64_t at[MAX_RANK] = {0}, size[MAX_RANK];
    dense->labels = labels;
    dense->value = calloc(dense_size(labels), sizeof *dense->value);
    for (int d = 0; d < labels->rank; d++) {
        index[d] = d;
        size[d] = labels->space[d]->size;
    }
    do
        if (is_allowed(labels, index, at))
            *element(dense, index, at) = random ? 2 * random_unit(random) - 1 : 0;
    while (next_tuple(labels->rank, size, at));
}

/* ---- Steps and statements. */

/* C = or += factor * the product of n operands, whose indices have sizes; returns for how
 * many tuples of values C and all operands have blocks. */
static double multiply(int n_indices, const int64_t size[], struct dense *C, const int C_index[],
                       int n, const struct dense *const operand[], const int *const index[],
                       double factor, bool add)
{
    double n_tuples = 0;
    int64_t at[2 * MAX_RANK] = {0};
    if (!add)
        memset(C->value, 0, dense_size(C->labels) * sizeof *C->value);
    do {
        double value = factor;
        bool allowed = is_allowed(C->labels, C_index, at);
        for (int o = 0; o < n && allowed; o++) {
            allowed = is_allowed(operand[o]->labels, index[o], at);
            value *= *element(operand[o], index[o], at);
        }
        if (allowed) {
            *element(C, C_index, at) += value;
            n_tuples++;
        }
    } while (next_tuple(n_indices, size, at));
    return n_tuples;
}

static void note_sizes(const struct block_labels *labels, const int index[], int64_t size[])
{
    for (int d = 0; d < labels->rank; d++)
        size[index[d]] = labels->space[d]->size;
}

/* The step's flops are those of all tasks of its contraction. */
static void check_cost(const struct plan *plan, const struct plan_step *step)
{
    struct contraction_problem problem;
    struct contraction_settings settings = {0};
    struct contraction *contraction;
    double flops = 0;
    plan_problem(plan, step, &problem);
    if (!problem.has_B)
        return;
    check_ok(contraction_create(1, &problem, &settings, &contraction));
    for (int64_t task = 0; task < contraction_n_tasks(contraction); task++)
        flops += contraction_task_cost(contraction, task).flops;
    contraction_destroy(contraction);
    check_close(step->flops, flops, 0);
}

static void run_step(const struct plan *plan, const struct plan_step *step, struct dense *tensors)
{
    int n_indices = 0, n = step->B.tensor >= 0 ? 2 : 1;
    int64_t size[MAX_INDICES] = {0};
    const int tensor[2] = {step->A.tensor, step->B.tensor};
    const int *const index[2] = {step->A.index, step->B.index};
    const struct dense *operand[2] = {0};
    if (step->create >= 0)
        make_dense(&plan->tensors[step->create].labels, NULL, &tensors[step->create]);
    for (int o = 0; o < n; o++) {
        operand[o] = &tensors[tensor[o]];
        note_sizes(operand[o]->labels, index[o], size);
    }
    while (n_indices < MAX_INDICES && step->name[n_indices] >= 0)
        n_indices++;
    struct dense *C = &tensors[step->C.tensor];
    double n_tuples =
        multiply(n_indices, size, C, step->C.index, n, operand, index, step->factor, step->add);
    check_close(step->flops, 2 * n_tuples, 0);
    check_cost(plan, step);
    for (int d = 0; d < step->n_destroy; d++) {
        free(tensors[step->destroy[d]].value);
        tensors[step->destroy[d]].value = NULL;
    }
}

static void run_statement(const struct program *program, int number, struct dense *tensors)
{
    const struct program_statement *statement = &program->statements[number];
    for (int t = 0; t < statement->n_terms; t++) {
        const struct program_term *term = &statement->terms[t];
        const struct dense *operand[PROGRAM_MAX_FACTORS];
        const int *index[PROGRAM_MAX_FACTORS];
        int64_t size[MAX_POOL] = {1, 1, 1, 1, 1, 1};
        for (int f = 0; f < term->n_factors; f++) {
            operand[f] = &tensors[term->factors[f].tensor];
            index[f] = term->factors[f].index;
            note_sizes(operand[f]->labels, index[f], size);
        }
        multiply(MAX_POOL, size, &tensors[statement->target.tensor], statement->target.index,
                 term->n_factors, operand, index, term->coefficient, statement->add || t > 0);
    }
}

/* The work of a method between iterations: another value of the unknown. */
static void improve(const struct program *program, struct dense *tensors)
{
    struct dense *unknown = &tensors[program->unknowns[0].tensor];
    for (size_t e = 0; e < dense_size(unknown->labels); e++)
        unknown->value[e] *= 0.75;
}

static void run_plan(const struct plan *plan, struct dense *tensors)
{
    for (int s = 0; s < plan->first_iterated; s++)
        run_step(plan, &plan->steps[s], tensors);
    for (int iteration = 0; iteration < 2; iteration++) {
        for (int s = plan->first_iterated; s < plan->n_steps; s++)
            run_step(plan, &plan->steps[s], tensors);
        improve(plan->program, tensors);
    }
}

static void run_program(const struct program *program, struct dense *tensors)
{
    for (int s = 0; s < program->first_iterated; s++)
        run_statement(program, s, tensors);
    for (int iteration = 0; iteration < 2; iteration++) {
        for (int s = program->first_iterated; s < program->n_statements; s++)
            run_statement(program, s, tensors);
        improve(program, tensors);
    }
}

/* Returns how many elements are not 0. */
static int compare(const struct dense *planned, const struct dense *direct)
{
    double largest = 1;
    int n_nonzero = 0;
    size_t n = dense_size(direct->labels);
    for (size_t e = 0; e < n; e++)
        largest = fabs(direct->value[e]) > largest ? fabs(direct->value[e]) : largest;
    for (size_t e = 0; e < n; e++) {
        check_close(planned->value[e], direct->value[e], 1e-11 * largest);
        n_nonzero += direct->value[e] != 0;
    }
    return n_nonzero;
}

static void check_elements(const struct plan_tensor *tensor)
{
    int index[MAX_RANK];
    int64_t at[MAX_RANK] = {0}, size[MAX_RANK];
    double n = 0;
    for (int d = 0; d < tensor->labels.rank; d++) {
        index[d] = d;
        size[d] = tensor->labels.space[d]->size;
    }
    do
        n += is_allowed(&tensor->labels, index, at);
    while (next_tuple(tensor->labels.rank, size, at));
    check_close(tensor->elements, n, 0);
}

/* Returns how many targets have elements that are not 0. */
static int check_program(struct maker *maker)
{
    int n_nonzero = 0;
    const struct plan *plan = maker->made.plan;
    struct dense *planned = calloc((size_t)plan->n_tensors, sizeof *planned);
    struct dense *direct = calloc((size_t)plan->n_program_tensors, sizeof *direct);
    plan_case_check_lifetimes(plan);
    plan_case_check_stages(plan);
    for (int t = 0; t < plan->n_tensors; t++)
        check_elements(&plan->tensors[t]);
    for (int t = 0; t < plan->n_program_tensors; t++) {
        const struct block_labels *labels = &plan->tensors[t].labels;
        make_dense(labels, &maker->random, &planned[t]);
        make_dense(labels, NULL, &direct[t]);
        memcpy(direct[t].value, planned[t].value, dense_size(labels) * sizeof(double));
    }
    run_plan(plan, planned);
    run_program(plan->program, direct);
    for (int t = 0; t < plan->n_program_tensors; t++)
        compare(&planned[t], &direct[t]);
    for (int t = 0; t < plan->program->n_statements; t++) {
        int target = plan->program->statements[t].target.tensor;
        n_nonzero += compare(&planned[target], &direct[target]) > 0;
    }
    for (int t = 0; t < plan->n_tensors; t++)
        free(planned[t].value);
    for (int t = 0; t < plan->n_program_tensors; t++)
        free(direct[t].value);
    free(planned);
    free(direct);
    return n_nonzero;
}

static void check_programs(int n, int max_factors, uint64_t seed)
{
    int n_shared = 0, n_kept = 0, n_steps = 0, n_statements = 0, n_nonzero = 0;
    for (int p = 0; p < n; p++) {
        struct maker maker = {.max_factors = max_factors};
        random_stream_init(&maker.random, seed, (uint64_t)p);
        make_program(&maker);
        n_nonzero += check_program(&maker);
        const struct plan *plan = maker.made.plan;
        n_steps += plan->n_steps;
        n_statements += plan->program->n_statements;
        for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
            int n_reads = 0;
            for (int s = 0; s < plan->n_steps; s++)
                n_reads += plan->steps[s].A.tensor == t || plan->steps[s].B.tensor == t;
            assert_true(n_reads > 0);
            n_shared += n_reads > 1;
            n_kept += plan->tensors[t].last_step == plan->n_steps;
        }
        plan_case_fini(&maker.made);
    }
    /* Else the programs would not try what they are for. */
    printf("%d programs, %d statements, %d with results other than 0, %d steps, %d intermediates "
           "shared, %d kept\n",
           n, n_statements, n_nonzero, n_steps, n_shared, n_kept);
    assert_true(n_shared > n / 20 && n_kept > n / 20 && n_nonzero > n_statements / 3);
}

static int n_programs = 600;

static void test_plans_compute_what_statements_say(void **state)
{
    (void)state;
    check_programs(n_programs, 4, 1);
}

static void test_plans_of_long_products_compute_what_statements_say(void **state)
{
    (void)state;
    check_programs(n_programs / 6, 9, 2);
}

/* ---- All orders of six factors. */

struct tree_search {
    int n_indices;
    double size[12];
    double best;
};

/* Multiplies two parts at a time in every order; a part is the factors in it, has the sets
 * of factors that an index occurs in; index 0 is the target's. */
static void try_orders(struct tree_search *search, int n, const unsigned part[],
                       const unsigned has[], double total)
{
    if (n == 1 && total < search->best)
        search->best = total;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double flops = 2;
            for (int x = 0; x < search->n_indices; x++) {
                bool in_i = (has[x] & part[i]) && ((has[x] & ~part[i]) || x == 0);
                bool in_j = (has[x] & part[j]) && ((has[x] & ~part[j]) || x == 0);
                flops *= in_i || in_j ? search->size[x] : 1;
            }
            unsigned joined[6];
            for (int k = 0; k < n; k++)
                joined[k] = k == i ? part[i] | part[j] : part[k];
            joined[j] = joined[n - 1];
            try_orders(search, n - 1, joined, has, total + flops);
        }
}

/* Six tensors with random pairs of indices, the last also with the target's. */
static void make_network(struct random_stream *random, struct tree_search *search, char *text,
                         unsigned has[])
{
    static const char *const tensors[] = {"A", "B", "C", "D", "E", "F"};
    char declared[400] = "", product[400] = "T[i0] =";
    text[0] = '\0';
    for (int x = 0; x < search->n_indices; x++) {
        search->size[x] = (double)(1 + random_below(random, 30));
        sprintf(text + strlen(text), "space s%d = %.0f\nindex i%d : s%d\n", x, search->size[x], x,
                x);
        has[x] = 0;
    }
    for (int f = 0; f < 6; f++) {
        sprintf(declared + strlen(declared), "tensor %s[", tensors[f]);
        sprintf(product + strlen(product), "%s%s[", f > 0 ? " * " : " ", tensors[f]);
        for (int d = 0; d < 3; d++) {
            int x = f == 5 && d == 0 ? 0 : (int)random_below(random, (uint64_t)search->n_indices);
            has[x] |= 1U << f;
            sprintf(declared + strlen(declared), "%si%d", d > 0 ? "," : "", x);
            sprintf(product + strlen(product), "%si%d", d > 0 ? "," : "", x);
        }
        strcat(declared, "]\n");
        strcat(product, "]");
    }
    sprintf(text + strlen(text), "%stensor T[i0]\n%s\n", declared, product);
}

/* Operations of the sums over an index that only one factor has, which come first. */
static double flops_of_sums(const struct plan *plan)
{
    double flops = 0;
    for (int s = 0; s < plan->n_steps; s++)
        flops += plan->steps[s].B.tensor < 0 ? plan->steps[s].flops : 0;
    return flops;
}

static void test_six_factors_are_multiplied_in_the_best_order(void **state)
{
    (void)state;
    for (int c = 0; c < 60; c++) {
        struct random_stream random;
        struct tree_search search = {.n_indices = 8, .best = INFINITY};
        struct plan_case made = {0};
        const unsigned part[6] = {1, 2, 4, 8, 16, 32};
        unsigned has[12];
        char text[2000];
        random_stream_init(&random, 3, (uint64_t)c);
        make_network(&random, &search, text, has);
        check_ok(program_parse(text, strlen(text), "network", &made.program));
        plan_case_spaces(&made, 1, 1);
        check_ok(plan_case_plan(&made));
        try_orders(&search, 6, part, has, 0);
        check_close(plan_case_flops(made.plan) - flops_of_sums(made.plan), search.best,
                    1e-9 * search.best);
        plan_case_fini(&made);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        n_programs = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_compute_what_statements_say),
        cmocka_unit_test(test_plans_of_long_products_compute_what_statements_say),
        cmocka_unit_test(test_six_factors_are_multiplied_in_the_best_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
