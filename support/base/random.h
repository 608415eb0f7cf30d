/* SPDX-License-Identifier: BSD-3-Clause */
/* Reproducible random numbers, a stream of its own for every worker. */
#pragma once

#include <stdint.h>

/* One word, so that 10^5 simulated workers can have one each. */
struct random_stream {
    uint64_t state;
};

/* One seed and stream give identical numbers on every machine. */
void random_stream_init(struct random_stream *random, uint64_t seed, uint64_t stream);

/* A bijection of 64 bits; each bit of the result depends on all bits of the argument.
 * Source: Steele, Lea, Flood, OOPSLA 2014 (SplitMix), in D. Stafford's variant 13. */
uint64_t random_mix(uint64_t bits);

/* 64 random bits: SplitMix of the same source. */
uint64_t random_next(struct random_stream *random);

/* A number in [0, bound), each equally probable; bound > 0. */
uint64_t random_below(struct random_stream *random, uint64_t bound);

/* A number in [0, 1), each of 2^53 equally probable. */
double random_unit(struct random_stream *random);
