/* The modes by option name, and the options that choose and tune them. A new
 * mode is its own file, a word in the names and a line in the list. */
#include "sched/mode.h"

#include <stddef.h>

#define MODE_NAMES "static,counter"

static const struct mode *const modes[] = {&mode_static, &mode_counter};

const char *const taskpool_mode_names = MODE_NAMES;

const struct mode *mode_find(int index)
{
    return modes[index];
}

const struct option_row taskpool_option_rows[] = {
    {.name = "sched",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct taskpool_settings, mode),
     .default_text = "counter",
     .choices = MODE_NAMES,
     .value = "MODE",
     .help = "how tasks are given to workers"},
    {.name = "seeding",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct taskpool_settings, seeding),
     .default_text = "block",
     .choices = "block,cyclic,owner,cost",
     .value = "RULE",
     .help = "what each worker starts with; counter needs none"},
    {.name = "chunk",
     .kind = OPTION_INTEGER,
     .offset = offsetof(struct taskpool_settings, chunk),
     .default_text = "0",
     .min = 0,
     .max = 1e15,
     .value = "N",
     .help = "tasks handed out together (counter); 0: as suits the mode, 1 for counter"},
    {.name = "guided",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct taskpool_settings, guided),
     .help = "counter: chunks shrink from large ones to --chunk as the tasks run out"},
    {.name = "poll-every",
     .kind = OPTION_INTEGER,
     .offset = offsetof(struct taskpool_settings, poll_every),
     .default_text = "8",
     .min = 1,
     .max = 1e15,
     .value = "N",
     .help = "tasks between two looks for messages, in modes that send some"},
    {.name = "seed",
     .kind = OPTION_INTEGER,
     .offset = offsetof(struct taskpool_settings, seed),
     .default_text = "1",
     .min = 0,
     .max = 1e15,
     .value = "N",
     .help = "every random choice derives from it"},
};

const size_t taskpool_n_option_rows = sizeof taskpool_option_rows / sizeof taskpool_option_rows[0];
