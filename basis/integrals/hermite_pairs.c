/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/hermite_pairs.h"

#include "basis/integrals/shells.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int hermite_number(int t, int u, int v)
{
    int n = t + u + v;
    return n * (n + 1) * (n + 2) / 6 + (n - t) * (n - t + 1) / 2 + v;
}

/* One dimension: E[i][j][t] of x_a^i x_b^j. */
typedef double expansion[HERMITE_MAX_L + 1][HERMITE_MAX_L + 1][HERMITE_MAX_ORDER + 2];

/* E_t^(i+1, j) = E_(t-1)^(i, j) / (2 zeta) + PA E_t^(i, j) + (t + 1) E_(t+1)^(i, j), alike for j
 * with PB. Source: Helgaker, Jorgensen & Olsen (2000), eqs. 9.5.6 and 9.5.7. */
static void raise_expansion(double half_inverse, double shift, int order, const double *from,
                            double *to)
{
    for (int t = 0; t <= order; t++)
        to[t] = (t > 0 ? half_inverse * from[t - 1] : 0) + shift * from[t] + (t + 1) * from[t + 1];
}

static void expand_dimension(const int l[2], double half_inverse, double PA, double PB, expansion E)
{
    for (int i = 0; i <= l[0]; i++)
        memset(E[i], 0, (size_t)(l[1] + 1) * sizeof E[i][0]);
    E[0][0][0] = 1;
    for (int i = 0; i <= l[0]; i++) {
        if (i > 0)
            raise_expansion(half_inverse, PA, i, E[i - 1][0], E[i][0]);
        for (int j = 1; j <= l[1]; j++)
            raise_expansion(half_inverse, PB, i + j, E[i][j - 1], E[i][j]);
    }
}

/* row[number of tuv] += c E_tuv of two Cartesians */
static void add_cartesians(const expansion E[3], const int a[3], const int b[3], double c,
                           double *row)
{
    for (int t = 0; t <= a[0] + b[0]; t++)
        for (int u = 0; u <= a[1] + b[1]; u++) {
            double of_tu = c * E[0][a[0]][b[0]][t] * E[1][a[1]][b[1]][u];
            for (int v = 0; v <= a[2] + b[2]; v++)
                row[hermite_number(t, u, v)] += of_tu * E[2][a[2]][b[2]][v];
        }
}

/* rows[g * count + number of tuv] = E_tuv of one function of a shell with those g of another. */
static void expand_function(const expansion E[3], const struct angular_map *first, int l_first,
                            int f, const struct angular_map *second, int l_second, double factor,
                            int count, double *rows)
{
    for (int i = first->first[f]; i < first->first[f + 1]; i++) {
        int a[3];
        cartesian_powers(l_first, first->index[i], a);
        double *row = rows;
        for (int g = 0; g < second->n_functions; g++, row += count)
            for (int j = second->first[g]; j < second->first[g + 1]; j++) {
                int b[3];
                cartesian_powers(l_second, second->index[j], b);
                add_cartesians(E, a, b, factor * first->value[i] * second->value[j], row);
            }
    }
}

/* A product being expanded, one function of its first group after the other. */
struct product_rows {
    const struct hermite_pattern *pattern;
    const double *factors; /* of the first group's shell with each of the second */
    int shell, function;   /* of the first group: the next ones */
    expansion E[3];
    double rows[ANGULAR_MAX_FUNCTIONS * HERMITE_MAX_COUNT];
};

static void begin_rows(const struct hermite_pattern *pattern, const struct hermite_product *product,
                       struct product_rows *at)
{
    const int l[2] = {pattern->type[0].max_l, pattern->type[1].max_l};
    at->pattern = pattern;
    at->factors = product->factors;
    at->shell = at->function = 0;
    for (int x = 0; x < 3; x++)
        expand_dimension(l, 0.5 / product->zeta, product->PA[x], product->PB[x], at->E[x]);
}

/* The expansion of the next function with each of the second group: rows[g * count + number of
 * tuv], count = hermite_count(order). False after the last function. */
static bool next_rows(struct product_rows *at)
{
    const struct group_type *first = &at->pattern->type[0], *second = &at->pattern->type[1];
    if (at->shell == first->n_shells)
        return false;
    int l = first->l[at->shell], count = hermite_count(at->pattern->order);
    const struct angular_map *map = angular_map(l, first->spherical);
    memset(at->rows, 0, (size_t)(second->n_functions * count) * sizeof(double));
    double *rows = at->rows;
    for (int b = 0; b < second->n_shells; b++) {
        const struct angular_map *of_b = angular_map(second->l[b], second->spherical);
        expand_function(at->E, map, l, at->function, of_b, second->l[b], at->factors[b], count,
                        rows);
        rows += (int64_t)of_b->n_functions * count;
    }
    if (++at->function == map->n_functions) {
        at->function = 0;
        at->shell++;
        at->factors += second->n_shells;
    }
    return true;
}

