/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/random.h"

/* 2^64 divided by the golden ratio, made odd: successive states are far apart. */
static const uint64_t increment = UINT64_C(0x9e3779b97f4a7c15);

uint64_t random_mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

void random_stream_init(struct random_stream *random, uint64_t seed, uint64_t stream)
{
    /* Mixed twice, so that neighbouring seeds and streams start at unrelated
     * places of the one cycle of 2^64 states. */
    random->state = random_mix(random_mix(seed + increment) ^ (stream + 1) * increment);
}

uint64_t random_next(struct random_stream *random)
{
    random->state += increment;
    return random_mix(random->state);
}

uint64_t random_below(struct random_stream *random, uint64_t bound)
{
    /* Draws again the first 2^64 mod bound of the 2^64 values: the rest is a multiple of bound. */
    uint64_t rejected = -bound % bound;
    uint64_t bits;
    do
        bits = random_next(random);
    while (bits < rejected);
    return bits % bound;
}

double random_unit(struct random_stream *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}
