#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Results of random contractions are bitwise independent of the number of processes.
#
#   test_tce_same_digest.sh TEST_TCE_CONTRACTION MPIEXEC
set -u
program=$1 mpiexec=$2 first=""
for processes in 1 2 3 4 7; do
    digest=$(timeout 120 "$mpiexec" --oversubscribe -n "$processes" "$program" --digests)
    first=${first:-$digest}
    if [ -z "$digest" ] || [ "$digest" != "$first" ]; then
        echo "on $processes processes: '$digest', not '$first'"
        exit 1
    fi
done
echo "$first"
