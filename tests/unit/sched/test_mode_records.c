/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes whose results differ are named, nothing else fails a comparison; the JSON has what was
 * recorded. */
#include "sched/lab/comparison/mode_records.h"
#include "tests/check.h"

#include <string.h>

static void init_records(struct mode_records *records)
{
    static const struct mode_list modes = {.n = 3, .modes = {"static", "counter", "share"}};
    *records = (struct mode_records){0};
    mode_records_start(records, &modes);
    for (int m = 0; m < 3; m++) {
        struct mode_record *record = mode_records_begin(records, m);
        strcpy(record->sha256[0], "alpha");
        strcpy(record->sha256[1], "beta");
    }
}

TEST(a_mode_of_another_result_is_named)
{
    for (int i = 0; i < MODE_RECORD_DIGESTS; i++) {
        struct mode_records records;
        init_records(&records);
        check_ok(mode_records_check(&records, "Fock matrix"));
        strcpy(records.list[2].sha256[i], "other");
        check_status(STATUS_PROTOCOL, mode_records_check(&records, "Fock matrix"));
        assert_int_equal(status_exit_code(STATUS_PROTOCOL), 1);
        assert_non_null(
            strstr(status_text(), "the Fock matrix of share differs from that of static"));
        strcpy(records.list[1].sha256[i], "third");
        check_status(STATUS_PROTOCOL, mode_records_check(&records, "Fock matrix"));
        assert_non_null(strstr(status_text(), "of counter, share differs from that of static"));
        mode_records_fini(&records);
    }
}

/* The value at "key/key/...", where a key may be a position in an array, is this JSON; after "#", the number of
 * elements; NULL: there is no value. Takes the JSON. */
static void expect(json_t *json, const char *const rows[][2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json;
        char path[64], *rest = path, length[24];
        snprintf(path, sizeof path, "%s", rows[i][0]);
        for (char *key; value && (key = strsep(&rest, "/")) && strcmp(key, "#") != 0;)
            value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
                                         : json_object_get(value, key);
        size_t size = json_is_array(value) ? json_array_size(value) : json_object_size(value);
        snprintf(length, sizeof length, "%zu", size);
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        const char *found = rows[i][0][strlen(rows[i][0]) - 1] == '#' ? length : text;
        if (!rows[i][1] ? value != NULL : !found || strcmp(found, rows[i][1]) != 0)
            fail_msg("%s is %s", rows[i][0], found ? found : "missing");
        free(text);
    }
    json_decref(json);
}

#define EXPECT(json, ...)                                                                          \
    do {                                                                                           \
        static const char *const rows[][2] = {__VA_ARGS__};                                        \
        expect(json, rows, sizeof rows / sizeof rows[0]);                                          \
    } while (0)

static const char *const with_digest[] = {"sha256", NULL};

TEST(iterations_are_recorded_in_order)
{
    struct mode_records records;
    init_records(&records);
    const struct mode_record *record = &records.list[1];
    for (int i = 0; i < 3; i++) {
        const struct taskpool_iteration statistics = {.iteration = 7, .tasks = 10 + i};
        assert_non_null(mode_records_note(&records, 1, (double[]){3, 1, 2}[i], &statistics));
    }
    check_ok(mode_records_end(&records, 1));
    assert_true(record->first_s == 3 && record->best_s == 1 && record->last_s == 2);
    /* The others have not run. */
    EXPECT(mode_records_to_json(&records, with_digest), {"#", "1"},
           {"counter/sched", "\"counter\""}, {"counter/tasks", "12"},
           {"counter/sha256", "\"alpha\""}, {"counter/iterations/#", "3"},
           {"counter/iterations/0/iteration", "0"}, {"counter/iterations/1/iteration", "1"},
           {"counter/iterations/2/iteration", "2"});
    mode_records_fini(&records);
}

static void run_round(struct mode_records *records, int position, double seconds,
                      const char *digest)
{
    const struct taskpool_iteration statistics = {.tasks = 1};
    struct mode_record *record = mode_records_begin(records, position);
    mode_records_note(records, position, seconds, &statistics);
    strcpy(record->sha256[0], digest);
    check_ok(mode_records_end(records, position));
}

static const struct mode_list copies = {.n = 2, .modes = {"auto", "auto"}};

TEST(rounds_of_a_mode_named_twice)
{
    static struct mode_records records = {.n_rounds = 8, .comparison = {.seed = 5}};
    mode_records_start(&records, &copies);
    for (int turn = 0; turn < 16; turn++)
        run_round(&records, turn % 2, turn % 2 + 1, "alpha");
    check_ok(mode_records_check(&records, "Fock matrix"));
    mode_records_print(&records, "Fock build");
    EXPECT(mode_records_to_json(&records, with_digest), {"auto/ratio", NULL},
           {"auto#2/sched", "\"auto\""}, {"auto#2/iterations/#", "8"},
           {"auto#2/iterations/7/round", "7"}, {"auto#2/iterations/7/iteration", "0"},
           {"auto#2/round_seconds/#", "8"}, {"auto#2/median_seconds", "2.0"},
           {"auto#2/ratio/to", "\"auto\""}, {"auto#2/ratio/verdict", "\"slower\""},
           {"auto#2/ratio/p", "0.0078125"});
    EXPECT(mode_records_summary_to_json(&records), {"rounds", "8"}, {"seeds/auto", "5"},
           {"seeds/auto#2", "1005"}, {"orders/7/#", "2"}, {"orders/8", NULL});
    records.comparison.simulated = true;
    EXPECT(mode_records_summary_to_json(&records), {"orders", NULL});
    mode_records_fini(&records);
}

/* A failure may end the comparison in the middle of a round or before an iteration. */
TEST(orders_are_of_rounds_that_began)
{
    static struct mode_records records = {.n_rounds = 8};
    mode_records_start(&records, &copies);
    for (int turn = 0; turn < 3; turn++)
        run_round(&records, turn % 2, 1, "alpha");
    EXPECT(mode_records_summary_to_json(&records), {"rounds", "8"}, {"orders/#", "2"});
    mode_records_fini(&records);
    records = (struct mode_records){.n_rounds = 1};
    mode_records_start(&records, &copies);
    mode_records_begin(&records, 0);
    EXPECT(mode_record_to_json(&records, 0, with_digest), {"tasks", NULL}, {"iterations/#", "0"});
    mode_records_fini(&records);
}

TEST(a_round_of_another_result_is_named)
{
    static struct mode_records records = {.n_rounds = 3};
    mode_records_start(&records, &copies);
    for (int turn = 0; turn < 6; turn++)
        run_round(&records, turn % 2, 1, turn == 3 ? "other" : "alpha");
    check_status(STATUS_PROTOCOL, mode_records_check(&records, "Fock matrix"));
    assert_non_null(strstr(status_text(), "of auto#2 differs from that of auto"));
    mode_records_fini(&records);
}
