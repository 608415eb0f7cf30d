/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs as texts, through the whole engine: they agree with nested loops, element
 * by element to 1e-12 of the sum of the absolute values of all products that make it; they
 * give the same bits under every mode; and the verification that users have accepts right
 * results and rejects wrong ones.
 *
 *     test_programs                a test
 *     test_programs --digests      prints one digest of all programs' results, to be
 *                                  compared among numbers of processes
 *     test_programs --program N    prints the program of a seed, and checks it alone */
#include "sched/pool/modes/modes.h"
#include "tce/execution/verification.h"
#include "tests/cases/darray_case.h"
#include "tests/cases/digest_case.h"
#include "tests/cases/pool_cases.h"
#include "tests/cases/program_case_values.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { N_PROGRAMS = 300, N_PROGRAMS_OF_EVERY_MODE = 12, N_VERIFIED = 40, N_DIGESTS = 25 };

/* A program in the engine. */
struct running {
    struct program_case one;
    struct program_instance instance;
};

static struct running running; /* as large as its text */

/* The call succeeds; else the program is shown. */
static void need(enum status status)
{
    if (status != STATUS_OK)
        fail_msg("seed %llu: %s: %s\n%s", (unsigned long long)running.one.seed,
                 status_words(status), status_text(), running.one.text);
}

