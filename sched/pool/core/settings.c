/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/settings.h"

#define FIELD(name) offsetof(struct taskpool_settings, name)

static const struct taskpool_option common_rows[] = {
    TASKPOOL_CHOICE_OPTION(
        "progress", FIELD(progress), "by-mode,poll,thread", .default_text = "by-mode",
        .value = "RULE", .expert = true,
        .help = "poll for messages between tasks, or receive them in a thread; by-mode: "
                "poll, but simulated parents of dtree have a thread"),
    TASKPOOL_INTEGER_OPTION("poll-every", FIELD(poll_every), 1, 1e15, .default_text = "8",
                            .value = "N", .expert = true,
                            .help = "tasks between two polls, fewer if they take long"),
    TASKPOOL_INTEGER_OPTION("seed", FIELD(seed), 0, 1e15, .default_text = "1", .value = "N",
                            .expert = true, .help = "every random choice derives from it"),
    TASKPOOL_REAL_OPTION(
        "watchdog", FIELD(watchdog_s), 0, 1e9, .default_text = "0", .value = "SECONDS",
        .expert = true,
        .help = "end a run over MPI when no task has finished for this long, and report "
                "what each process does; 0: never"),
    TASKPOOL_TEXT_OPTION(
        "trace", FIELD(trace_folder), .value = "DIR", .expert = true,
        .help = "write a timeline of every worker to the folder: trace.json for "
                "ui.perfetto.dev, traces.otf2 for readers of OTF2; with --compare one per "
                "mode, from the last round, in DIR/MODE"),
};

struct taskpool_mode_options common_options = TASKPOOL_MODE_OPTIONS(common_rows, 0);

static const struct taskpool_option seeding_rows[] = {
    TASKPOOL_CHOICE_OPTION("seeding", FIELD(seeding), "block,cyclic,owner,cost",
                           .default_text = "block", .value = "RULE",
                           .help = "first tasks of a worker"),
};

struct taskpool_mode_options taskpool_seeding_options = TASKPOOL_MODE_OPTIONS(seeding_rows, 0);

static const struct taskpool_option chunk_rows[] = {
    TASKPOOL_INTEGER_OPTION(
        "chunk", FIELD(chunk), 0, 1e15, .default_text = "0", .value = "N",
        .help = "tasks handed out together; the fewest where their number varies or they "
                "are stolen; 0: 20 for share, else 1"),
};

struct taskpool_mode_options taskpool_chunk_options = TASKPOOL_MODE_OPTIONS(chunk_rows, 0);

static const struct taskpool_option speeds_rows[] = {
    TASKPOOL_TEXT_OPTION("speeds", FIELD(speeds), .default_text = "", .value = "FILE",
                         .help = "relative speeds of the workers, one number each"),
};

struct taskpool_mode_options taskpool_speeds_options = TASKPOOL_MODE_OPTIONS(speeds_rows, 0);
