/* SPDX-License-Identifier: BSD-3-Clause */
/* A restart from a checkpoint with a wrong bit is refused with the reason, or gives the
 * right energy; one that lost its seal is refused; and where there never was one, numbers that
 * cannot be right are refused, and no energy is wrong.
 *
 *   test_checkpoint_flips [FLIPS [UNSEALED]]
 *
 * FLIPS of any bit, and as many of the high bits of stored numbers, of a checkpoint of the SCF and
 * of one of CCSD; UNSEALED each in files without a seal, where many restarts run to their end. */
#include "hf/cli/hf_run.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/random.h"
#include "tce/cli/method_run.h"
#include "tests/cases/checkpoint_case.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static int n_flips = 300, n_flips_unsealed = 30;

static char molecule[64], whole[64], damaged[64], result[64];

/* --- runs --- */

/* The energy of a run of a program with these arguments; *status: its end. */
static double run_program(const char *method, const char *option, const char *file,
                          const char *limit, enum status *status)
{
    char *words[] = {"test", (char *)method, molecule,     "--basis",     "sto-3g", "--json",
                     result, (char *)option, (char *)file, (char *)limit, "6",      NULL};
    int n_words = limit ? 11 : 9;
    bool accepted = false;
    enum option_request request;
    unlink(result);
    if (strcmp(method, "hf") == 0) {
        struct hf_options options;
        words[1] = words[0];
        check_ok(hf_options_parse(n_words - 1, words + 1, &options, &request));
        *status = hf_run(&options, MPI_COMM_WORLD, &accepted);
    } else {
        struct tce_options options;
        check_ok(tce_options_parse(n_words, words, &options, &request));
        *status = method_run(&options, MPI_COMM_WORLD, &accepted);
    }
    if (*status != STATUS_OK)
        return 0;
    json_t *json = json_load_file(result, 0, NULL);
    double energy = json_number_value(json_object_get(json, "return_result"));
    json_decref(json);
    return energy;
}

/* --- flips --- */

/* Data sets of doubles: where their elements are in the file. */
enum { MOST_SETS = 100 };
struct number_sets {
    int n_sets;
    size_t first[MOST_SETS], n[MOST_SETS], n_all;
};

static herr_t note_set(hid_t file, const char *name, const H5O_info_t *information, void *context)
{
    struct number_sets *sets = context;
    if (information->type != H5O_TYPE_DATASET)
        return 0;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
    haddr_t offset = H5Dget_offset(set);
    if (H5Tget_class(type) == H5T_FLOAT && offset != HADDR_UNDEF && sets->n_sets < MOST_SETS) {
        hid_t space = H5Dget_space(set);
        sets->first[sets->n_sets] = (size_t)offset;
        sets->n[sets->n_sets] = (size_t)H5Sget_simple_extent_npoints(space);
        sets->n_all += sets->n[sets->n_sets++];
        H5Sclose(space);
    }
    H5Tclose(type);
    H5Dclose(set);
    return 0;
}

/* One of the 16 high bits, the sign and the exponent among them, of a stored number: each data set
 * as often as any other. */
static size_t choose_high_bit(const struct number_sets *sets, struct random_stream *random)
{
    size_t set = random_below(random, (uint64_t)sets->n_sets);
    size_t number = random_below(random, sets->n[set]);
    return 8 * (sets->first[set] + 8 * number) + 48 + random_below(random, 16);
}

/* Counts of what became of restarts. */
struct outcomes {
    int refused, right, failed;
};

/* The method continues from the damaged file. */
static void judge_restart(const char *method, double expected, size_t bit,
                          struct outcomes *outcomes)
{
    enum status status;
    double energy = run_program(method, "--restart", damaged, NULL, &status);
    if (status == STATUS_OK) {
        if (fabs(energy - expected) > 1e-9)
            fail_msg("%s, bit %zu: energy %.12f, not %.12f", method, bit, energy, expected);
        outcomes->right++;
    } else if (strstr(status_text(), damaged)) {
        outcomes->refused++;
    } else {
        print_message("             %s\n", status_text());
        outcomes->failed++;
    }
}

