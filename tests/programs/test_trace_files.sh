#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --trace of real and simulated runs: trace.json and OTF2 agree with each other and with the result;
# a real run has its date, and equal simulated runs write equal bytes; a sample of the workers of a
# large run, which together with what is dropped agrees; the files have no more bytes than the header
# promises; a second run into the same folder replaces the first; each mode of a comparison has a folder; a folder that cannot
# be written to is refused.
#
#   test_trace_files.sh BERYL_SCHED MPIEXEC [BERYL_HF BERYL_TCE INPUTS]
set -u
beryl_sched=$1 mpiexec=$2 beryl_hf=${3:-} beryl_tce=${4:-} inputs=${5:-}
check_trace=$(realpath "$(dirname "$0")/check_trace.py")
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1

# trace WHOLE PROCESSES PROGRAM ARGUMENT...
trace()
{
    local whole=$1 processes=$2
    shift 2
    local start=()
    [ "$processes" = 1 ] || start=("$mpiexec" --oversubscribe -n "$processes")
    timeout 60 "${start[@]}" "$@" --trace traced --json result.json > output 2> errors ||
        complain "$*: exit status $?: $(cat errors)"
    keep_results --json result.json
    "$check_trace" traced result.json $whole || complain "$*: the trace"
}

# compare MODES PROCESSES PROGRAM ARGUMENT...: MODES are the names, with #2 for one that is named twice
compare()
{
    local modes=$1 processes=$2 mode names
    shift 2
    names=${modes//#2/}
    rm -rf traced
    local start=()
    [ "$processes" = 1 ] || start=("$mpiexec" --oversubscribe -n "$processes")
    timeout 60 "${start[@]}" "$@" --compare "${names// /,}" --trace traced --json result.json > output \
        2> errors || complain "$*: exit status $?: $(cat errors)"
    keep_results --json result.json
    for mode in $modes; do
        "$check_trace" "traced/$mode" result.json whole "$mode" || complain "$*: the trace of $mode"
        grep -q "^Trace      traced/$mode: " output || complain "$*: $mode: $(cat output)"
    done
    [ ! -e traced/trace.json ] || complain "$*: a trace outside of the modes' folders"
}

trace whole 2 "$beryl_sched" --gauss 1e-4,2e-5 --tasks 300 --sched counter --iterations 3
compare "static steal steal#2" 2 "$beryl_sched" --gauss 1e-4,2e-5 --tasks 300 --iterations 3 --rounds 2
compare "persist auto" 1 "$beryl_sched" --gauss 1e-3,2e-4 --tasks 300 --iterations 3 --rounds 2 \
    --simulate 8
for mode in persist steal; do
    trace whole 1 "$beryl_sched" --gauss 1e-3,2e-4 --tasks 500 --sched $mode --iterations 3 --simulate 16
done
grep -q '^Trace      traced: trace.json, traces.otf2; 16 workers, ' output || complain "$(cat output)"
trace whole 3 "$beryl_sched" --uts "-t 1 -a 3 -d 5 -b 4 -r 19" --sched steal
trace whole 1 "$beryl_sched" --gauss 1e-3,2e-4 --tasks 500 --sched steal --simulate 4 --threads 3 \
    --progress thread --latency-spread 1e-4

trace "" 1 "$beryl_sched" --gauss 1e-3,2e-4 --tasks 6000 --sched counter --simulate 2500
grep -q '^           a sample: 834 of 2500 workers' output || complain "$(cat output)"
/usr/bin/python3 - <<'END' || complain "trace and dropped together are not the statistics"
import json
result = json.load(open("result.json"))
trace, iteration = result["trace"], result["iterations"][0]
assert trace["workers_shown"] == 834 and trace["dropped_spans"] > 0
for use in ("task", "search", "idle", "scheduler", "communication"):
    seconds = trace["seconds"][use] + trace["dropped_seconds"][use]
    assert abs(seconds - iteration[f"{use}_seconds"]) < 1e-9 * 6000, (use, seconds, iteration)
END

# Long runs of spans, and of messages: the first of each worker, in files of at most 200 MB. The rate
# makes numbers and times long.
for long in "--gauss 1e4,2e3 --tasks 900000 --sched static --simulate 64" \
    "--gauss 1e-3,2e-4 --tasks 500000 --sched counter --simulate 1024"; do
    timeout 100 "$beryl_sched" $long --trace traced --json result.json > output 2> errors ||
        complain "a trace of a long run: $(cat errors)"
    grep -q '^           left out: [0-9]* spans, [0-9]* messages: a trace has at most 200 MB' output ||
        complain "$(cat output)"
    /usr/bin/python3 - <<'END' || complain "a trace of a long run: $long"
import json, os
trace = json.load(open("result.json"))["trace"]
assert trace["spans"] + trace["dropped_spans"] >= 500000
sizes = [os.path.getsize(os.path.join(folder, name))
         for folder, _, names in os.walk("traced") for name in names]
assert 5e7 < sum(sizes) < 2e8, sum(sizes)
with open("traced/trace.json") as file:
    assert f'"dropped_spans":{trace["dropped_spans"]},' in file.read()[-2000:]
END
done

# The date of a real run, in both formats; none of a simulated one.
begun=$(date +%s)
timeout 60 "$beryl_sched" --gauss 1e-3,0 --tasks 5 --trace traced > output 2> errors || complain "$(cat errors)"
otf2-print -G traced/traces.otf2 > definitions
/usr/bin/python3 - "$begun" <<'END' || complain "the date of a trace: $(grep CLOCK definitions)"
import datetime, json, re, sys, time
text = json.load(open("traced/trace.json"))["metadata"]["trace-capture-datetime"]
date = datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
clock = re.search(r"Date: (\d{4}-\d\d-\d\d)", open("definitions").read())
assert int(sys.argv[1]) <= date <= time.time(), text
assert clock[1] in (text[:10], datetime.date.fromtimestamp(date).isoformat()), clock
END
rm -rf traced
for same in one two; do
    timeout 60 "$beryl_sched" --gauss 1e-3,2e-4 --tasks 500 --sched steal --iterations 3 --simulate 16 \
        --trace traced > output 2> errors || complain "$(cat errors)"
    mv traced $same
    sleep 1
done
diff -r one two > output || complain "two simulated runs: $(cat output)"
otf2-print -G one/traces.otf2 | grep -q 'Date: UNDEFINED' || complain "a simulated run has a date"
! grep -q datetime one/trace.json || complain "a simulated run has a date in trace.json"

# The name of a folder is no pattern: another trace that it would match stays.
for traced in run1 'run[1]' 'run[1]'; do
    timeout 60 "$beryl_sched" --gauss 1e-3,0 --tasks 5 --trace "$traced" > output 2> errors ||
        complain "--trace $traced: $(cat errors)"
done
[ -e run1/traces.otf2 ] && [ -e run1/traces/0.evt ] || complain "a trace in another folder is gone"

mkdir -p kept/traces && : > kept/traces/notes
timeout 60 "$beryl_sched" --gauss 1e-3,0 --tasks 5 --trace kept > output 2> errors
[ $? = 2 ] && grep -q 'kept/traces has other files' errors || complain "a folder of notes: $(cat errors)"
mkdir blocked && : > blocked/auto
timeout 60 "$beryl_sched" --gauss 1e-3,0 --tasks 5 --simulate 2 --compare steal,auto --trace blocked \
    > output 2> errors
[ $? = 1 ] && grep -q 'blocked/auto' errors || complain "a folder of a mode: $(cat errors)"

# A trace that cannot be written leaves nothing, and what was there before: files may have no more than
# 100 kB here. The result, which is small, is there.
limited()
{
    (trap '' XFSZ; ulimit -f 100; exec timeout 60 "$@") > output 2> errors
}
long="--gauss 1e-6,0 --tasks 20000 --sched counter --simulate 8"
timeout 60 "$beryl_sched" --gauss 1e-3,0 --tasks 5 --trace stays > output 2> errors
before=$(cd stays && find . -type f -exec sha256sum {} + | sort)
for traced in stays gone; do
    rm -f result.json
    limited "$beryl_sched" $long --trace "$traced" --json result.json
    [ $? = 1 ] && grep -q "cannot write $traced/" errors || complain "a trace of too many bytes: $(cat errors)"
    [ -s result.json ] || complain "no result beside a trace that could not be written"
done
[ "$(cd stays && find . -type f -exec sha256sum {} + | sort)" = "$before" ] ||
    complain "an older trace has changed: $(find stays)"
[ ! -e gone ] || complain "a trace that failed leaves $(find gone)"
timeout 60 "$beryl_sched" --profile missing.csv --trace gone > output 2> errors
[ $? = 2 ] && [ ! -e gone ] || complain "a folder of a run that did not begin"

: > file
timeout 60 "$beryl_sched" --gauss 1e-3,0 --tasks 5 --trace file/traced > output 2> errors
[ $? = 2 ] || complain "a folder in a file: exit status not 2"
grep -q 'file/traced for --trace' errors || complain "a folder in a file: $(cat errors)"

if [ -n "$beryl_hf" ]; then
    trace whole 2 "$beryl_hf" "$inputs/water.xyz" --basis sto-3g --tile 2 --sched steal
    trace whole 1 "$beryl_tce" run "$inputs/examples.tce" --sched steal --iterations 2
    compare "steal counter" 2 "$beryl_hf" "$inputs/water.xyz" --basis sto-3g --tile 2 --fock-only 2 \
        --density converged --rounds 2
    compare "static steal" 2 "$beryl_tce" run "$inputs/examples.tce" --iterations 2 --rounds 2
    compare "steal auto" 1 "$beryl_tce" mp2 "$inputs/water.xyz" --basis sto-3g
    trace "" 2 "$beryl_tce" ccsd "$inputs/water.xyz" --basis sto-3g --sched auto
fi
exit $((n_failed > 0))
