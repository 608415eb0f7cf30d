#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Outputs of beryl-sched: the same bytes for the same seed when simulated, other ones for
# another seed; the sizes of a tree for every walk; and beryl-report's page of them.
#
#   test_sched_outputs.sh BERYL_SCHED MPIEXEC BERYL_REPORT
set -u
beryl_sched=$1 mpiexec=$2 beryl_report=$3
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1

# has FILE KEY VALUE: a line of a result, which is held against the schema too.
has()
{
    keep_results --json "$1"
    grep -q "\"$2\": $3,\$" "$1" || complain "$1: no \"$2\": $3"
}

simulate()
{
    local name=$1
    shift
    timeout 60 "$beryl_sched" "$@" --simulate 16 --iterations 2 --latency-spread 1e-6 \
        --json "$name.json" > "$name.txt" || complain "$*: exit status $?"
}

# by_seed MODE DISTRIBUTION
by_seed()
{
    simulate first $2 --tasks 500 --sched $1
    simulate second $2 --tasks 500 --sched $1
    simulate third $2 --tasks 500 --sched $1 --seed 2
    cmp -s first.json second.json || complain "$1 $2: two results of one seed"
    cmp -s first.txt second.txt || complain "$1 $2: two tables of one seed"
    cmp -s first.json third.json && complain "$1 $2: one result of two seeds"
    has first.json tasks 500
    has first.json workers 16
}

# Durations are drawn before a mode sees them.
for mode in static counter share steal retentive; do
    by_seed $mode "--exponential 1e-4"
done
by_seed steal "--gauss 1e-4,2e-5"
by_seed steal "--lognormal 1e-4,1e-4"

# A structure search: simulated nothing is found, but the tasks are the same; the profile of a
# run has each of them.
awk 'BEGIN { srand(1); print "a,b,c,d"; for (i = 0; i < 500; i++) {
    a = rand() < 0.5; b = rand() < 0.9 ? a : 1 - a; c = rand() < 0.9 ? b : 1 - b
    print a "," b "," c "," (rand() < 0.8 ? c : 1 - c) } }' > samples.csv
printf 'parent,child\na,b\nb,c\nc,d\n' > known.csv
simulate first --bnsl samples.csv --hypercube 1 --sched auto
simulate second --bnsl samples.csv --hypercube 1 --sched auto
cmp -s first.json second.json || complain "--bnsl: two results of one seed"
grep -q '"edges"' first.json && complain "--bnsl: a network from simulated tasks"
timeout 60 "$beryl_sched" --bnsl samples.csv --hypercube 1 --network known.csv --sched static \
    --json real.json --write-profile profile.csv > real.txt || complain "--bnsl: exit status $?"
for file in first.json real.json; do
    has $file variables 4
    has $file samples 500
    has $file tasks 16
done
has real.json shd 0
[ "$(wc -l < profile.csv)" = 17 ] || complain "a profile of $(wc -l < profile.csv) lines"
simulate replayed --profile profile.csv --sched static
has replayed.json tasks 16

# Tasks wait for the blocks that are named beside their profile, unless data do not count.
{ echo task,seconds; seq 0 63 | sed 's/$/,1e-3/'; } > moved.csv
simulate before --profile moved.csv --sched static
{ echo task,access,block; seq 0 63 | sed 's/$/,r,7/'; } > moved.blocks.csv
printf 'block,bytes,owner\n7,1000000,16\n' > moved.sizes.csv # with the first of 16 workers
simulate off --profile moved.csv --sched static --data off
simulate on --profile moved.csv --sched static --node-cache 0
simulate kept --profile moved.csv --sched static
simulate owned --profile moved.csv --sched static --seeding owner
# The data of a profile are not read for another one of its name.
simulate replaced --gauss 1e-3,0 --tasks 64 --sched static --write-profile moved.csv
[ -e moved.blocks.csv ] || [ -e moved.sizes.csv ] && complain "data of an older profile are left"
echo notes > moved.blocks.csv
simulate replaced --gauss 1e-3,0 --tasks 64 --sched static --write-profile moved.csv
[ "$(cat moved.blocks.csv)" = notes ] || complain "a file that is no table of blocks was removed"
rm moved.blocks.csv
timeout 60 "$beryl_sched" --profile moved.csv --simulate 16 --sched static --data on > out.txt \
    2> errors.txt && complain "--data on without X.blocks.csv: status 0"
