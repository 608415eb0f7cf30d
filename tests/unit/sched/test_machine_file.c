/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine file sets the options that were not given, and broken ones are refused; contention
 * slows the workers of a node in proportion to their number; quartiles of samples. */
#include "sched/lab/cli/machine_options.h"
#include "sched/pool/drivers/mpi/mpi_calibrate.h"
#include "tests/cases/file_bytes.h"

#include <string.h>
#include <unistd.h>

static const char path[] = "test_machine_file.json";

static enum status read_text(const char *text, struct machine_settings *settings)
{
    file_bytes_write(path, text, strlen(text));
    enum status status = machine_file_read(path, MPI_COMM_WORLD, settings);
    unlink(path);
    return status;
}

TEST(given_options_override_the_file)
{
    struct machine_settings settings = machine_settings_unknown;
    settings.times.overhead_s = 0.25;
    check_ok(read_text("{\"node-size\": 3, \"latency\": 0, \"overhead\": 1, \"bandwidth\": 1e3,"
                       " \"measured\": {\"anything\": [1]}}",
                       &settings));
    assert_int_equal(settings.node_size, 3);
    assert_true(settings.times.latency_s == 0);
    assert_true(settings.times.overhead_s == 0.25);
    assert_true(settings.times.bandwidth == 1e3);
    assert_true(settings.contention_factor == machine_settings_unknown.contention_factor);
    assert_int_equal(settings.n_workers, 0);
}

TEST(broken_files_are_refused)
{
#define BOTH "\"overhead\": 1, \"latency\": 1"
    static const char *const rows[][2] = {
        {"{\n\"node-size\": }", ".json:2:"},
        {"[1]", "object"},
        {"{" BOTH "}", "node-size"},
        {"{\"node-size\": 2, \"latency\": 1}", "overhead"},
        {"{\"node-size\": 2, \"overhead\": 1}", "latency"},
        {"{\"node-size\": 2, \"node-size\": 2}", "node-size"},
        {"{\"node-size\": 0, " BOTH "}", "node-size"},
        {"{\"node-size\": 1.5, " BOTH "}", "node-size"},
        {"{\"node-size\": 2, \"overhead\": -1, \"latency\": 1}", "overhead"},
        {"{\"node-size\": 2, \"overhead\": \"1\", \"latency\": 1}", "overhead"},
        {"{\"node-size\": 2, \"overhead\": null, \"latency\": 1}", "overhead"},
        {"{\"node-size\": 2, " BOTH ", \"bandwidth\": 0}", "bandwidth"},
        {"{\"node-size\": 2, " BOTH ", \"contention-factor\": 2}",
         "--contention-factor: '2' is not a finite number larger than 0 and at most 1"},
        {"{\"node-size\": 2, " BOTH ", \"color\": 0}", "color"},
        {"{\"node-size\": 2, " BOTH ", \"simulate\": 2}", "simulate"},
        {"{\"node-size\": 2, " BOTH ", \"machine\": 2}", "machine"},
    };
    struct machine_settings settings = machine_settings_unknown;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        settings = machine_settings_unknown;
        check_status(STATUS_INPUT, read_text(rows[i][0], &settings));
        assert_non_null(strstr(status_text(), path));
        assert_non_null(strstr(status_text(), rows[i][1]));
    }
    check_status(STATUS_IO, machine_file_read("test_no_such_file", MPI_COMM_WORLD, &settings));
    /* A byte order mark, and an integer as a real number, which other writers have. */
    settings = machine_settings_unknown;
    check_ok(read_text("\xEF\xBB\xBF{\"node-size\": 3e2, " BOTH "}", &settings));
    assert_int_equal(settings.node_size, 300);
}

/* Nodes of 3 for 7 workers: the last one is alone. */
TEST(a_worker_alone_keeps_its_speed)
{
    double speeds[] = {1, 1, 2, 1, 1, 1, 0.5};
    const double expected[] = {0.8, 0.8, 1.6, 0.8, 0.8, 0.8, 0.5};
    machine_apply_contention(0.8, 3, 7, speeds);
    for (int i = 0; i < 7; i++)
        check_close(speeds[i], expected[i], 1e-15);
    double two[] = {1, 1};
    machine_apply_contention(0.8, 3, 2, two);
    check_close(two[0], 0.9, 1e-15);
    machine_apply_contention(0.8, 1, 2, two);
    check_close(two[1], 0.9, 1e-15);
}

TEST(half_of_the_samples_lies_between_the_quartiles)
{
    struct samples samples = {0};
    assert_int_equal(samples_quartiles(&samples).n, 0);
    for (int i = 8; i >= 0; i--)
        samples_add(&samples, i);
    struct quartiles quartiles = samples_quartiles(&samples);
    assert_int_equal(quartiles.n, 9);
    assert_true(quartiles.median == 4 && quartiles.low == 2 && quartiles.high == 6);
    for (int i = 0; i < 2 * SAMPLES_MAX; i++)
        samples_add(&samples, 4);
    assert_int_equal(samples_quartiles(&samples).n, SAMPLES_MAX);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
