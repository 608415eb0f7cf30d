/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the clock of the core in GHz: the best of many chains of 64-bit products. Each
 * product waits for the last and takes three cycles on the x86 processors of the last 15 years. */
#include "support/base/clock.h"

#include <stdint.h>
#include <stdio.h>

enum { N_CHAINS = 1000, N_PRODUCTS = 100000, CYCLES = 3 };

int main(void)
{
    double least_s = 1;
    volatile uint64_t factor = 3; /* unknown to the compiler, which would fold the chain */
    uint64_t product = 1;
    for (int i = 0; i < N_CHAINS; i++) {
        uint64_t f = factor;
        double start_s = clock_now_s();
        for (int k = 0; k < N_PRODUCTS; k++)
            product *= f;
        factor = product | 1;
        double seconds = clock_now_s() - start_s;
        least_s = seconds < least_s ? seconds : least_s;
    }
    printf("%.2f\n", 1e-9 * CYCLES * N_PRODUCTS / least_s);
    return 0;
}
