/* SPDX-License-Identifier: BSD-3-Clause */
/* Neither iterations nor pools nor arrays leave anything behind, however many there are, and the
 * hundredth costs what the first did. With an argument, the numbers are multiplied by it:
 *
 *     mpirun -np 2 test_load_pools        short, as in CI
 *     mpirun -np 2 test_load_pools 100    100,000 iterations, 10,000 pools of each mode */
