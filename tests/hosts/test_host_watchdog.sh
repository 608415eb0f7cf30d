#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The watchdog over two hosts: processes of both report. Processes that wait on one host are left
# alone while tasks finish on the other.
#
#     test_host_watchdog.sh PROGRAMS INPUTS
source "$(dirname "$0")/host_test.sh"

# watch STATUS PROCESSES CASE OPTION...
watch() {
    n_processes=$2
    run "$1" ../tests/bin/watchdog_case "${@:3}" watchdog=1
}

# said COUNT PATTERN: so many lines of the last run have it.
said() {
    [ "$(grep -Ec -e "$2" "$folder/output")" = "$1" ] || complain "not $1 lines with '$2'"
}

watch 1 4 endless sched=static
said 4 'watchdog: process [0-9] \(h[12], pid'
said 1 'so this is no deadlock'
said 1 'runs task 17, for'
watch 1 4 short sched=deaf-steal
said 4 'watchdog: process [0-9] \(h[12], pid'
said 2 'this is a deadlock of mode deaf'
for mode in static auto; do
    watch 0 2 uneven "sched=$mode"
    said 0 watchdog
    said 1 '^done'
done
finish
