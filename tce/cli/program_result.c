#include "tce/cli/program_result.h"

#include "sched/pool/taskpool.h"
#include "sched/pool/trace/trace_report.h"
#include "support/base/log.h"
#include "support/io/json.h"
#include "tce/cli/block_pattern.h"

void program_result_print_memory(const struct memory_use *memory)
{
    log_print("Peak memory %.0f MB per process (%.0f MB between iterations, what processes share "
              "counted once)\n",
              1e-6 * (double)memory->peak_bytes, 1e-6 * (double)memory->part_bytes);
}

void program_result_print_scalars(const struct program_instance *instance)
{
    const struct program *program = &instance->program;
    for (int i = 0; i < program->n_tensors; i++) {
        const struct tensor *tensor = executor_tensor(instance->executor, i);
        double value;
        if (program->tensors[i].rank > 0 || block_index_n(tensor->blocks) == 0)
            continue;
        darray_get(tensor->data, 0, &value);
        log_print("%-10s %.15g\n", program->tensors[i].name, value);
    }
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
