/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers of the scheduler's files, each a target of its own: FUZZ_NAME is one of those below. */
#include "sched/lab/cli/machine_options.h"
#include "sched/lab/profiles/profile.h"
#include "sched/lab/workloads/bnsl.h"
#include "sched/lab/workloads/uts.h"
#include "sched/pool/core/speeds.h"
#include "sched/pool/drivers/sim/noise.h"
#include "support/io/text_file.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void bnsl_data(const char *bytes, size_t size)
{
    struct text_file file;
    struct bnsl_data data;
    if (text_file_read(fuzz_file("data.csv", bytes, size), &file) != STATUS_OK)
        return;
    if (bnsl_data_parse(file.bytes, file.length, "data.csv", &data) == STATUS_OK) {
        assert(data.n_variables >= 2 && data.n_samples >= 1);
        for (int i = 0; i < data.n_variables; i++) {
            assert(data.n_states[i] >= 1 && data.n_states[i] <= BNSL_MAX_STATES);
            assert(bnsl_data_find(&data, word_from_text(data.names[i])) == i);
            for (int s = 0; s < data.n_samples; s++)
                assert(bnsl_data_column(&data, i)[s] < data.n_states[i]);
        }
    }
    free(data.values);
    text_file_fini(&file);
}

/* Edges between known variables. */
static void bnsl_network(const char *text, size_t size)
{
    static const char names[] = "a,b,c\n0,0,0\n";
    struct text_file file;
    struct bnsl_data data;
    struct bnsl_graph graph, completed;
    if (text_file_read(fuzz_file("network.csv", text, size), &file) != STATUS_OK)
        return;
    assert(bnsl_data_parse(names, sizeof names - 1, "names", &data) == STATUS_OK);
    if (bnsl_network_parse(file.bytes, file.length, "network.csv", &data, &graph) == STATUS_OK) {
        assert(bnsl_graph_is_acyclic(&graph));
        assert(bnsl_graph_complete(&graph, &completed) == STATUS_OK);
        bnsl_graph_fini(&completed);
    }
    bnsl_graph_fini(&graph);
    free(data.values);
    text_file_fini(&file);
}

static void data_sizes(const char *text, size_t size)
{
    struct taskpool_data *read;
    if (task_data_read_sizes(fuzz_file("x.sizes.csv", text, size), &read) != STATUS_OK)
        return;
    for (int64_t i = 0; i < read->n_blocks; i++) {
        assert(read->numbers[i] >= 0 && (i == 0 || read->numbers[i] > read->numbers[i - 1]));
        assert(read->blocks[i].bytes >= 0 && data_block_owner(&read->blocks[i], 3) >= 0);
    }
    task_data_destroy(read);
}

static void data_blocks(const char *text, size_t size)
{
    enum { N_TASKS = 4, N_BLOCKS = 3 };
    static const char sizes[] = "block,bytes,owner\n0,8,0\n2,8,0\n70,8,0\n";
    int64_t tasks[N_TASKS] = {0, 1, 5, 80}, n;
    double seconds[N_TASKS] = {0};
    const struct profile profile = {.n = N_TASKS, .seconds = seconds, .tasks = tasks};
    struct taskpool_data *data;
    assert(task_data_read_sizes(fuzz_file("x.blocks.csv", sizes, sizeof sizes - 1), &data) ==
           STATUS_OK);
    if (task_data_read_accesses(fuzz_file("x.blocks.csv", text, size), &profile, data) == STATUS_OK)
        for (int64_t task = 0; task < N_TASKS; task++) {
            const struct taskpool_data_access *access = task_data_of(data, task, &n);
            assert(n >= 0);
            for (int64_t i = 0; i < n; i++)
                assert(access[i].block >= 0 && access[i].block < N_BLOCKS);
            assert(task_data_owner(data, task, 2) < 2);
        }
    task_data_destroy(data);
}

static void machine(const char *text, size_t size)
{
    struct machine_settings settings = machine_settings_unknown;
    struct taskpool_machine machine;
    struct taskpool_noise noise = {0};
    settings.n_workers = 2;
    if (machine_file_read(fuzz_file("machine.json", text, size), MPI_COMM_SELF, &settings) !=
        STATUS_OK)
        return;
    machine_options_set_defaults(&settings);
    assert(machine_options_apply(&settings, &machine, &noise) == STATUS_OK);
    assert(machine.n_workers == 2 && machine.node_size >= 1 && machine.n_threads >= 1);
    assert(machine.latency_s >= 0 && machine.overhead_s >= 0 && machine.counter_s >= 0);
    assert(machine.atomic_s >= 0 && machine.bandwidth > 0 && isfinite(machine.bandwidth));
}

