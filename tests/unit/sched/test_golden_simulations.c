/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations of every mode with every option that changes its protocol, against a file of numbers.
 *
 *     test_golden_simulations FILE [write]
 *
 * prints the rows that differ, or writes the file anew. Durations and latencies are
 * multiples of powers of two, so that their sums are exact: no compiler and no sanitizer changes a row. */
#include "tests/cases/simulated_pool.h"

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

/* --- what is simulated --- */

static double even_seconds(const struct simulated *pool, int64_t task)
{
    (void)pool, (void)task;
    return 1.0 / 1024;
}

/* A few long ones among many short ones, which take longer from the third iteration on. */
static double uneven_seconds(const struct simulated *pool, int64_t task)
{
    int64_t n_long = pool->iteration < 2 ? 60 : 90;
    return (double)(1 + task * task % 97 + (task < n_long ? 150 : 0)) / 65536;
}

/* Wrong by up to a factor of two, as a prediction may be. */
static double uneven_cost(int64_t task, void *context)
{
    return uneven_seconds(context, task) * (double)(8 + task % 8) / 8;
}

/* Every other task is null. */
static double null_seconds(const struct simulated *pool, int64_t task)
{
    (void)pool;
    return task % 2 ? 1.0 / 1048576 : (double)(1 + task * 7 % 13) / 16384;
}

static bool are_null(int64_t first, int64_t last, const void *context)
{
    (void)context;
    return last - first == 1 && first % 2;
}

static double speeds[16];

static const struct taskpool_machine flat = {.n_workers = 13, .latency_s = 1.0 / 131072};
static const struct taskpool_machine nodes = {.n_workers = 16,
                                              .node_size = 4,
                                              .has_levels = true,
                                              .latency_s = 1.0 / 32768,
                                              .node_latency_s = 1.0 / 524288,
                                              .bandwidth = 1 << 30,
                                              .node_bandwidth = INT64_C(1) << 34,
                                              .overhead_s = 1.0 / 1048576,
                                              .counter_s = 1.0 / 524288,
                                              .atomic_s = 1.0 / 1048576,
                                              .task_s = 1.0 / 4194304,
                                              .poll_s = 1.0 / 2097152,
                                              .speeds = speeds};
static const struct taskpool_machine threads = {.n_workers = 6,
                                                .n_threads = 3,
                                                .node_size = 3,
                                                .node_server = true,
                                                .latency_s = 1.0 / 65536,
                                                .overhead_s = 1.0 / 1048576,
                                                .are_null = are_null};

/* Each task reads one block and writes another; interruptions delay the nodes. */
enum { DATA_TASKS = 600, DATA_BLOCKS = 24 };
static int64_t first_accesses[DATA_TASKS + 1];
static struct taskpool_data_access accesses[2 * DATA_TASKS];
static struct taskpool_data_block blocks[DATA_BLOCKS];
static const struct taskpool_data data = {.n_blocks = DATA_BLOCKS,
                                          .blocks = blocks,
                                          .n_tasks = DATA_TASKS,
                                          .first = first_accesses,
                                          .accesses = accesses};
static struct taskpool_machine with_data; /* nodes, with these */
static struct taskpool_noise noise;

static void set_data(void)
{
    for (int64_t i = 0; i < DATA_BLOCKS; i++)
        blocks[i] = (struct taskpool_data_block){.bytes = 4096 << i % 4, .owner = 5 * i % 16};
    for (int64_t task = 0; task < DATA_TASKS; task++) {
        first_accesses[task + 1] = 2 * (task + 1);
        accesses[2 * task].block = task * task % DATA_BLOCKS;
        accesses[2 * task + 1] = (struct taskpool_data_access){.block = task / 25, .writes = true};
    }
    check_ok(taskpool_noise_init_periodic(&noise, 1.0 / 256, 1.0 / 4096));
    with_data = nodes;
    with_data.data = &data;
    with_data.cache_bytes = 65536;
    with_data.noise = &noise;
}

/* A workload on a machine. */
struct scene {
    const char *name, *modes; /* modes  ",a,b,": of these only; NULL: of all */
    const struct taskpool_machine *machine;
    int64_t n_tasks;
    double (*seconds)(const struct simulated *pool, int64_t task);
    double (*cost)(int64_t task, void *context);
    bool dynamic, tasks_keep_data;
    const char *options; /* in addition */
};

