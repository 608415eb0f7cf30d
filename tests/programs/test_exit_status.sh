#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Walks through the table of exit statuses in RESULTS.md: each outcome is brought about with each of
# its programs in two ways or more, which end with that status, and after a 1 write a result that
# says why. A row with fewer ways here fails.
#
#   test_exit_status.sh BERYL_SCHED MPIEXEC RESULTS.md
set -u
bin=$(dirname "$1") table=$(realpath "$3")
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1
n_cases=0

printf '1\n\nHe 0 0 0\n' > he.xyz
printf '2\n\nHe 0 0 0\n' > short.xyz
printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '{"iterations": []}\n' > run.json
printf 'task,seconds\n0,-1\n' > negative.csv
printf 'task,seconds\n0,30\n1,30\n' > long.csv
printf 'A,B\n0,1\n1\n' > bad.csv
printf '{"iterations": [' > bad.json
printf 'space o = \n' > bad.tce
printf 'H 0\nS 1 1.00\n nonsense\n****\n' > bad.gbs
printf '2\n\nN 0 0 0\nN 0 0 3.5\n' > stretched.xyz
copied="index i, j : o
tensor a[i,j] = wave
tensor b[i,j]
b[i,j] += a[i,j]"
echo "space o = 2
$copied" > copy.tce
echo "space o = 100000
$copied" > huge.tce
echo "space o = 4000000 tile 1
$copied" > many_tiles.tce
{ echo '# large'; head -c 2000000 /dev/zero | tr '\0' '#'; } > large.tce
cat > infinite.tce << 'END'
space o = 2
index i, j : o
tensor a[i,j]
tensor b[i,j] = wave
tensor c[i,j]
a[i,j] += 1e300 * b[i,j]
c[i,j] += a[i,j] * a[i,j]
END
# Long and short tasks in turn: in the order of their durations they are many ranges.
cat > uneven.tce << 'END'
space o = 1, 100, 1, 100, 1, 100 tile 100
index i, j, k : o
tensor a[i,j] = wave
tensor b[i,j]
b[i,j] += a[i,k] * a[k,j]
END
drawn="--gauss 1e-6,0 --tasks 4"
full_deque="--sched retentive --poll-every 1 --deque 1"
tce_works="mp2 he.xyz --basis 6-31g"
{ echo 33; echo; for i in {1..33}; do echo "Ne 0 0 $i"; done; } > row.xyz
cat > large_tile.tce << 'END'
space o = 4000 tile 4000
index i, j, k : o
tensor a[i,j] = wave
tensor b[i,j]
b[i,j] += a[i,k] * a[k,j]
END
hf_takes_long="row.xyz --basis cc-pvtz --fock-only 1 --tile 1000"
tce_takes_long="run large_tile.tce"
sched_takes_long="--gauss 30,0 --tasks 2"
hf_works="he.xyz --basis 6-31g"

