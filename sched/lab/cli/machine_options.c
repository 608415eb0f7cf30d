/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/machine_options.h"

#include "sched/pool/drivers/sim/noise.h"
#include "support/base/agree.h"
#include "support/io/json.h"
#include "support/io/text_file.h"
#include "support/io/words.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct machine_settings, name)

/* The machines of Lifflander et al. (HPDC 2012), where about 5,500 attempts to steal per core
 * fit into the half second that cores lack work: an attempt that fails, two messages there and
 * back, takes 100 us. That is not the wire (1.5 us on their Cray) but MPI with threads and a
 * server thread for 15 or 23 workers; 1 us of it is charged to the processor at each end.
 * Bandwidth is their network's; a node of Titan has 16 cores. */
static const struct machine_settings default_machine = {
    .n_threads = 1,
    .node_size = 16,
    .times = {.latency_s = 48e-6,
              .node_latency_s = 5e-6,
              .overhead_s = 1e-6,
              .atomic_s = 2e-7,
              .bandwidth = 1e10,
              .node_bandwidth = 1e10,
              .cache_bytes = 1000000000},
    .contention_factor = 1,
    .data = MACHINE_DATA_ON,
};

enum { N_FILE_ROWS = 14 }; /* numbers of the machine: the rows after --simulate */

/* Without default_text, so that options given without --simulate can be refused. */
const struct option_row machine_option_rows[] = {
    INTEGER_OPTION("simulate", FIELD(n_workers), 0, 1e7, .default_text = "0", .value = "P",
                   .help = "simulate a machine of P workers in one process; 0: run for real"),
    INTEGER_OPTION("threads", FIELD(n_threads), 1, 1e4, .value = "N",
                   .help = "threads of each worker that share its tasks, as in a node of Dtree "
                           "(default: 1)"),
    INTEGER_OPTION("node-size", FIELD(node_size), 1, 1e7, .value = "N",
                   .help = "workers of a node, with consecutive numbers (default: 16)"),
    REAL_OPTION("latency", FIELD(times.latency_s), 0, 1e6, .value = "SECONDS",
                .help = "latency of a message between nodes (default: 4.8e-5)"),
    REAL_OPTION("node-latency", FIELD(times.node_latency_s), 0, 1e6, .value = "SECONDS",
                .expert = true, .help = "latency of a message within a node (default: 5e-6)"),
    REAL_OPTION("latency-spread", FIELD(times.latency_spread_s), 0, 1e6, .value = "SECONDS",
                .expert = true,
                .help = "mean of a random, exponentially distributed addition to the latency, by "
                        "which messages overtake each other (default: 0)"),
    REAL_OPTION("overhead", FIELD(times.overhead_s), 0, 1e6, .value = "SECONDS",
                .help =
                    "time of a worker for each message that it sends or receives (default: 1e-6)"),
    REAL_OPTION("counter-time", FIELD(times.counter_s), 0, 1e6, .value = "SECONDS", .expert = true,
                .help = "time of the shared counter for a request, while others wait (default: as "
                        "--overhead)"),
    REAL_OPTION("atomic-time", FIELD(times.atomic_s), 0, 1e6, .value = "SECONDS", .expert = true,
                .help = "time of a worker for an atomic access to the memory of its node, while "
                        "others wait for the same words (default: 2e-7)"),
    REAL_OPTION("task-overhead", FIELD(times.task_s), 0, 1e6, .value = "SECONDS", .expert = true,
                .help =
                    "time of a worker for each task in addition to the task's own (default: 0)"),
    REAL_OPTION("poll-time", FIELD(times.poll_s), 0, 1e6, .value = "SECONDS", .expert = true,
                .help = "time of a worker for each poll for messages, which --poll-every counts; "
                        "0: polls between any two tasks at no cost (default: 0)"),
    REAL_OPTION("bandwidth", FIELD(times.bandwidth), 0, 1e18, .min_excluded = true,
                .value = "BYTES_PER_S", .help = "bandwidth between nodes (default: 1e10)"),
    REAL_OPTION("node-bandwidth", FIELD(times.node_bandwidth), 0, 1e18, .min_excluded = true,
                .value = "BYTES_PER_S", .expert = true,
                .help = "bandwidth within a node (default: 1e10)"),
    REAL_OPTION("contention-factor", FIELD(contention_factor), 0, 1, .min_excluded = true,
                .value = "X", .expert = true,
                .help = "speed of a worker while all workers of its node compute, relative to "
                        "one alone (default: 1)"),
    INTEGER_OPTION("node-cache", FIELD(times.cache_bytes), 0, 1e18, .value = "BYTES",
                   .expert = true,
                   .help = "memory of a node for blocks of other workers (default: 1000000000)"),
    CHOICE_OPTION("data", FIELD(data), "on,off", .expert = true,
                  .help = "on: tasks wait for the blocks that the files beside their profile name, "
                          "X.blocks.csv and X.sizes.csv; off: they do not (default: on)"),
    TEXT_OPTION("known-speeds", FIELD(known_speeds), .value = "FILE|none",
                .help =
                    "the workers' speeds as the modes know them (dtree and wf use them); none: all "
                    "alike (default: as in --speeds)"),
    TEXT_OPTION("machine", FIELD(file), .value = "FILE.json",
                .help = "values for the options above that are not given, as --calibrate writes "
                        "them"),
    FLAG_OPTION("server", FIELD(times.node_server), .expert = true,
                .help = "with --progress thread: one server thread of each node answers the "
                        "messages of its workers, one after the other"),
    TEXT_OPTION("noise", FIELD(noise), .value = "PERIOD,LENGTH",
                .help = "interrupt each worker every PERIOD seconds for LENGTH seconds, at a "
                        "random phase"),
    TEXT_OPTION("noise-trace", FIELD(noise_trace), .value = "FILE.csv",
                .help = "recorded interruptions, repeated forever: rows start,seconds; each "
                        "worker starts at a random position of the record"),
};

