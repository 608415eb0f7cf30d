/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_score.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

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
    TRY(bnsl_counter_init(&scorer->counter, data));
    TRY(CHECK_MEMORY(scorer->n_log_n && scorer->tables && scorer->rows,
                     "no memory to score %zu samples", n));
    scorer->n_log_n[0] = 0;
    for (size_t i = 1; i <= n; i++)
        scorer->n_log_n[i] = (double)i * log((double)i);
    return STATUS_OK;
}

void bnsl_scorer_fini(struct bnsl_scorer *scorer)
{
    bnsl_counter_fini(&scorer->counter);
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
        bnsl_count_all(&scorer->counter, family, room);
        *n_rows = (int64_t)configurations;
        return room;
    }
    *n_rows = bnsl_count_occurring(&scorer->counter, family, scorer->rows);
    return scorer->rows;
}

double bnsl_score(struct bnsl_scorer *scorer, const struct bnsl_family_of *family)
{
    int64_t n_rows;
    double configurations = bnsl_configurations(scorer->data, family);
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
    bnsl_count_sum_out(in, outer, states_of(walk, candidate), inner, out);
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
          bnsl_configurations(scorer->data, &family), scorer->tables);
}
