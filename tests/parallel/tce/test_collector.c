/* SPDX-License-Identifier: BSD-3-Clause */
/* Every record of every process is taken once by process 0, whenever it receives. */
#include "tce/run/collector.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* More than one message has. */
enum { MOST_RECORDS = 3000 };

struct record {
    int process, number;
    double value;
};

/* How often process 0 took each record. */
struct taken {
    int n_processes;
    int *times; /* n_processes x MOST_RECORDS */
};

static void take(const void *bytes, void *context)
{
    struct taken *taken = context;
    struct record record;
    memcpy(&record, bytes, sizeof record);
    assert_in_range(record.process, 0, taken->n_processes - 1);
    assert_in_range(record.number, 0, MOST_RECORDS - 1);
    assert_true(record.value == record.process + 1.0 / (record.number + 1));
    taken->times[record.process * MOST_RECORDS + record.number]++;
}

/* The last process has most records, the first a few, and some none. */
static int count_records(int rank, int round)
{
    return (rank * (MOST_RECORDS / 8) + 7 * rank % 5 + 3 * round) * ((rank + round) % 3 != 1) %
           MOST_RECORDS;
}

static void check_taken(const struct taken *taken, int round)
{
    for (int process = 0; process < taken->n_processes; process++)
        for (int i = 0; i < MOST_RECORDS; i++)
            assert_int_equal(taken->times[process * MOST_RECORDS + i],
                             i < count_records(process, round) ? 1 : 0);
}

static void run_round(struct collector *collector, struct taken *taken, int rank, int round)
{
    memset(taken->times, 0, (size_t)taken->n_processes * MOST_RECORDS * sizeof *taken->times);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count_records(rank, round); i++) {
        struct record record = {rank, i, rank + 1.0 / (i + 1)};
        check_ok(collector_add(collector, &record));
        if (i % 100 == round)
            collector_poll(collector);
    }
    while (!collector_finish(collector))
        continue;
    if (rank == 0)
        check_taken(taken, round);
}

static void test_every_record_is_taken_once(void **state)
{
    (void)state;
    struct collector *collector;
    struct taken taken;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &taken.n_processes);
    taken.times = calloc((size_t)taken.n_processes * MOST_RECORDS, sizeof *taken.times);
    assert_non_null(taken.times);
    check_ok(collector_create(MPI_COMM_WORLD, sizeof(struct record), take, &taken, &collector));
    for (int round = 0; round < 6; round++)
        run_round(collector, &taken, rank, round);
    collector_destroy(collector);
    free(taken.times);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_record_is_taken_once),
    };
    return check_run_parallel(tests, &argc, &argv);
}
