/* SPDX-License-Identifier: BSD-3-Clause */
/* The account of wall time: uses are nested, add up to the wall time since the process began, and
 * tests of stability take all that is within them. */
#include "support/base/clock.h"
#include "support/mpi/wall_time.h"
#include "tests/check.h"

/* Sleeping would do, but a busy loop ends on time. */
static void spend(double seconds)
{
    double end_s = clock_now_s() + seconds;
    while (clock_now_s() < end_s)
        ;
}

static double spent(enum wall_use use)
{
    return wall_time_of_all(MPI_COMM_SELF).seconds[use];
}

/* Must come first. */
TEST(nothing_is_measured_without_a_start)
{
    enum wall_use before = wall_time_begin(WALL_INTEGRALS);
    spend(0.002);
    wall_time_end(before);
    struct wall_time time = wall_time_of_all(MPI_COMM_SELF);
    check_close(wall_time_total(&time), 0, 0);
}

TEST(uses_add_up_to_the_wall_time)
{
    wall_time_start();
    double start_s = clock_now_s(), age_s = spent(WALL_START);
    assert_true(age_s >= 0.002 && age_s < 60);
    wall_time_begin(WALL_ALGEBRA);
    assert_int_equal(wall_time_begin(WALL_COMMUNICATION), WALL_ALGEBRA);
    spend(0.02);
    enum wall_use inner = wall_time_begin(WALL_DIGESTION);
    spend(0.03);
    double now_s = wall_time_end_now_s(inner);
    assert_true(clock_now_s() >= now_s);
    wall_time_end(WALL_ALGEBRA);
    spend(0.01);
    assert_true(spent(WALL_COMMUNICATION) >= 0.02);
    assert_true(spent(WALL_DIGESTION) >= 0.03);
    assert_true(spent(WALL_ALGEBRA) >= 0.01);
    struct wall_time time = wall_time_of_all(MPI_COMM_SELF);
    check_close(wall_time_total(&time), age_s + clock_now_s() - start_s, 0.005);
}

TEST(stability_takes_all_within_it)
{
    wall_time_start();
    wall_time_begin(WALL_ALGEBRA);
    enum wall_use before = wall_time_begin(WALL_STABILITY);
    enum wall_use within = wall_time_begin(WALL_INTEGRALS);
    wall_time_begin(WALL_DIGESTION);
    spend(0.01);
    wall_time_end(within);
    wall_time_end(before);
    assert_true(spent(WALL_INTEGRALS) == 0 && spent(WALL_DIGESTION) == 0);
    assert_true(spent(WALL_STABILITY) >= 0.01);
    assert_int_equal(wall_time_begin(WALL_FILES), WALL_ALGEBRA);
}

/* The result is the mean of the processes, the same on all. */
TEST(processes_get_their_mean)
{
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    wall_time_start();
    enum wall_use before = wall_time_begin(WALL_FILES);
    spend(0.01 * rank);
    wall_time_end(before);
    double own = spent(WALL_FILES), sum;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_close(wall_time_of_all(MPI_COMM_WORLD).seconds[WALL_FILES], sum / n, 1e-12);
}