static const struct scene scenes[] = {
    {"even", NULL, &flat, 500, even_seconds, pool_case_cost, false, false, " --progress=poll"},
    {"uneven", NULL, &nodes, 1000, uneven_seconds, uneven_cost, false, false, ""},
    {"threads", NULL, &threads, 400, null_seconds, pool_case_cost, false, false, ""},
    {"blind", ",auto,persist,retentive,af,awf-b,fsc,", &nodes, 1000, uneven_seconds, NULL, false,
     false, ""},
    {"kept", ",auto,persist,retentive,", &nodes, 1000, uneven_seconds, uneven_cost, false, true,
     ""},
    {"data", ",static,counter,steal,auto,hybrid,", &with_data, DATA_TASKS, uneven_seconds, NULL,
     false, false, ""},
    {"tree", NULL, &flat, 400, uneven_seconds, NULL, true, false, ""},
};

/* In addition to pool_cases.h: options that read a file or change no invariant of the property tests. */
static const char speeds_file[] = "golden_speeds.txt";
static const char *const more_cases[] = {
    "--sched=dtree --fan-out=3 --speeds=golden_speeds.txt",
    "--sched=wf --speeds=golden_speeds.txt",
    "--sched=diffusion --gossip-threshold=1.5",
    "--sched=steal --deque=64 --poll-every=1",
    "--sched=static --seeding=cost --seed=7",
};

static const char *case_line(int i)
{
    int n = pool_case_count(false);
    return i < n                           ? pool_case_find(i, false)
           : i - n < (int)N_OF(more_cases) ? more_cases[i - n]
                                           : NULL;
}

static bool is_in_scene(const struct scene *scene, const char *line,
                        const struct taskpool_mode *mode)
{
    char name[32];
    snprintf(name, sizeof name, ",%s,", mode->name);
    if (strstr(line, "--seeding=cost") && !scene->cost)
        return false;
    if (scene->dynamic && (!mode->add || strstr(line, "--seeding")))
        return false;
    return !scene->modes || strstr(scene->modes, name);
}

/* --- rows --- */

enum { ITERATIONS = 4, ROW = 400, MAX_ROWS = 600, N_COLUMNS = 6 };
static const char *const columns[N_COLUMNS] = {"us",       "balancing", "messages",
                                               "attempts", "steals",    "moved"};

static char rows[MAX_ROWS][ROW];
static int n_rows;

/* One number where all iterations have it. */
static void add_column(char *row, const char *name, const char *format, const double *values)
{
    size_t n = strlen(row);
    bool all_equal = true;
    for (int i = 1; i < ITERATIONS; i++)
        all_equal = all_equal && values[i] == values[0];
    n += (size_t)snprintf(row + n, ROW - n, " | %s", name);
    for (int i = 0; i < (all_equal ? 1 : ITERATIONS); i++) {
        row[n++] = ' ';
        n += (size_t)snprintf(row + n, ROW - n, format, values[i]);
    }
}

static void write_speeds(int n_workers)
{
    FILE *file = fopen(speeds_file, "w");
    assert_non_null(file);
    for (int i = 0; i < n_workers; i++)
        fprintf(file, "%d\n", 1 + i % 3);
    fclose(file);
}

static void make_row(const struct scene *scene, const char *line, char *row)
{
    static struct simulated pool;
    char command_line[128];
    double values[N_COLUMNS][ITERATIONS];
    snprintf(command_line, sizeof command_line, "%s%s", line, scene->options);
    pool = (struct simulated){.command_line = command_line,
                              .n_tasks = scene->n_tasks,
                              .n_iterations = ITERATIONS,
                              .seconds = scene->seconds,
                              .dynamic = scene->dynamic,
                              .problem = {.cost = scene->cost,
                                          .owner = pool_case_owner,
                                          .tasks_keep_data = scene->tasks_keep_data},
                              .machine = *scene->machine};
    write_speeds(scene->machine->n_workers);
    simulated_run(&pool);
    for (int i = 0; i < ITERATIONS; i++) {
        const struct taskpool_iteration *figures = &pool.figures[i];
        const double found[N_COLUMNS] = {
            1e6 * figures->makespan_s,
            1e6 * figures->balance_s,
            (double)figures->messages,
            figures->steals_attempted.mean * (double)figures->n_workers,
            figures->steals_successful.mean * (double)figures->n_workers,
            (double)figures->tasks_moved};
        for (int c = 0; c < N_COLUMNS; c++)
            values[c][i] = found[c];
    }
    snprintf(row, ROW, "%s | %s", line, scene->name);
    for (int c = 0; c < N_COLUMNS; c++)
        add_column(row, columns[c], c < 2 ? "%.1f" : "%.0f", values[c]);
    size_t n = strlen(row);
    snprintf(row + n, ROW - n, " | placed %08x", (unsigned)(pool.digest >> 32));
}