simulate replaced --profile moved.csv --sched static
# Iterations with durations of their own are written, read again, with the placement, and written to the
# same bytes.
simulate first --gauss 1e-4,2e-5 --drift 0.3 --tasks 500 --sched static --write-profile load.csv --all-iterations
simulate second --profile load.csv --sched static --seeding owner --write-profile copy.csv --all-iterations
cmp load.csv copy.csv || complain "a profile of all iterations is not written as it was read"
has second.json tasks 500
[ "$(wc -l < load.csv)" = 1001 ] || complain "not all tasks of both iterations are in a profile"
grep -o 'makespan_seconds": 0[.].....' first.json > makespans.txt
grep -o 'makespan_seconds": 0[.].....' second.json | cmp -s - makespans.txt || complain "a recorded run takes another time"
timeout 60 "$mpiexec" --oversubscribe -np 2 "$beryl_sched" --profile load.csv --sched steal --seeding owner \
    --iterations 2 --write-profile real.csv --all-iterations > output.txt 2>&1 || complain "a recorded run over MPI: $(cat output.txt)"
grep -q 'Recorded   2 iterations' output.txt || complain "nothing says how many iterations a profile has"
cut -d , -f 1,3 load.csv | cmp -s - <(cut -d , -f 1,3 real.csv) || complain "a profile of a run over MPI lacks tasks"
cut -d , -f 4 real.csv | sort -u | tr '\n' ' ' | grep -qx '0 1 worker ' || complain "a profile of a run over MPI has other workers"
# A task's time excludes waits for blocks.
printf 'task,seconds,iteration,worker\n1,0.5,0,0\n2,0.5,0,0\n' > shared.csv
printf 'task,access,block\n1,r,1\n2,r,1\n' > shared.blocks.csv
printf 'block,bytes,owner\n1,1000000,0\n' > shared.sizes.csv
timeout 60 "$beryl_sched" --profile shared.csv --simulate 2 --node-size 1 --bandwidth 1e6 --sched counter \
    --json waits.json --write-profile waits.csv --all-iterations > output.txt || complain "a profile with a block: exit status $?"
cut -d , -f 2,4 waits.csv | sort | tr '\n' ' ' | grep -qx '0.5,0 0.5,1 seconds,worker ' ||
    complain "a written profile has other times than were read: $(cat waits.csv)"
grep -q 'makespan_seconds": 1[.]5' waits.json || complain "a block of 1 MB takes no second at 1 MB/s"
# Durations drift after the first iteration, and no further for a second run.
simulate still --exponential 1e-3 --tasks 500 --sched static
simulate drifted --exponential 1e-3 --tasks 500 --sched static --drift 0.5
simulate again --exponential 1e-3 --tasks 500 --sched static --drift 0.5
cmp -s drifted.json again.json || complain "--drift: two results of one seed"
# A mode may know nothing, or the wrong thing, of the workers' speeds.
seq 1 16 > speeds
seq 16 -1 1 > reversed
fast="--gauss 1e-3,1e-4 --tasks 5000 --sched dtree --fan-out 16 --first-share 1 --speeds speeds"
simulate known $fast
simulate same $fast --known-speeds speeds
simulate unknown $fast --known-speeds none
simulate wrong $fast --known-speeds reversed
/usr/bin/python3 - <<'END' || complain "data, drift or known speeds have another effect than they should"
import json
def makespans(name):
    return [i["makespan_seconds"] for i in json.load(open(f"{name}.json"))["iterations"]]
on, off, kept, owned = map(makespans, ("on", "off", "kept", "owned"))
assert makespans("before") == off
for i in range(2):
    assert off[i] < kept[i] < on[i], (off, kept, on)
    assert owned[i] > 0.0639, owned
still, drifted = makespans("still"), makespans("drifted")
assert still[0] == still[1] == drifted[0] != drifted[1], (still, drifted)
known, unknown, wrong = (makespans(name)[0] for name in ("known", "unknown", "wrong"))
assert makespans("same") == makespans("known") and known < unknown < wrong, (known, unknown, wrong)
END

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

# --as-published runs the papers' algorithms, and the result says so.
published()
{
    timeout 60 "$beryl_sched" --exponential 0.01 --tasks 2000 --simulate 16 --iterations 4 \
        --sched "$2" "${@:3}" --json "$1.json" > "$1.txt" || complain "$*: exit status $?"
    keep_results --json "$1.json"
}
for mode in steal retentive persist; do
    published usual $mode
    published paper $mode --as-published
    /usr/bin/python3 - <<'END' || complain "--as-published, $mode"
import json
usual, paper = (json.load(open(name + ".json")) for name in ("usual", "paper"))
assert (usual["options"]["as-published"], paper["options"]["as-published"]) == (False, True)
assert paper["iterations"] != usual["iterations"]
END
done

