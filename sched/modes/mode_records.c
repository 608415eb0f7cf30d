#include "sched/modes/mode_records.h"

#include "sched/core/statistics_report.h"
#include "support/base/log.h"

#include <stdio.h>
#include <string.h>

void mode_records_fini(struct mode_records *records)
{
    for (int m = 0; m < records->n; m++) {
        json_decref(records->list[m].iterations);
        json_decref(records->list[m].timeline);
    }
    *records = (struct mode_records){0};
}

struct mode_record *mode_records_begin(struct mode_records *records, const char *mode)
{
    struct mode_record *record = &records->list[records->n++];
    *record = (struct mode_record){.mode = mode, .iterations = json_array()};
    return record;
}

json_t *mode_record_note(struct mode_record *record, double seconds,
                         const struct statistics_iteration *statistics)
{
    bool first = record->n_iterations == 0;
    record->first_s = first ? seconds : record->first_s;
    record->best_s = first || seconds < record->best_s ? seconds : record->best_s;
    record->last_s = seconds;
    record->last = *statistics;
    record->last.iteration = record->n_iterations++;
    json_t *entry = statistics_to_json(&record->last);
    json_array_append_new(record->iterations, entry);
    return entry;
}

enum status mode_records_check(const struct mode_records *records, const char *result)
{
    char names[512] = "";
    const struct mode_record *first = &records->list[0];
    for (int m = 1; m < records->n; m++) {
        const struct mode_record *record = &records->list[m];
        size_t length = strlen(names);
        if (memcmp(record->sha256, first->sha256, sizeof record->sha256) != 0)
            snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                     record->mode);
    }
    if (names[0] == '\0')
        return STATUS_OK;
    return FAIL(STATUS_PROTOCOL, "the %s of %s differs from that of %s", result, names,
                first->mode);
}

/* The mode that the others are compared with. */
static const struct mode_record *find_reference(const struct mode_records *records)
{
    for (int m = 0; m < records->n; m++)
        if (strcmp(records->list[m].mode, "static") == 0)
            return &records->list[m];
    return &records->list[0];
}

void mode_records_print(const struct mode_records *records, const char *iteration)
{
    const struct mode_record *reference = find_reference(records);
    if (records->n == 0)
        return;
    log_print("\nSeconds per %s of the first, the best and the last of %lld; the other "
              "figures are\nof the last: steals attempted and done per worker, messages of all; "
              "ratio: best to best of %s\n\n",
              iteration, (long long)reference->n_iterations, reference->mode);
    log_print("mode           first      best      last efficiency imbalance    steals      done"
              "  messages     ratio\n");
    for (int m = 0; m < records->n; m++) {
        const struct mode_record *record = &records->list[m];
        const struct statistics_iteration *last = &record->last;
        log_print("%-10s %9.4f %9.4f %9.4f %8.2f %% %7.2f %% %9.1f %9.1f %9lld %9.4f\n",
                  record->mode, record->first_s, record->best_s, record->last_s,
                  100 * last->efficiency, 100 * last->imbalance, last->steals_attempted.mean,
                  last->steals_successful.mean, (long long)last->messages,
                  record->best_s / reference->best_s);
    }
}

json_t *mode_record_to_json(const struct mode_record *record,
                            const char *const keys[MODE_RECORD_DIGESTS])
{
    json_t *json =
        json_pack("{s:s, s:I}", "sched", record->mode, "tasks", (json_int_t)record->last.tasks);
    for (int i = 0; i < MODE_RECORD_DIGESTS; i++)
        if (keys[i])
            json_object_set_new(json, keys[i], json_string(record->sha256[i]));
    json_object_set(json, "iterations", record->iterations);
    if (record->timeline)
        json_object_set(json, "timeline", record->timeline);
    return json;
}

json_t *mode_records_to_json(const struct mode_records *records,
                             const char *const keys[MODE_RECORD_DIGESTS])
{
    json_t *modes = json_object();
    for (int m = 0; m < records->n; m++)
        json_object_set_new(modes, records->list[m].mode,
                            mode_record_to_json(&records->list[m], keys));
    return modes;
}
