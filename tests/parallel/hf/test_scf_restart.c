/* A checkpoint gives back the density it was written from, and the message names what does not fit.
 */
#include "hf/checkpoint/checkpoint.h"
#include "support/base/random.h"
#include "tests/cases/scf_case.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define WATER  "3\n\nO 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n"
#define OXYGEN "2\n\nO 0 0 0\nO 0 0.4 1.1\n"

/* d functions of both forms, and p functions, whose order in the file is another. */
static const struct scf_case spherical = {WATER, 0, 1, "cc-pvdz", 1, 0};
static const struct scf_case cartesian = {WATER, 0, 1, "6-31g*", 1, 0};
static const struct scf_case radical = {OXYGEN, 0, 3, "6-31g", 2, 0};

/* A name of this run's own, in the working folder; the same on every process. */
static char file_name[64];

static int start(void **state)
{
    int pid = (int)getpid();
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(file_name, sizeof file_name, "test_scf_restart.%d.h5", pid);
    return scf_start(state);
}

static void remove_file(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(file_name);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Runs a case that writes the file; its energy. */
static double write_checkpoint(const struct scf_case *scf_case)
{
    struct scf_setup setup;
    struct scf_result result;
    struct scf_settings settings = scf_settings_default();
    settings.checkpoint = file_name;
    scf_setup_init(&setup, scf_case);
    check_ok(checkpoint_check(settings.checkpoint, MPI_COMM_WORLD));
    check_ok(scf_setup_run(&setup, &settings, &result));
    double energy = result.energy;
    scf_result_fini(&result);
    scf_setup_fini(&setup);
    return energy;
}

/* Runs a case from the file; its iterations. */
static int64_t restart(const struct scf_case *scf_case, double *energy)
{
    struct scf_setup setup;
    struct scf_result result;
    struct scf_settings settings = scf_settings_default();
    scf_setup_init(&setup, scf_case);
    check_ok(checkpoint_read_density(file_name, &setup.problem, setup.D));
    check_ok(scf_run(&setup.problem, &settings, setup.D, &result));
    int64_t iterations = result.iterations;
    *energy = result.energy;
    scf_result_fini(&result);
    scf_setup_fini(&setup);
    return iterations;
}

static void test_a_restart_is_converged_at_once(void **state)
{
    (void)state;
    const struct scf_case *const cases[] = {&spherical, &cartesian, &radical};
    for (int i = 0; i < 3; i++) {
        double written = write_checkpoint(cases[i]), read;
        assert_true(restart(cases[i], &read) <= 2);
        check_close(read, written, 1e-9);
    }
    remove_file();
}

static void test_restricted_orbitals_start_an_unrestricted_run(void **state)
{
    (void)state;
    struct scf_case unrestricted = spherical;
    unrestricted.n_spins = 2;
    double written = write_checkpoint(&spherical), read;
    assert_true(restart(&unrestricted, &read) <= 2);
    check_close(read, written, 1e-9);
    write_checkpoint(&unrestricted);
    assert_true(restart(&spherical, &read) <= 2);
    check_close(read, written, 1e-9);
    remove_file();
}

/* The other case cannot start from the file; the message names the trouble. */
static void check_refused(const struct scf_case *scf_case, const char *trouble)
{
    struct scf_setup setup;
    scf_setup_init(&setup, scf_case);
    check_status(STATUS_INPUT, checkpoint_read_density(file_name, &setup.problem, setup.D));
    if (!strstr(status_text(), trouble))
        fail_msg("\"%s\" does not say \"%s\"", status_text(), trouble);
    scf_setup_fini(&setup);
}

static void test_what_does_not_fit_is_refused_everywhere(void **state)
{
    (void)state;
    struct scf_case other = spherical;
    write_checkpoint(&spherical);
    check_refused(&radical, "centres");
    check_refused(&cartesian, "basis");
    other.molecule = "3\n\nO 0 0 0\nH 0 0.76 0.6\nH 0 -0.76 0.59\n";
    check_refused(&other, "centre 2");
    other.molecule = "3\n\nN 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n";
    other.charge = -1;
    check_refused(&other, "nuclear charge");
    remove_file();
}

static void test_files_that_are_no_checkpoints_are_refused(void **state)
{
    (void)state;
    static const char zeros[4096];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct scf_setup setup;
    scf_setup_init(&setup, &spherical);
    check_status(STATUS_IO, checkpoint_read_density("no/such/file", &setup.problem, setup.D));
    for (size_t length = 0; length <= sizeof zeros; length += sizeof zeros / 2) {
        if (rank == 0) {
            FILE *file = fopen(file_name, "wb");
            fwrite(zeros, 1, length, file);
            fclose(file);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        check_status(STATUS_INPUT, checkpoint_read_density(file_name, &setup.problem, setup.D));
    }
    check_status(STATUS_IO, checkpoint_check("/no/such/folder/file", MPI_COMM_WORLD));
    scf_setup_fini(&setup);
    remove_file();
}

/* Process 0: the file's bytes. */
static char *read_bytes(size_t *size)
{
    FILE *file = fopen(file_name, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* Process 0: inverts a bit of the file. */
static void flip_bit(size_t bit)
{
    FILE *file = fopen(file_name, "r+b");
    fseek(file, (long)(bit / 8), SEEK_SET);
    int byte = fgetc(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    fputc(byte ^ 1 << bit % 8, file);
    fclose(file);
}

static void test_any_flipped_bit_is_noticed(void **state)
{
    (void)state;
    int rank;
    size_t size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    write_checkpoint(&spherical);
    struct scf_setup setup;
    scf_setup_init(&setup, &spherical);
    if (rank == 0)
        free(read_bytes(&size));
    struct random_stream random;
    random_stream_init(&random, 7, 0);
    for (int i = 0; i < 60; i++) {
        size_t bit = rank == 0 ? random_below(&random, 8 * size) : 0;
        if (i < 20) /* of the seal */
            bit = 8 * size - 1 - bit % 700;
        if (rank == 0)
            flip_bit(bit);
        MPI_Barrier(MPI_COMM_WORLD);
        check_status(STATUS_INPUT, checkpoint_check_fits(file_name, &setup.problem));
        if (rank == 0)
            flip_bit(bit);
    }
    check_ok(checkpoint_check_fits(file_name, &setup.problem));
    scf_setup_fini(&setup);
    remove_file();
}

/* As on a full disk: writing fails half-way, of which HDF5 does not always say a word. On one
 * process, because MPI has files of its own where processes share memory. */
static void test_a_failed_write_leaves_the_older_file(void **state)
{
    (void)state;
    int rank, n_processes;
    size_t size = 0, size_after = 0;
    struct rlimit limit;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    if (n_processes > 1)
        return;
    double written = write_checkpoint(&spherical), again, read;
    char *before = rank == 0 ? read_bytes(&size) : NULL;
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    if (rank == 0)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){size / 2, limit.rlim_max});
    again = write_checkpoint(&spherical);
    setrlimit(RLIMIT_FSIZE, &limit);
    check_close(again, written, 1e-9);
    if (rank == 0) {
        char *after = read_bytes(&size_after);
        assert_int_equal(size, size_after);
        assert_memory_equal(before, after, size);
        free(before);
        free(after);
    }
    restart(&spherical, &read);
    check_close(read, written, 1e-9);
    remove_file();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_restart_is_converged_at_once, start),
        cmocka_unit_test(test_restricted_orbitals_start_an_unrestricted_run),
        cmocka_unit_test(test_what_does_not_fit_is_refused_everywhere),
        cmocka_unit_test(test_any_flipped_bit_is_noticed),
        cmocka_unit_test(test_a_failed_write_leaves_the_older_file),
        cmocka_unit_test_teardown(test_files_that_are_no_checkpoints_are_refused, scf_stop),
    };
    return check_run_parallel(tests, &argc, &argv);
}
