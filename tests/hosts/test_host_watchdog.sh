#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The watchdog over two hosts: processes of both report. Processes that wait on one host are left
# alone while tasks finish on the other.
#
#     test_host_watchdog.sh BIN_FOLDER INPUTS
set -u
hosts=$(dirname "$0")/hosts.sh
case_program=$1/../tests/bin/watchdog_case
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
n_failed=0

# run STATUS PROCESSES CASE OPTION...
run() {
    local expected=$1 n=$2 status
    shift 2
    timeout 60 "$hosts" mpirun -np "$n" "$case_program" "$@" watchdog=1 > "$folder/errors" 2>&1
    status=$?
    [ "$status" != 77 ] || exit 77
    if [ "$status" != "$expected" ]; then
        echo "$*: exit status $status, not $expected"
        cat "$folder/errors"
        n_failed=$((n_failed + 1))
    fi
}

# said COUNT PATTERN
said() {
    local count
    count=$(grep -Ec -- "$2" "$folder/errors")
    if [ "$count" != "$1" ]; then
        echo "$count lines with '$2', not $1"
        cat "$folder/errors"
        n_failed=$((n_failed + 1))
    fi
}

run 1 4 endless sched=static
said 4 'watchdog: process [0-9] \(h[12], pid'
said 1 'so this is no deadlock'
said 1 'runs task 17, for'
run 1 4 short sched=deaf
said 4 'watchdog: process [0-9] \(h[12], pid'
said 2 'this is a deadlock of mode deaf'
for mode in static auto; do
    run 0 2 uneven "sched=$mode"
    said 0 watchdog
    said 1 '^done'
done
exit $((n_failed > 0))