static void make_rows(void)
{
    check_begin_mpi();
    unsetenv("BERYL_TEST_POOL_OPTIONS");
    set_data();
    for (int i = 0; i < 16; i++)
        speeds[i] = i == 5 ? 0.5 : 1;
    for (int c = 0; case_line(c); c++)
        for (size_t s = 0; s < N_OF(scenes); s++) {
            struct taskpool_settings settings = pool_case_settings(case_line(c));
            const struct taskpool_mode *mode = mode_for(settings.mode, scenes[s].dynamic);
            assert_true(n_rows < MAX_ROWS);
            if (is_in_scene(&scenes[s], case_line(c), mode))
                make_row(&scenes[s], case_line(c), rows[n_rows++]);
        }
    remove(speeds_file);
}

/* --- the file --- */

static char old[MAX_ROWS][ROW];
static int n_old;

static void read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (n_old < MAX_ROWS && fgets(old[n_old], ROW, file)) {
        old[n_old][strcspn(old[n_old], "\n")] = '\0';
        n_old++;
    }
    fclose(file);
}

/* The command line and the scene. */
static size_t key_length(const char *row)
{
    const char *end = strstr(row, " | us ");
    return end ? (size_t)(end - row) : strlen(row);
}

static const char *find_old(const char *row)
{
    size_t n = key_length(row);
    for (int i = 0; i < n_old; i++)
        if (key_length(old[i]) == n && memcmp(old[i], row, n) == 0)
            return old[i];
    return NULL;
}

TEST(rows_are_those_of_the_file)
{
    assert_true(check_argc > 1);
    if (check_argc > 2) {
        FILE *file = fopen(check_argv[1], "w");
        assert_non_null(file);
        for (int i = 0; i < n_rows; i++)
            fprintf(file, "%s\n", rows[i]);
        assert_int_equal(fclose(file), 0);
    }
    read_file(check_argv[1]);
    int n_different = 0;
    for (int i = 0; i < n_rows; i++) {
        const char *before = find_old(rows[i]);
        if (before && strcmp(before, rows[i]) == 0)
            continue;
        int n = (int)key_length(rows[i]);
        n_different++;
        fprintf(stderr, "%.*s\n    in the file%s\n    found      %s\n", n, rows[i],
                before ? before + n : ": no row", rows[i] + n);
    }
    if (n_different > 0 || n_old != n_rows)
        fail_msg("%d of %d rows differ, %d in the file; after a change on purpose: %s %s write",
                 n_different, n_rows, n_old, check_argv[0], check_argv[1]);
}

/* The options of all modes are those of pool_cases.h and of more_cases. */
TEST(every_option_has_a_row)
{
    struct taskpool_settings settings = {0};
    const struct option_table table = mode_options_table(&settings);
    static const char *const of_drivers[] = {"sched", "progress", "watchdog", "trace"};
    for (size_t i = 0; i < table.n_rows; i++) {
        char option[64];
        snprintf(option, sizeof option, "--%s", table.rows[i].name);
        bool found = false;
        for (size_t d = 0; d < N_OF(of_drivers); d++)
            found = found || strcmp(of_drivers[d], table.rows[i].name) == 0;
        for (int c = 0; case_line(c) && !found; c++)
            found = strstr(case_line(c), option) != NULL;
        if (!found)
            fail_msg("%s has no row in tests/cases/pool_cases.h", option);
    }
}

TEST_SETUP(make_rows)
TEST_TEARDOWN(check_end_mpi)
