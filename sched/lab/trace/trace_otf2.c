/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/trace/trace_format.h"

#include "support/io/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <otf2/otf2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are kept in memory before they are written; the least that OTF2 takes, because it
 * touches all of them for each lane. */
enum { EVENT_CHUNK = 1 << 18, DEFINITION_CHUNK = 1 << 18 };

/* Room for the path of a file in the folder of a trace, whose trace.json has a path that fits into
 * PATH_MAX. */
enum { FILE_PATH = PATH_MAX + 16 };

enum { NS_PER_S = 1000000000 };

/* Regions: the uses of time, an iteration, and the requests, in the order of their kinds. */
enum { REGION_COUNTER = TRACE_ITERATION + 1, REGION_BLOCK, REGION_MEMORY_STEAL, N_REGIONS };
enum { ATTRIBUTE_NUMBER, ATTRIBUTE_TASKS, ATTRIBUTE_MODE };
enum { COMM_MESSAGES, COMM_STEALS };
enum { GROUP_LOCATIONS, GROUP_RANKS };

/* Strings of the definitions; those of modes and lanes follow. The names of attributes and of
 * communicators are in the order of these. */
enum {
    STRING_EMPTY,
    STRING_REGIONS,
    STRING_NUMBER = STRING_REGIONS + N_REGIONS,
    STRING_TASKS,
    STRING_MODE,
    STRING_MESSAGES,
    STRING_STEALS,
    STRING_MACHINE,
    STRING_MPI,
    N_STRINGS
};

struct trace_otf2 {
    const struct taskpool_trace *trace;
    const char *folder;  /* of the trace, borrowed */
    char part[PATH_MAX]; /* the temporary folder; "" without */
    OTF2_Archive *archive;
    OTF2_AttributeList *attributes;
    OTF2_ErrorCode code; /* of the first failure */
    uint64_t *n_events;  /* of each recorded lane */
    uint64_t last_ns;
    const struct trace_lane *lane; /* being written */
    OTF2_EvtWriter *events;        /* its own */
};

static void note_code(struct trace_otf2 *writer, OTF2_ErrorCode code)
{
    if (writer->code == OTF2_SUCCESS)
        writer->code = code;
}

static enum status describe_failure(const struct trace_otf2 *writer)
{
    if (writer->code == OTF2_SUCCESS)
        return STATUS_OK;
    return FAIL(STATUS_LIBRARY, "cannot write %s/traces.otf2: %s", writer->folder,
                OTF2_Error_GetDescription(writer->code));
}

static void note_time(struct trace_otf2 *writer, int64_t time_ns)
{
    if ((uint64_t)time_ns > writer->last_ns)
        writer->last_ns = (uint64_t)time_ns;
}

/* --- creation --- */

/* Suppresses messages of OTF2 on standard error; the status reports failures. */
static OTF2_ErrorCode take_code(void *context, const char *file, uint64_t line,
                                const char *function, OTF2_ErrorCode code, const char *format,
                                va_list arguments)
{
    (void)context;
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)arguments;
    return code;
}

static OTF2_FlushType flush_always(void *context, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)context;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

static bool is_lane_file(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending && (strcmp(ending, ".evt") == 0 || strcmp(ending, ".def") == 0);
}

enum status trace_otf2_check(const char *folder)
{
    char path[FILE_PATH];
    snprintf(path, sizeof path, "%s/traces", folder);
    DIR *lanes = opendir(path);
    if (!lanes)
        return errno == ENOENT
                   ? STATUS_OK
                   : FAIL(STATUS_IO, "cannot write %s for --trace: %s", path, strerror(errno));
    bool is_ours = true;
    for (const struct dirent *entry; (entry = readdir(lanes));)
        is_ours &= is_lane_file(entry->d_name) || strcmp(entry->d_name, ".") == 0 ||
                   strcmp(entry->d_name, "..") == 0;
    closedir(lanes);
    return is_ours ? STATUS_OK
                   : FAIL(STATUS_IO,
                          "%s has other files than those of a trace: name another folder for "
                          "--trace",
                          path);
}

/* Deletes the files of an earlier trace. */
static void delete_trace(const char *folder)
{
    char path[FILE_PATH];
    snprintf(path, sizeof path, "%s/traces.otf2", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/traces.def", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/traces", folder);
    DIR *lanes = opendir(path);
    if (!lanes)
        return;
    for (const struct dirent *entry; (entry = readdir(lanes));)
        if (is_lane_file(entry->d_name))
            unlinkat(dirfd(lanes), entry->d_name, 0);
    closedir(lanes);
    rmdir(path);
}

