/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_profile(fuzz_mpi_file("profile.csv", data, size));
    return 0;
}
