/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of samples and lists of edges are read, and broken ones refused with the line at fault. */
#include "sched/lab/workloads/bnsl.h"
#include "tests/check.h"

#include <string.h>

static struct bnsl_data parse(const char *text)
{
    struct bnsl_data data;
    check_ok(bnsl_data_parse(text, strlen(text), "test.csv", &data));
    return data;
}

TEST(a_table_is_read)
{
    struct bnsl_data data = parse("rain , \"wet grass\",n\r\nno,yes,7\r\nyes, yes,8\nno,no,7\n\n");
    static const uint8_t expected[3][3] = {{0, 1, 0}, {0, 0, 1}, {0, 1, 0}};
    assert_int_equal(data.n_variables, 3);
    assert_int_equal(data.n_samples, 3);
    assert_string_equal(data.names[1], "wet grass");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(data.n_states[i], 2);
        assert_memory_equal(bnsl_data_column(&data, i), expected[i], 3);
    }
    assert_int_equal(bnsl_data_find(&data, word_from_text("n")), 2);
    assert_int_equal(bnsl_data_find(&data, word_from_text("rai")), -1);
    free(data.values);
}

TEST(bad_tables_are_refused)
{
    static const char *const rows[][2] = {
        {"", "test.csv:1:"},
        {"a\n1\n", "test.csv:1:"},
        {"a,\n1,2\n", "test.csv:1:"},
        {"a,a\n1,2\n", "'a'"},
        {"a,b\n", "without samples"},
        {"a,b\n1,2\n1\n", "test.csv:3:"},
        {"a,b\n1,2\n1,2,3\n", "test.csv:3:"},
        {"a,b\n1,2\n\n1\n", "test.csv:4:"},
        {"a,b\n1,2\n,2\n", "test.csv:3: the value of 'a'"},
        {"a,b\n1,\n", "test.csv:2: the value of 'b'"},
        {NULL, "test.csv:34: 'b'"}, /* one category too many */
    };
    char numbers[4096] = "a,b\n";
    for (int i = 0; i <= BNSL_MAX_STATES; i++)
        sprintf(numbers + strlen(numbers), "1,%d.5\n", i);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text = rows[i][0] ? rows[i][0] : numbers;
        struct bnsl_data data;
        check_status(STATUS_INPUT, bnsl_data_parse(text, strlen(text), "test.csv", &data));
        assert_non_null(strstr(status_text(), rows[i][1]));
        free(data.values);
    }
}

TEST(networks_are_read_and_bad_ones_refused)
{
    static const char *const rows[][2] = {
        {"", "net.csv:1:"},
        {"a,b\n", "net.csv:1:"},
        {"parent,child\na\n", "net.csv:2:"},
        {"parent,child\na,b,c\n", "net.csv:2:"},
        {"parent,child\na,b\na,d\n", "net.csv:3: 'd'"},
        {"parent,child\na,a\n", "net.csv:2:"},
        {"parent,child\na,b\na,b\n", "net.csv:3:"},
        {"parent,child\na,b\nb,a\n", "net.csv:3:"},
        {"parent,child\na,b\nb,c\nc,a\n", "cycle"},
        {"parent,child\nc,a\nb,a\n", NULL},
    };
    struct bnsl_data data = parse("a,b,c\n1,2,3\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bnsl_graph graph;
        check_status(rows[i][1] ? STATUS_INPUT : STATUS_OK,
                     bnsl_network_parse(rows[i][0], strlen(rows[i][0]), "net.csv", &data, &graph));
        if (rows[i][1])
            assert_non_null(strstr(status_text(), rows[i][1]));
        for (int edge = 0; edge < 9 && !rows[i][1]; edge++)
            assert_int_equal(bnsl_graph_has(&graph, edge / 3, edge % 3), edge == 3 || edge == 6);
        bnsl_graph_fini(&graph);
    }
    free(data.values);
}
