#include "tce/cli/mode_records.h"

#include "sched/core/statistics_report.h"
#include "sched/taskpool.h"

#include <string.h>

void mode_records_fini(struct mode_records *records)
{
    for (int m = 0; m < records->n; m++)
        json_decref(records->list[m].iterations);
    *records = (struct mode_records){0};
}

struct mode_record *mode_records_begin(struct mode_records *records, int mode)
{
    struct mode_record *record = &records->list[records->n++];
    *record = (struct mode_record){.mode = mode, .iterations = json_array(), .row = {.mode = mode}};
    return record;
}

json_t *mode_record_note(struct mode_record *record, const struct executor_record *iteration)
{
    struct statistics_iteration statistics = iteration->statistics;
    statistics.iteration = record->n_iterations;
    comparison_note(&record->row, record->n_iterations, iteration->seconds, &statistics);
    record->n_iterations++;
    json_t *entry = statistics_to_json(&statistics);
    json_object_set_new(entry, "seconds", json_real(iteration->seconds));
    json_object_set_new(entry, "flops", json_real(iteration->flops));
    json_array_append_new(record->iterations, entry);
    return entry;
}

enum status mode_records_check(const struct mode_records *records)
{
    for (int m = 1; m < records->n; m++)
        if (strcmp(records->list[m].sha256, records->list[0].sha256) != 0)
            return FAIL(STATUS_PROTOCOL, "the results of %s differ from those of %s",
                        taskpool_mode_name(records->list[m].mode),
                        taskpool_mode_name(records->list[0].mode));
    return STATUS_OK;
}

void mode_records_print(const struct mode_records *records, const char *what)
{
    struct comparison_row rows[MODE_LIST_MAX];
    for (int m = 0; m < records->n; m++)
        rows[m] = records->list[m].row;
    if (records->n > 0)
        comparison_print(rows, records->n, records->list[0].n_iterations, what);
}

json_t *mode_record_to_json(const struct mode_record *record)
{
    return json_pack("{s:s, s:I, s:s, s:O}", "sched", taskpool_mode_name(record->mode), "tasks",
                     (json_int_t)record->row.last.tasks, "sha256", record->sha256, "iterations",
                     record->iterations);
}