static void flip_bits(const char *method, double expected, bool high, bool sealed, int n)
{
    struct random_stream random;
    struct outcomes outcomes = {0, 0, 0};
    struct number_sets sets = {.n_sets = 0};
    size_t size;
    free(file_bytes_read(damaged, &size));
    hid_t file = H5Fopen(damaged, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, note_set, &sets);
    H5Fclose(file);
    random_stream_init(&random, sealed, high);
    for (int i = 0; i < n; i++) {
        size_t bit = high ? choose_high_bit(&sets, &random) : random_below(&random, 8 * size);
        if (sealed && i % 4 == 0) /* of the seal */
            bit = 8 * size - 1 - bit % (8 * CHECKPOINT_SEAL_SIZE);
        file_bit_flip(damaged, bit);
        judge_restart(method, expected, bit, &outcomes);
        file_bit_flip(damaged, bit);
    }
    print_message(
        "             %s, %s, %s: %d flips, %d refused, %d of the right energy, %d failed\n",
        method, sealed ? "sealed" : "not sealed", high ? "high bits of numbers" : "any bits", n,
        outcomes.refused, outcomes.right, outcomes.failed);
    if (sealed)
        assert_int_equal(outcomes.failed, 0);
}

/* A run that is not finished writes the file. */
static double prepare_files(const char *method, const char *limit)
{
    enum status status;
    double expected = run_program(method, "--checkpoint", whole, NULL, &status);
    check_ok(status);
    run_program(method, "--checkpoint", whole, limit, &status);
    assert_int_equal(status, STATUS_NOT_CONVERGED);
    size_t size;
    char *bytes = file_bytes_read(whole, &size);
    file_bytes_write(damaged, bytes, size);
    free(bytes);
    return expected;
}

static void check_method(const char *method, const char *limit)
{
    size_t size;
    double expected = prepare_files(method, limit);
    for (int high = 0; high < 2; high++)
        flip_bits(method, expected, high, true, n_flips);
    /* The seal is missing; and it was never there. */
    struct outcomes outcomes = {0, 0, 0};
    char *bytes = file_bytes_read(damaged, &size);
    file_bytes_write(damaged, bytes, size - CHECKPOINT_SEAL_SIZE);
    judge_restart(method, expected, 0, &outcomes);
    assert_int_equal(outcomes.refused, 1);
    file_bytes_write(damaged, bytes, size);
    free(bytes);
    checkpoint_unseal(damaged);
    judge_restart(method, expected, 0, &outcomes);
    assert_int_equal(outcomes.right, 1);
    for (int high = 0; high < 2; high++)
        flip_bits(method, expected, high, false, n_flips_unsealed);
}

TEST(flips_in_a_checkpoint_of_the_scf)
{
    check_method("hf", "--max-iter");
}

TEST(flips_in_a_checkpoint_of_ccsd)
{
    check_method("ccsd", "--max-iter-amplitudes");
}

static void start(void)
{
    static const char text[] = "3\n\nO 0 0 0\nH 0.3 0.76 0.59\nH -0.1 -0.76 0.59\n";
    int pid = (int)getpid();
    snprintf(molecule, sizeof molecule, "test_checkpoint_flips.%d.xyz", pid);
    snprintf(whole, sizeof whole, "test_checkpoint_flips.%d.h5", pid);
    snprintf(damaged, sizeof damaged, "test_checkpoint_flips.%d.damaged.h5", pid);
    snprintf(result, sizeof result, "test_checkpoint_flips.%d.json", pid);
    file_bytes_write(molecule, text, sizeof text - 1);
    check_ok(dense_start(MPI_COMM_WORLD));
    check_ok(darray_start());
}

static void stop(void)
{
    unlink(molecule);
    unlink(whole);
    unlink(damaged);
    unlink(result);
    darray_stop();
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)

int main(int argc, char **argv)
{
    if (argc > 1)
        n_flips = atoi(argv[1]);
    if (argc > 2)
        n_flips_unsealed = atoi(argv[2]);
    return check_run(argc, argv);
}