# Sets `ways` to the arguments that bring about an outcome with a program, in two ways at least;
# fails without any. Before its arguments a way may have words that begin with @:
#   @output=FILE  where standard output goes; -: it is closed
#   @signal=NAME  what ends the program after a while
#   @address=KB   its address space (ulimit -v)
#   @file=KB      the longest file that it can write
ways_of()
{
    case "$2: $1" in
    "beryl-hf: done, and converged where that was asked for")
        ways=("$hf_works" "$hf_works --fock-only 1") ;;
    "beryl-tce: done, and converged where that was asked for")
        ways=("$tce_works" "run copy.tce") ;;
    "beryl-sched: done, and converged where that was asked for")
        ways=("$drawn" "$drawn --simulate 2") ;;
    "beryl-report: done, and converged where that was asked for")
        ways=("run.json -o page.html" "run.json run.json -o page.html") ;;
    "beryl-report: \`--help\`, \`--help-modes\`, \`--help-all\` or \`--version\` printed")
        ways=(--help-all --version --help) ;;
    *": \`--help\`, \`--help-modes\`, \`--help-all\` or \`--version\` printed")
        ways=(--help-modes --help-all --version --help) ;;
    "beryl-hf: not converged")
        ways=("water.xyz --basis sto-3g --max-iter 1"
            "water.xyz --basis sto-3g --fock-only 1 --density converged --max-iter 1") ;;
    "beryl-tce: not converged")
        ways=("ccsd water.xyz --basis sto-3g --max-iter 1"
            "ccsd water.xyz --basis sto-3g --max-iter-amplitudes 1") ;;
    "beryl-hf: not enough memory") ways=("$hf_works --memory 1" "@address=300000 $hf_works") ;;
    "beryl-tce: not enough memory") ways=("$tce_works --memory 1" "run huge.tce") ;;
    "beryl-sched: not enough memory")
        ways=("--jacobi 100000,100000,100000 --sweeps 1"
            "$drawn --simulate 10000000 --threads 200") ;;
    "beryl-tce: a number that is not finite")
        ways=("run infinite.tce" "run infinite.tce --verify"
            "ccd stretched.xyz --basis sto-3g --diis-amplitudes 1 --max-iter-amplitudes 100000") ;;
    "beryl-hf: a limit reached after the work began")
        ways=("water.xyz --basis sto-3g --tile 1 --fock-only 2 $full_deque"
            "water.xyz --basis sto-3g --tile 1 $full_deque") ;;
    "beryl-tce: a limit reached after the work began")
        ways=("run uneven.tce --iterations 2 $full_deque"
            "ccsd water.xyz --basis sto-3g --tile 1 $full_deque") ;;
    "beryl-sched: a limit reached after the work began")
        ways=("--gauss 1e9,0 --tasks 4 --simulate 2" "--uts T1 --sched steal --deque 1") ;;
    "beryl-hf: a result that could not be written after the work")
        ways=("$hf_works --json /dev/full" "$hf_works --report /dev/full") ;;
    "beryl-tce: a result that could not be written after the work")
        ways=("$tce_works --json /dev/full" "$tce_works --report /dev/full"
            "run copy.tce --json /dev/full") ;;
    "beryl-sched: a result that could not be written after the work")
        ways=("$drawn --json /dev/full" "$drawn --simulate 2 --report /dev/full") ;;
    "beryl-report: a result that could not be written after the work")
        ways=("run.json -o /dev/full" "@file=4 run.json -o page.html") ;;
    *": standard output that could not be written")
        ways=("@output=/dev/full --version" "@output=- --help") ;;
    "beryl-hf: no task finished for \`--watchdog SECONDS\`")
        ways=("$hf_takes_long --watchdog 0.2" "row.xyz --basis cc-pvtz --tile 1000 --watchdog 0.2") ;;
    "beryl-tce: no task finished for \`--watchdog SECONDS\`")
        ways=("$tce_takes_long --watchdog 0.2"
            "mp2 row.xyz --basis cc-pvtz --tile 1000 --watchdog 0.2") ;;
    "beryl-sched: no task finished for \`--watchdog SECONDS\`")
        ways=("$sched_takes_long --watchdog 0.2" "--profile long.csv --sched steal --watchdog 0.2") ;;
    "beryl-hf: ended by signal N"*) ways=("@signal=TERM $hf_takes_long" "@signal=KILL $hf_takes_long") ;;
    "beryl-tce: ended by signal N"*)
        ways=("@signal=TERM $tce_takes_long" "@signal=KILL $tce_takes_long") ;;
    "beryl-sched: ended by signal N"*)
        ways=("@signal=TERM $sched_takes_long" "@signal=KILL $sched_takes_long") ;;
    *": bad usage") ways=(--nonsense "") ;;
    "beryl-hf: bad input")
        ways=("short.xyz --basis sto-3g" "he.xyz --basis bad.gbs" "he.xyz --basis sto-3g --charge 1") ;;
    "beryl-tce: bad input") ways=("mp2 short.xyz --basis sto-3g" "run bad.tce") ;;
    "beryl-sched: bad input") ways=("--profile negative.csv" "--bnsl bad.csv") ;;
    "beryl-report: bad input") ways=("he.xyz -o page.html" "bad.json -o page.html") ;;
    "beryl-hf: an input that cannot be read")
        ways=("missing.xyz --basis sto-3g" "he.xyz --basis missing.gbs") ;;
    "beryl-tce: an input that cannot be read")
        ways=("run missing.tce" "mp2 missing.xyz --basis sto-3g") ;;
    "beryl-sched: an input that cannot be read")
        ways=("--profile missing.csv" "--bnsl missing.csv") ;;
    "beryl-report: an input that cannot be read")
        ways=("missing.json -o page.html" ". -o page.html") ;;
    "beryl-hf: an output that cannot be written, found before the work")
        ways=("$hf_works --json missing/result.json" "$hf_works --checkpoint .") ;;
    "beryl-tce: an output that cannot be written, found before the work")
        ways=("$tce_works --json missing/result.json" "run copy.tce --report missing/page.html") ;;
    "beryl-sched: an output that cannot be written, found before the work")
        ways=("$drawn --json missing/result.json" "$drawn --report .") ;;
    "beryl-report: an output that cannot be written, found before the work")
        ways=("run.json -o missing/page.html" "run.json -o .") ;;
    "beryl-tce: a limit of the program, found before the work")
        ways=("run large.tce" "run many_tiles.tce") ;;
    "beryl-sched: a limit of the program, found before the work")
        ways=("$drawn --simulate 1000000 --threads 10000"
            "$drawn --simulate 1000000 --threads 10000 --compare static,steal") ;;
    *) return 1 ;;
    esac
}

