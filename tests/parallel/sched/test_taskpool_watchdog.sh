#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The watchdog of task pools. Of its runs, PART hangs: a mode that hangs is reported by every
# process, with exit status 1; modes: so is a task that never ends, under several modes, and a process
# that is stopped; lives: a run that is slow, but lives, is left alone.
#
#     test_taskpool_watchdog.sh watchdog_case PROCESSES mpiexec PART [OPTION=VALUE ...]
# shellcheck disable=SC2317 # called by beside
set -u
program=$1 n=$2 mpiexec=$3 part=$4
shift 4
options=("$@")
command=
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
errors=$folder/errors
n_failed=0

complain() {
    echo "$program $command: $*"
    sed 's/^/    /' "$errors" | head -40
    n_failed=$((n_failed + 1))
}

# run STATUS CASE OPTION...
run() {
    local expected=$1 status
    shift
    command="$* ${options[*]}"
    timeout 60 "$mpiexec" --oversubscribe -n "$n" "$program" "$@" "${options[@]}" \
        > "$errors" 2>&1 < /dev/null
    status=$?
    [ "$status" = "$expected" ] || complain "exit status $status, not $expected"
}

# said PATTERN LEAST [MOST]: so many lines match.
said() {
    local count
    count=$(grep -Ec -- "$1" "$errors")
    if [ "$count" -lt "$2" ] || [ "$count" -gt "${3:-$2}" ]; then
        complain "$count lines with '$1', not $2"
    fi
}

report='watchdog: process [0-9]+ \('
hangs() {
    run 1 "$@" watchdog=0.5
    said "$report" "$n"
    said 'no task has finished for 0.5 s' 1
    said '^done' 0
    said 'WARNING: ThreadSanitizer' 0
}

# beside FUNCTION ARGUMENT...: runs that wait, for the most part, all at once; then wait_for_all.
beside=()
beside() {
    (
        errors=$folder/errors.${#beside[@]}
        "$@"
        exit $((n_failed > 0))
    ) &
    beside+=($!)
}

wait_for_all() {
    local pid
    for pid in "${beside[@]}"; do
        wait "$pid" || n_failed=$((n_failed + 1))
    done
}

stalls() {
    hangs short sched=stalls
    said 'this is a deadlock of mode stalls' 1
    said 'waits for others to finish theirs, .* Mode stalls: .* ranges of tasks begun' 1
    said 'has finished and waits for the other processes' $((n - 1))
}

is_deaf() {
    hangs short sched=deaf
    said 'this is a deadlock of mode deaf' 1
    said 'searching.*; termination: ' "$n"
}

part_hangs() {
    beside stalls
    [ "$n" -lt 2 ] || beside is_deaf
    wait_for_all
}

is_endless() {
    hangs endless sched="$1"
    said 'so this is no deadlock: it takes longer than --watchdog, or does not end' 1
    said 'runs task 17, for [0-9.]+ s' 1
    said "Mode $1: [0-9a-z]" "$n"
}

# Another process reports a stopped one, which does not again when mpiexec continues it.
is_stopped() {
    run 1 stopped sched=static watchdog=0.5
    said "$report" "$n"
    said '1 of the [0-9]+ processes of this node does not respond' 1
    said 'watchdog: process [0-9] \([^ ]+, pid [0-9]+\) is stopped' 1
    said 'deadlock' 0
}

has_records() {
    hangs records sched=steal
    said 'so this is no deadlock' 1
    said 'runs a task, for' 1
}

part_modes() {
    local mode modes=(static)
    [ "$n" -lt 2 ] || modes+=(auto)
    [ "$n" != 3 ] || modes+=(counter share dtree hybrid)
    for mode in "${modes[@]}"; do
        beside is_endless "$mode"
    done
    [ "$n" -lt 2 ] || beside is_stopped
    [ "$n" != 2 ] || beside has_records
    wait_for_all
}

lives() {
    run 0 "$@" watchdog=1
    said 'watchdog' 0
    said '^done' 1
}

part_lives() {
    beside lives slow sched=static
    beside lives uneven sched=static
    beside lives late sched=steal
    wait_for_all
}

case $part in
hangs) part_hangs ;;
modes) part_modes ;;
lives) part_lives ;;
*) complain "no part $part" ;;
esac
exit $((n_failed > 0))