static void open_archive(struct trace_otf2 *writer)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
    OTF2_Error_RegisterCallback(take_code, NULL);
    writer->archive =
        OTF2_Archive_Open(writer->part, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK,
                          DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!writer->archive) {
        note_code(writer, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return;
    }
    note_code(writer, OTF2_Archive_SetFlushCallbacks(writer->archive, &flush, NULL));
    note_code(writer, OTF2_Archive_SetSerialCollectiveCallbacks(writer->archive));
    note_code(writer, OTF2_Archive_SetCreator(writer->archive, "Beryl"));
    note_code(writer, OTF2_Archive_OpenEvtFiles(writer->archive));
}

static enum status make_part(struct trace_otf2 *writer)
{
    char path[FILE_PATH];
    snprintf(path, sizeof path, "%s/traces", writer->folder);
    TRY(output_file_part(path, writer->part));
    output_file_remove_tree(writer->part);
    if (mkdir(writer->part, 0777) == 0)
        return STATUS_OK;
    return FAIL(STATUS_IO, "cannot write %s/traces.otf2: %s", writer->folder, strerror(errno));
}

static enum status start_writer(struct trace_otf2 *writer, int64_t n_lanes)
{
    writer->n_events = calloc((size_t)n_lanes, sizeof *writer->n_events);
    writer->attributes = OTF2_AttributeList_New();
    TRY(CHECK_MEMORY(writer->n_events && writer->attributes, "no memory for a trace"));
    TRY(make_part(writer));
    open_archive(writer);
    return describe_failure(writer);
}

enum status trace_otf2_create(const struct trace_output *output, struct trace_otf2 **out)
{
    *out = NULL;
    struct trace_otf2 *writer = calloc(1, sizeof *writer);
    TRY(CHECK_MEMORY(writer, "no memory for a trace"));
    writer->trace = &output->trace;
    writer->folder = output->folder;
    *out = writer;
    enum status status = start_writer(writer, trace_n_recorded(&output->trace.shape));
    if (status != STATUS_OK) {
        trace_otf2_destroy(writer);
        *out = NULL;
    }
    return status;
}

void trace_otf2_destroy(struct trace_otf2 *writer)
{
    if (!writer)
        return;
    if (writer->archive)
        OTF2_Archive_Close(writer->archive);
    if (writer->attributes)
        OTF2_AttributeList_Delete(writer->attributes);
    if (writer->part[0] != '\0')
        output_file_remove_tree(writer->part);
    free(writer->n_events);
    free(writer);
}

/* --- events --- */

/* A list of attributes is empty again when its event is written. */
static void enter_region(void *context, int64_t time_ns, const struct trace_span *span)
{
    struct trace_otf2 *writer = context;
    OTF2_AttributeList *attributes = writer->attributes;
    bool is_iteration = span->use == TRACE_ITERATION;
    if (is_iteration || (span->use == TRACE_TASK && span->number >= 0))
        note_code(writer, OTF2_AttributeList_AddInt64(attributes, ATTRIBUTE_NUMBER, span->number));
    if (is_iteration)
        note_code(writer, OTF2_AttributeList_AddStringRef(attributes, ATTRIBUTE_MODE,
                                                          N_STRINGS + (uint32_t)span->n));
    else if (span->use == TRACE_TASK)
        note_code(writer, OTF2_AttributeList_AddInt64(attributes, ATTRIBUTE_TASKS, span->n));
    note_code(writer, OTF2_EvtWriter_Enter(writer->events, attributes, (uint64_t)time_ns,
                                           (uint32_t)span->use));
}

static void leave_region(void *context, int64_t time_ns, const struct trace_span *span)
{
    struct trace_otf2 *writer = context;
    note_code(writer,
              OTF2_EvtWriter_Leave(writer->events, NULL, (uint64_t)time_ns, (uint32_t)span->use));
    note_time(writer, time_ns);
}