#undef FIELD

const size_t machine_n_option_rows = sizeof machine_option_rows / sizeof machine_option_rows[0];

const struct machine_settings machine_settings_unknown = {
    .n_threads = -1,
    .node_size = -1,
    .times = {.latency_s = -1,
              .node_latency_s = -1,
              .latency_spread_s = -1,
              .overhead_s = -1,
              .counter_s = -1,
              .atomic_s = -1,
              .task_s = -1,
              .poll_s = -1,
              .bandwidth = -1,
              .node_bandwidth = -1,
              .cache_bytes = -1},
    .contention_factor = -1,
    .data = -1,
};

/* The first option but --simulate that was given, NULL if none was. */
static const char *find_given(const struct machine_settings *settings)
{
    for (size_t i = 1; i < machine_n_option_rows; i++)
        if (option_differs(&machine_option_rows[i], settings, &machine_settings_unknown))
            return machine_option_rows[i].name;
    return NULL;
}

enum status machine_options_check(const struct machine_settings *settings)
{
    const char *given = find_given(settings);
    if (given && settings->n_workers == 0)
        return FAIL(STATUS_USAGE, "--%s has no effect without --simulate", given);
    if (settings->noise && settings->noise_trace)
        return FAIL(STATUS_USAGE, "give --noise or --noise-trace, not both");
    return STATUS_OK;
}

static enum status read_noise(const struct machine_settings *settings, struct taskpool_noise *noise)
{
    double values[2] = {0};
    if (settings->noise_trace)
        return taskpool_noise_read(noise, settings->noise_trace);
    int wrong = text_to_reals(settings->noise, 2, values);
    double period_s = values[0], length_s = values[1];
    bool is_period = period_s >= NOISE_MIN_PERIOD_S;
    if (wrong == 0 &&
        !(is_period && length_s > 0 && period_s - length_s > NOISE_MIN_FREE * period_s))
        wrong = is_period ? 2 : 1;
    if (wrong != 0)
        return FAIL(STATUS_USAGE,
                    "--noise takes a period, from %g on, and the length of an interruption, above "
                    "0 and shorter, in seconds, such as 0.01,0.0005: number %d of '%s' is wrong",
                    NOISE_MIN_PERIOD_S, wrong, settings->noise);
    return taskpool_noise_init_periodic(noise, period_s, length_s);
}