# Simulated parents of dtree have a thread, which the log says, unless --progress says otherwise.
simulate tree --exponential 0.01 --tasks 2000 --sched dtree
grep -q '^Threads    one of each parent' tree.txt || complain "dtree: nothing of threads in the log"
simulate tree --exponential 0.01 --tasks 2000 --sched dtree --progress poll
grep -q '^Threads' tree.txt && complain "dtree --progress poll: threads in the log"

timeout 60 "$beryl_sched" --exponential 1e-4 --tasks 300 --sched static --simulate 16 \
    --iterations 3 --json alone.json > alone.txt || complain "exit status $?"
keep_results --json alone.json
grep -q '"command": "beryl-sched --exponential 1e-4 --tasks 300 --sched static --simulate 16 --iterations 3"' \
    alone.json || complain "the command of a run: $(grep '"command"' alone.json)"

"$beryl_sched" --help-all | grep -q 'default: )' && complain "--help-all shows a default of nothing"
timeout 60 "$beryl_report" alone.json again.json -o page.html || complain "page: exit status $?"
grep -q '2 recorded runs' page.html || complain "not a run for each result"
# --report needs the script, which is looked for before the work: it is missing, lacks python3, or fails.
without_page()
{
    local status=$1 expected=$2
    shift 2
    rm -f page.html
    timeout 60 "$@" --gauss 1e-6,0 --tasks 4 --report page.html > output.txt 2> errors.txt < /dev/null
    [ $? = "$status" ] && grep -q "^beryl-sched: .*$expected" errors.txt || complain "$*: $(cat errors.txt)"
    [ "$(ls -- *.html* 2>&1 | grep -c '^page')" = 0 ] || complain "$*: a page"
}
mkdir alone && cp "$beryl_sched" alone/
without_page 2 'No such file or directory.*install it and python3, or give --json' alone/beryl-sched
without_page 2 'install it and python3' "$mpiexec" --oversubscribe -n 2 alone/beryl-sched
without_page 2 'install it and python3' env PATH=/missing "$beryl_sched"
cat > alone/beryl-report << 'END'
#!/bin/sh
[ "$1" = --version ]
END
chmod +x alone/beryl-report
without_page 1 'cannot write page.html: the script beryl-report failed' alone/beryl-sched
# A limit that is reached between iterations: the run, and each mode of a comparison until then, are in
# the result, with the cause and the remedy.
fails()
{
    local n=$1 expected=$2 status
    shift 2
    rm -f failed.json
    timeout 60 "$mpiexec" --oversubscribe -n "$n" "$beryl_sched" "$@" --json failed.json \
        > failed.txt 2> errors.txt
    status=$?
    [ $status = 1 ] || complain "$*: exit status $status"
    grep -q '^beryl-sched: .*the deque of a worker is full at 9 ranges: raise --deque$' errors.txt ||
        complain "$*: $(cat errors.txt)"
    has failed.json error_type '"beyond a limit of the program",*'
    /usr/bin/python3 - "$expected" << 'END' || complain "$*: not $expected: $(cat failed.json)"
import json, sys
result = json.load(open("failed.json"))
modes = result.get("compare", {"": result})
found = [len(entry["iterations"]) for entry in modes.values()]
sys.exit(str(found) != sys.argv[1])
END
    timeout 60 "$beryl_report" failed.json -o page.html || complain "a failed run: exit status $?"
    grep -q '<b>Failed</b>.*raise --deque' page.html || complain "a page without the failure of $*"
}
small="--exponential 1e-4 --tasks 300 --iterations 5 --poll-every 1"
fails 3 '[1]' $small --sched retentive --deque 9
fails 3 '[5, 1]' $small --compare static,retentive,persist --deque 9

# A range of more tasks than a window in the memory of a node holds stays one entry of a deque.
timeout 60 "$beryl_sched" --lognormal 1e-3,5e-3 --tasks 400000 --simulate 4 --node-size 2 \
    --sched steal --deque 1 > /dev/null 2> errors.txt || complain "--deque 1: $(cat errors.txt)"

# A result that cannot be written once the tasks run is a failure, not bad input.
mkdir late
timeout 60 "$beryl_sched" --gauss 0.1,0 --tasks 10 --sched static --json late/result.json \
    > late.txt 2> errors.txt &
run=$!
until grep -q '^Workers' late.txt || ! kill -0 $run 2> /dev/null; do
    sleep 0.05
done
rmdir late || complain "late/ is not empty while the tasks run"
wait $run
[ $? = 1 ] || complain "a result whose folder is gone: exit status not 1"
grep -q 'late/result.json' errors.txt || complain "a message without the result's name"

exit $((n_failed > 0))
