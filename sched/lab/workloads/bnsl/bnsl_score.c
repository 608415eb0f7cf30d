/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_score.h"

#include "support/vectors/vector_clones.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Codes are renumbered when they would become larger than this many times the samples: often
 * enough that the list of numbers stays in the cache, seldom enough to cost little. */
enum { CODES_PER_SAMPLE = 8 };

static enum status init_counter(struct bnsl_counter *counter, const struct bnsl_data *data)
{
    int64_t per_sample = CODES_PER_SAMPLE;
    for (int i = 0; i < data->n_variables; i++)
        if (data->n_states[i] > per_sample)
            per_sample = data->n_states[i];
    *counter = (struct bnsl_counter){.data = data, .n_numbers = per_sample * data->n_samples};
    counter->codes = malloc((size_t)data->n_samples * sizeof *counter->codes);
    counter->numbers = malloc((size_t)counter->n_numbers * sizeof *counter->numbers);
    return CHECK_MEMORY(counter->codes && counter->numbers, "no memory to count %d samples",
                        data->n_samples);
}

static void end_counter(struct bnsl_counter *counter)
{
    free(counter->codes);
    free(counter->numbers);
    *counter = (struct bnsl_counter){0};
}

/* Number of configurations of the parents; a product that may exceed the integers. */
static double count_configurations(const struct bnsl_data *data,
                                   const struct bnsl_family_of *family)
{
    double product = 1;
    for (int i = 0; i < family->n_parents; i++)
        product *= data->n_states[family->parents[i]];
    return product;
}

/* --- codes --- */

/* codes[s] = codes[s] n + values[s] */
VECTOR_CLONES static void append_digit(uint32_t *restrict codes, const uint8_t *restrict values,
                                       uint32_t n, int n_samples)
{
    for (int s = 0; s < n_samples; s++)
        codes[s] = codes[s] * n + values[s];
}

static void append_variable(struct bnsl_counter *counter, int variable)
{
    const struct bnsl_data *data = counter->data;
    append_digit(counter->codes, bnsl_data_column(data, variable),
                 (uint32_t)data->n_states[variable], data->n_samples);
}

static void clear_codes(struct bnsl_counter *counter)
{
    memset(counter->codes, 0, (size_t)counter->data->n_samples * sizeof *counter->codes);
}

/* Numbers the codes that occur, all of them below `bound`; returns how many there are. */
static int64_t renumber_codes(struct bnsl_counter *counter, int64_t bound)
{
    uint32_t n = 0;
    memset(counter->numbers, 0xff, (size_t)bound * sizeof *counter->numbers);
    for (int s = 0; s < counter->data->n_samples; s++) {
        uint32_t *number = &counter->numbers[counter->codes[s]];
        if (*number == UINT32_MAX)
            *number = n++;
        counter->codes[s] = *number;
    }
    return n;
}

/* --- tables --- */

static void tally_codes(struct bnsl_counter *counter, int variable, int64_t n_rows, uint32_t *table)
{
    const struct bnsl_data *data = counter->data;
    append_variable(counter, variable);
    memset(table, 0, (size_t)(n_rows * data->n_states[variable]) * sizeof *table);
    for (int s = 0; s < data->n_samples; s++)
        table[counter->codes[s]]++;
}

/* The table of all configurations, a row for each: x_0 + r (x_1 + n_1 (x_2 + n_2 (...))) is the
 * position of the variable's state x_0, of r, with x_1, x_2, ... of its parents.
 * table  out, one cell for each position, fewer than 2^32 */
static void count_all_rows(struct bnsl_counter *counter, const struct bnsl_family_of *family,
                           uint32_t *table)
{
    clear_codes(counter);
    for (int i = family->n_parents - 1; i >= 0; i--)
        append_variable(counter, family->parents[i]);
    tally_codes(counter, family->variable, (int64_t)count_configurations(counter->data, family),
                table);
}

/* The table of the configurations that occur, in the order of the samples: returns how many.
 * table  out, room for n_samples rows of the variable's states */