static int rank_of_process(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* way: caches of several sizes, with and without prefetch. */
static void begin(uint64_t seed, int way)
{
    const struct contraction_settings settings = {
        .cache_bytes = (int64_t[]){0, 2000, 100000000}[way % 3], .prefetch = way % 2};
    struct space_binding bindings[CASE_SPACES];
    program_case_init(&running.one, seed);
    int n = program_case_bindings(&running.one, bindings);
    const struct program_source source = {.text = running.one.text,
                                          .length = running.one.length,
                                          .file = "random.tce",
                                          .n_spaces = n,
                                          .spaces = bindings};
    need(program_instance_init(&source, MPI_COMM_WORLD, &running.instance));
    need(program_instance_start(&running.instance, &settings));
    for (int t = 0; t < running.one.n_tensors; t++)
        need(program_instance_fill(&running.instance, t));
}

static void end(void)
{
    program_instance_fini(&running.instance);
}

/* From the tensors as they were declared. */
static void run_all(void)
{
    for (int t = 0; t < running.one.n_tensors; t++)
        if (program_instance_is_assigned(&running.instance, t))
            need(program_instance_fill(&running.instance, t));
    need(executor_run(running.instance.executor, 0, running.instance.plan->n_stages, NULL));
}

static void run_in(const char *pool)
{
    struct taskpool_settings settings = pool_case_settings(pool);
    need(executor_start(running.instance.executor, &settings));
    run_all();
}

/* ---- Comparison with nested loops, on the first process. */

static void check_element(int tensor, const int64_t value[], double actual,
                          const struct case_values *expected)
{
    int place = case_values_place(&running.one, tensor, value);
    if (fabs(actual - expected->value[place]) <= 1e-12 * expected->norm[place])
        return;
    fail_msg("seed %llu: element %d of %s is %.17g, not %.17g, a sum of products of %.3g\n%s",
             (unsigned long long)running.one.seed, place, case_tensor_name(tensor).text, actual,
             expected->value[place], expected->norm[place], running.one.text);
}

static void check_block(int number, int64_t block, const struct case_values *expected)
{
    const struct tensor *tensor = executor_tensor(running.instance.executor, number);
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    double *elements = malloc((size_t)tensor->max_block * sizeof *elements);
    int64_t value[MAX_RANK];
    int32_t tile[MAX_RANK];
    assert_non_null(elements);
    block_index_tuple(tensor->blocks, block, tile);
    darray_get(tensor->data, block, elements);
    for (int64_t i = 0; i < darray_block_size(tensor->data, block); i++) {
        int64_t rest = i;
        for (int d = labels->rank - 1; d >= 0; d--) {
            int64_t size = index_space_tile_size(labels->space[d], tile[d]);
            value[d] = labels->space[d]->first[tile[d]] + rest % size;
            rest /= size;
        }
        check_element(number, value, elements[i], expected);
    }
    free(elements);
}

/* All tensors, also those that must not have changed. */
static void check_values(void)
{
    struct case_values values[CASE_TENSORS];
    darray_sync();
    if (rank_of_process() == 0) {
        case_values_fill(&running.one, values);
        case_values_run(&running.one, values);
        for (int t = 0; t < running.one.n_tensors; t++) {
            const struct tensor *tensor = executor_tensor(running.instance.executor, t);
            for (int64_t block = 0; block < block_index_n(tensor->blocks); block++)
                check_block(t, block, &values[t]);
        }
        case_values_free(&running.one, values);
    }
    darray_sync();
}

static void find_tensor_digest(int t, const void *context, char digest[SHA256_HEX_SIZE])
{
    (void)context;
    check_ok(tensor_sha256(executor_tensor(running.instance.executor, t), MPI_COMM_WORLD, digest));
}

/* One digest of all tensors. */
static void find_digest(char digest[SHA256_HEX_SIZE])
{
    digest_case_combine(running.one.n_tensors, find_tensor_digest, NULL, digest);
}

/* ---- Coverage: how often the programs contain each form of the language. */

struct counts {
    int statements, refused, factors[CASE_FACTORS + 1], repeated, scalars, scalar_factors, sums,
        copies, added, bound, without_blocks, shared, not_zero;
};

static bool has_repeated_index(const struct program_case *one, const struct case_factor *factor)
{
    for (int d = 0; d < one->tensors[factor->tensor].rank; d++)
        for (int e = 0; e < d; e++)
            if (factor->index[d] == factor->index[e])
                return true;
    return false;
}

static void count_statement(const struct case_statement *statement, struct counts *counts)
{
    const struct program_case *one = &running.one;
    counts->statements++;
    counts->scalars += one->tensors[statement->target.tensor].rank == 0;
    counts->sums += statement->n_terms > 1;
    counts->added += statement->add;
    for (int t = 0; t < statement->n_terms; t++) {
        const struct case_term *term = &statement->terms[t];
        counts->factors[term->n_factors]++;
        for (int f = 0; f < term->n_factors; f++) {
            counts->repeated += has_repeated_index(one, &term->factors[f]);
            counts->scalar_factors += one->tensors[term->factors[f].tensor].rank == 0;
        }
        counts->copies += term->n_factors == 1 && one->tensors[term->factors[0].tensor].rank ==
                                                      one->tensors[statement->target.tensor].rank;
    }
}

static void count_program(struct counts *counts)
{
    const struct program_case *one = &running.one;
    const struct plan *plan = running.instance.plan;
    counts->refused += one->n_refused;
    for (int s = 0; s < one->n_statements; s++)
        count_statement(&one->statements[s], counts);
    for (int s = 0; s < one->n_spaces; s++)
        counts->bound += one->spaces[s].bound;
    for (int t = 0; t < one->n_tensors; t++)
        counts->without_blocks +=
            block_index_n(executor_tensor(running.instance.executor, t)->blocks) == 0;
    for (int t = plan->n_program_tensors; t < plan->n_tensors; t++) {
        int n_reads = 0;
        for (int s = 0; s < plan->n_steps; s++)
            n_reads += (plan->steps[s].A.tensor == t) + (plan->steps[s].B.tensor == t);
        counts->shared += n_reads > 1;
    }
}

static bool any_result_is_not_zero(void)
{
    bool not_zero = false;
    for (int t = 0; t < running.one.n_tensors; t++) {
        const struct tensor *tensor = executor_tensor(running.instance.executor, t);
        double *elements = malloc((size_t)(tensor->max_block + 1) * sizeof *elements);
        for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
            darray_get(tensor->data, block, elements);
            for (int64_t i = 0; i < darray_block_size(tensor->data, block); i++)
                not_zero = not_zero ||
                           (elements[i] != 0 && program_instance_is_assigned(&running.instance, t));
        }
        free(elements);
    }
    return not_zero;
}

