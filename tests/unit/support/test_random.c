/* SPDX-License-Identifier: BSD-3-Clause */
/* Random streams: the published sequence, equal probabilities, unrelated streams. */
#include "support/base/random.h"
#include "tests/check.h"

/* The first outputs of SplitMix64 from the state 1234567, as given with its
 * reference implementation by S. Vigna. */
TEST(published_sequence)
{
    const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                 UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                 UINT64_C(16408922859458223821)};
    struct random_stream random = {.state = 1234567};
    for (int i = 0; i < 5; i++)
        assert_true(random_next(&random) == expected[i]);
}

/* Chi-squared with 6 degrees of freedom exceeds 30 once in 25,000 times. */
TEST(below_is_uniform)
{
    enum { bound = 7, n = 70000 };
    double count[bound] = {0};
    struct random_stream random;
    random_stream_init(&random, 1, 0);
    for (int i = 0; i < n; i++)
        count[random_below(&random, bound)] += 1;
    double expected = (double)n / bound, chi_squared = 0;
    for (int i = 0; i < bound; i++)
        chi_squared += (count[i] - expected) * (count[i] - expected) / expected;
    assert_true(chi_squared < 30);
}

TEST(below_keeps_the_bound)
{
    struct random_stream random;
    random_stream_init(&random, 1, 0);
    for (int i = 0; i < 1000; i++) {
        assert_true(random_below(&random, 1) == 0);
        assert_true(random_below(&random, (UINT64_C(1) << 63) + 1) <= UINT64_C(1) << 63);
    }
}

TEST(streams_differ)
{
    enum { n = 300 };
    uint64_t first[n];
    for (uint64_t i = 0; i < n; i++) {
        struct random_stream random;
        random_stream_init(&random, 1 + i / 100, i % 100);
        first[i] = random_next(&random);
        for (uint64_t j = 0; j < i; j++)
            assert_true(first[i] != first[j]);
    }
}
