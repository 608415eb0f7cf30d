/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of kets: the found rows agree with plain loops, and the rows read from the list with the
 * found ones, class by class. */
#include "basis/quartets/ket_rows.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

enum { N_CLASSES = 3, MOST_PAIRS = 2500 };

static const double least_bound[N_KEPT_WIDTHS] = {1e-3, 1e-6, 1e-9};

/* Classes of 1, 40 and 2,500 pairs whose bounds descend; quartets of two pairs of the second one are below
 * all bounds. */
struct classes {
    struct pair_class of[N_CLASSES];
    struct shell_pair pairs[N_CLASSES][MOST_PAIRS];
};

static struct classes *make_classes(void)
{
    static const int32_t n_pairs[N_CLASSES] = {1, 40, MOST_PAIRS};
    struct classes *classes = calloc(1, sizeof *classes);
    assert_non_null(classes);
    for (int32_t c = 0, first = 0; c < N_CLASSES; first += n_pairs[c++]) {
        classes->of[c] = (struct pair_class){
            .first_pair = first, .n_pairs = n_pairs[c], .pairs = classes->pairs[c]};
        for (int32_t i = 0; i < n_pairs[c]; i++)
            classes->pairs[c][i].bound = c == 1 ? 1e-8 : exp(-20.0 * i / n_pairs[c]);
    }
    return classes;
}

/* Not with each seventh bra, and only kets whose number has another remainder. */
static bool is_represented(int32_t bra, int32_t ket)
{
    return bra % 7 != 3 && ket % 3 != bra % 3;
}

static int32_t represent(int32_t bra, int32_t first_ket, int32_t n_kets, int16_t *positions,
                         void *context)
{
    int32_t n = 0;
    (void)context;
    for (int32_t j = 0; j < n_kets; j++)
        if (is_represented(bra, first_ket + j))
            positions[n++] = (int16_t)j;
    return n;
}

/* The width of a quartet; N_KEPT_WIDTHS: none. */
static int width_of(const struct ket_rows *rows, int32_t bra, int32_t ket)
{
    double bound = rows->bra->pairs[bra].bound * rows->ket->pairs[ket].bound;
    int width = 0;
    while (width < N_KEPT_WIDTHS && bound < least_bound[width])
        width++;
    return width;
}

/* Checks the candidates of a row. */
static void check_row(const struct ket_rows *rows, const struct ket_row *row)
{
    int32_t at = 0;
    for (int32_t j = row->first; j < row->first + KET_ROW_MAX && j < rows->ket->n_pairs; j++) {
        int32_t bra = rows->bra->first_pair + row->bra, ket = rows->ket->first_pair + j;
        int width = width_of(rows, row->bra, j);
        if (width == N_KEPT_WIDTHS || (rows->triangle && j > row->bra) ||
            (rows->represent && !is_represented(bra, ket)))
            continue;
        assert_in_range(at, 0, row->n - 1);
        assert_int_equal(row->positions ? row->positions[at] : at, j - row->first);
        assert_true(at < row->ends.end[width] && (width == 0 || at >= row->ends.end[width - 1]));
        at++;
    }
    assert_int_equal(at, row->n);
}

/* Walks over all classes. Returns the number of candidates, and *n_listed. */
static int64_t walk(const struct classes *classes, represent_function *function, bool triangle,
                    const int16_t *from, int16_t *to, int64_t *n_listed)
{
    static struct ket_rows rows;
    int64_t n = 0;
    *n_listed = KET_ROWS_END;
    rows.from = from;
    rows.to = to;
    for (int pair = 0; pair < N_CLASSES * N_CLASSES; pair++) {
        struct ket_row row;
        rows.bra = &classes->of[pair / N_CLASSES];
        rows.ket = &classes->of[pair % N_CLASSES];
        rows.triangle = triangle && rows.bra == rows.ket;
        rows.least_bound = least_bound;
        rows.represent = function;
        ket_rows_begin(&rows);
        while (ket_rows_next(&rows, &row)) {
            assert_true(row.n > 0 && row.n <= KET_ROW_MAX);
            check_row(&rows, &row);
            n += row.n;
            *n_listed += ket_row_elements(&row);
        }
    }
    if (to) {
        ket_rows_end(rows.to);
        assert_int_equal(rows.to - to + KET_ROWS_END, *n_listed);
    }
    return n;
}

static int64_t count_candidates(const struct classes *classes, represent_function *function,
                                bool triangle)
{
    int64_t n = 0;
    for (int pair = 0; pair < N_CLASSES * N_CLASSES; pair++) {
        const struct pair_class *bra = &classes->of[pair / N_CLASSES];
        const struct pair_class *ket = &classes->of[pair % N_CLASSES];
        for (int32_t i = 0; i < bra->n_pairs; i++)
            for (int32_t j = 0; j < ket->n_pairs; j++)
                n += bra->pairs[i].bound * ket->pairs[j].bound >= least_bound[KEPT_INT16] &&
                     !(triangle && bra == ket && j > i) &&
                     (!function || is_represented(bra->first_pair + i, ket->first_pair + j));
    }
    return n;
}

TEST(rows_are_found_and_read)
{
    struct classes *classes = make_classes();
    for (int triangle = 0; triangle < 2; triangle++) {
        int64_t n_listed, n_written, n = count_candidates(classes, represent, triangle);
        assert_int_equal(walk(classes, represent, triangle, NULL, NULL, &n_listed), n);
        int16_t *list = malloc((size_t)n_listed * sizeof *list);
        assert_non_null(list);
        assert_int_equal(walk(classes, represent, triangle, NULL, list, &n_written), n);
        assert_int_equal(n_written, n_listed);
        assert_int_equal(walk(classes, represent, triangle, list, NULL, &n_written), n);
        assert_int_equal(n_written, n_listed);
        free(list);
    }
    free(classes);
}

TEST(without_representatives_all_kets_are_candidates)
{
    struct classes *classes = make_classes();
    int64_t n_listed;
    for (int triangle = 0; triangle < 2; triangle++)
        assert_int_equal(walk(classes, NULL, triangle, NULL, NULL, &n_listed),
                         count_candidates(classes, NULL, triangle));
    free(classes);
}
