/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads in vt's form: tasks, phases, placement and data are read, broken files are refused by name and
 * place, and what is written has the content of what was read. */
#include "sched/lab/profiles/vt_write.h"
#include "sched/pool/core/history.h"
#include "sched/pool/core/task_data.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_json(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Entity 30 moves from rank 0 to rank 1, entity 50 comes later, 20 goes away. */
static const char rank_0[] =
    "{\"type\": \"LBDatafile\", \"metadata\": {\"rank\": 0, \"shared_node\": {\"id\": 0}}, "
    "\"phases\": ["
    "{\"id\": 4, \"tasks\": ["
    "{\"entity\": {\"id\": 30, \"home\": 0, \"migratable\": true, \"type\": \"object\", \"index\": "
    "[3]},"
    " \"node\": 0, \"resource\": \"cpu\", \"time\": 0.30300000001,"
    " \"user_defined\": {\"shared_id\": 8, \"shared_bytes\": 1e6, \"mine\": \"a\"}},"
    "{\"entity\": {\"id\": 20, \"home\": 0, \"migratable\": false, \"type\": \"object\"},"
    " \"node\": 0, \"resource\": \"cpu\", \"time\": 2.5, \"subphases\": [{\"id\": 0, \"time\": "
    "2.5}]}],"
    " \"communications\": ["
    "{\"type\": \"SendRecv\", \"bytes\": 1456.0, \"messages\": 26,"
    " \"from\": {\"type\": \"object\", \"id\": 30, \"home\": 0, \"migratable\": true},"
    " \"to\": {\"type\": \"object\", \"id\": 40, \"home\": 1, \"migratable\": true}},"
    "{\"type\": \"CollectionToNode\", \"bytes\": 8.0, \"messages\": 1,"
    " \"from\": {\"type\": \"object\", \"id\": 30}, \"to\": {\"type\": \"node\", \"id\": 1}}]},"
    "{\"id\": 9, \"user_defined\": {\"k\": 11}, \"tasks\": []}]}";

static const char rank_1[] =
    "{\"type\": \"LBDatafile\", \"phases\": ["
    "{\"id\": 9, \"tasks\": ["
    "{\"entity\": {\"id\": 50, \"home\": 1, \"migratable\": true, \"type\": \"object\"}, \"node\": "
    "1,"
    " \"resource\": \"cpu\", \"time\": 7.0, \"user_defined\": {\"shared_id\": 8, \"shared_bytes\": "
    "1e6}},"
    "{\"entity\": {\"id\": 30, \"home\": 0, \"migratable\": true, \"type\": \"object\", \"index\": "
    "[3]},"
    " \"node\": 1, \"resource\": \"cpu\", \"time\": 0.75,"
    " \"user_defined\": {\"shared_id\": 8, \"shared_bytes\": 1e6, \"mine\": \"b\"}},"
    "{\"entity\": {\"id\": 40, \"home\": 1, \"migratable\": true, \"type\": \"object\"}, \"node\": "
    "1,"
    " \"resource\": \"cpu\", \"time\": 1.25}]},"
    "{\"id\": 4, \"tasks\": ["
    "{\"entity\": {\"id\": 40, \"home\": 1, \"migratable\": true, \"type\": \"object\"}, \"node\": "
    "1,"
    " \"resource\": \"cpu\", \"time\": 0.5}]}]}";

static void read_two_ranks(struct vt_load *load)
{
    write_json("test_vt.0.json", rank_0);
    write_json("test_vt.1.json", rank_1);
    check_ok(vt_load_read(MPI_COMM_WORLD, "test_vt.%p.json", load));
}

static void remove_two_ranks(void)
{
    unlink("test_vt.0.json");
    unlink("test_vt.1.json");
}

static void test_tasks_phases_and_placement_are_read(void **state)
{
    (void)state;
    /* By phase, rank and place: entities 30, 20, 40, then 50. */
    static const double seconds[2][4] = {{0.30300000001, 2.5, 0.5, 0}, {0.75, 0, 1.25, 7}};
    static const int64_t owners[] = {0, 0, 1, 1};
    struct vt_load load;
    read_two_ranks(&load);
    assert_int_equal(load.n_ranks, 2);
    assert_int_equal(load.n_phases, 2);
    assert_int_equal(load.n_tasks, 4);
    for (int task = 0; task < 4; task++) {
        assert_int_equal(load.owners[task], owners[task]);
        for (int iteration = 0; iteration < 5; iteration++)
            assert_true(vt_load_seconds(&load, iteration, task) ==
                        seconds[iteration > 0 ? 1 : 0][task]);
    }
    vt_load_fini(&load);
    remove_two_ranks();
}