static void write_message(void *context, int64_t time_ns, const struct trace_message *message)
{
    struct trace_otf2 *writer = context;
    OTF2_EvtWriter *events = writer->events;
    uint64_t time = (uint64_t)time_ns;
    note_time(writer, time_ns);
    if (trace_request_name(message->kind)) {
        uint32_t region = REGION_COUNTER + (uint32_t)(message->kind - TRACE_COUNTER_REQUEST);
        note_code(writer, OTF2_EvtWriter_Enter(events, NULL, time, region));
        note_code(writer, OTF2_EvtWriter_Leave(events, NULL, time, region));
        return;
    }
    int64_t peer = trace_lane_peer(writer->lane, message);
    uint32_t tag = (uint32_t)(message->id >> 33);
    OTF2_CommRef comm = message->stolen ? COMM_STEALS : COMM_MESSAGES;
    if (peer < 0)
        return;
    if (message->kind == TRACE_SENT) {
        note_code(writer, OTF2_EvtWriter_MpiSend(events, NULL, time, (uint32_t)peer, comm, tag,
                                                 message->size));
        return;
    }
    if (message->n_tasks > 0)
        note_code(writer, OTF2_AttributeList_AddInt64(writer->attributes, ATTRIBUTE_TASKS,
                                                      message->n_tasks));
    note_code(writer, OTF2_EvtWriter_MpiRecv(events, writer->attributes, time, (uint32_t)peer, comm,
                                             tag, message->size));
}

