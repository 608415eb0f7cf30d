/* SPDX-License-Identifier: BSD-3-Clause */
/* Files about blocks that tasks read and write: read back as written, and broken tables are
 * refused. */
#include "sched/lab/profiles/profile.h"
#include "tests/check.h"

#include <string.h>
#include <unistd.h>

static const char profile_path[] = "test_task_data.csv",
                  blocks_path[] = "test_task_data.blocks.csv",
                  sizes_path[] = "test_task_data.sizes.csv";

static int64_t numbers[] = {3, 5, 9};
static double seconds[] = {1, 1, 1};
static const struct profile profile = {.n = 3, .seconds = seconds, .tasks = numbers};

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void check_access(const struct taskpool_data *data, int64_t task, int64_t i, bool writes,
                         int64_t number, int64_t bytes)
{
    int64_t n;
    const struct taskpool_data_access *access = task_data_of(data, task, &n) + i;
    assert_true(i < n);
    assert_int_equal(access->writes, writes);
    assert_int_equal(data->numbers[access->block], number);
    assert_int_equal(data->blocks[access->block].bytes, bytes);
}

/* Tasks are added in any order; what a task does again counts once, where it was first. */
TEST(written_data_are_read_back)
{
    struct data_records records = {0};
    const struct taskpool_data_block large = {.bytes = 800, .owner = 4},
                                     small = {.bytes = 8, .owner = 7};
    data_records_begin_task(&records);
    check_ok(data_records_add(&records, 9, false, 20, large));
    check_ok(data_records_add(&records, 9, false, 10, small));
    check_ok(data_records_add(&records, 9, false, 20, large));
    check_ok(data_records_add(&records, 9, true, 20, large));
    check_ok(data_records_add(&records, 9, true, 10, small));
    data_records_begin_task(&records);
    check_ok(data_records_add(&records, 3, true, 10, small));
    check_ok(data_records_add(&records, 3, true, 10, small));
    check_ok(task_data_write(MPI_COMM_WORLD, &records, profile_path));
    data_records_fini(&records);

    struct taskpool_data *data;
    assert_true(task_data_is_beside(profile_path));
    check_ok(task_data_read(profile_path, &profile, &data));
    assert_int_equal(data->n_blocks, 2);
    assert_int_equal(data->n_tasks, 3);
    assert_int_equal(data->first[3], 5);
    check_access(data, 0, 0, true, 10, 8);
    check_access(data, 2, 0, false, 20, 800);
    check_access(data, 2, 1, false, 10, 8);
    check_access(data, 2, 2, true, 20, 800);
    check_access(data, 2, 3, true, 10, 8);
    int64_t n;
    task_data_of(data, 1, &n);
    assert_int_equal(n, 0);
    /* The first block that is written decides; a task without data has its number. */
    assert_int_equal(task_data_owner(data, 0, 5), 2);
    assert_int_equal(task_data_owner(data, 1, 5), 1);
    assert_int_equal(task_data_owner(data, 2, 3), 1);
    /* By the numbers of the profile. */
    check_ok(task_data_number(data, numbers));
    check_access(data, 9, 1, false, 10, 8);
    task_data_of(data, 2, &n);
    assert_int_equal(n, 0);
    task_data_destroy(data);
    unlink(blocks_path);
    unlink(sizes_path);
    assert_false(task_data_is_beside(profile_path));
}

TEST(only_csv_has_data_beside_it)
{
    struct task_data_paths paths;
    assert_true(task_data_paths("a.b/c.csv", &paths));
    assert_string_equal(paths.blocks, "a.b/c.blocks.csv");
    assert_string_equal(paths.sizes, "a.b/c.sizes.csv");
    assert_false(task_data_paths(NULL, &paths));
    assert_false(task_data_paths("c.npy", &paths));
    assert_false(task_data_paths("csv", &paths));
    char path[5000];
    memset(path, 'a', sizeof path);
    memcpy(path + sizeof path - sizeof ".csv", ".csv", sizeof ".csv");
    assert_false(task_data_paths(path, &paths));
}

#define SIZES  "block,bytes,owner\n"
#define BLOCKS "task,access,block\n"

TEST(broken_tables_are_refused)
{
    static const struct {
        const char *sizes, *blocks, *word;
    } cases[] = {
        {"", BLOCKS, "empty"},
        {"1,8,0\n", BLOCKS, ".sizes.csv:1:"},
        {"block,owner,bytes\n1,8,0\n", BLOCKS, ".sizes.csv:1:"},
        {SIZES "1,8\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,8,0\n1,8,0\n", BLOCKS, ".sizes.csv:3:"},
        {SIZES "2,8,0\n1,8,0\n", BLOCKS, ".sizes.csv:3:"},
        {SIZES "-1,8,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,-8,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,9000000000000,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,8,-1\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,8.5,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,99999999999999999999,0\n", BLOCKS, ".sizes.csv:2:"},
        {SIZES "1,8,0\n", "", "empty"},
        {SIZES "1,8,0\n", "3,r,1\n", ".blocks.csv:1:"},
        {SIZES "1,8,0\n", BLOCKS "3,x,1\n", ".blocks.csv:2:"},
        {SIZES "1,8,0\n", BLOCKS "3,r\n", ".blocks.csv:2:"},
        {SIZES "1,8,0\n", BLOCKS "3,r,2\n", "block 2 has no size"},
        {SIZES "1,8,0\n", BLOCKS "4,r,1\n", "task 4"},
        {SIZES "1,8,0\n", BLOCKS "5,r,1\n3,r,1\n", ".blocks.csv:3:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct taskpool_data *data;
        write_text(sizes_path, cases[i].sizes);
        write_text(blocks_path, cases[i].blocks);
        check_status(STATUS_INPUT, task_data_read(profile_path, &profile, &data));
        assert_null(data);
        if (!strstr(status_text(), cases[i].word))
            fail_msg("%s: no '%s'", status_text(), cases[i].word);
    }
    struct taskpool_data *data;
    unlink(sizes_path);
    check_status(STATUS_IO, task_data_read(profile_path, &profile, &data));
    assert_non_null(strstr(status_text(), ".sizes.csv is missing"));
    unlink(blocks_path);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
