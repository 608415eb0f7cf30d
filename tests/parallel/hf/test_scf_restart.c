/* SPDX-License-Identifier: BSD-3-Clause */
/* A checkpoint gives back the density it was written from, and the message names what does not fit.
 */
#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/checkpoint/checkpoint_seal.h"
#include "hf/tiles/orbital_density.h"
#include "support/base/log.h"
#include "tests/cases/checkpoint_case.h"
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
static const struct scf_case open_shell = {OXYGEN, 0, 3, "6-31g", 3, 0};

/* A name of this run's own, in the working folder; the same on every process. */
static char file_name[64];
static int rank, n_processes;

static void start(void)
{
    int pid = (int)getpid();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(file_name, sizeof file_name, "test_scf_restart.%d.h5", pid);
    scf_start();
}

static void remove_file(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(file_name);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void stop(void)
{
    remove_file();
    scf_stop();
}

/* The last state only: to wait for the disk after every iteration takes longer than the rest. */
enum { LAST_ONLY = 1000 };

/* Runs a case for some iterations at most, with a checkpoint every so many. */
static int64_t write_interrupted(const struct scf_case *scf_case, int64_t most, int64_t every,
                                 double *energy)
{
    struct scf_setup setup;
    struct scf_result result;
    struct scf_settings settings = scf_settings_default();
    settings.checkpoint = file_name;
    settings.checkpoint_every = every;
    settings.max_iterations = most;
    scf_setup_init(&setup, scf_case);
    check_ok(checkpoint_check(settings.checkpoint, MPI_COMM_WORLD));
    enum status status = scf_setup_run(&setup, &settings, &result);
    assert_true(status == STATUS_OK || status == STATUS_NOT_CONVERGED);
    int64_t iterations = result.iterations;
    *energy = result.energy;
    scf_result_fini(&result);
    scf_setup_fini(&setup);
    return iterations;
}

/* Runs a case that writes the file; its energy. */
static double write_checkpoint(const struct scf_case *scf_case)
{
    double energy;
    write_interrupted(scf_case, 100, LAST_ONLY, &energy);
    return energy;
}

static enum status open_file(const char *path, const struct scf_setup *setup,
                             struct checkpoint_reader **reader)
{
    return checkpoint_reader_create(path, &setup->problem, CHECKPOINT_FITS_FUNCTIONS, reader);
}

/* Whether the file is one to restart from. */
static enum status verify(const char *path, const struct scf_setup *setup)
{
    struct checkpoint_reader *reader;
    enum status status = open_file(path, setup, &reader);
    checkpoint_reader_destroy(reader);
    return status;
}

/* Resumes from the file, to the end. result: to be finished if the SCF ends well. */
static enum status try_restart(struct scf_setup *setup, struct scf_result *result)
{
    const struct scf_problem *problem = &setup->problem;
    struct checkpoint_reader *reader;
    struct scf_settings settings = scf_settings_default();
    enum status status = open_file(file_name, setup, &reader);
    if (status != STATUS_OK)
        return status;
    for (int s = 0; s < problem->n_densities; s++) {
        struct dense *C;
        check_ok(checkpoint_reader_occupied(reader, problem, s, &C));
        check_ok(orbital_density(problem->tiling, problem->electrons_per_orbital, C,
                                 problem->n_occupied[s], setup->D[s]));
        dense_destroy(C);
    }
    settings.restart = reader;
    status = scf_run(scf_setup_basis(setup), &settings, setup->D, result);
    checkpoint_reader_destroy(reader);
    return status;
}

/* A case from the file gives the energy; its iterations. */
static int64_t restart(const struct scf_case *scf_case, double energy)
{
    struct scf_setup setup;
    struct scf_result result;
    scf_setup_init(&setup, scf_case);
    check_ok(try_restart(&setup, &result));
    check_close(result.energy, energy, 1e-9);
    int64_t iterations = result.iterations;
    scf_result_fini(&result);
    scf_setup_fini(&setup);
    return iterations;
}

/* Also between restricted and unrestricted orbitals. */
TEST(a_restart_is_converged_at_once)
{
    struct scf_case unrestricted = spherical;
    unrestricted.method = 2;
    const struct scf_case *const cases[][2] = {
        {&spherical, &spherical},   {&cartesian, &cartesian},    {&radical, &radical},
        {&open_shell, &open_shell}, {&spherical, &unrestricted}, {&unrestricted, &spherical}};
    for (int i = 0; i < 6; i++)
        assert_true(restart(cases[i][1], write_checkpoint(cases[i][0])) <= 2);
}

/* The message names the trouble. */
static void check_says(const char *trouble)
{
    if (!strstr(status_text(), trouble))
        fail_msg("\"%s\" does not say \"%s\"", status_text(), trouble);
}

/* The other case cannot start from the file. */
static void check_refused(const struct scf_case *scf_case, const char *trouble)
{
    struct scf_setup setup;
    scf_setup_init(&setup, scf_case);
    check_status(STATUS_INPUT, verify(file_name, &setup));
    check_says(trouble);
    scf_setup_fini(&setup);
}

TEST(what_does_not_fit_is_refused_everywhere)
{
    struct scf_case other = spherical;
    write_checkpoint(&spherical);
    check_refused(&radical, "centres");
    check_refused(&cartesian, "basis");
    other.molecule = "3\n\nO 0 0 0\nH 0 0.76 0.6\nH 0 -0.76 0.59\n";
    check_refused(&other, "centre 2");
    other.molecule = "3\n\nN 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n";
    other.charge = -1;
    check_refused(&other, "nuclear charge");
}

TEST(files_that_are_no_checkpoints_are_refused)
{
    static const char zeros[4096];
    struct scf_setup setup;
    scf_setup_init(&setup, &spherical);
    check_status(STATUS_IO, verify("no/such/file", &setup));
    for (size_t length = 0; length <= sizeof zeros; length += sizeof zeros / 2) {
        if (rank == 0)
            file_bytes_write(file_name, zeros, length);
        MPI_Barrier(MPI_COMM_WORLD);
        check_status(STATUS_INPUT, verify(file_name, &setup));
    }
    check_status(STATUS_IO, checkpoint_check("/no/such/folder/file", MPI_COMM_WORLD));
    scf_setup_fini(&setup);
}

/* The file with a bit that process 0 flips is refused everywhere. */
static void refuse_flip(const struct scf_setup *setup, size_t bit, const char *trouble)
{
    if (rank == 0)
        file_bit_flip(file_name, bit);
    MPI_Barrier(MPI_COMM_WORLD);
    check_status(STATUS_INPUT, verify(file_name, setup));
    check_says(trouble);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        file_bit_flip(file_name, bit);
}

/* Process 0: where in the file the last elements of a data set are, in bytes, and how many: those
 * of virtual orbitals, which the SCF does not read. Zeros are left out: with a bit of the mantissa
 * they are as good. */
static int list_elements(const char *set, size_t place[], int most)
{
    size_t n, size, first = checkpoint_set_find(file_name, set, &n);
    char *bytes = file_bytes_read(file_name, &size);
    int n_found = 0;
    for (size_t i = n; i-- > 0 && n_found < most;) {
        double value;
        memcpy(&value, bytes + first + 8 * i, sizeof value);
        if (fabs(value) > 1e-3)
            place[n_found++] = first + 8 * i;
    }
    free(bytes);
    return n_found;
}

/* Flips of a bit of some elements. */
static void refuse_flips(const struct scf_setup *setup, const char *set, int bit,
                         const char *trouble)
{
    enum { N = 2 };
    size_t place[N] = {0};
    if (rank == 0)
        assert_int_equal(list_elements(set, place, N), N);
    for (int i = 0; i < N; i++)
        refuse_flip(setup, 8 * place[i] + (size_t)bit, trouble);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Orbitals of another program are made orthonormal, however close to it they are. */
static void check_used_as_they_are(const struct scf_setup *setup, bool expected)
{
    struct checkpoint_reader *reader;
    check_ok(open_file(file_name, setup, &reader));
    assert_int_equal(checkpoint_reader_is_orthonormal(reader), expected);
    checkpoint_reader_destroy(reader);
}

/* The numbers themselves are looked at where there is no seal. */
TEST(damage_is_noticed_without_a_seal)
{
    enum { EXPONENT = 62, MANTISSA = 51 };
    struct scf_setup setup;
    write_checkpoint(&radical);
    scf_setup_init(&setup, &radical);
    check_used_as_they_are(&setup, true);
    if (rank == 0)
        checkpoint_unseal(file_name);
    MPI_Barrier(MPI_COMM_WORLD);
    check_used_as_they_are(&setup, false);
    refuse_flips(&setup, "mo/mo_coefficient", EXPONENT, "damaged");
    refuse_flips(&setup, "mo/mo_coefficient", MANTISSA, "orthonormal");
    refuse_flips(&setup, "mo/mo_occupation", EXPONENT, "occupations");
    refuse_flips(&setup, "basis/basis_exponent", MANTISSA, "exponents");
    check_ok(verify(file_name, &setup));
    scf_setup_fini(&setup);
}

/* Exchanges two occupations in a file without a seal. */
static void swap_occupations(size_t i, size_t j)
{
    size_t n, size, first = checkpoint_set_find(file_name, "mo/mo_occupation", &n);
    char *bytes = file_bytes_read(file_name, &size), one[8];
    memcpy(one, bytes + first + 8 * i, 8);
    memcpy(bytes + first + 8 * i, bytes + first + 8 * j, 8);
    memcpy(bytes + first + 8 * j, one, 8);
    file_bytes_write(file_name, bytes, size);
    free(bytes);
}

/* Whether the file has the density of a case, or what the message says that it lacks. */
static void check_own_density(const struct scf_case *scf_case, int charge, int multiplicity,
                              int n_densities, const char *text)
{
    struct scf_case changed = *scf_case;
    struct scf_setup setup;
    struct checkpoint_reader *reader;
    changed.charge = charge;
    changed.multiplicity = multiplicity;
    changed.method = n_densities;
    scf_setup_init(&setup, &changed);
    check_ok(open_file(file_name, &setup, &reader));
    check_status(text ? STATUS_INPUT : STATUS_OK,
                 checkpoint_reader_check_density(reader, &setup.problem));
    if (text)
        check_says(text);
    checkpoint_reader_destroy(reader);
    scf_setup_fini(&setup);
}

/* All of these may start an SCF. */
TEST(a_density_of_other_electrons_or_orbitals_is_refused)
{
    write_checkpoint(&radical);
    check_own_density(&radical, 0, 3, 2, NULL);
    check_own_density(&radical, 0, 1, 2, "9 alpha and 7 beta electrons, and this run has 8 and 8");
    check_own_density(&radical, 0, 1, 1, "--method uhf");
    if (rank == 0) {
        checkpoint_unseal(file_name);
        swap_occupations(8, 9);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_own_density(&radical, 0, 3, 2, "0 electrons in orbital 9");

    write_checkpoint(&spherical);
    check_own_density(&spherical, 0, 1, 1, NULL);
    check_own_density(&spherical, 0, 1, 2, NULL);
    check_own_density(&spherical, 2, 1, 2,
                      "5 alpha and 5 beta electrons, and this run has 4 and 4");
}

/* --- forged and missing parts --- */

/* A number or an array of the file, and its forged value or size; MISSING: it is taken out. */
struct forgery {
    const char *group, *name;
    int64_t value;
    enum { A_NUMBER, SEVERAL_NUMBERS, AN_ARRAY, A_MATRIX, MISSING } kind;
    bool at_restart; /* noticed only there */
};

/* Process 0. */
static void forge(const struct forgery *forgery)
{
    static const int ranks[] = {
        [A_NUMBER] = 0, [SEVERAL_NUMBERS] = 1, [AN_ARRAY] = 1, [A_MATRIX] = 2};
    bool is_number = forgery->kind <= SEVERAL_NUMBERS;
    hid_t file = H5Fopen(file_name, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, forgery->group, H5P_DEFAULT);
    assert_true(group >= 0);
    if (H5Aexists(group, forgery->name) > 0)
        H5Adelete(group, forgery->name);
    else
        assert_true(H5Ldelete(group, forgery->name, H5P_DEFAULT) >= 0);
    if (forgery->kind != MISSING) { /* nothing of an array is in the file, which reads as zeros */
        int64_t values[1000] = {forgery->value};
        hsize_t n = is_number ? 1000 : (hsize_t)forgery->value, size[] = {n, n};
        hid_t space = H5Screate_simple(ranks[forgery->kind], size, NULL);
        hid_t made = is_number ? H5Acreate2(group, forgery->name, H5T_NATIVE_INT64, space,
                                            H5P_DEFAULT, H5P_DEFAULT)
                               : H5Dcreate2(group, forgery->name, H5T_IEEE_F64LE, space,
                                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(made >= 0);
        if (is_number)
            H5Awrite(made, H5T_NATIVE_INT64, values);
        H5Idec_ref(made);
        H5Sclose(space);
    }
    H5Gclose(group);
    H5Fclose(file);
}

/* A forged file, with a seal that fits it or as if of another program, is refused within so much
 * memory in addition to what the process has. */
static void check_forgery(struct scf_setup *setup, const struct forgery *forgery, bool sealed)
{
    const rlim_t more = 300000000;
    struct rlimit limit;
    struct scf_result result;
    write_checkpoint(&spherical);
    if (rank == 0) {
        checkpoint_cut_seal(file_name);
        forge(forgery);
        check_ok(checkpoint_seal(file_name));
        if (!sealed)
            checkpoint_unseal(file_name);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    getrlimit(RLIMIT_AS, &limit);
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_int_equal(fscanf(file, "%lld", &pages), 1);
    fclose(file);
    if (n_processes == 1)
        setrlimit(RLIMIT_AS,
                  &(struct rlimit){(rlim_t)(pages * sysconf(_SC_PAGESIZE)) + more, limit.rlim_max});
    enum status status = try_restart(setup, &result);
    setrlimit(RLIMIT_AS, &limit);
    char said[200];
    snprintf(said, sizeof said,
             "%s: %s cannot be read: the file is damaged, or the program that wrote it left that "
             "out: use another file",
             file_name, forgery->name);
    if (status != STATUS_INPUT ||
        !strstr(status_text(), forgery->kind == MISSING ? said : file_name))
        fail_msg("%s/%s, %s: status %d, \"%s\"", forgery->group, forgery->name,
                 sealed ? "sealed" : "not sealed", status, status_text());
}

TEST(forged_and_missing_parts_are_refused)
{
    static const struct forgery forgeries[] = {
        {"nucleus", "nucleus_num", -1, A_NUMBER, false},
        {"nucleus", "nucleus_num", 2, A_NUMBER, false},
        {"nucleus", "nucleus_num", 3, SEVERAL_NUMBERS, false},
        {"basis", "basis_prim_num", 0, A_NUMBER, false},
        {"basis", "basis_shell_num", 1000, A_NUMBER, false},
        {"ao", "ao_num", 1LL << 62, A_NUMBER, false},
        {"ao", "ao_num", 5000, A_NUMBER, false},
        {"mo", "mo_num", 1LL << 40, A_NUMBER, false},
        {"mo", "mo_num", 5000, A_NUMBER, false},
        {"electron", "electron_up_num", -5, A_NUMBER, false},
        {"basis", "basis_exponent", 1LL << 40, AN_ARRAY, false},
        {"mo", "mo_energy", 1LL << 40, AN_ARRAY, false},
        {"mo", "mo_coefficient", 1LL << 20, A_MATRIX, false},
        {"nucleus", "nucleus_num", 0, MISSING, false},
        {"nucleus", "nucleus_charge", 0, MISSING, false},
        {"basis", "basis_exponent", 0, MISSING, false},
        {"mo", "mo_num", 0, MISSING, false},
        {"mo", "mo_coefficient", 0, MISSING, false},
        {"electron", "electron_up_num", 0, MISSING, false},
        {"beryl", "version", 1000, A_NUMBER, true},
        {"beryl/scf", "n_steps", 1LL << 60, A_NUMBER, true},
        {"beryl/scf", "n_saddles", 1000, A_NUMBER, true},
        {"beryl/scf", "n_saddles", -1, A_NUMBER, true},
        {"beryl/scf", "iteration", 3, SEVERAL_NUMBERS, true},
        {"beryl/scf", "basis", 1LL << 20, A_MATRIX, true},
    };
    struct scf_setup setup;
    scf_setup_init(&setup, &spherical);
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        check_forgery(&setup, &forgeries[i], true);
        if (!forgeries[i].at_restart) /* only a sealed file has these groups */
            check_forgery(&setup, &forgeries[i], false);
    }
    scf_setup_fini(&setup);
}

/* Other programs need not write these. */
TEST(a_file_without_optional_parts_starts_a_run)
{
    static const char *const optional[] = {"mo_energy", "mo_spin", "mo_occupation"};
    double energy;
    write_interrupted(&spherical, 100, LAST_ONLY, &energy);
    if (rank == 0) {
        checkpoint_cut_seal(file_name);
        for (int i = 0; i < 3; i++)
            forge(&(struct forgery){"mo", optional[i], 0, MISSING, false});
        check_ok(checkpoint_seal(file_name));
        checkpoint_unseal(file_name);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    assert_in_range(restart(&spherical, energy), 1, 100);
}

/* A run that is interrupted after some of its iterations needs the others, and that once more
 * which was in the checkpoint. */
TEST(a_restart_loses_no_iteration)
{
    const struct scf_case *const cases[] = {&spherical, &radical};
    for (int i = 0; i < 2; i++) {
        double energy, interrupted;
        int64_t all = write_interrupted(cases[i], 100, LAST_ONLY, &energy);
        for (int64_t done = 2; done < all; done += 5) {
            int64_t every = done == 7 ? 1 : LAST_ONLY;
            remove_file();
            assert_int_equal(write_interrupted(cases[i], done, every, &interrupted), done);
            assert_in_range(restart(cases[i], energy), 1, all - done + 1);
        }
    }
}

/* A guess density has no orbitals. The file gets the orbitals of its Fock matrix, with which the
 * next iteration begins. */
TEST(the_first_iteration_is_written_when_it_is_the_last)
{
    const struct scf_case *const cases[] = {&spherical, &radical};
    for (int i = 0; i < 2; i++) {
        double energy, interrupted;
        int64_t all = write_interrupted(cases[i], 100, LAST_ONLY, &energy);
        for (int every = 1; every <= LAST_ONLY; every += LAST_ONLY - 1) {
            remove_file();
            assert_int_equal(write_interrupted(cases[i], 1, every, &interrupted), 1);
            assert_in_range(restart(cases[i], energy), 1, all - 1);
        }
    }
}

/* The verified file is read, even if another takes its name meanwhile. */
TEST(a_file_that_is_replaced_is_still_read)
{
    struct scf_setup setup;
    struct checkpoint_reader *reader;
    struct dense *before, *after;
    double energy;
    write_interrupted(&spherical, 3, 1, &energy);
    scf_setup_init(&setup, &spherical);
    check_ok(open_file(file_name, &setup, &reader));
    check_ok(checkpoint_reader_occupied(reader, &setup.problem, 0, &before));
    write_checkpoint(&spherical);
    check_ok(checkpoint_reader_occupied(reader, &setup.problem, 0, &after));
    dense_add(-1, before, 1, after);
    assert_true(dense_max_abs(after) == 0);
    dense_destroy(before);
    dense_destroy(after);
    checkpoint_reader_destroy(reader);
    scf_setup_fini(&setup);
}

/* Process 0: what checkpoint_report_size prints as a warning. */
static void read_warning(int64_t n_bytes, char *text, size_t size)
{
    char path[] = "test_scf_restart.XXXXXX";
    int file = mkstemp(path), kept = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    log_enable(true);
    checkpoint_report_size(file_name, "a test", 1, n_bytes, "diis");
    log_enable(false);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    ssize_t n = pread(file, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(kept);
    close(file);
    unlink(path);
}

TEST(a_disk_without_room_is_a_warning_beforehand)
{
    char text[1000];
    read_warning(1000, text, sizeof text);
    assert_string_equal(text, "");
    read_warning(INT64_MAX, text, sizeof text);
    assert_non_null(strstr(text, "warning: checkpoints will not fit"));
    assert_non_null(strstr(text, "or take a smaller --diis\n"));
}

/* Writing fails at any point, as on a full disk: in TREXIO's part, in Beryl's own or at the seal. On
 * one process, because MPI has files of its own where processes share memory. */
TEST(a_failed_write_leaves_the_older_file)
{
    enum { N_LIMITS = 12 };
    size_t size, size_after;
    struct rlimit limit;
    if (n_processes > 1)
        return;
    double written = write_checkpoint(&spherical);
    char *before = file_bytes_read(file_name, &size);
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t i = 1; i <= N_LIMITS; i++) {
        rlim_t most = size * i / N_LIMITS - 1;
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, limit.rlim_max});
        check_close(write_checkpoint(&spherical), written, 1e-9);
        setrlimit(RLIMIT_FSIZE, &limit);
        check_says(".h5: ");
        char *after = file_bytes_read(file_name, &size_after);
        if (size_after != size || memcmp(before, after, size) != 0)
            fail_msg("another file after a write of at most %llu bytes", (unsigned long long)most);
        free(after);
    }
    free(before);
    restart(&spherical, written);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
