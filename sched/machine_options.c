#include "sched/machine_options.h"

#define MACHINE(name) offsetof(struct machine_settings, name)

/* Small messages of an InfiniBand or Cray network: 1-2 us one way, of which the
 * processors are busy for about 0.5 us at either end, and 100 Gbit/s. Titan, the
 * largest machine of the papers, had nodes of 16 cores. */
static const struct machine_settings default_machine = {
    .node_size = 16,
    .latency_s = 2e-6,
    .latency_spread_s = 0,
    .overhead_s = 5e-7,
    .bandwidth = 1e10,
};

/* Without default_text: what is given without --simulate would do nothing. */
const struct option_row machine_option_rows[] = {
    {.name = "simulate",
     .kind = OPTION_INTEGER,
     .offset = MACHINE(n_workers),
     .default_text = "0",
     .min = 0,
     .max = 1e7,
     .value = "P",
     .help = "P workers of a machine that is simulated in one process; 0: run for real"},
    {.name = "latency",
     .kind = OPTION_REAL,
     .offset = MACHINE(latency_s),
     .min = 0,
     .max = 1e6,
     .value = "SECONDS",
     .help = "of a message (2e-6)"},
    {.name = "latency-spread",
     .kind = OPTION_REAL,
     .offset = MACHINE(latency_spread_s),
     .min = 0,
     .max = 1e6,
     .value = "SECONDS",
     .help = "mean of what is added at random, exponentially distributed, so that messages "
             "overtake each other (0)"},
    {.name = "overhead",
     .kind = OPTION_REAL,
     .offset = MACHINE(overhead_s),
     .min = 0,
     .max = 1e6,
     .value = "SECONDS",
     .help = "of a worker's time for each message that it sends or gets (5e-7)"},
    {.name = "bandwidth",
     .kind = OPTION_REAL,
     .offset = MACHINE(bandwidth),
     .min = 0,
     .max = 1e18,
     .min_excluded = true,
     .value = "BYTES_PER_S",
     .help = "at which messages travel (1e10)"},
    {.name = "node-size",
     .kind = OPTION_INTEGER,
     .offset = MACHINE(node_size),
     .min = 1,
     .max = 1e7,
     .value = "N",
     .help = "workers of a node, consecutive ones (16)"},
};

const size_t machine_n_option_rows = sizeof machine_option_rows / sizeof machine_option_rows[0];

/* Not given so far; the others of the machine are numbers from 0 on. */
const struct machine_settings machine_settings_unknown = {
    .node_size = -1, .latency_s = -1, .latency_spread_s = -1, .overhead_s = -1, .bandwidth = -1};

enum status machine_options_check(const struct machine_settings *settings)
{
    const char *given = settings->latency_s >= 0          ? "latency"
                        : settings->latency_spread_s >= 0 ? "latency-spread"
                        : settings->overhead_s >= 0       ? "overhead"
                        : settings->bandwidth >= 0        ? "bandwidth"
                        : settings->node_size >= 0        ? "node-size"
                                                          : NULL;
    if (given && settings->n_workers == 0)
        return FAIL(STATUS_USAGE, "--%s does nothing without --simulate", given);
    return STATUS_OK;
}

void machine_options_set_defaults(struct machine_settings *settings)
{
    if (settings->node_size < 0)
        settings->node_size = default_machine.node_size;
    if (settings->latency_s < 0)
        settings->latency_s = default_machine.latency_s;
    if (settings->latency_spread_s < 0)
        settings->latency_spread_s = default_machine.latency_spread_s;
    if (settings->overhead_s < 0)
        settings->overhead_s = default_machine.overhead_s;
    if (settings->bandwidth < 0)
        settings->bandwidth = default_machine.bandwidth;
}
