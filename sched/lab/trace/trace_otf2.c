/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/trace/trace_files.h"

#include <math.h>
#include <otf2/otf2.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that are kept in memory before they are written; the least that OTF2 takes, because it
 * touches all of them for each lane. */
enum { EVENT_CHUNK = 1 << 18, DEFINITION_CHUNK = 1 << 18 };

enum { NS_PER_S = 1000000000 };

/* Regions: the uses of time, an iteration, and the requests, in the order of their kinds. */
enum {
    REGION_COUNTER = TRACE_ITERATION + 1,
    N_REGIONS = REGION_COUNTER + TRACE_MEMORY_STEAL - TRACE_COUNTER_REQUEST + 1
};
enum { ATTRIBUTE_NUMBER, ATTRIBUTE_TASKS, ATTRIBUTE_MODE, N_ATTRIBUTES };
enum { COMM_MESSAGES, COMM_STEALS, N_COMMS };
enum { GROUP_LOCATIONS, GROUP_RANKS };

struct trace_otf2 {
    const struct taskpool_trace *trace;
    const char *folder;
    OTF2_Archive *archive;
    OTF2_AttributeList *attributes;
    OTF2_ErrorCode code; /* of the first failure */
    OTF2_GlobalDefWriter *definitions;
    uint32_t n_strings; /* defined; the first are the modes of the pools */
    uint64_t last_ns;

    /* The lane that is being written, and the position in it. */
    const struct trace_lane *lane;
    OTF2_EvtWriter *events;
    int64_t next_span, next_message;
    uint64_t time_ns;
};

static void note_code(struct trace_otf2 *writer, OTF2_ErrorCode code)
{
    if (writer->code == OTF2_SUCCESS)
        writer->code = code;
}

/* --- creation --- */