static void noise(const char *text, size_t size)
{
    struct taskpool_noise noise;
    if (taskpool_noise_read(&noise, fuzz_file("noise.csv", text, size)) != STATUS_OK)
        return;
    assert(noise.n > 0 && noise.period_s >= NOISE_MIN_PERIOD_S);
    double start_s = 0, phase_s = 0.3 * noise.period_s;
    for (int i = 0; i < 20; i++) {
        double end_s = noise_end_s(&noise, phase_s, start_s, 0.1 * noise.period_s);
        assert(end_s >= start_s && !isnan(end_s));
        start_s = end_s;
    }
    taskpool_noise_fini(&noise);
}

static void read_profile(const char *path)
{
    enum { N_TASKS = 1000000 };
    struct profile profile;
    if (profile_read(MPI_COMM_SELF, path, &profile) != STATUS_OK)
        return;
    assert(profile.n > 0 && profile.n_iterations > 0);
    for (int64_t i = 0; i < profile.n; i++) {
        assert(profile.tasks[i] >= 0 && (i == 0 || profile.tasks[i] > profile.tasks[i - 1]));
        assert(!profile.workers || profile.workers[i] >= 0);
        for (int64_t k = 0; k <= profile.n_iterations; k++)
            assert(isfinite(profile_seconds(&profile, k, i)) &&
                   profile_seconds(&profile, k, i) >= 0);
    }
    if (profile_add_null_tasks(&profile, path, N_TASKS, 0.5) == STATUS_OK) {
        assert(!profile_are_null(&profile, 0, N_TASKS));
        assert(profile_seconds(&profile, 0, N_TASKS - 1) >= 0);
        assert(!profile_are_null(&profile, profile.tasks[0], profile.tasks[0] + 1));
    }
    profile_fini(&profile);
}

static void profile_array(const char *bytes, size_t size)
{
    read_profile(fuzz_file("profile.npy", bytes, size));
}

static void profile_table(const char *text, size_t size)
{
    read_profile(fuzz_file("profile.csv", text, size));
}

static void speeds(const char *text, size_t size)
{
    enum { N_WORKERS = 3 };
    double *speeds;
    int64_t *sums;
    if (speeds_read(MPI_COMM_SELF, fuzz_file("speeds", text, size), N_WORKERS, &speeds) !=
        STATUS_OK)
        return;
    for (int i = 0; i < N_WORKERS; i++)
        assert(isfinite(speeds[i]) && speeds[i] > 0);
    if (speeds_sum(speeds, N_WORKERS, &sums) == STATUS_OK) {
        for (int i = 0; i < N_WORKERS; i++)
            assert(sums[i + 1] > sums[i]);
        free(sums);
    }
    free(speeds);
}

/* The first child of the first child, and so on. */
static void uts(const char *text, size_t size)
{
    enum { MAX_HEIGHT = 50 };
    struct uts_tree tree;
    struct uts_node node, child;
    (void)size;
    if (uts_parse(text, &tree) != STATUS_OK)
        return;
    uts_root(&tree, &node);
    for (int i = 0, n = 1; i < MAX_HEIGHT && n > 0; i++) {
        n = uts_n_children(&tree, &node);
        assert(n >= 0 && node.height == i);
        if (n > 0)
            uts_child(&tree, &node, n - 1, &child);
        node = child;
    }
}

static const struct {
    const char *name;
    void (*run)(const char *text, size_t size);
} targets[] = {{"bnsl_data", bnsl_data},
               {"bnsl_network", bnsl_network},
               {"data_blocks", data_blocks},
               {"data_sizes", data_sizes},
               {"machine", machine},
               {"noise", noise},
               {"profile_array", profile_array},
               {"profile_table", profile_table},
               {"speeds", speeds},
               {"uts", uts}};

void fuzz_one(const char *text, size_t size)
{
    for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++)
        if (strcmp(targets[t].name, FUZZ_NAME) == 0)
            targets[t].run(text, size);
}
