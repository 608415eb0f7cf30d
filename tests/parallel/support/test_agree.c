/* SPDX-License-Identifier: BSD-3-Clause */
/* All processes return with the same outcome, whichever of them failed. */
#include "support/base/agree.h"
#include "support/io/text_file.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(the_first_failure_by_rank_is_everyones)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_ok(status_agree(MPI_COMM_WORLD, STATUS_OK));
    for (int first = 0; first < size; first++) {
        char text[64];
        enum status own = STATUS_OK;
        if (rank == first)
            own = FAIL(STATUS_LIMIT, "process %d", rank);
        else if (rank > first)
            own = FAIL(STATUS_NUMERIC, "process %d", rank);
        check_status(STATUS_LIMIT, status_agree(MPI_COMM_WORLD, own));
        snprintf(text, sizeof text, "process %d", first);
        assert_string_equal(status_text(), text);
    }
}

TEST(a_file_that_one_process_reads_is_everyones)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Only process 0 knows the name of the file. */
    char path[64] = "no file";
    if (rank == 0) {
        strcpy(path, "/tmp/test_agree.XXXXXX");
        int descriptor = mkstemp(path);
        assert_int_equal(write(descriptor, "shared text", 11), 11);
        close(descriptor);
    }
    struct text_file file;
    check_ok(text_file_read_all(path, MPI_COMM_WORLD, &file));
    assert_string_equal(file.bytes, "shared text");
    text_file_fini(&file);
    if (rank == 0)
        unlink(path);
    check_status(STATUS_IO, text_file_read_all(path, MPI_COMM_WORLD, &file));
    assert_non_null(strstr(status_text(), "/tmp/test_agree."));
}
