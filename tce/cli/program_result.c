#include "tce/cli/program_result.h"

#include "sched/taskpool.h"
#include "sched/trace/trace_report.h"
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

static json_t *program_to_json(const struct tce_options *options, int n_workers,
                               const struct memory_use *memory, const struct mode_records *records,
                               const struct program_instance *instance, json_t *hardware)
{
    json_t *result =
        json_pack("{s:o, s:i, s:I, s:I, s:o, s:o, s:O*, s:o*}", "program", json_text(options->file),
                  "workers", n_workers, "memory_peak_bytes", (json_int_t)memory->peak_bytes,
                  "memory_part_bytes", (json_int_t)memory->part_bytes, "options",
                  tce_options_to_json(options), "command", tce_options_command(options), "hardware",
                  hardware, "blocks", block_pattern_to_json(instance));
    if (!result)
        return NULL;
    const char *digests[] = {"sha256", NULL};
    if (options->pool.trace && !options->compare)
        json_object_set_new(result, "trace", trace_to_json(options->pool.trace));
    if (options->compare) {
        json_object_set_new(result, "compare", mode_records_to_json(records, digests));
        json_object_set_new(result, "comparison", mode_records_summary_to_json(records));
    } else
        json_object_update_new(result, mode_record_to_json(records, 0, digests));
    return result;
}

enum status program_result_write(const struct tce_options *options, int n_workers,
                                 const struct memory_use *memory,
                                 const struct mode_records *records,
                                 const struct program_instance *instance, json_t *hardware)
{
    json_t *result = program_to_json(options, n_workers, memory, records, instance, hardware);
    enum status status = json_write_file(result, options->json);
    json_decref(result);
    return status;
}