/* Suppresses messages of OTF2 on standard error; the status reports failures. */
static OTF2_ErrorCode take_code(void *context, const char *file, uint64_t line,
                                const char *function, OTF2_ErrorCode code, const char *format,
                                va_list arguments)
{
    (void)context, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

static OTF2_FlushType flush_always(void *context, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)context, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void open_archive(struct trace_otf2 *writer)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
    OTF2_Error_RegisterCallback(take_code, NULL);
    writer->archive =
        OTF2_Archive_Open(writer->folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK,
                          DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!writer->archive) {
        note_code(writer, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return;
    }
    note_code(writer, OTF2_Archive_SetFlushCallbacks(writer->archive, &flush, NULL));
    note_code(writer, OTF2_Archive_SetSerialCollectiveCallbacks(writer->archive));
    note_code(writer, OTF2_Archive_SetCreator(writer->archive, "Beryl"));
    note_code(writer, OTF2_Archive_OpenEvtFiles(writer->archive));
    writer->definitions = OTF2_Archive_GetGlobalDefWriter(writer->archive);
    if (!writer->definitions)
        note_code(writer, OTF2_ERROR_FILE_CAN_NOT_OPEN);
}

/* --- definitions, written as they become known --- */

static uint32_t define_string(struct trace_otf2 *writer, const char *text)
{
    note_code(writer,
              OTF2_GlobalDefWriter_WriteString(writer->definitions, writer->n_strings, text));
    return writer->n_strings++;
}

/* Modes, regions and attributes, which events refer to, and the machine. */
static void define_names(struct trace_otf2 *writer)
{
    static const char *const attributes[] = {"number", "tasks", "sched"};
    for (int64_t pool = 0; pool < writer->trace->n_pools; pool++)
        define_string(writer, writer->trace->modes[pool]);
    uint32_t empty = define_string(writer, ""), machine = define_string(writer, "machine");
    for (int region = 0; region < N_REGIONS; region++) {
        uint32_t name = define_string(
            writer, region < REGION_COUNTER
                        ? trace_use_name(region)
                        : trace_request_name(TRACE_COUNTER_REQUEST + region - REGION_COUNTER));
        note_code(writer, OTF2_GlobalDefWriter_WriteRegion(
                              writer->definitions, (uint32_t)region, name, name, empty,
                              OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                              empty, 0, 0));
    }
    for (uint32_t attribute = 0; attribute < N_ATTRIBUTES; attribute++)
        note_code(writer,
                  OTF2_GlobalDefWriter_WriteAttribute(
                      writer->definitions, attribute, define_string(writer, attributes[attribute]),
                      empty, attribute == ATTRIBUTE_MODE ? OTF2_TYPE_STRING : OTF2_TYPE_INT64));
    note_code(writer,
              OTF2_GlobalDefWriter_WriteSystemTreeNode(writer->definitions, 0, machine, machine,
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
}

/* A worker is a process, a lane one of its threads. */
static void define_lane(struct trace_otf2 *writer, uint64_t n_events)
{
    char text[64];
    int64_t i = writer->lane->index;
    const struct trace_shape *shape = &writer->trace->shape;
    uint32_t worker = (uint32_t)(i / shape->n_threads);
    trace_lane_name(writer->trace, trace_recorded_lane(shape, i), text, sizeof text);
    uint32_t name = define_string(writer, text);
    if (i % shape->n_threads == 0)
        note_code(writer, OTF2_GlobalDefWriter_WriteLocationGroup(
                              writer->definitions, worker, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                              0, OTF2_UNDEFINED_LOCATION_GROUP));
    note_code(writer,
              OTF2_GlobalDefWriter_WriteLocation(writer->definitions, (uint64_t)i, name,
                                                 OTF2_LOCATION_TYPE_CPU_THREAD, n_events, worker));
}

static void define_communicators(struct trace_otf2 *writer)
{
    static const char *const names[] = {"messages", "steals"};
    uint64_t first_threads[TRACE_MAX_LANES], ranks[TRACE_MAX_LANES];
    int n_threads = writer->trace->shape.n_threads;
    uint32_t empty = define_string(writer, "");
    uint32_t n = (uint32_t)(trace_n_recorded(&writer->trace->shape) / n_threads);
    for (uint32_t i = 0; i < n; i++) {
        first_threads[i] = (uint64_t)i * (uint64_t)n_threads;
        ranks[i] = i;
    }
    note_code(writer, OTF2_GlobalDefWriter_WriteGroup(
                          writer->definitions, GROUP_LOCATIONS, define_string(writer, "MPI"),
                          OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                          n, first_threads));
    note_code(writer, OTF2_GlobalDefWriter_WriteGroup(writer->definitions, GROUP_RANKS, empty,
                                                      OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                                      OTF2_GROUP_FLAG_NONE, n, ranks));
    for (uint32_t comm = 0; comm < N_COMMS; comm++)
        note_code(writer, OTF2_GlobalDefWriter_WriteComm(
                              writer->definitions, comm, define_string(writer, names[comm]),
                              GROUP_RANKS, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void define_clock(struct trace_otf2 *writer)
{
    const struct taskpool_trace *trace = writer->trace;
    uint64_t begin_ns = trace->shape.is_simulated
                            ? OTF2_UNDEFINED_TIMESTAMP
                            : (uint64_t)(NS_PER_S * trace_output_of(trace)->begin_s);
    note_code(writer, OTF2_GlobalDefWriter_WriteClockProperties(writer->definitions, NS_PER_S, 0,
                                                                writer->last_ns, begin_ns));
}

enum status trace_otf2_create(const struct taskpool_trace *trace, const char *folder,
                              struct trace_otf2 **out)
{
    *out = NULL;
    struct trace_otf2 *writer = calloc(1, sizeof *writer);
    TRY(CHECK_MEMORY(writer, "no memory for a trace"));
    writer->trace = trace;
    writer->folder = folder;
    writer->attributes = OTF2_AttributeList_New();
    if (writer->attributes)
        open_archive(writer);
    else
        note_code(writer, OTF2_ERROR_MEM_ALLOC_FAILED);
    if (writer->code != OTF2_SUCCESS)
        return trace_otf2_close(writer);
    define_names(writer);
    *out = writer;
    return STATUS_OK;
}

/* --- events --- */

/* Times of a lane do not go back, also where spans overlap by a rounding error. */
static uint64_t advance_time(struct trace_otf2 *writer, int64_t time_ns)
{
    if ((uint64_t)time_ns > writer->time_ns)
        writer->time_ns = (uint64_t)time_ns;
    return writer->time_ns;
}

/* A list of attributes is empty again when its event is written. */
static void enter_region(struct trace_otf2 *writer, const struct trace_span *span)
{
    OTF2_AttributeList *attributes = writer->attributes;
    bool is_iteration = span->use == TRACE_ITERATION;
    if (is_iteration || (span->use == TRACE_TASK && span->number >= 0))
        note_code(writer, OTF2_AttributeList_AddInt64(attributes, ATTRIBUTE_NUMBER, span->number));
    if (is_iteration)
        note_code(writer,
                  OTF2_AttributeList_AddStringRef(attributes, ATTRIBUTE_MODE, (uint32_t)span->n));
    else if (span->use == TRACE_TASK)
        note_code(writer, OTF2_AttributeList_AddInt64(attributes, ATTRIBUTE_TASKS, span->n));
    note_code(writer, OTF2_EvtWriter_Enter(writer->events, attributes,
                                           advance_time(writer, trace_ns(span->begin_s)),
                                           (uint32_t)span->use));
}

static void write_request(struct trace_otf2 *writer, int kind, uint64_t time_ns)
{
    uint32_t region = REGION_COUNTER + (uint32_t)(kind - TRACE_COUNTER_REQUEST);
    note_code(writer, OTF2_EvtWriter_Enter(writer->events, NULL, time_ns, region));
    note_code(writer, OTF2_EvtWriter_Leave(writer->events, NULL, time_ns, region));
}

static void write_message(struct trace_otf2 *writer, const struct trace_message *message)
{
    int64_t peer = trace_lane_peer(writer->lane, message);
    uint64_t time_ns = advance_time(writer, trace_ns(message->time_s));
    uint32_t tag = (uint32_t)(message->id >> 33);
    OTF2_CommRef comm = message->stolen ? COMM_STEALS : COMM_MESSAGES;
    if (trace_request_name(message->kind)) {
        write_request(writer, message->kind, time_ns);
    } else if (peer >= 0 && message->kind == TRACE_SENT) {
        note_code(writer, OTF2_EvtWriter_MpiSend(writer->events, NULL, time_ns, (uint32_t)peer,
                                                 comm, tag, message->size));
    } else if (peer >= 0) {
        if (message->n_tasks > 0)
            note_code(writer, OTF2_AttributeList_AddInt64(writer->attributes, ATTRIBUTE_TASKS,
                                                          message->n_tasks));
        note_code(writer, OTF2_EvtWriter_MpiRecv(writer->events, writer->attributes, time_ns,
                                                 (uint32_t)peer, comm, tag, message->size));
    }
}

static void write_messages(struct trace_otf2 *writer, double until_s)
{
    const struct trace_lane *lane = writer->lane;
    while (writer->next_message < lane->n_messages &&
           lane->messages[writer->next_message].time_s <= until_s)
        write_message(writer, &lane->messages[writer->next_message++]);
}

/* Writes the spans that begin before a time, and the messages up to their ends. */
static void write_spans(struct trace_otf2 *writer, double until_s)
{
    const struct trace_lane *lane = writer->lane;
    while (writer->next_span < lane->n_spans && lane->spans[writer->next_span].begin_s < until_s) {
        const struct trace_span *span = &lane->spans[writer->next_span++];
        write_messages(writer, span->begin_s);
        enter_region(writer, span);
        if (span->use == TRACE_ITERATION)
            write_spans(writer, span->end_s);
        write_messages(writer, span->end_s);
        note_code(writer, OTF2_EvtWriter_Leave(writer->events, NULL,
                                               advance_time(writer, trace_ns(span->end_s)),
                                               (uint32_t)span->use));
    }
}

void trace_otf2_lane(struct trace_otf2 *writer, const struct trace_lane *lane)
{
    uint64_t n_events = 0;
    writer->lane = lane;
    writer->next_span = writer->next_message = 0;
    writer->time_ns = 0;
    writer->events = OTF2_Archive_GetEvtWriter(writer->archive, (uint64_t)lane->index);
    if (!writer->events) {
        note_code(writer, OTF2_ERROR_FILE_CAN_NOT_OPEN);
        return;
    }
    write_spans(writer, HUGE_VAL);
    write_messages(writer, HUGE_VAL);
    if (writer->time_ns > writer->last_ns)
        writer->last_ns = writer->time_ns;
    note_code(writer, OTF2_EvtWriter_GetNumberOfEvents(writer->events, &n_events));
    note_code(writer, OTF2_Archive_CloseEvtWriter(writer->archive, writer->events));
    define_lane(writer, n_events);
}

/* --- end --- */

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

/* OTF2 makes the identifier of a trace from the time, and has no function that sets it. */
static void clear_identifier(struct trace_otf2 *writer)
{
    char path[PATH_MAX + 16], bytes[1024];
    uint64_t identifier = 0;
    snprintf(path, sizeof path, "%s/traces.otf2", writer->folder);
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    FILE *file = fopen(path, "r+b");
    if (reader && file && OTF2_Reader_GetTraceId(reader, &identifier) == OTF2_SUCCESS) {
        size_t length = fread(bytes, 1, sizeof bytes, file);
        char *found = memmem(bytes, length, &identifier, sizeof identifier);
        if (found) {
            memset(found, 0, sizeof identifier);
            rewind(file);
            fwrite(bytes, 1, length, file);
        }
    }
    if (reader)
        OTF2_Reader_Close(reader);
    if (!file || fclose(file) != 0)
        note_code(writer, OTF2_ERROR_FILE_CAN_NOT_OPEN);
}

enum status trace_otf2_close(struct trace_otf2 *writer)
{
    if (writer->code == OTF2_SUCCESS) {
        write_lane_definitions(writer);
        define_communicators(writer);
        define_clock(writer);
        note_code(writer, OTF2_Archive_CloseGlobalDefWriter(writer->archive, writer->definitions));
    }
    if (writer->archive)
        note_code(writer, OTF2_Archive_Close(writer->archive));
    if (writer->code == OTF2_SUCCESS && writer->trace->shape.is_simulated)
        clear_identifier(writer);
    if (writer->attributes)
        OTF2_AttributeList_Delete(writer->attributes);
    OTF2_ErrorCode code = writer->code;
    const char *folder = trace_output_of(writer->trace)->folder;
    free(writer);
    return code == OTF2_SUCCESS ? STATUS_OK
                                : FAIL(STATUS_LIBRARY, "cannot write %s/traces.otf2: %s", folder,
                                       OTF2_Error_GetDescription(code));
}
