/* SPDX-License-Identifier: BSD-3-Clause */
/* The budget of a process from the limits of its node, and the refusal of too large a need. */
#include "support/base/memory.h"
#include "tests/check.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const int64_t GB = 1000000000;

/* Whether the message of a refused need has this part. */
static void check_refused(struct memory_need need, const struct memory_budget *budget,
                          const char *part)
{
    assert_false(memory_fits(&need, budget));
    check_status(STATUS_NO_MEMORY, memory_check("a test", &need, budget, "ask for less"));
    if (!strstr(status_text(), part) || !strstr(status_text(), "; ask for less"))
        fail_msg("\"%s\" lacks \"%s\"", status_text(), part);
}

TEST(limits_are_within_the_machine)
{
    int64_t all = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    struct memory_limits limits = memory_limits();
    assert_true(limits.main_bytes > 0 && limits.main_bytes <= all);
    assert_true(limits.shared_bytes >= 0 && limits.address_bytes > 0);
    assert_int_equal(limits.shared_bytes == INT64_MAX, access("/dev/shm", F_OK) != 0);
    assert_true(memory_part_bytes() > 0 && memory_part_bytes() <= memory_peak_bytes());
}

/* A file may be filled later, without asking for memory, by those that have mapped it; one that a
 * killed run has left will not be. */
TEST(holes_of_mapped_files_are_not_available)
{
    const int64_t hole_bytes = GB;
    int64_t before = memory_limits().shared_bytes;
    if (before == INT64_MAX || before < 2 * hole_bytes)
        skip(); /* no /dev/shm, or a small one */
    char path[] = "/dev/shm/beryl-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, hole_bytes), 0);
    int64_t with_file = memory_limits().shared_bytes;
    void *memory = mmap(NULL, (size_t)hole_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    int64_t with_hole = memory_limits().shared_bytes;
    munmap(memory, (size_t)hole_bytes);
    unlink(path);
    close(file);
    /* Other programs take and return memory there meanwhile. */
    assert_true(before - with_file < hole_bytes / 2);
    assert_true(with_file - with_hole > hole_bytes / 2);
}

TEST(processes_of_a_node_divide_all_but_a_reserve)
{
    struct memory_limits limits = {
        .main_bytes = 80 * GB, .shared_bytes = 20 * GB, .address_bytes = 10 * GB};
    struct memory_budget four = memory_divide(&limits, 4), one = memory_divide(&limits, 1);
    check_close(four.main_bytes, 19e9, 1);
    check_close(four.shared_bytes, 4.75e9, 1);
    check_close(four.address_bytes, 9.5e9, 1);
    check_close(one.main_bytes, 76e9, 1);
    assert_true(isinf(one.shared_bytes));
    limits = (struct memory_limits){INT64_MAX, INT64_MAX, INT64_MAX};
    four = memory_divide(&limits, 4);
    assert_true(isinf(four.main_bytes) && isinf(four.shared_bytes) && isinf(four.address_bytes));
}

TEST(each_limit_refuses_by_its_name)
{
    const struct memory_budget budget = {19e9, 4.75e9, 16e9, .n_sharing = 4};
    struct memory_need fits = {.shared_bytes = 3e9, .own_bytes = 4e9};
    check_ok(memory_check("a test", &fits, &budget, "ask for less"));
    const struct memory_budget no_address = {19e9, 4.75e9, INFINITY, .n_sharing = 4};
    check_refused((struct memory_need){.shared_bytes = 4e9, .own_bytes = 16e9}, &no_address,
                  "a test needs 20000 MB of main memory per process, but 19000 MB are available: "
                  "1000 MB are missing");
    check_refused((struct memory_need){.shared_bytes = 5e9}, &no_address,
                  "5000 MB of /dev/shm per process, but 4750 MB are available: 250 MB are missing; "
                  "ask for less, or make /dev/shm larger (");
    /* The arrays of all four processes are mapped by each. */
    check_refused((struct memory_need){.shared_bytes = 3e9, .own_bytes = 5e9}, &budget,
                  "17000 MB of address space (ulimit -v) per process, but 16000 MB are available: "
                  "1000 MB are missing; ask for less, or raise that limit");
    check_refused((struct memory_need){.own_bytes = 19e9 + 1}, &no_address,
                  "19001 MB of main memory per process, but 19000 MB are available: 1 MB are");
    const struct memory_budget small = {19e9, 40960, INFINITY, .n_sharing = 4};
    check_refused((struct memory_need){.shared_bytes = 50001}, &small,
                  "0.051 MB of /dev/shm per process, but 0.040 MB are available: 0.011 MB are");
}

TEST(needs_add_up_and_leave_the_rest)
{
    const struct memory_need one = {.shared_bytes = 1e9, .own_bytes = 2e9, .n_shared = 2};
    const struct memory_need other = {.shared_bytes = 3e9, .own_bytes = 1e9, .n_shared = 1};
    struct memory_need sum = one, larger = memory_need_larger(one, other);
    memory_need_add(&sum, 3, other);
    assert_true(sum.shared_bytes == 10e9 && sum.own_bytes == 5e9 && sum.n_shared == 5);
    assert_true(larger.shared_bytes == 3e9 && larger.own_bytes == 2e9 && larger.n_shared == 2);
    struct memory_budget budget = {19e9, INFINITY, 46e9, .n_sharing = 4};
    assert_true(memory_left_bytes(&sum, &budget) == 1e9);
    budget.address_bytes = INFINITY;
    assert_true(memory_left_bytes(&sum, &budget) == 4e9);
    budget.main_bytes = 14e9;
    assert_true(memory_left_bytes(&sum, &budget) == 0);
}

TEST(the_user_may_know_better)
{
    struct memory_budget budget = memory_budget(1000 * GB, MPI_COMM_WORLD);
    struct memory_need need = {.shared_bytes = 999e9};
    assert_true(memory_fits(&need, &budget));
    check_refused((struct memory_need){.own_bytes = 1001e9}, &budget, "1000000 MB are available");
}

TEST(address_space_is_bounded_by_ulimit)
{
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    long mapped_pages = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    assert_int_equal(fscanf(stream, "%ld", &mapped_pages), 1);
    fclose(stream);
    limit = before;
    limit.rlim_cur = (rlim_t)mapped_pages * (rlim_t)sysconf(_SC_PAGESIZE) + 100000000;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    struct memory_limits limits = memory_limits();
    struct memory_budget budget = memory_budget(0, MPI_COMM_WORLD);
    const struct memory_need large = {.own_bytes = 101e6}, small = {.own_bytes = 1e6};
    enum status refused = memory_check_now("a matrix", &large, 1, "");
    enum status granted = memory_check_now("a matrix", &small, 1, "");
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(refused, STATUS_NO_MEMORY);
    assert_int_equal(granted, STATUS_OK);
    assert_true(limits.address_bytes > 50000000 && limits.address_bytes <= 100000000);
    check_refused((struct memory_need){.own_bytes = 101e6}, &budget, "ulimit -v");
}

static bool can_map(size_t bytes)
{
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return false;
    munmap(mapped, bytes);
    return true;
}

TEST(a_confined_process_gets_no_more_than_its_budget)
{
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    const struct memory_budget budget = {.main_bytes = 100e6};
    assert_true(can_map(200000000));
    memory_confine(&budget);
    bool some = can_map(50000000), more = can_map(200000000);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    assert_true(some && !more);
}

TEST_SETUP(check_begin_mpi)
TEST_TEARDOWN(check_end_mpi)
