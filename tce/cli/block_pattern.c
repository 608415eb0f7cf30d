#include "tce/cli/block_pattern.h"

#include <math.h>
#include <stdlib.h>

/* Cells along each side, and blocks looked at: of more every k-th. */
enum { MAX_CELLS = 64, MAX_LOOKED_AT = 1 << 20 };

/* The indices [first, last) of a tensor as one: its tuples of tiles are numbered in order. */
struct side {
    int first, last;
    double n_tuples;
    int n_cells;
};

static struct side side_of_indices(const struct block_labels *labels, int first, int last)
{
    struct side side = {.first = first, .last = last, .n_tuples = 1};
    for (int d = first; d < last; d++)
        side.n_tuples *= (double)labels->space[d]->n_tiles;
    side.n_cells = side.n_tuples < MAX_CELLS ? (int)side.n_tuples : MAX_CELLS;
    return side;
}

static int cell_of_tuple(const struct side *side, const struct block_labels *labels,
                         const int32_t tile[])
{
    double number = 0;
    for (int d = side->first; d < side->last; d++)
        number = number * (double)labels->space[d]->n_tiles + tile[d];
    return (int)(number * side->n_cells / side->n_tuples);
}

/* Tuples of a side that fall into a cell. */
static double cell_width(const struct side *side, int cell)
{
    double per_cell = side->n_tuples / side->n_cells;
    return ceil(per_cell * (cell + 1)) - ceil(per_cell * cell);
}

static const struct tensor *find_most_blocks(const struct program_instance *instance)
{
    const struct tensor *most = NULL;
    for (int i = 0; i < instance->program.n_tensors; i++) {
        const struct tensor *tensor = executor_tensor(instance->executor, i);
        if (block_index_labels(tensor->blocks)->rank >= 2 &&
            (!most || block_index_n(tensor->blocks) > block_index_n(most->blocks)))
            most = tensor;
    }
    return most;
}

/* For each cell, how many of its blocks exist; row by row. */
static void count_pattern(const struct block_index *blocks, const struct side *rows,
                          const struct side *columns, double *counts)
{
    int32_t tile[MAX_RANK];
    const struct block_labels *labels = block_index_labels(blocks);
    int64_t n = block_index_n(blocks), step = n / MAX_LOOKED_AT + 1;
    for (int64_t block = 0; block < n; block += step) {
        block_index_tuple(blocks, block, tile);
        int row = cell_of_tuple(rows, labels, tile), column = cell_of_tuple(columns, labels, tile);
        counts[row * columns->n_cells + column] += (double)step;
    }
}

/* Rows of digits: 0 no block, 9 all of them. */
static json_t *digits_to_json(const struct side *rows, const struct side *columns,
                              const double *counts)
{
    json_t *lines = json_array();
    for (int row = 0; row < rows->n_cells; row++) {
        char line[MAX_CELLS + 1] = "";
        for (int column = 0; column < columns->n_cells; column++) {
            double count = counts[row * columns->n_cells + column];
            double part = count / (cell_width(rows, row) * cell_width(columns, column));
            int digit = part >= 1 ? 9 : (int)(9 * part);
            line[column] = (char)('0' + (count > 0 && digit == 0 ? 1 : digit));
        }
        json_array_append_new(lines, json_string(line));
    }
    return lines;
}

json_t *block_pattern_to_json(const struct program_instance *instance)
{
    const struct tensor *tensor = find_most_blocks(instance);
    if (!tensor)
        return NULL;
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    const struct side rows = side_of_indices(labels, 0, labels->rank / 2);
    const struct side columns = side_of_indices(labels, labels->rank / 2, labels->rank);
    double *counts = calloc((size_t)rows.n_cells * (size_t)columns.n_cells + 1, sizeof *counts);
    if (!counts)
        return NULL;
    count_pattern(tensor->blocks, &rows, &columns, counts);
    json_t *json =
        json_pack("{s:s, s:I, s:f, s:f, s:o}", "tensor", tensor->name, "blocks",
                  (json_int_t)block_index_n(tensor->blocks), "rows", rows.n_tuples, "columns",
                  columns.n_tuples, "filled", digits_to_json(&rows, &columns, counts));
    free(counts);
    return json;
}
