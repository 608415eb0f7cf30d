#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# beryl-sched --calibrate writes plausible measurements of a machine, and --machine simulates it.
#
#   test_sched_calibrate.sh BERYL_SCHED PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/program.sh"

# value FILE KEY: the number at the end of its line, of the first such line
value()
{
    sed -n "s/^ *\"$2\": \([-0-9.e+]*\),*\$/\1/p" "$1" | head -n 1
}

# within KEY LOW HIGH: both included
within()
{
    value machine.json "$1" |
        awk -v low="$2" -v high="$3" 'END { exit !(NR == 1 && $1 >= low && $1 <= high) }' ||
        complain "$1: $(value machine.json "$1"), not in $2 to $3"
}

run 0 --calibrate machine.json
within node-size "$processes" "$processes"
within node-latency 0 1
within overhead 1e-10 1
within counter-time 1e-10 1
within node-bandwidth 1e3 1e15
within contention-factor 1e-3 1
within poll-time 1e-9 1
within atomic-time 1e-10 1
for name in node-latency overhead counter-time atomic-time node-bandwidth contention-factor poll-time fetch-add \
    task; do
    grep -q "^$name " "$folder/output" || complain "$name is not in the table"
    grep -q "\"$name\": {" machine.json || complain "$name without a spread"
done

# The simulated machine has the measured values, except where an option was given.
processes=1
simulation="--exponential 1e-4 --tasks 100 --simulate 4 --machine machine.json --json run.json"
run 0 $simulation --overhead 0.5
for name in node-size node-latency counter-time atomic-time node-bandwidth contention-factor \
    poll-time; do
    [ "$(value run.json $name)" = "$(value machine.json $name)" ] ||
        complain "$name: $(value run.json $name), not $(value machine.json $name)"
done
[ "$(value run.json overhead)" = 0.5 ] || complain "overhead: $(value run.json overhead)"

exit $((n_failed > 0))
