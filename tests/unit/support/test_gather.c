/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathered lists hold the items of all processes, in rank order, on the requested processes. */
#include "support/mpi/gather.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static int rank, size;

enum kind { NONE, ONE_OF_THE_LAST, DIFFERENT };

/* Larger than the items of MPI's own types. */
struct item {
    int64_t number;
    int rank;
};

static int64_t count(enum kind kind, int process)
{
    return kind == NONE ? 0 : kind == ONE_OF_THE_LAST ? process == size - 1 : process * 7 % 100;
}

static void check_gather(enum kind kind)
{
    struct item own[100];
    const struct gather_part part = {
        .items = own, .n_items = count(kind, rank), .item_size = sizeof own[0], .what = "items"};
    for (int64_t i = 0; i < part.n_items; i++)
        own[i] = (struct item){.number = i, .rank = rank};
    for (int everywhere = 0; everywhere < 2; everywhere++) {
        void *items;
        int64_t n_items, expected = 0;
        check_ok((everywhere ? gather_to_all : gather_to_first)(MPI_COMM_WORLD, &part, &items,
                                                                &n_items));
        if (!everywhere && rank != 0) {
            assert_null(items);
            assert_int_equal(n_items, 0);
            continue;
        }
        const struct item *next = items;
        assert_non_null(items);
        for (int process = 0; process < size; process++) {
            for (int64_t i = 0; i < count(kind, process); i++, next++) {
                assert_int_equal(next->number, i);
                assert_int_equal(next->rank, process);
            }
            expected += count(kind, process);
        }
        assert_int_equal(n_items, expected);
        free(items);
    }
}

TEST(all_items_arrive_in_order)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_gather(NONE);
    check_gather(ONE_OF_THE_LAST);
    check_gather(DIFFERENT);
}

/* Counts that fit one by one and not together are refused before anything is read. */
TEST(too_many_items_are_refused)
{
    void *items;
    int64_t n_items, n_too_many[] = {INT64_C(1) << 31, INT64_C(1) << 40};
    for (int i = 0; i < 2; i++) {
        const struct gather_part part = {
            .n_items = n_too_many[i] / size + 1, .item_size = 1, .what = "small items"};
        check_status(STATUS_LIMIT, gather_to_first(MPI_COMM_WORLD, &part, &items, &n_items));
        check_status(STATUS_LIMIT, gather_to_all(MPI_COMM_WORLD, &part, &items, &n_items));
        assert_null(items);
        assert_int_equal(n_items, 0);
        assert_non_null(strstr(status_text(), "small items"));
    }
}
