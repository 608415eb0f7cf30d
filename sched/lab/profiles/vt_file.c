/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/vt_file.h"

#include "support/base/array.h"
#include "support/io/json.h"
#include "support/io/output_file.h"
#include "support/io/text_file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of 10^7 tasks, about. */
#define MAX_VT_BYTES (1LL << 32)

/* So that millions of blocks can be added up, as in task_data_read.c. */
#define MAX_VT_BLOCK_BYTES 0x1p40

/* --- names --- */

bool vt_is_name(const char *path)
{
    static const char ending[] = ".json";
    size_t length = path ? strlen(path) : 0, n = sizeof ending - 1;
    return length >= n && strcmp(path + length - n, ending) == 0;
}

bool vt_has_rank(const char *path)
{
    return strstr(path, "%p") != NULL;
}

enum status vt_file_name(const char *path, int rank, char name[VT_PATH])
{
    const char *place = strstr(path, "%p");
    int length = place ? snprintf(name, VT_PATH, "%.*s%d%s", (int)(place - path), path, rank,
                                  place + strlen("%p"))
                       : snprintf(name, VT_PATH, "%s", path);
    return length < VT_PATH ? STATUS_OK : FAIL(STATUS_LIMIT, "the name %.60s... is too long", path);
}

enum status vt_check_name(const char *option, const char *path)
{
    const char *place = vt_is_name(path) ? strstr(path, "%p") : NULL;
    if (place && strstr(place + 1, "%p"))
        return FAIL(STATUS_USAGE, "--%s %s: %%p, the number of a rank, stands twice", option, path);
    if (place && strchr(place, '/'))
        return FAIL(STATUS_USAGE, "--%s %s: %%p must be in the file's name, not in the folder's",
                    option, path);
    return STATUS_OK;
}

/* The rank in a file's name, without folders, that the pattern in the path stands for; -1: none. */
static int rank_of(const char *path, const char *name)
{
    const char *pattern = output_file_base_name(path);
    const size_t before = (size_t)(strstr(pattern, "%p") - pattern);
    char expected[VT_PATH], *end;
    if (strncmp(name, pattern, before) != 0)
        return -1;
    long rank = strtol(name + before, &end, 10);
    bool is_name = rank >= 0 && rank <= INT32_MAX && end > name + before &&
                   vt_file_name(pattern, (int)rank, expected) == STATUS_OK &&
                   strcmp(name, expected) == 0;
    return is_name ? (int)rank : -1;
}

bool vt_is_rank_file(const char *path, const char *file)
{
    char expected[VT_PATH];
    if (!vt_is_name(path) || !vt_has_rank(path) || !file)
        return false;
    int rank = rank_of(path, output_file_base_name(file));
    return rank >= 0 && vt_file_name(path, rank, expected) == STATUS_OK &&
           output_file_same(file, expected);
}

static enum status list_ranks(DIR *names, const char *path, int64_t **ranks, int64_t *n)
{
    int64_t capacity = 0;
    for (const struct dirent *entry; (entry = readdir(names));) {
        int rank = rank_of(path, entry->d_name);
        if (rank < 0)
            continue;
        TRY(array_reserve(ranks, *n + 1, &capacity, sizeof **ranks));
        (*ranks)[(*n)++] = rank;
    }
    if (*n > 0)
        qsort(*ranks, (size_t)*n, sizeof **ranks, array_ascending);
    return STATUS_OK;
}

enum status vt_list_ranks(const char *path, int64_t **ranks, int64_t *n)
{
    char folder[PATH_MAX];
    *ranks = NULL;
    *n = 0;
    output_file_folder(path, folder);
    DIR *names = opendir(folder);
    if (!names && errno == ENOENT)
        return STATUS_OK;
    if (!names)
        return FAIL(STATUS_IO, "cannot read the folder %s, to find the files of all ranks: %s",
                    folder, strerror(errno));
    enum status status = list_ranks(names, path, ranks, n);
    closedir(names);
    if (status != STATUS_OK) {
        free(*ranks);
        *ranks = NULL;
    }
    return status;
}

/* --- the shape --- */

/* The place in a file, for messages. */
struct vt_place {
    const char *name;
    size_t phase;
    const char *what; /* task or communication */
    size_t number;
};

static enum status fail_at(const struct vt_place *place, const char *why)
{
    return FAIL(STATUS_INPUT, "%s: phase %zu, %s %zu (counted from 0): %s", place->name,
                place->phase, place->what, place->number, why);
}

static const json_t *find_id(const json_t *entity)
{
    const json_t *id = json_object_get(entity, "id");
    return id ? id : json_object_get(entity, "seq_id");
}

static bool is_amount(const json_t *value, double most)
{
    double number = json_number_value(value);
    return json_is_number(value) && number >= 0 && number <= most;
}

