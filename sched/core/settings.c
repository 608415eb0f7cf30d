#include "sched/core/settings.h"

#include "support/io/option_row.h"

#define ROWS(all)                                                                                  \
    {                                                                                              \
        .rows = (all), .n_rows = sizeof(all) / sizeof((all)[0])                                    \
    }

static const struct option_row common_rows[] = {
    {.name = "progress",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct taskpool_settings, progress),
     .default_text = "poll",
     .choices = "poll,thread",
     .value = "RULE",
     .help = "poll for messages between tasks, or receive them in a thread"},
    {.name = "poll-every",
     .kind = OPTION_INTEGER,
     .offset = offsetof(struct taskpool_settings, poll_every),
     .default_text = "8",
     .min = 1,
     .max = 1e15,
     .value = "N",
     .help = "tasks between two polls, fewer if they take long"},
    {.name = "seed",
     .kind = OPTION_INTEGER,
     .offset = offsetof(struct taskpool_settings, seed),
     .default_text = "1",
     .min = 0,
     .max = 1e15,
     .value = "N",
     .help = "every random choice derives from it"},
};

struct mode_options common_options = ROWS(common_rows);

static const struct option_row seeding_rows[] = {
    {.name = "seeding",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct taskpool_settings, seeding),
     .default_text = "block",
     .choices = "block,cyclic,owner,cost",
     .value = "RULE",
     .help = "first tasks of a worker"},
};

struct mode_options seeding_options = ROWS(seeding_rows);

static const struct option_row chunk_rows[] = {
    {.name = "chunk",
     .kind = OPTION_INTEGER,
     .offset = offsetof(struct taskpool_settings, chunk),
     .default_text = "0",
     .min = 0,
     .max = 1e15,
     .value = "N",
     .help = "tasks handed out together, or the fewest that are stolen; 0: 20 for share, else 1"},
};

struct mode_options chunk_options = ROWS(chunk_rows);

static const struct option_row speeds_rows[] = {
    {.name = "speeds",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct taskpool_settings, speeds),
     .default_text = "",
     .value = "FILE",
     .help = "relative speeds of the workers, one number each"},
};

struct mode_options speeds_options = ROWS(speeds_rows);
