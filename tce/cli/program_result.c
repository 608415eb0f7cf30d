/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/program_result.h"

#include "sched/lab/trace/trace.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/json.h"
#include "taskpool/taskpool.h"
#include "tce/plan/predicted_tasks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- which blocks of a tensor exist, as a picture of bounded size --- */

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
        if (!tensor)
            continue;
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

/* The key `blocks`: of the tensor of the program with the most blocks, whose first indices are rows
 * and whose last ones are columns. NULL where no tensor has two indices, or when out of memory. */
static json_t *block_pattern_to_json(const struct program_instance *instance)
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

/* --- the result --- */

enum status program_result_print_tasks(const struct plan *plan, MPI_Comm comm)
{
    struct predicted_tasks tasks;
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(status_agree(comm, predicted_tasks_count(plan, &tasks)));
    if (rank == 0)
        printf("{\"tasks\": %lld, \"flops\": %.17g}\n", (long long)tasks.n, tasks.flops);
    return STATUS_OK;
}

void program_result_print_memory(const struct memory_use *memory)
{
    log_print(
        "Peak memory %.0f MB per process, with all pages that it shares; between iterations %.0f "
        "with shared pages divided among processes, as in the estimate\n",
        1e-6 * (double)memory->peak_bytes, 1e-6 * (double)memory->part_bytes);
}

/* Whether the tensor is a scalar, and its value. */
static bool read_scalar(const struct program_instance *instance, int number, double *value)
{
    const struct tensor *tensor = executor_tensor(instance->executor, number);
    if (instance->program.tensors[number].rank > 0 || !tensor || block_index_n(tensor->blocks) == 0)
        return false;
    darray_get(tensor->data, 0, value);
    return true;
}

void program_result_print_scalars(const struct program_instance *instance)
{
    double value;
    for (int i = 0; i < instance->program.n_tensors; i++)
        if (read_scalar(instance, i, &value))
            log_print("%-10s %.15g\n", instance->program.tensors[i].name, value);
}

json_t *program_result_scalars_to_json(const struct program_instance *instance)
{
    json_t *scalars = json_object();
    double value;
    for (int i = 0; i < instance->program.n_tensors; i++)
        if (program_instance_is_assigned(instance, i) && read_scalar(instance, i, &value))
            json_object_set_new(scalars, instance->program.tensors[i].name, json_real(value));
    return scalars;
}

json_t *program_result_note(struct mode_records *records, int position,
                            const struct executor_record *iteration)
{
    json_t *entry =
        mode_records_note(records, position, iteration->seconds, &iteration->statistics);
    json_object_set_new(entry, "seconds", json_real(iteration->seconds));
    json_object_set_new(entry, "flops", json_real(iteration->flops));
    return entry;
}

enum status program_result_note_timeline(const struct executor *executor,
                                         struct mode_record *record)
{
    TRY(executor_timeline(executor, &record->timeline));
    if (record->timeline)
        json_object_set_new(record->timeline, "of",
                            json_string("the contraction with the most operations"));
    return STATUS_OK;
}

/* The modes that were run, or the only one, which a failure may have prevented from it. */
static json_t *modes_of_program(const struct program_result *result)
{
    const struct mode_records *records = result->records;
    const char *digests[] = {"sha256", NULL};
    if (result->options->compare)
        return json_pack("{s:o, s:o}", "compare", mode_records_to_json(records, digests),
                         "comparison", mode_records_summary_to_json(records));
    if (records->n == 0)
        return json_pack("{s:s, s:[]}", "sched", result->options->pool.mode, "iterations");
    return mode_record_to_json(records, 0, digests);
}

static json_t *program_to_json(const struct program_result *result)
{
    const struct tce_options *options = result->options;
    const struct program_instance *instance = result->instance;
    bool failed = result->status != STATUS_OK;
    json_t *json = json_pack(
        "{s:o, s:i, s:I, s:I, s:o, s:o, s:O*, s:o*, s:o*}", "program", json_text(options->file),
        "workers", result->n_workers, "memory_peak_bytes", (json_int_t)result->memory.peak_bytes,
        "memory_part_bytes", (json_int_t)result->memory.part_bytes, "options",
        tce_options_to_json(options, NULL), "command", tce_options_command(options), "hardware",
        result->hardware, "blocks", instance->executor ? block_pattern_to_json(instance) : NULL,
        "error", failed ? json_error(result->status, result->error) : NULL);
    if (!json)
        return NULL;
    json_object_set_new(json, "wall_seconds", json_wall_time(&result->wall));
    if (options->pool.trace && !options->compare && !failed)
        json_object_set_new(json, "trace", trace_to_json(options->pool.trace));
    json_object_update_new(json, modes_of_program(result));
    return json;
}

enum status program_result_write(const struct program_result *result)
{
    json_t *json = program_to_json(result);
    enum status status = json_write_file(json, result->options->json);
    json_decref(json);
    return status;
}