static enum status check_block(const json_t *task, const struct vt_place *place)
{
    const json_t *user = json_object_get(task, "user_defined");
    const json_t *id = json_object_get(user, "shared_id"),
                 *bytes = json_object_get(user, "shared_bytes");
    if (user && !json_is_null(user) && !json_is_object(user))
        return fail_at(place, "\"user_defined\" is no object");
    if (id && !json_is_integer(id))
        return fail_at(place, "\"shared_id\" is no whole number");
    if (id && !is_amount(bytes, MAX_VT_BLOCK_BYTES))
        return fail_at(place, "\"shared_bytes\" is missing or not a number from 0 to 2^40");
    return STATUS_OK;
}

static enum status check_task(const json_t *task, const struct vt_place *place)
{
    if (!json_is_object(task))
        return fail_at(place, "no object");
    if (!json_is_integer(find_id(json_object_get(task, "entity"))))
        return fail_at(place, "there is no \"entity\" with a whole number \"id\" or \"seq_id\"");
    if (!is_amount(json_object_get(task, "time"), 1e300))
        return fail_at(place, "\"time\" is missing or no number of 0 or more");
    return check_block(task, place);
}

static bool is_task_end(const json_t *end)
{
    const char *type = json_string_value(json_object_get(end, "type"));
    return type && strcmp(type, "object") == 0 && json_is_integer(find_id(end));
}

static enum status check_communication(const json_t *communication, const struct vt_place *place)
{
    if (!json_is_object(communication))
        return fail_at(place, "no object");
    if (!is_amount(json_object_get(communication, "bytes"), MAX_VT_BLOCK_BYTES))
        return fail_at(place, "\"bytes\" is missing or not a number from 0 to 2^40");
    return STATUS_OK;
}

static enum status check_phase(const char *name, size_t i, const json_t *phase)
{
    const json_t *tasks = json_object_get(phase, "tasks"), *communications, *item;
    struct vt_place place = {.name = name, .phase = i, .what = "task"};
    if (!json_is_integer(json_object_get(phase, "id")) || vt_phase_id(phase) < 0 ||
        vt_phase_id(phase) > INT32_MAX || !json_is_array(tasks))
        return FAIL(STATUS_INPUT,
                    "%s: phase %zu (counted from 0): no object with an \"id\" from 0 to 2^31 - 1 "
                    "and an array \"tasks\"",
                    name, i);
    json_array_foreach(tasks, place.number, item) TRY(check_task(item, &place));
    communications = vt_communications(phase);
    if (communications && !json_is_array(communications))
        return FAIL(STATUS_INPUT, "%s: phase %zu: \"communications\" is no array", name, i);
    place.what = "communication";
    json_array_foreach(communications, place.number, item) TRY(check_communication(item, &place));
    return STATUS_OK;
}

static enum status check_file(const char *name, const json_t *file)
{
    const char *type = json_string_value(json_object_get(file, "type"));
    const json_t *phases = vt_phases(file), *phase;
    size_t i;
    if (type && strcmp(type, "LBDatafile") != 0)
        return FAIL(STATUS_INPUT, "%s: the type is %.40s, not LBDatafile", name, type);
    if (!json_is_array(phases))
        return FAIL(STATUS_INPUT, "%s: no load of vt: there is no array \"phases\"", name);
    json_array_foreach(phases, i, phase) TRY(check_phase(name, i, phase));
    return STATUS_OK;
}

enum status vt_file_read(const char *name, json_t **file)
{
    struct text_file text;
    *file = NULL;
    TRY(text_file_read_up_to(name, MAX_VT_BYTES, &text));
    enum status status =
        json_read_text(name, text.bytes, text.length, JSON_REJECT_DUPLICATES, file);
    text_file_fini(&text);
    TRY(status);
    status = check_file(name, *file);
    if (status != STATUS_OK) {
        json_decref(*file);
        *file = NULL;
    }
    return status;
}

/* --- parts --- */

const json_t *vt_phases(const json_t *file)
{
    return json_object_get(file, "phases");
}

int64_t vt_phase_id(const json_t *phase)
{
    return json_integer_value(json_object_get(phase, "id"));
}

const json_t *vt_tasks(const json_t *phase)
{
    return json_object_get(phase, "tasks");
}

const json_t *vt_communications(const json_t *phase)
{
    return json_object_get(phase, "communications");
}

int64_t vt_task_id(const json_t *task)
{
    return json_integer_value(find_id(json_object_get(task, "entity")));
}

double vt_task_seconds(const json_t *task)
{
    return json_number_value(json_object_get(task, "time"));
}

bool vt_task_block(const json_t *task, int64_t *id, int64_t *bytes)
{
    const json_t *user = json_object_get(task, "user_defined");
    const json_t *shared = json_object_get(user, "shared_id");
    *id = json_integer_value(shared);
    *bytes = llround(json_number_value(json_object_get(user, "shared_bytes")));
    return shared && *id >= 0;
}

bool vt_communication(const json_t *communication, int64_t *from, int64_t *to, int64_t *bytes)
{
    const json_t *sender = json_object_get(communication, "from"),
                 *receiver = json_object_get(communication, "to");
    *from = json_integer_value(find_id(sender));
    *to = json_integer_value(find_id(receiver));
    *bytes = llround(json_number_value(json_object_get(communication, "bytes")));
    return is_task_end(sender) && is_task_end(receiver);
}
