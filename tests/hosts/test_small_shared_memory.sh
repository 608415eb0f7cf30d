#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# 64 MB of /dev/shm, as containers have, are enough for CCSD of a small molecule on four
# processes; where they are not, it is refused before the SCF.
#
#     test_small_shared_memory.sh PROGRAMS INPUTS
n_hosts=1
source "$(dirname "$0")/host_test.sh"
n_processes=4
mpirun_options=--oversubscribe

mount -o remount,size=64m /dev/shm
run 0 beryl-tce ccsd "$inputs/water.xyz" --basis cc-pvdz
run 1 beryl-tce ccsd "$inputs/water.xyz" --basis cc-pvtz
prints "of /dev/shm per process"
if grep -q '^Iteration\|^Task pool\|^ *1 ' "$folder/output"; then
    complain "refused after the SCF began"
fi
finish
