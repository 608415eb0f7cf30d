#!/usr/bin/env bash
# What beryl-sched writes: the same bytes for the same seed when simulated, other ones for
# another seed; and the sizes of a tree however it is walked.
#
#   test_sched_outputs.sh BERYL_SCHED MPIEXEC
set -u
beryl_sched=$1 mpiexec=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
n_failed=0

complain()
{
    echo "$*"
    n_failed=$((n_failed + 1))
}

has()
{
    grep -q "\"$2\": $3,\$" "$1" || complain "$1: no \"$2\": $3"
}

simulate()
{
    local name=$1
    shift
    timeout 60 "$beryl_sched" "$@" --simulate 16 --iterations 2 --latency-spread 1e-6 \
        --json "$name.json" > "$name.txt" || complain "$*: exit status $?"
}

for mode in static counter share steal retentive; do
    for distribution in "--gauss 1e-4,2e-5" "--exponential 1e-4" "--lognormal 1e-4,1e-4"; do
        simulate first $distribution --tasks 500 --sched $mode
        simulate second $distribution --tasks 500 --sched $mode
        simulate third $distribution --tasks 500 --sched $mode --seed 2
        cmp -s first.json second.json || complain "$mode $distribution: two results of one seed"
        cmp -s first.txt second.txt || complain "$mode $distribution: two tables of one seed"
        cmp -s first.json third.json && complain "$mode $distribution: one result of two seeds"
        has first.json tasks 500
        has first.json workers 16
    done
done

tree="-t 1 -a 3 -d 6 -b 4 -r 19"
timeout 60 "$beryl_sched" --uts "$tree" --sched steal --json one.json > one.txt ||
    complain "exit status $?"
nodes=$(sed -n 's/.*"nodes": \([0-9]*\),/\1/p' one.json)
leaves=$(sed -n 's/.*"leaves": \([0-9]*\),/\1/p' one.json)
[ "${nodes:-0}" -gt 1000 ] || complain "$nodes nodes"
for mode in share steal retentive; do
    for progress in poll thread; do
        simulate tree --uts "$tree" --sched $mode --progress $progress
        timeout 60 "$mpiexec" --oversubscribe -n 2 "$beryl_sched" --uts "$tree" --sched $mode \
            --progress $progress --iterations 3 --json two.json > two.txt ||
            complain "$mode, $progress: exit status $?"
        for file in tree.json two.json; do
            has $file nodes "$nodes"
            has $file leaves "$leaves"
            has $file depth 6
        done
    done
done

exit $((n_failed > 0))
