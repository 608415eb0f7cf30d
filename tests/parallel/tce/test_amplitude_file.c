/* Tensors that were written into a checkpoint come back to the last digit, also into tiles of
 * other sizes; labels leave gaps, a scalar is one number, and what does not fit is refused. */
#include "support/base/agree.h"
#include "tce/methods/amplitude_file.h"
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
static const struct amplitude_origin origin = {"ccsd", 1, 4, 19};

static int start(void **state)
{
    (void)state;
    int pid = (int)getpid();
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(file_name, sizeof file_name, "test_tce_amplitude_file.%d.h5", pid);
    return darray_start() != STATUS_OK;
}

static int stop(void **state)
{
    (void)state;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        unlink(file_name);
    darray_stop();
    return 0;
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

/* Writes into a new file that has nothing else. */
static void write_file(const struct tensors *tensors)
{
    int rank;
    enum status status = STATUS_OK;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    darray_sync();
    if (rank == 0) {
        H5Fclose(H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        status = amplitude_file_write(file_name, &origin, MOST_TENSORS, tensors->list);
    }
    check_ok(status_agree(MPI_COMM_WORLD, status));
}

static void check_equal(const struct tensors *a, const struct tensors *b)
{
    for (int i = 0; i < MOST_TENSORS; i++) {
        char of_a[SHA256_HEX_SIZE], of_b[SHA256_HEX_SIZE];
        check_ok(tensor_sha256(a->list[i], MPI_COMM_WORLD, of_a));
        check_ok(tensor_sha256(b->list[i], MPI_COMM_WORLD, of_b));
        assert_string_equal(of_a, of_b);
    }
}

static void test_tensors_come_back(void **state)
{
    (void)state;
    static const int64_t tiles[] = {1, 2, 3, 40};
    bool found;
    struct amplitude_origin read_origin;
    struct tensors written;
    tensors_init(&written, 3, 2, true);
    write_file(&written);
    tensors_fini(&written);
    check_ok(amplitude_file_find(file_name, MPI_COMM_WORLD, &found, &read_origin));
    assert_true(found);
    assert_memory_equal(&read_origin, &origin, sizeof origin);
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        struct tensors read, expected;
        tensors_init(&read, 3, tiles[i], false);
        tensors_init(&expected, 3, tiles[i], true);
        check_ok(amplitude_file_read(file_name, MOST_TENSORS, read.list, MPI_COMM_WORLD));
        check_equal(&read, &expected);
        tensors_fini(&read);
        tensors_fini(&expected);
    }
}

static void test_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    bool found;
    struct amplitude_origin read_origin;
    struct tensors written, other;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tensors_init(&written, 3, 2, true);
    tensors_init(&other, 4, 2, false);
    write_file(&written);
    check_status(STATUS_INPUT,
                 amplitude_file_read(file_name, MOST_TENSORS, other.list, MPI_COMM_WORLD));
    assert_non_null(strstr(status_text(), "t1"));
    if (rank == 0)
        H5Fclose(H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    MPI_Barrier(MPI_COMM_WORLD);
    check_ok(amplitude_file_find(file_name, MPI_COMM_WORLD, &found, &read_origin));
    assert_false(found);
    check_status(STATUS_INPUT,
                 amplitude_file_read(file_name, MOST_TENSORS, written.list, MPI_COMM_WORLD));
    check_status(STATUS_INPUT,
                 amplitude_file_find("no/such/file", MPI_COMM_WORLD, &found, &read_origin));
    tensors_fini(&written);
    tensors_fini(&other);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_tensors_come_back, start),
        cmocka_unit_test_teardown(test_what_does_not_fit_is_refused, stop),
    };
    return check_run_parallel(tests, &argc, &argv);
}