/* Checks the counts over all programs. */
static void check_counts(const struct counts *counts)
{
    print_message("%d statements (%d refused), %d sums, %d copies, %d scalars, %d added to what "
                  "is there\n",
                  counts->statements, counts->refused, counts->sums, counts->copies,
                  counts->scalars, counts->added);
    print_message("products of 1 to 6: %d %d %d %d %d %d; %d repeated indices, %d scalar factors\n",
                  counts->factors[1], counts->factors[2], counts->factors[3], counts->factors[4],
                  counts->factors[5], counts->factors[6], counts->repeated, counts->scalar_factors);
    print_message("%d bound spaces, %d tensors without blocks, %d shared intermediates, %d of %d "
                  "programs with results other than zero\n",
                  counts->bound, counts->without_blocks, counts->shared, counts->not_zero,
                  N_PROGRAMS);
    const int often[] = {counts->repeated, counts->scalars, counts->scalar_factors,
                         counts->sums,     counts->copies,  counts->added};
    const int rarely[] = {counts->bound,      counts->without_blocks, counts->shared,
                          counts->factors[1], counts->factors[2],     counts->factors[3],
                          counts->factors[4], counts->factors[5],     counts->factors[6]};
    for (size_t i = 0; i < sizeof often / sizeof often[0]; i++)
        assert_true(often[i] > N_PROGRAMS / 5);
    for (size_t i = 0; i < sizeof rarely / sizeof rarely[0]; i++)
        assert_true(rarely[i] > N_PROGRAMS / 20);
    assert_true(counts->not_zero > N_PROGRAMS * 3 / 4);
}

/* ---- Tests. */

static void check_program(uint64_t seed, int way, struct counts *counts)
{
    begin(seed, way);
    run_in(pool_case_find(way % pool_case_count(true), true));
    check_values();
    /* Again with the same pools: what they retain changes nothing. */
    if (way % 5 == 0) {
        char first[SHA256_HEX_SIZE], again[SHA256_HEX_SIZE];
        find_digest(first);
        run_all();
        find_digest(again);
        assert_string_equal(again, first);
    }
    count_program(counts);
    counts->not_zero += any_result_is_not_zero();
    end();
}

/* Several processes take longer and do a part of the programs, others for each number. */
struct share {
    int first, step;
};

static struct share share_of_programs(void)
{
    int n_processes;
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    int step = n_processes == 1 ? 1 : n_processes < 4 ? 3 : 6;
    return (struct share){n_processes % step, step};
}

static void test_random_programs_agree_with_nested_loops(void **state)
{
    (void)state;
    struct share share = share_of_programs();
    struct counts counts = {0};
    for (int i = share.first; i < N_PROGRAMS; i += share.step)
        check_program((uint64_t)i, i, &counts);
    if (share.step == 1)
        check_counts(&counts);
}

static void test_every_mode_gives_the_same_bits(void **state)
{
    (void)state;
    struct share share = share_of_programs();
    for (int i = share.first; i < N_PROGRAMS_OF_EVERY_MODE; i += share.step) {
        char first[SHA256_HEX_SIZE], digest[SHA256_HEX_SIZE];
        begin(10000 + (uint64_t)i, i);
        for (int mode = 0; mode < mode_count(); mode++) {
            char pool[64];
            snprintf(pool, sizeof pool, "--sched=%s", mode_at(mode)->name);
            run_in(pool);
            find_digest(mode == 0 ? first : digest);
            if (mode > 0)
                assert_string_equal(digest, first);
        }
        end();
    }
}

/* Adds so much, times the largest element, to the first one of a tensor that statements
 * assign to. */