static void check_access(const struct taskpool_data *data, int64_t task, int64_t bytes, int owner)
{
    int64_t n;
    const struct taskpool_data_access *access = task_data_of(data, task, &n);
    assert_int_equal(n, bytes > 0 ? 1 : 0);
    if (n == 0)
        return;
    assert_false(access->writes);
    assert_int_equal(data->blocks[access->block].bytes, bytes);
    assert_int_equal(data->blocks[access->block].owner, owner);
}

static void test_shared_blocks_and_messages_are_read(void **state)
{
    (void)state;
    struct vt_load load;
    read_two_ranks(&load);
    assert_int_equal(load.data->n_blocks, 2);
    check_access(load.data, 0, 1000000, 0);
    check_access(load.data, 1, 0, 0);
    check_access(load.data, 2, 1456, 0); /* from entity 30 */
    check_access(load.data, 3, 1000000, 0);
    vt_load_fini(&load);
    remove_two_ranks();
}

/* --- what is written --- */

static int compare_entities(const void *left, const void *right)
{
    int64_t a = vt_task_id(*(json_t *const *)left), b = vt_task_id(*(json_t *const *)right);
    return (a > b) - (a < b);
}

static int compare_phases(const void *left, const void *right)
{
    int64_t a = vt_phase_id(*(json_t *const *)left), b = vt_phase_id(*(json_t *const *)right);
    return (a > b) - (a < b);
}

/* Order has no meaning in these lists. */
static json_t *sorted(const json_t *list, int (*compare)(const void *, const void *))
{
    json_t *items[16], *result = json_array();
    size_t n = json_array_size(list);
    assert_true(n <= 16);
    for (size_t i = 0; i < n; i++)
        items[i] = json_array_get(list, i);
    qsort(items, n, sizeof *items, compare);
    for (size_t i = 0; i < n; i++)
        json_array_append(result, items[i]);
    return result;
}

static json_t *read_sorted(const char *path)
{
    json_t *file, *phase;
    size_t i;
    check_ok(vt_file_read(path, &file));
    json_object_set_new(file, "phases", sorted(vt_phases(file), compare_phases));
    json_array_foreach(json_object_get(file, "phases"), i, phase)
        json_object_set_new(phase, "tasks", sorted(vt_tasks(phase), compare_entities));
    return file;
}

static void check_same_content(const char *path, const char *other)
{
    json_t *a = read_sorted(path), *b = read_sorted(other);
    if (!json_equal(a, b))
        fail_msg("%s and %s differ:\n%s\n%s", path, other, json_dumps(a, 0), json_dumps(b, 0));
    json_decref(a);
    json_decref(b);
}

/* An iteration in which every task ran where a phase has it. */
static void add_as_recorded(struct vt_writer *writer, const struct vt_load *load, int64_t phase)
{
    struct taskpool_history history = {0};
    for (int64_t i = load->n_records; i-- > 0;) {
        const struct vt_record *record = &load->records[i];
        if (record->phase == phase)
            check_ok(history_add(&history, record->task, vt_task_seconds(record->json),
                                 (int)record->rank));
    }
    check_ok(vt_writer_add(writer, MPI_COMM_WORLD, &history));
    history_fini(&history);
}

static void test_a_load_is_written_as_it_was_read(void **state)
{
    (void)state;
    struct vt_load load;
    struct vt_writer *writer;
    read_two_ranks(&load);
    check_ok(vt_writer_create(&load, NULL, 2, &writer));
    add_as_recorded(writer, &load, 0);
    add_as_recorded(writer, &load, 1);
    check_ok(vt_writer_write(writer, "test_vt_copy.%p.json"));
    check_same_content("test_vt.0.json", "test_vt_copy.0.json");
    check_same_content("test_vt.1.json", "test_vt_copy.1.json");
    vt_writer_destroy(writer);
    vt_load_fini(&load);
    remove_two_ranks();
    unlink("test_vt_copy.0.json");
    unlink("test_vt_copy.1.json");
}