void trace_otf2_lane(struct trace_otf2 *writer, const struct trace_lane *lane)
{
    const struct trace_visitor visitor = {
        .enter = enter_region, .leave = leave_region, .message = write_message, .context = writer};
    writer->lane = lane;
    writer->events = OTF2_Archive_GetEvtWriter(writer->archive, (uint64_t)lane->index);
    if (!writer->events) {
        note_code(writer, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return;
    }
    trace_lane_visit(lane, &visitor);
    note_code(writer,
              OTF2_EvtWriter_GetNumberOfEvents(writer->events, &writer->n_events[lane->index]));
    note_code(writer, OTF2_Archive_CloseEvtWriter(writer->archive, writer->events));
}

/* --- definitions --- */

/* Readers expect a definition file for each lane; ours are empty. */
static void write_lane_definitions(struct trace_otf2 *writer)
{
    note_code(writer, OTF2_Archive_CloseEvtFiles(writer->archive));
    note_code(writer, OTF2_Archive_OpenDefFiles(writer->archive));
    for (int64_t i = 0; i < trace_n_recorded(&writer->trace->shape); i++) {
        OTF2_DefWriter *own = OTF2_Archive_GetDefWriter(writer->archive, (uint64_t)i);
        note_code(writer, own ? OTF2_Archive_CloseDefWriter(writer->archive, own)
                              : OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
    note_code(writer, OTF2_Archive_CloseDefFiles(writer->archive));
}

static void define_strings(struct trace_otf2 *writer, OTF2_GlobalDefWriter *definitions)
{
    static const char *const others[] = {[STRING_NUMBER] = "number", [STRING_TASKS] = "tasks",
                                         [STRING_MODE] = "sched",    [STRING_MESSAGES] = "messages",
                                         [STRING_STEALS] = "steals", [STRING_MACHINE] = "machine",
                                         [STRING_MPI] = "MPI"};
    note_code(writer, OTF2_GlobalDefWriter_WriteString(definitions, STRING_EMPTY, ""));
    for (int region = 0; region < N_REGIONS; region++) {
        int request = TRACE_COUNTER_REQUEST + region - REGION_COUNTER;
        const char *name =
            region >= REGION_COUNTER ? trace_request_name(request) : trace_use_name(region);
        note_code(writer, OTF2_GlobalDefWriter_WriteString(
                              definitions, STRING_REGIONS + (uint32_t)region, name));
    }
    for (uint32_t string = STRING_NUMBER; string < N_STRINGS; string++)
        note_code(writer, OTF2_GlobalDefWriter_WriteString(definitions, string, others[string]));
    for (int64_t pool = 0; pool < writer->trace->n_pools; pool++)
        note_code(writer, OTF2_GlobalDefWriter_WriteString(definitions, N_STRINGS + (uint32_t)pool,
                                                           writer->trace->modes[pool]));
}

static void define_regions(struct trace_otf2 *writer, OTF2_GlobalDefWriter *definitions)
{
    for (uint32_t region = 0; region < N_REGIONS; region++)
        note_code(writer, OTF2_GlobalDefWriter_WriteRegion(
                              definitions, region, STRING_REGIONS + region, STRING_REGIONS + region,
                              STRING_EMPTY, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                              OTF2_REGION_FLAG_NONE, STRING_EMPTY, 0, 0));
    for (uint32_t attribute = ATTRIBUTE_NUMBER; attribute <= ATTRIBUTE_MODE; attribute++)
        note_code(writer, OTF2_GlobalDefWriter_WriteAttribute(
                              definitions, attribute, STRING_NUMBER + attribute, STRING_EMPTY,
                              attribute == ATTRIBUTE_MODE ? OTF2_TYPE_STRING : OTF2_TYPE_INT64));
}

/* A worker is a process, a lane one of its threads. */
static void define_lane(struct trace_otf2 *writer, OTF2_GlobalDefWriter *definitions, int64_t i)
{
    char name[64];
    const struct trace_shape *shape = &writer->trace->shape;
    uint32_t string = N_STRINGS + (uint32_t)(writer->trace->n_pools + i);
    uint32_t worker = (uint32_t)(i / shape->n_threads);
    trace_lane_name(writer->trace, trace_recorded_lane(shape, i), name, sizeof name);
    note_code(writer, OTF2_GlobalDefWriter_WriteString(definitions, string, name));
    if (i % shape->n_threads == 0)
        note_code(writer, OTF2_GlobalDefWriter_WriteLocationGroup(
                              definitions, worker, string, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                              OTF2_UNDEFINED_LOCATION_GROUP));
    note_code(writer, OTF2_GlobalDefWriter_WriteLocation(definitions, (uint64_t)i, string,
                                                         OTF2_LOCATION_TYPE_CPU_THREAD,
                                                         writer->n_events[i], worker));
}

static void define_communicators(struct trace_otf2 *writer, OTF2_GlobalDefWriter *definitions)
{
    uint64_t first_threads[TRACE_MAX_LANES], ranks[TRACE_MAX_LANES];
    int n_threads = writer->trace->shape.n_threads;
    uint32_t n = (uint32_t)(trace_n_recorded(&writer->trace->shape) / n_threads);
    for (uint32_t i = 0; i < n; i++) {
        first_threads[i] = (uint64_t)i * (uint64_t)n_threads;
        ranks[i] = i;
    }
    note_code(writer, OTF2_GlobalDefWriter_WriteGroup(
                          definitions, GROUP_LOCATIONS, STRING_MPI, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, first_threads));
    note_code(writer, OTF2_GlobalDefWriter_WriteGroup(definitions, GROUP_RANKS, STRING_EMPTY,
                                                      OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                                      OTF2_GROUP_FLAG_NONE, n, ranks));
    for (uint32_t comm = COMM_MESSAGES; comm <= COMM_STEALS; comm++)
        note_code(writer, OTF2_GlobalDefWriter_WriteComm(definitions, comm, STRING_MESSAGES + comm,
                                                         GROUP_RANKS, OTF2_UNDEFINED_COMM,
                                                         OTF2_COMM_FLAG_NONE));
}

enum status trace_otf2_finish(struct trace_otf2 *writer)
{
    write_lane_definitions(writer);
    OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(writer->archive);
    if (!definitions)
        return FAIL(STATUS_LIBRARY, "cannot write %s/traces.def", writer->folder);
    note_code(writer, OTF2_GlobalDefWriter_WriteClockProperties(
                          definitions, NS_PER_S, 0, writer->last_ns, OTF2_UNDEFINED_TIMESTAMP));
    define_strings(writer, definitions);
    define_regions(writer, definitions);
    note_code(writer, OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, STRING_MACHINE,
                                                               STRING_MACHINE,
                                                               OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (int64_t i = 0; i < trace_n_recorded(&writer->trace->shape); i++)
        define_lane(writer, definitions, i);
    define_communicators(writer, definitions);
    note_code(writer, OTF2_Archive_CloseGlobalDefWriter(writer->archive, definitions));
    note_code(writer, OTF2_Archive_Close(writer->archive));
    writer->archive = NULL;
    return describe_failure(writer);
}

static enum status move_file(const struct trace_otf2 *writer, const char *name)
{
    char from[FILE_PATH], to[FILE_PATH];
    snprintf(from, sizeof from, "%s/%s", writer->part, name);
    snprintf(to, sizeof to, "%s/%s", writer->folder, name);
    if (rename(from, to) == 0)
        return STATUS_OK;
    return FAIL(STATUS_IO, "cannot write %s: %s", to, strerror(errno));
}

/* The anchor last: without it there is no trace. */
enum status trace_otf2_publish(struct trace_otf2 *writer)
{
    delete_trace(writer->folder);
    TRY(move_file(writer, "traces"));
    TRY(move_file(writer, "traces.def"));
    return move_file(writer, "traces.otf2");
}
