/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/noise.h"
#include "support/base/status.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>

void fuzz_one(const char *data, size_t size)
{
    struct taskpool_noise noise;
    if (taskpool_noise_read(&noise, fuzz_file("noise.csv", data, size)) != STATUS_OK)
        return;
    assert(noise.n > 0 && noise.period_s >= NOISE_MIN_PERIOD_S);
    double start_s = 0, phase_s = 0.3 * noise.period_s;
    for (int i = 0; i < 20; i++) {
        double end_s = noise_end_s(&noise, phase_s, start_s, 0.1 * noise.period_s);
        assert(end_s >= start_s && !isnan(end_s));
        start_s = end_s;
    }
    taskpool_noise_fini(&noise);
}