/* On one worker the messages of both files are in its file; measured times are written. */
static void test_a_run_is_written_where_and_as_long_as_it_ran(void **state)
{
    (void)state;
    struct vt_load load, again;
    struct vt_writer *writer;
    read_two_ranks(&load);
    check_ok(vt_writer_create(&load, NULL, 1, &writer));
    for (int iteration = 0; iteration < 3; iteration++) {
        struct taskpool_history history = {0};
        for (int64_t task = 0; task < load.n_tasks; task++)
            check_ok(history_add(&history, task, 0.125 * (double)(task + 1 + iteration), 0));
        check_ok(vt_writer_add(writer, MPI_COMM_WORLD, &history));
        history_fini(&history);
    }
    check_ok(vt_writer_write(writer, "test_vt_run.%p.json"));
    check_ok(vt_load_read(MPI_COMM_WORLD, "test_vt_run.%p.json", &again));
    assert_int_equal(again.n_ranks, 1);
    assert_int_equal(again.n_phases, 3); /* 4, 9 and, repeated, 10 */
    assert_int_equal(again.phase_ids[2], 10);
    assert_int_equal(
        json_array_size(vt_communications(json_array_get(vt_phases(again.files[0]), 0))), 2);
    assert_true(vt_load_seconds(&again, 1, vt_load_find(&again, 30, 1)->task) == 0.25);
    assert_null(vt_load_find(&again, 20, 1)); /* not in the second phase */
    vt_writer_destroy(writer);
    vt_load_fini(&again);
    vt_load_fini(&load);
    remove_two_ranks();
    unlink("test_vt_run.0.json");
}

static void test_other_tasks_become_entities(void **state)
{
    (void)state;
    int64_t numbers[] = {3, 5}, first[] = {0, 0, 2};
    struct taskpool_data_block blocks[] = {{100, 0}, {300, 1}};
    struct taskpool_data_access accesses[] = {{0, false}, {1, true}};
    const struct taskpool_data data = {.n_blocks = 2,
                                       .numbers = numbers,
                                       .blocks = blocks,
                                       .n_tasks = 2,
                                       .first = first,
                                       .accesses = accesses};
    struct taskpool_history history = {0};
    struct vt_writer *writer;
    struct vt_load load;
    check_ok(history_add(&history, 1, 0.5, 1));
    check_ok(history_add(&history, 0, 0.25, 0));
    check_ok(vt_writer_create(NULL, &data, 2, &writer));
    check_ok(vt_writer_add(writer, MPI_COMM_WORLD, &history));
    check_ok(vt_writer_write(writer, "test_vt_made.%p.json"));
    check_ok(vt_load_read(MPI_COMM_WORLD, "test_vt_made.%p.json", &load));
    assert_int_equal(load.n_tasks, 2);
    assert_true(load.seconds[0] == 0.25 && load.seconds[1] == 0.5);
    assert_int_equal(load.owners[1], 1);
    check_access(load.data, 0, 0, 0);
    check_access(load.data, 1, 300, 1);
    vt_load_fini(&load);
    vt_writer_destroy(writer);
    history_fini(&history);
    unlink("test_vt_made.0.json");
    unlink("test_vt_made.1.json");
}

/* Files of further ranks would be read with those of the load: they are removed, or it is no load. */
static void test_further_ranks_are_removed(void **state)
{
    (void)state;
    struct taskpool_history history = {0};
    struct vt_writer *writer;
    struct vt_load load;
    write_json("test_vt_less.3.json", rank_0);
    write_json("test_vt_less.7.json", rank_1);
    write_json("test_vt_less.07.json", "mine");
    check_ok(history_add(&history, 0, 0.25, 0));
    check_ok(vt_writer_create(NULL, NULL, 2, &writer));
    check_ok(vt_writer_add(writer, MPI_COMM_WORLD, &history));
    check_ok(vt_writer_write(writer, "test_vt_less.%p.json"));
    check_ok(vt_load_read(MPI_COMM_WORLD, "test_vt_less.%p.json", &load));
    assert_int_equal(load.n_ranks, 2);
    assert_int_equal(unlink("test_vt_less.07.json"), 0);
    assert_int_equal(mkdir("test_vt_less.5.json", 0700), 0);
    check_status(STATUS_IO, vt_writer_write(writer, "test_vt_less.%p.json"));
    assert_non_null(strstr(status_text(), "cannot remove test_vt_less.5.json"));
    vt_load_fini(&load);
    vt_writer_destroy(writer);
    history_fini(&history);
    rmdir("test_vt_less.5.json");
    unlink("test_vt_less.0.json");
    unlink("test_vt_less.1.json");
}

