/* SPDX-License-Identifier: BSD-3-Clause */
/* Tensors that were written into a checkpoint come back to the last digit, also into tiles of
 * other sizes; labels leave gaps, a scalar is one number, and what does not fit is refused. */
#include "hf/checkpoint/checkpoint_stream.h"
#include "tce/methods/correlation_checkpoint.h"
#include "tests/check.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TENSORS = 4 };

/* t0 to t3, of as many indices as their number says. */
struct tensors {
    struct index_space *space;
    struct tensor *list[MOST_TENSORS];
};

static char file_name[64];
static const struct amplitude_origin origin = {"ccsd", {1, 3}, 4, 19};
static const struct amplitude_progress progress = {.iteration = 7,
                                                   .n_steps = 1,
                                                   .energy = -0.25,
                                                   .is_solution = 1,
                                                   .change = 3e-9,
                                                   .energy_change = -2e-10,
                                                   .scf_energy = -76.5};

static void start(void)
{
    int pid = (int)getpid();
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(file_name, sizeof file_name, "test_tce_amplitude_file.%d.h5", pid);
    check_ok(darray_start());
}

static void stop(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        unlink(file_name);
    darray_stop();
}

static double element(const int64_t value[], void *context)
{
    int rank = *(const int *)context;
    double sum = 0.7;
    for (int d = 0; d < rank; d++)
        sum += (d + 1) * sin((double)value[d]);
    return sum / 3;
}

static void tensors_init(struct tensors *tensors, int64_t last_block, int64_t tile, bool fill)
{
    const struct index_block blocks[] = {{5, 0, 0}, {4, 1, 0}, {last_block, 3, 0}};
    check_ok(index_space_create("s", 3, blocks, tile, &tensors->space));
    for (int i = 0; i < MOST_TENSORS; i++) {
        char name[] = {'t', (char)('0' + i), '\0'};
        struct block_labels labels = {.rank = i, .irrep = i == 2 ? 1 : 0};
        for (int d = 0; d < i; d++)
            labels.space[d] = tensors->space;
        check_ok(tensor_create(name, &labels, MPI_COMM_WORLD, &tensors->list[i]));
        if (fill)
            tensor_fill(tensors->list[i], element, &i);
    }
}

static void tensors_fini(struct tensors *tensors)
{
    for (int i = 0; i < MOST_TENSORS; i++)
        tensor_destroy(tensors->list[i]);
    index_space_destroy(tensors->space);
}

/* Process 0: a new file with the group that amplitudes are in, and nothing else. */
static void create_file(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        hid_t file = H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(H5Gcreate2(file, "beryl", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static enum status move(const struct tensors *tensors, enum checkpoint_move move,
                        int64_t first_step)
{
    struct checkpoint_stream stream;
    struct tensor **all = (struct tensor **)tensors->list;
    struct amplitude_step step = {.image = all, .error = all}; /* of DIIS */
    struct amplitude_tensors list = {MOST_TENSORS, all, 1, &step};
    check_ok(checkpoint_stream_open(file_name, move, MPI_COMM_WORLD, &stream));
    darray_sync();
    enum status status = move == CHECKPOINT_READ
                             ? amplitudes_read(&stream, &list, first_step)
                             : amplitudes_write(&stream, &origin, &progress, &list);
    check_ok(checkpoint_stream_close(&stream));
    return status;
}

static bool find(struct amplitude_origin *read_origin, struct amplitude_progress *read_progress)
{
    struct checkpoint_stream stream;
    bool found;
    check_ok(checkpoint_stream_open(file_name, CHECKPOINT_READ, MPI_COMM_WORLD, &stream));
    stream.is_sealed = true;
    check_ok(amplitudes_find(&stream, &found, read_origin, read_progress));
    check_ok(checkpoint_stream_close(&stream));
    return found;
}

TEST(tensors_come_back)
{
    static const int64_t tiles[] = {1, 2, 3, 40};
    struct amplitude_origin read_origin;
    struct amplitude_progress read_progress;
    struct tensors written;
    tensors_init(&written, 3, 2, true);
    create_file();
    check_ok(move(&written, CHECKPOINT_WRITE, 0));
    tensors_fini(&written);
    assert_true(find(&read_origin, &read_progress));
    assert_memory_equal(&read_origin, &origin, sizeof origin);
    assert_memory_equal(&read_progress, &progress, sizeof progress);
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        struct tensors read, expected;
        tensors_init(&read, 3, tiles[i], false);
        tensors_init(&expected, 3, tiles[i], true);
        check_ok(move(&read, CHECKPOINT_READ, 0));
        for (int t = 0; t < MOST_TENSORS; t++) {
            char of_read[SHA256_HEX_SIZE], of_expected[SHA256_HEX_SIZE];
            check_ok(tensor_sha256(read.list[t], MPI_COMM_WORLD, of_read));
            check_ok(tensor_sha256(expected.list[t], MPI_COMM_WORLD, of_expected));
            assert_string_equal(of_read, of_expected);
        }
        tensors_fini(&read);
        tensors_fini(&expected);
    }
}

static void check_refused(const struct tensors *tensors, int64_t first_step, const char *trouble)
{
    check_status(STATUS_INPUT, move(tensors, CHECKPOINT_READ, first_step));
    if (!strstr(status_text(), trouble))
        fail_msg("\"%s\" does not say \"%s\"", status_text(), trouble);
}

TEST(what_does_not_fit_is_refused)
{
    struct amplitude_origin read_origin;
    struct amplitude_progress read_progress;
    struct tensors written, larger;
    tensors_init(&written, 3, 2, true);
    tensors_init(&larger, 4, 2, false);
    create_file();
    check_ok(move(&written, CHECKPOINT_WRITE, 0));
    check_refused(&larger, 0, "t1");
    check_refused(&written, 1, "t0_image_1");
    create_file();
    assert_false(find(&read_origin, &read_progress));
    check_refused(&written, 0, "amplitudes/t0 is missing");
    tensors_fini(&written);
    tensors_fini(&larger);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
