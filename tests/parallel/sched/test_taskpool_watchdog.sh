#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The watchdog of task pools. Of its runs, PART hangs: a mode that hangs is reported by every
# process, with exit status 1; modes: so is a task that never ends, under several modes, and a process
# that is stopped; lives: a run that is slow, but lives, is left alone.
#
#     test_taskpool_watchdog.sh watchdog_case PROCESSES mpiexec PART [OPTION=VALUE ...]
set -u
program=$1 n=$2 mpiexec=$3 part=$4
shift 4
options=("$@")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
runs=()

# start STATUS "CASE OPTION..." [PATTERN COUNT]...: a run, which waits for the most part, beside others. So
# many lines of its output match.
start() {
    (
        line="$2 ${options[*]}" errors=$folder/${#runs[@]} failed=0
        # shellcheck disable=SC2086 # words of a command
        timeout 60 "$mpiexec" --oversubscribe -n "$n" "$program" $line \
            > "$errors" 2>&1 < /dev/null
        status=$?
        [ "$status" = "$1" ] || { echo "$line: exit status $status, not $1" && failed=1; }
        shift 2
        while [ $# -gt 0 ]; do
            count=$(grep -Ec -- "$1" "$errors")
            [ "$count" = "$2" ] || { echo "$line: $count lines with '$1', not $2" && failed=1; }
            shift 2
        done
        [ $failed = 0 ] || sed 's/^/    /' "$errors" | head -40
        exit $failed
    ) &
    runs+=($!)
}

hangs() {
    local words=$1
    shift
    start 1 "$words watchdog=0.5" 'watchdog: process [0-9]+ \(' "$n" \
        'WARNING: ThreadSanitizer' 0 '^done' 0 "$@"
}

case $part in
hangs)
    hangs 'short sched=stalls-static' 'no task has finished for 0.5 s' 1 \
        'this is a deadlock of mode stalls-static' 1 \
        'waits for others to finish theirs, .* Mode stalls-static: .* ranges of tasks begun' 1 \
        'has finished and waits for the other processes' $((n - 1))
    [ "$n" -lt 2 ] || hangs 'short sched=deaf-steal' 'no task has finished for 0.5 s' 1 \
        'this is a deadlock of mode deaf-steal' 1 'searching.*; termination: ' "$n"
    ;;
modes)
    modes=(static)
    [ "$n" -lt 2 ] || modes+=(auto)
    [ "$n" != 3 ] || modes+=(counter share dtree hybrid)
    for mode in "${modes[@]}"; do
        hangs "endless sched=$mode" 'no task has finished for 0.5 s' 1 \
            'so this is no deadlock: it takes longer than --watchdog, or does not end' 1 \
            'runs task 17, for [0-9.]+ s' 1 "Mode $mode: [0-9a-z]" "$n"
    done
    # Another process reports a stopped one, which does not again when mpiexec continues it.
    [ "$n" -lt 2 ] || hangs 'stopped sched=static' \
        '1 of the [0-9]+ processes of this node does not respond' 1 \
        'watchdog: process [0-9] \([^ ]+, pid [0-9]+\) is stopped' 1 'deadlock' 0
    [ "$n" != 2 ] || hangs 'records sched=steal' 'no task has finished for 0.5 s' 1 \
        'so this is no deadlock' 1 'runs a task, for' 1
    ;;
lives)
    for words in 'slow sched=static' 'uneven sched=static' 'late sched=steal'; do
        start 0 "$words watchdog=1" 'watchdog' 0 '^done' 1
    done
    ;;
*) echo "no part $part" && exit 1 ;;
esac
failed=0
for pid in "${runs[@]}"; do
    wait "$pid" || failed=1
done
exit $failed
