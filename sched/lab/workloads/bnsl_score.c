/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl.h"
#include "support/base/array.h"
#include "support/vectors/vector_clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- cubes --- */

static int n_free(const struct bnsl_candidates *candidates, int variable)
{
    int n = candidates->n[variable];
    return n < candidates->dimension ? n : candidates->dimension;
}

void bnsl_candidates_cut(struct bnsl_candidates *candidates, int dimension)
{
    candidates->dimension = dimension;
    candidates->first[0] = 0;
    for (int i = 0; i < candidates->n_variables; i++)
        candidates->first[i + 1] =
            candidates->first[i] + (INT64_C(1) << (candidates->n[i] - n_free(candidates, i)));
}

/* The variable is the last whose tasks begin at or before this one; each has at least one task. */
struct bnsl_cube bnsl_cube_of(const struct bnsl_candidates *candidates, int64_t task)
{
    int variable = (int)array_find_last(candidates->first, candidates->n_variables, task);
    return (struct bnsl_cube){
        .variable = variable,
        .n_candidates = candidates->n[variable],
        .candidates = candidates->list[variable],
        .n_free = n_free(candidates, variable),
        .fixed = (uint32_t)(task - candidates->first[variable]),
    };
}

/* --- scratch --- */

/* Codes are renumbered when they would become larger than this many times the samples: often
 * enough that the list of numbers stays in the cache, seldom enough to cost little. */
enum { CODES_PER_SAMPLE = 8 };

/* A table of all configurations is used up to this many cells for each sample. Beyond that most
 * cells would be empty, and counting the samples anew costs less. */
enum { CELLS_PER_SAMPLE = 4 };

enum status bnsl_scorer_init(struct bnsl_scorer *scorer, const struct bnsl_data *data)
{
    size_t n = (size_t)data->n_samples, most_states = 1;
    for (int i = 0; i < data->n_variables; i++)
        if ((size_t)data->n_states[i] > most_states)
            most_states = (size_t)data->n_states[i];
    size_t n_numbers = n * (most_states > CODES_PER_SAMPLE ? most_states : CODES_PER_SAMPLE);
    *scorer = (struct bnsl_scorer){
        .data = data, .n_numbers = (int64_t)n_numbers, .most_cells = CELLS_PER_SAMPLE * (int64_t)n};
    scorer->n_log_n = malloc((n + 1) * sizeof *scorer->n_log_n);
    scorer->codes = malloc(n * sizeof *scorer->codes);
    scorer->numbers = malloc(n_numbers * sizeof *scorer->numbers);
    scorer->tables = malloc(2 * (size_t)scorer->most_cells * sizeof *scorer->tables);
    scorer->rows = malloc(n * most_states * sizeof *scorer->rows);
    TRY(CHECK_MEMORY(scorer->n_log_n && scorer->codes && scorer->numbers && scorer->tables &&
                         scorer->rows,
                     "no memory to score %zu samples", n));
    scorer->n_log_n[0] = 0;
    for (size_t i = 1; i <= n; i++)
        scorer->n_log_n[i] = (double)i * log((double)i);
    return STATUS_OK;
}

void bnsl_scorer_fini(struct bnsl_scorer *scorer)
{
    free(scorer->n_log_n);
    free(scorer->codes);
    free(scorer->numbers);
    free(scorer->tables);
    free(scorer->rows);
}

/* --- tables --- */

/* codes[s] = codes[s] n + values[s] */
VECTOR_CLONES static void append_digit(uint32_t *restrict codes, const uint8_t *restrict values,
                                       uint32_t n, int n_samples)
{
    for (int s = 0; s < n_samples; s++)
        codes[s] = codes[s] * n + values[s];
}

static void append_variable(struct bnsl_scorer *scorer, int variable)
{
    const struct bnsl_data *data = scorer->data;
    append_digit(scorer->codes, bnsl_data_column(data, variable),
                 (uint32_t)data->n_states[variable], data->n_samples);
}