static bool disturb(double relative)
{
    for (int t = 0; t < running.one.n_tensors; t++) {
        const struct tensor *tensor = executor_tensor(running.instance.executor, t);
        if (!program_instance_is_assigned(&running.instance, t) || tensor->n_elements == 0)
            continue;
        double *block = malloc((size_t)tensor->max_block * sizeof *block), max = 0;
        for (int64_t b = block_index_n(tensor->blocks); b-- > 0;) {
            darray_get(tensor->data, b, block);
            for (int64_t i = 0; i < darray_block_size(tensor->data, b); i++)
                max = fmax(max, fabs(block[i]));
        }
        darray_sync();
        block[0] += relative * (max > 0 ? max : 1);
        if (darray_owner(tensor->data, 0) == rank_of_process())
            darray_put(tensor->data, 0, block);
        darray_sync();
        free(block);
        return true;
    }
    return false;
}

static void test_verification_tells_right_from_wrong(void **state)
{
    (void)state;
    struct share share = share_of_programs();
    int n_disturbed = 0;
    for (int i = share.first; i < N_VERIFIED; i += share.step) {
        begin(20000 + (uint64_t)i, i);
        run_in("--sched=counter");
        need(verification_run(&running.instance));
        if (disturb(i % 2 ? 1e-6 : NAN)) {
            check_status(STATUS_NUMERIC, verification_run(&running.instance));
            assert_non_null(strstr(status_text(), "is wrong"));
            n_disturbed++;
        }
        end();
    }
    assert_true(n_disturbed > 0);
}

/* Where products cancel rounding is left, which is no mistake. */
static void test_verification_knows_what_cancels(void **state)
{
    (void)state;
    static const char text[] = "space s = 13, 11\nindex i, j, k, l : s\n"
                               "tensor A[i,j] = random(1)\ntensor B[i,j] = random(2)\n"
                               "tensor C[i,j] = random(3)\ntensor D[i,j]\ntensor AB[i,j]\n"
                               "AB[i,j] = A[i,k] * B[k,j]\n"
                               "D[i,l] = AB[i,k] * C[k,l] - A[i,j] * B[j,k] * C[k,l]\n";
    const struct contraction_settings settings = {.cache_bytes = 100000};
    struct taskpool_settings pool = pool_case_settings("--sched=counter");
    struct program_instance instance;
    const struct program_source source = {
        .text = text, .length = sizeof text - 1, .file = "cancel.tce"};
    check_ok(program_instance_init(&source, MPI_COMM_WORLD, &instance));
    check_ok(program_instance_start(&instance, &settings));
    for (int t = 0; t < instance.program.n_tensors; t++)
        check_ok(program_instance_fill(&instance, t));
    check_ok(executor_start(instance.executor, &pool));
    check_ok(executor_run(instance.executor, 0, instance.plan->n_stages, NULL));
    check_ok(verification_run(&instance));
    program_instance_fini(&instance);
}

/* ---- Programs of this program. */

/* Modes differ from one number of processes to another. */
static void find_program_digest(int i, const void *context, char digest[SHA256_HEX_SIZE])
{
    (void)context;
    int n_processes;
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    begin(30000 + (uint64_t)i, i + n_processes);
    run_in(pool_case_find((i + 5 * n_processes) % pool_case_count(true), true));
    find_digest(digest);
    end();
}

static void print_digests(void)
{
    char all[SHA256_HEX_SIZE];
    digest_case_combine(N_DIGESTS, find_program_digest, NULL, all);
    digest_case_print(all);
}

static void check_one_program(uint64_t seed)
{
    struct counts counts = {0};
    program_case_init(&running.one, seed);
    if (rank_of_process() == 0)
        printf("%s", running.one.text);
    fflush(stdout);
    check_program(seed, (int)seed, &counts);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        MPI_Init(&argc, &argv);
        check_ok(darray_start());
        if (strcmp(argv[1], "--digests") == 0)
            print_digests();
        else if (argc > 2)
            check_one_program(strtoull(argv[2], NULL, 10));
        darray_stop();
        MPI_Finalize();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_random_programs_agree_with_nested_loops, darray_case_start),
        cmocka_unit_test(test_every_mode_gives_the_same_bits),
        cmocka_unit_test(test_verification_tells_right_from_wrong),
        cmocka_unit_test_teardown(test_verification_knows_what_cancels, darray_case_stop),
    };
    return check_run_parallel(tests, &argc, &argv);
}