enum status machine_options_apply(const struct machine_settings *settings,
                                  struct taskpool_machine *machine, struct taskpool_noise *noise)
{
    *machine = settings->times;
    machine->n_workers = (int)settings->n_workers;
    machine->n_threads = (int)settings->n_threads;
    machine->node_size = (int)settings->node_size;
    machine->has_levels = true;
    if (!settings->noise && !settings->noise_trace)
        return STATUS_OK;
    TRY(read_noise(settings, noise));
    machine->noise = noise;
    return STATUS_OK;
}

void machine_apply_contention(double contention_factor, int node_size, int n_workers,
                              double *speeds)
{
    if (node_size == 1)
        return;
    for (int i = 0; i < n_workers; i++) {
        int first = i / node_size * node_size;
        int n = n_workers - first < node_size ? n_workers - first : node_size;
        speeds[i] *= 1 - (1 - contention_factor) * (n - 1) / (node_size - 1);
    }
}

/* --- the file of a machine --- */

/* Sets what was not given to the values of others. */
static void fill_unknown(const struct machine_settings *others, struct machine_settings *settings)
{
    for (size_t i = 1; i < machine_n_option_rows; i++)
        if (!option_differs(&machine_option_rows[i], settings, &machine_settings_unknown))
            option_copy(&machine_option_rows[i], others, settings);
}

/* Sets a number from the file as if it were typed. The file has no --simulate. */
static enum status set_machine_number(const char *path, const char *key, const json_t *value,
                                      struct machine_settings *settings)
{
    const struct option_table numbers = {NULL, &machine_option_rows[1], N_FILE_ROWS, settings};
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    enum status status = CHECK_MEMORY(text, "no memory for a number");
    if (status == STATUS_OK && option_set(&numbers, key, text) != STATUS_OK)
        status = FAIL(STATUS_INPUT, "%s: %s", path, status_text());
    free(text);
    return status;
}

static enum status take_machine(const char *path, json_t *machine,
                                struct machine_settings *settings)
{
    struct machine_settings read = machine_settings_unknown;
    const char *key;
    json_t *value;
    if (!json_is_object(machine))
        return FAIL(STATUS_INPUT, "%s: not a JSON object, as --calibrate writes it", path);
    json_object_foreach(machine, key, value) if (strcmp(key, "measured") != 0)
        TRY(set_machine_number(path, key, value, &read));
    const struct taskpool_machine *times = &read.times;
    const char *missing = read.node_size < 0                                  ? "node-size"
                          : times->overhead_s < 0                             ? "overhead"
                          : times->latency_s < 0 && times->node_latency_s < 0 ? "latency"
                                                                              : NULL;
    if (missing)
        return FAIL(STATUS_INPUT, "%s: there is no \"%s\"", path, missing);
    fill_unknown(&read, settings);
    return STATUS_OK;
}

static enum status parse_machine(const char *path, const struct text_file *file,
                                 struct machine_settings *settings)
{
    json_t *machine;
    TRY(json_read_text(path, file->bytes, file->length, JSON_REJECT_DUPLICATES, &machine));
    enum status status = take_machine(path, machine, settings);
    json_decref(machine);
    return status;
}

enum status machine_file_read(const char *path, MPI_Comm comm, struct machine_settings *settings)
{
    struct text_file file;
    TRY(text_file_read_all(path, comm, &file));
    enum status status = parse_machine(path, &file, settings);
    text_file_fini(&file);
    return status_agree(comm, status);
}

void machine_options_set_defaults(struct machine_settings *settings)
{
    struct machine_settings defaults = default_machine;
    const double overhead_s = settings->times.overhead_s;
    defaults.times.counter_s = overhead_s >= 0 ? overhead_s : defaults.times.overhead_s;
    fill_unknown(&defaults, settings);
}
