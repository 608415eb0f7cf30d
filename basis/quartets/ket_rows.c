/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/quartets/ket_rows.h"

#include <string.h>

void ket_rows_begin(struct ket_rows *rows)
{
    rows->i = -1;
    rows->next = 0;
    rows->kets = (struct ket_ends){{0}};
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        rows->above.end[width] = rows->ket->n_pairs;
}

/* Lowers the ends of the kets from the last bra to bra i, whose bound is smaller. False: neither
 * bra i nor one of smaller bound has kets. */
static bool lower_ends(struct ket_rows *rows)
{
    double bound = rows->bra->pairs[rows->i].bound;
    for (int width = 0; width < N_KEPT_WIDTHS; width++) {
        int32_t *end = &rows->above.end[width];
        while (*end > 0 && bound * rows->ket->pairs[*end - 1].bound < rows->least_bound[width])
            --*end;
        bool cut = rows->triangle && *end > rows->i + 1;
        rows->kets.end[width] = cut ? rows->i + 1 : *end;
    }
    return rows->above.end[N_KEPT_WIDTHS - 1] > 0;
}

/* Number of candidates before ket `end`. */
static int32_t count_before(const struct ket_row *row, int32_t end)
{
    int32_t low = 0, high = row->n;
    if (!row->positions)
        return end <= row->first ? 0 : end - row->first < high ? end - row->first : high;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (row->first + row->positions[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The candidates among the next kets of the bra, at most KET_ROW_MAX. */
static void find_row(struct ket_rows *rows, struct ket_row *row)
{
    int32_t left = rows->kets.end[N_KEPT_WIDTHS - 1] - rows->next;
    int32_t n = left < KET_ROW_MAX ? left : KET_ROW_MAX;
    *row = (struct ket_row){.bra = rows->i, .first = rows->next, .n = n};
    rows->next += n;
    if (rows->represent) {
        row->positions = rows->positions;
        row->n =
            rows->represent(rows->bra->first_pair + row->bra, rows->ket->first_pair + row->first, n,
                            rows->positions, rows->context);
    }
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        row->ends.end[width] = count_before(row, rows->kets.end[width]);
}

/* --- lists: of each row its bra and its first ket, numbered over all classes, its ends and its positions;
 * after the last one -1 --- */

static int16_t *put_number(int32_t number, int16_t *to)
{
    memcpy(to, &number, sizeof number);
    return to + sizeof number / sizeof *to;
}

static const int16_t *get_number(const int16_t *from, int32_t *number)
{
    memcpy(number, from, sizeof *number);
    return from + sizeof *number / sizeof *from;
}

static void list_row(struct ket_rows *rows, const struct ket_row *row)
{
    int16_t *to = put_number(rows->bra->first_pair + row->bra, rows->to);
    to = put_number(rows->ket->first_pair + row->first, to);
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        *to++ = (int16_t)row->ends.end[width];
    memcpy(to, row->positions, (size_t)row->n * sizeof *to);
    rows->to = to + row->n;
}

void ket_rows_end(int16_t *to)
{
    put_number(-1, to);
}

static bool is_of_class(const struct pair_class *class, int32_t pair)
{
    return pair >= class->first_pair && pair < class->first_pair + class->n_pairs;
}

/* Reads the next row if it is of these classes. */
static bool read_listed_row(struct ket_rows *rows, struct ket_row *row)
{
    int32_t bra, first;
    const int16_t *from = get_number(rows->from, &bra);
    if (!is_of_class(rows->bra, bra))
        return false;
    from = get_number(from, &first);
    if (!is_of_class(rows->ket, first))
        return false;
    row->bra = bra - rows->bra->first_pair;
    row->first = first - rows->ket->first_pair;
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        row->ends.end[width] = *from++;
    row->n = row->ends.end[N_KEPT_WIDTHS - 1];
    row->positions = from;
    rows->from = from + row->n;
    return true;
}

bool ket_rows_next(struct ket_rows *rows, struct ket_row *row)
{
    if (rows->from)
        return read_listed_row(rows, row);
    do {
        while (rows->next >= rows->kets.end[N_KEPT_WIDTHS - 1]) {
            rows->next = 0;
            if (++rows->i >= rows->bra->n_pairs || !lower_ends(rows))
                return false;
        }
        find_row(rows, row);
    } while (row->n == 0);
    if (rows->to)
        list_row(rows, row);
    return true;
}