# run_program PROGRAM WAY: its status; N is the number of the signal.
run_program()
{
    local program=$bin/$1 output=/dev/null address=unlimited file=unlimited limit=(timeout 60)
    local signal=TERM words word
    read -ra words <<< "$2"
    for word in "${words[@]}"; do
        case $word in
        @output=*) output=${word#*=} ;;
        @signal=*)
            signal=${word#*=}
            limit=(timeout --preserve-status -s "$signal" 0.5)
            ;;
        @address=*) address=${word#*=} ;;
        @file=*) file=${word#*=} ;;
        *) break ;;
        esac
        words=("${words[@]:1}")
    done
    N=$(kill -l "$signal")
    (
        if [ "$output" = - ]; then exec >&-; else exec > "$output"; fi
        trap '' XFSZ # as an error of the write
        exec 2> errors.txt < /dev/null
        ulimit -v "$address"
        ulimit -f "$file"
        exec "${limit[@]}" "$program" "${words[@]}"
    )
}

# check_way STATUS PROGRAM WAY
check_way()
{
    local status expected N
    run_program "$2" "$3" 2> killed.txt # what the shell says of a signal
    status=$?
    expected=$(($1))
    [ "$status" = "$expected" ] ||
        complain "$2 $3: exit status $status, not $expected: $(cat errors.txt)"
    if [ "$expected" = 1 ] || [ "$expected" = 2 ]; then
        grep -q "^$2: ." errors.txt || complain "$2 $3: no message"
    fi
}

# may_write_result OUTCOME PROGRAM WAY: whether a failure of it leaves a result. None does where it
# cannot be written, where the watchdog ends the run, or where MPI cannot start.
may_write_result()
{
    case "$2: $1: $3" in
    beryl-report:* | *"could not be written"* | *--watchdog* | *@address=*) return 1 ;;
    esac
}

# check_result PROGRAM WAY: the result of a run that failed has the error that was printed.
check_result()
{
    keep_results --json failed.json
    /usr/bin/python3 - "$1" << 'END' || complain "$1 $2: no result with the error $(cat errors.txt)"
import json, sys
message = json.load(open("failed.json", encoding="utf-8"))["error"]["error_message"]
sys.exit(f"{sys.argv[1]}: {message}\n" not in open("errors.txt", encoding="utf-8"))
END
    rm -f failed.json
}

# check_status STATUS OUTCOME PROGRAM
check_status()
{
    local ways=() way
    ways_of "$2" "$3" || { complain "no case: $3, $2"; return; }
    [ "$(printf '%s\n' "${ways[@]}" | sort -u | wc -l)" -ge 2 ] ||
        complain "one way only: $3, $2"
    for way in "${ways[@]}"; do
        n_cases=$((n_cases + 1))
        if [ "$1" = 1 ] && may_write_result "$2" "$3" "$way"; then
            check_way 1 "$3" "$way --json failed.json"
            check_result "$3" "$way"
        else
            check_way "$1" "$3" "$way"
        fi
    done
}

# The rows, blanks at the ends of their fields removed.
sed -n '/^## Exit statuses/,/^## beryl-hf/p' "$table" | grep '^| [0-9]' |
    sed 's/^| *//; s/ *| */|/g' > rows.txt
while IFS='|' read -r status outcome programs; do
    for program in $(tr -d ',|' <<< "$programs"); do
        [ -x "$bin/$program" ] && check_status "$status" "$outcome" "$program"
    done
done < rows.txt
[ "$n_cases" -ge 32 ] || complain "only $n_cases cases: where is the table?"

echo "$n_cases cases, $n_failed complaints"
exit $((n_failed > 0))