/* Numbers the codes that occur, all of them below `bound`; returns how many there are. */
static int64_t renumber_codes(struct bnsl_scorer *scorer, int64_t bound)
{
    uint32_t n = 0;
    memset(scorer->numbers, 0xff, (size_t)bound * sizeof *scorer->numbers);
    for (int s = 0; s < scorer->data->n_samples; s++) {
        uint32_t *number = &scorer->numbers[scorer->codes[s]];
        if (*number == UINT32_MAX)
            *number = n++;
        scorer->codes[s] = *number;
    }
    return n;
}

/* Counts the samples: a row for each configuration x_1, x_2, ... of the parents, a cell for each
 * state x_0, of r, of the variable.
 * set    bits of the candidates
 * all    rows of all configurations: x_0 + r (x_1 + n_1 (x_2 + n_2 (...))) is the position of a
 *        cell, below 2^32. Else of those that occur, in the order of the samples
 * table  out
 * Returns the number of rows. */
static int64_t count_rows(struct bnsl_scorer *scorer, const struct bnsl_cube *cube, uint32_t set,
                          bool all, uint32_t *table)
{
    const struct bnsl_data *data = scorer->data;
    int64_t n_codes = 1;
    memset(scorer->codes, 0, (size_t)data->n_samples * sizeof *scorer->codes);
    for (int i = cube->n_candidates - 1; i >= 0; i--) {
        if (!(set >> i & 1))
            continue;
        int n_states = data->n_states[cube->candidates[i]];
        if (!all && n_codes * n_states > scorer->n_numbers)
            n_codes = renumber_codes(scorer, n_codes);
        append_variable(scorer, cube->candidates[i]);
        n_codes *= n_states;
    }
    if (!all)
        n_codes = renumber_codes(scorer, n_codes);
    append_variable(scorer, cube->variable);
    memset(table, 0, (size_t)(n_codes * data->n_states[cube->variable]) * sizeof *table);
    for (int s = 0; s < data->n_samples; s++)
        table[scorer->codes[s]]++;
    return n_codes;
}

/* Sums a parent out of a table of all configurations:
 *   out[o][i] = sum_s in[o][s][i]
 * in   outer x n_states x inner cells
 * out  outer x inner cells, may not overlap in */
VECTOR_CLONES static void sum_out(const uint32_t *in, size_t outer, int n_states, size_t inner,
                                  uint32_t *restrict out)
{
    for (size_t o = 0; o < outer; o++, out += inner) {
        memcpy(out, in, inner * sizeof *out);
        in += inner;
        for (int state = 1; state < n_states; state++, in += inner)
            for (size_t i = 0; i < inner; i++)
                out[i] += in[i];
    }
}

/* sum_j (sum_k N_jk log N_jk - N_j log N_j) */
static double likelihood(const double *n_log_n, const uint32_t *table, int64_t n_rows, int n_states)
{
    double sum = 0;
    for (int64_t j = 0; j < n_rows; j++, table += n_states) {
        uint32_t n_j = 0;
        double row = 0;
        for (int k = 0; k < n_states; k++) {
            n_j += table[k];
            row += n_log_n[table[k]];
        }
        sum += row - n_log_n[n_j];
    }
    return sum;
}

/* n_rows: of the table, of the `configurations` that the parents can have */
static double score_table(const struct bnsl_scorer *scorer, int variable, const uint32_t *table,
                          int64_t n_rows, double configurations)
{
    int n_states = scorer->data->n_states[variable];
    double penalty = log((double)scorer->data->n_samples) / 2 * configurations * (n_states - 1);
    return likelihood(scorer->n_log_n, table, n_rows, n_states) - penalty;
}

/* --- a cube --- */

/* A walk over a cube's parent sets from the largest: each one is made by leaving a free
 * candidate out of another. */
struct walk {
    struct bnsl_scorer *scorer;
    const struct bnsl_cube *cube;
    double *scores;
};

static int states_of(const struct walk *walk, int candidate)
{
    return walk->scorer->data->n_states[walk->cube->candidates[candidate]];
}