static uint16_t hermite_place(enum hermite_layout layout, int t, int u, int v)
{
    if (layout == HERMITE_SHORT)
        return (uint16_t)(t * HERMITE_SHORT_T + u * HERMITE_SHORT_U + v);
    return (uint16_t)(t * HERMITE_LONG_T + u * HERMITE_LONG_U + v);
}

static void append_hermite_term(struct hermite_pattern *pattern, int t, int u, int v)
{
    int k = pattern->n_terms++;
    assert(k < HERMITE_MAX_TERMS);
    pattern->number[k] = (uint16_t)hermite_number(t, u, v);
    for (int layout = 0; layout < HERMITE_N_LAYOUTS; layout++)
        pattern->place[layout][k] = hermite_place((enum hermite_layout)layout, t, u, v);
}

/* Appends the terms of a function; row: an expansion without chance zeros. */
static void append_function(int function, const double *row, struct hermite_pattern *pattern)
{
    for (int parity = 0; parity < 2; parity++) {
        for (int n = parity; n <= pattern->order; n += 2)
            for (int t = n; t >= 0; t--)
                for (int u = n - t; u >= 0; u--)
                    if (fabs(row[hermite_number(t, u, n - t - u)]) >= 1e-12)
                        append_hermite_term(pattern, t, u, n - t - u);
        *(parity == 0 ? &pattern->odd[function] : &pattern->first[function + 1]) =
            (uint16_t)pattern->n_terms;
    }
}

static void set_columns(struct hermite_pattern *pattern)
{
    for (int t = 0; t <= pattern->order; t++)
        for (int u = 0; u <= pattern->order - t; u++)
            for (int v = 0; v <= pattern->order - t - u; v++)
                pattern->columns[hermite_number(t, u, v)] = hermite_place(HERMITE_LONG, t, u, v);
}

/* pattern: all zeros */
static void make_pattern(const struct group_type *first, const struct group_type *second,
                         struct hermite_pattern *pattern)
{
    static double empty[HERMITE_TERMS + HERMITE_MAX_TERMS + 7];
    double ones[GROUP_MAX_FUNCTIONS * GROUP_MAX_FUNCTIONS];
    struct product_rows at;
    /* Generic values of the order of 1, so that no term vanishes by chance. */
    const struct hermite_product generic = {
        .zeta = 0.733, .PA = {0.817, -1.231, 0.653}, .PB = {-0.377, 0.911, 1.129}, .factors = ones};
    for (int i = 0; i < GROUP_MAX_FUNCTIONS * GROUP_MAX_FUNCTIONS; i++)
        ones[i] = 1;
    empty[HERMITE_ZETA] = 1;
    empty[HERMITE_WEIGHT] = NAN;
    pattern->type[0] = *first;
    pattern->type[1] = *second;
    pattern->order = first->max_l + second->max_l;
    pattern->n_functions = first->n_functions * second->n_functions;
    pattern->empty = empty;
    set_columns(pattern);
    int function = 0, count = hermite_count(pattern->order);
    for (begin_rows(pattern, &generic, &at); next_rows(&at);)
        for (int g = 0; g < second->n_functions; g++)
            append_function(function++, at.rows + (int64_t)g * count, pattern);
    pattern->record = (HERMITE_TERMS + pattern->n_terms + 7) / 8 * 8;
}

const struct hermite_pattern *hermite_pattern(const struct group_type *first,
                                              const struct group_type *second)
{
    static struct known_pattern {
        struct hermite_pattern pattern;
        struct known_pattern *next;
    } * known;
    struct known_pattern **at = &known;
    for (; *at; at = &(*at)->next)
        if (group_types_equal(&(*at)->pattern.type[0], first) &&
            group_types_equal(&(*at)->pattern.type[1], second))
            return &(*at)->pattern;
    *at = calloc(1, sizeof **at); /* pages of arrays that a pattern does not fill stay untouched */
    if (!*at)
        return NULL;
    make_pattern(first, second, &(*at)->pattern);
    return &(*at)->pattern;
}

void hermite_set_record(const struct hermite_pattern *pattern,
                        const struct hermite_product *product, double *record)
{
    record[HERMITE_ZETA] = product->zeta;
    record[HERMITE_WEIGHT] = product->weight;
    memcpy(record + HERMITE_P, product->P, sizeof product->P);
    double *terms = record + HERMITE_TERMS;
    int function = 0, count = hermite_count(pattern->order);
    struct product_rows at;
    for (begin_rows(pattern, product, &at); next_rows(&at);) {
        const double *row = at.rows;
        for (int g = 0; g < pattern->type[1].n_functions; g++, function++, row += count)
            for (int k = pattern->first[function]; k < pattern->first[function + 1]; k++)
                terms[k] = row[pattern->number[k]];
    }
    memset(terms + pattern->n_terms, 0,
           (size_t)(pattern->record - HERMITE_TERMS - pattern->n_terms) * sizeof(double));
}