static int64_t count_occurring_rows(struct bnsl_counter *counter,
                                    const struct bnsl_family_of *family, uint32_t *table)
{
    int64_t n_codes = 1;
    clear_codes(counter);
    for (int i = family->n_parents - 1; i >= 0; i--) {
        int n_states = counter->data->n_states[family->parents[i]];
        if (n_codes * n_states > counter->n_numbers)
            n_codes = renumber_codes(counter, n_codes);
        append_variable(counter, family->parents[i]);
        n_codes *= n_states;
    }
    n_codes = renumber_codes(counter, n_codes);
    tally_codes(counter, family->variable, n_codes, table);
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

/* A table of all configurations is used up to this many cells for each sample. Beyond that most
 * cells would be empty, and counting the samples anew costs less. */
enum { CELLS_PER_SAMPLE = 4 };

enum status bnsl_scorer_init(struct bnsl_scorer *scorer, const struct bnsl_data *data)
{
    size_t n = (size_t)data->n_samples;
    size_t most_states = 1;
    for (int i = 0; i < data->n_variables; i++)
        if ((size_t)data->n_states[i] > most_states)
            most_states = (size_t)data->n_states[i];
    *scorer = (struct bnsl_scorer){.data = data, .most_cells = CELLS_PER_SAMPLE * (int64_t)n};
    scorer->n_log_n = malloc((n + 1) * sizeof *scorer->n_log_n);
    scorer->tables = malloc(2 * (size_t)scorer->most_cells * sizeof *scorer->tables);
    scorer->rows = malloc(n * most_states * sizeof *scorer->rows);
    TRY(init_counter(&scorer->counter, data));
    TRY(CHECK_MEMORY(scorer->n_log_n && scorer->tables && scorer->rows,
                     "no memory to score %zu samples", n));
    scorer->n_log_n[0] = 0;
    for (size_t i = 1; i <= n; i++)
        scorer->n_log_n[i] = (double)i * log((double)i);
    return STATUS_OK;
}

void bnsl_scorer_fini(struct bnsl_scorer *scorer)
{
    end_counter(&scorer->counter);
    free(scorer->n_log_n);
    free(scorer->tables);
    free(scorer->rows);
    *scorer = (struct bnsl_scorer){0};
}

/* --- one table --- */

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

static bool is_small(const struct bnsl_scorer *scorer, int variable, double configurations)
{
    return configurations * scorer->data->n_states[variable] <= (double)scorer->most_cells;
}

/* Counts the samples: a table of all configurations if that is small, which is then made in
 * `room`, or else of those that occur. n_rows: out, of the table */
static const uint32_t *count(struct bnsl_scorer *scorer, const struct bnsl_family_of *family,
                             double configurations, uint32_t *room, int64_t *n_rows)
{
    if (is_small(scorer, family->variable, configurations)) {
        count_all_rows(&scorer->counter, family, room);
        *n_rows = (int64_t)configurations;
        return room;
    }
    *n_rows = count_occurring_rows(&scorer->counter, family, scorer->rows);
    return scorer->rows;
}

double bnsl_score(struct bnsl_scorer *scorer, const struct bnsl_family_of *family)
{
    int64_t n_rows;
    double configurations = count_configurations(scorer->data, family);
    const uint32_t *table = count(scorer, family, configurations, scorer->tables, &n_rows);
    return score_table(scorer, family->variable, table, n_rows, configurations);
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

/* The parents of a set, in the order of the candidates. */
static int list_parents(const struct bnsl_cube *cube, uint32_t set, int *parents)
{
    int n = 0;
    for (int i = 0; i < cube->n_candidates; i++)
        if (set >> i & 1)
            parents[n++] = cube->candidates[i];
    return n;
}

/* Makes the table of a set from that of the set with one candidate more. */
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
 * configurations  of the set
 * room            for the tables that are made; where `table` begins if that is there */
static void visit(const struct walk *walk, uint32_t set, int first, const uint32_t *table,
                  double configurations, uint32_t *room)
{
    const struct bnsl_cube *cube = walk->cube;
    int64_t n_rows = (int64_t)configurations;
    const uint32_t *counts = table;
    if (!table) {
        int parents[BNSL_MAX_CANDIDATES];
        struct bnsl_family_of family = {cube->variable, list_parents(cube, set, parents), parents};
        counts = count(walk->scorer, &family, configurations, room, &n_rows);
        table = counts == room ? room : NULL;
    }
    if (table)
        room += n_rows * walk->scorer->data->n_states[cube->variable];
    walk->scores[set >> (cube->n_candidates - cube->n_free)] =
        score_table(walk->scorer, cube->variable, counts, n_rows, configurations);
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
    int parents[BNSL_MAX_CANDIDATES];
    struct bnsl_family_of family = {cube->variable, list_parents(cube, largest, parents), parents};
    visit(&walk, largest, cube->n_candidates - cube->n_free, NULL,
          count_configurations(scorer->data, &family), scorer->tables);
}