/* Sums the table of a larger set over the states of one candidate. */
static void leave_out(const struct walk *walk, uint32_t larger, int candidate, const uint32_t *in,
                      uint32_t *out)
{
    size_t inner = (size_t)walk->scorer->data->n_states[walk->cube->variable], outer = 1;
    for (int i = 0; i < walk->cube->n_candidates; i++)
        if (larger >> i & 1 && i != candidate)
            *(i < candidate ? &inner : &outer) *= (size_t)states_of(walk, i);
    sum_out(in, outer, states_of(walk, candidate), inner, out);
}

/* Scores a set and all that are made by leaving out candidates from `first` on, which are free.
 * set             bits of the candidates
 * table           of all configurations of the set; NULL if not made yet
 * configurations  of the set: a product that may exceed the integers
 * room            for the tables that are made; where `table` begins if that is there */
static void visit(const struct walk *walk, uint32_t set, int first, const uint32_t *table,
                  double configurations, uint32_t *room)
{
    const struct bnsl_cube *cube = walk->cube;
    struct bnsl_scorer *scorer = walk->scorer;
    int n_states = scorer->data->n_states[cube->variable];
    int64_t n_rows = (int64_t)configurations;
    const uint32_t *counts = table;
    if (!table) {
        bool all = configurations * n_states <= (double)scorer->most_cells;
        uint32_t *counted = all ? room : scorer->rows;
        n_rows = count_rows(scorer, cube, set, all, counted);
        counts = counted;
        table = all ? room : NULL;
    }
    if (table)
        room += n_rows * n_states;
    walk->scores[set >> (cube->n_candidates - cube->n_free)] =
        score_table(scorer, cube->variable, counts, n_rows, configurations);
    for (int i = first; i < cube->n_candidates; i++) {
        if (table)
            leave_out(walk, set, i, table, room);
        visit(walk, set & ~(UINT32_C(1) << i), i + 1, table ? room : NULL,
              configurations / states_of(walk, i), room);
    }
}

void bnsl_score_cube(struct bnsl_scorer *scorer, const struct bnsl_cube *cube, double *scores)
{
    struct walk walk = {scorer, cube, scores};
    uint32_t largest = bnsl_cube_parents(cube, (UINT32_C(1) << cube->n_free) - 1);
    double configurations = 1;
    for (int i = 0; i < cube->n_candidates; i++)
        configurations *= largest >> i & 1 ? states_of(&walk, i) : 1;
    visit(&walk, largest, cube->n_candidates - cube->n_free, NULL, configurations, scorer->tables);
}

double bnsl_score(struct bnsl_scorer *scorer, int variable, const int *parents, int n_parents)
{
    struct bnsl_cube cube = {.variable = variable,
                             .n_candidates = n_parents,
                             .candidates = parents,
                             .fixed = (UINT32_C(1) << n_parents) - 1};
    double score;
    bnsl_score_cube(scorer, &cube, &score);
    return score;
}

/* --- candidates --- */

/* A possible parent and the gain of it alone. */
struct gain {
    double gain;
    int parent;
};

static int compare_gains(const void *left, const void *right)
{
    const struct gain *a = left, *b = right;
    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    return (a->parent > b->parent) - (a->parent < b->parent);
}

void bnsl_candidates_choose(struct bnsl_candidates *candidates, struct bnsl_scorer *scorer,
                            int most)
{
    struct gain gains[BNSL_MAX_VARIABLES];
    candidates->n_variables = scorer->data->n_variables;
    for (int variable = 0; variable < candidates->n_variables; variable++) {
        double alone = bnsl_score(scorer, variable, NULL, 0);
        int n = 0;
        for (int parent = 0; parent < candidates->n_variables; parent++) {
            if (parent == variable)
                continue;
            double gain = bnsl_score(scorer, variable, &parent, 1) - alone;
            if (gain > 0)
                gains[n++] = (struct gain){gain, parent};
        }
        qsort(gains, (size_t)n, sizeof *gains, compare_gains);
        candidates->n[variable] = n < most ? n : most;
        for (int i = 0; i < candidates->n[variable]; i++)
            candidates->list[variable][i] = gains[i].parent;
    }
}