/* --- what is refused --- */

static void check_refused(const char *text, const char *word)
{
    struct vt_load load;
    write_json("test_vt_bad.json", text);
    check_status(STATUS_INPUT, vt_load_read(MPI_COMM_WORLD, "test_vt_bad.json", &load));
    if (!strstr(status_text(), word) || !strstr(status_text(), "test_vt_bad.json"))
        fail_msg("'%s' lacks '%s'", status_text(), word);
    unlink("test_vt_bad.json");
}

#define ONE_TASK(task) "{\"phases\": [{\"id\": 0, \"tasks\": [" task "]}]}"

static void test_broken_files_are_refused(void **state)
{
    (void)state;
    struct vt_load load;
    check_refused("{\n\"phases\": [\n}", "test_vt_bad.json:3: not JSON");
    check_refused("[]", "no array \"phases\"");
    check_refused("{\"type\": \"LBStatsfile\", \"phases\": []}", "the type is LBStatsfile");
    check_refused("{\"phases\": []}", "without tasks");
    check_refused("{\"phases\": [{\"id\": -1, \"tasks\": []}]}", "phase 0");
    check_refused("{\"phases\": [{\"id\": 0, \"tasks\": []}, {\"id\": 1}]}", "phase 1");
    check_refused(ONE_TASK("{\"time\": 1}"),
                  "phase 0, task 0 (counted from 0): there is no \"entity\"");
    check_refused(ONE_TASK("{\"entity\": {\"id\": 1}, \"time\": 1}, {\"entity\": {\"id\": 2}}"),
                  "task 1 (counted from 0): \"time\"");
    check_refused(ONE_TASK("{\"entity\": {\"id\": 1}, \"time\": -1}"), "\"time\"");
    check_refused(ONE_TASK("{\"entity\": {\"id\": 1.5}, \"time\": 1}"), "whole number");
    check_refused(ONE_TASK("{\"entity\": {\"id\": 1}, \"time\": 1, \"user_defined\": 3}"),
                  "\"user_defined\"");
    check_refused(
        ONE_TASK("{\"entity\": {\"id\": 1}, \"time\": 1, \"user_defined\": {\"shared_id\": 1}}"),
        "\"shared_bytes\"");
    check_refused(
        ONE_TASK("{\"entity\": {\"id\": 1}, \"time\": 1}, {\"entity\": {\"id\": 1}, \"time\": 2}"),
        "phase 0 has task 1 twice, in the files of ranks 0 and 0");
    check_refused(
        "{\"phases\": [{\"id\": 0, \"tasks\": [], \"communications\": [{\"bytes\": -3}]}]}",
        "communication 0 (counted from 0): \"bytes\"");
    check_status(STATUS_IO, vt_load_read(MPI_COMM_WORLD, "no_such.%p.json", &load));
    assert_non_null(strstr(status_text(), "no_such.0.json"));
}

/* Without the rank in the middle a load would be a smaller one. */
static void test_a_missing_rank_is_told(void **state)
{
    (void)state;
    struct vt_load load;
    write_json("test_vt.0.json", rank_0);
    write_json("test_vt.2.json", rank_1);
    check_status(STATUS_INPUT, vt_load_read(MPI_COMM_WORLD, "test_vt.%p.json", &load));
    assert_non_null(strstr(status_text(), "test_vt.1.json is missing"));
    assert_int_equal(rename("test_vt.2.json", "test_vt.11.json"), 0);
    check_status(STATUS_INPUT, vt_load_read(MPI_COMM_WORLD, "test_vt.%p.json", &load));
    assert_non_null(strstr(status_text(), "test_vt.1.json is missing, but there is test_vt.11"));
    unlink("test_vt.0.json");
    unlink("test_vt.11.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks_phases_and_placement_are_read),
        cmocka_unit_test(test_shared_blocks_and_messages_are_read),
        cmocka_unit_test(test_a_load_is_written_as_it_was_read),
        cmocka_unit_test(test_a_run_is_written_where_and_as_long_as_it_ran),
        cmocka_unit_test(test_other_tasks_become_entities),
        cmocka_unit_test(test_further_ranks_are_removed),
        cmocka_unit_test(test_broken_files_are_refused),
        cmocka_unit_test(test_a_missing_rank_is_told),
    };
    MPI_Init(NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
