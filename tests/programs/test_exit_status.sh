#!/usr/bin/env bash
# Walks through the table of exit statuses in RESULTS.md: each outcome is brought about with each of
# its programs, which end with that status. A row without a case here fails.
#
#   test_exit_status.sh BERYL_SCHED MPIEXEC RESULTS.md
set -u
bin=$(dirname "$1") table=$(realpath "$3")
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1
n_cases=0
output=/dev/null

printf '1\n\nHe 0 0 0\n' > he.xyz
printf '2\n\nHe 0 0 0\n' > short.xyz
printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '{"iterations": []}\n' > run.json
printf 'task,seconds\n0,-1\n' > negative.csv
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
drawn="--gauss 1e-6,0 --tasks 4"
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

# Sets the arguments that bring about an outcome with a program; fails if there is none. Where the
# status is not the whole of it, `output` is where standard output goes, and `signal` what ends the
# program after a while.
arguments_for()
{
    output=/dev/null signal=""
    case "$2: $1" in
    "beryl-hf: done, and converged where that was asked for") arguments=$hf_works ;;
    "beryl-tce: done, and converged where that was asked for") arguments=$tce_works ;;
    "beryl-sched: done, and converged where that was asked for") arguments=$drawn ;;
    "beryl-report: done, and converged where that was asked for") arguments="run.json -o page.html" ;;
    *": \`--help\`, \`--help-all\` or \`--version\` printed") arguments=--help-all ;;
    "beryl-hf: not converged") arguments="water.xyz --basis sto-3g --max-iter 1" ;;
    "beryl-tce: not converged") arguments="ccsd water.xyz --basis sto-3g --max-iter 1" ;;
    "beryl-hf: not enough memory") arguments="$hf_works --memory 1" ;;
    "beryl-tce: not enough memory") arguments="$tce_works --memory 1" ;;
    "beryl-sched: not enough memory") arguments="--jacobi 100000,100000,100000 --sweeps 1" ;;
    "beryl-tce: a number that is not finite") arguments="run infinite.tce --verify" ;;
    "beryl-sched: a limit reached after the work began")
        arguments="--gauss 1e9,0 --tasks 4 --simulate 2" ;;
    "beryl-hf: a result that could not be written after the work")
        arguments="$hf_works --json /dev/full" ;;
    "beryl-tce: a result that could not be written after the work")
        arguments="$tce_works --json /dev/full" ;;
    "beryl-sched: a result that could not be written after the work")
        arguments="$drawn --json /dev/full" ;;
    "beryl-report: a result that could not be written after the work")
        arguments="run.json -o /dev/full" ;;
    *": standard output that could not be written") arguments=--version output=/dev/full ;;
    "beryl-hf: no task finished for \`--watchdog SECONDS\`") arguments="$hf_takes_long --watchdog 0.2" ;;
    "beryl-tce: no task finished for \`--watchdog SECONDS\`") arguments="$tce_takes_long --watchdog 0.2" ;;
    "beryl-sched: no task finished for \`--watchdog SECONDS\`")
        arguments="$sched_takes_long --watchdog 0.2" ;;
    "beryl-hf: ended by signal N"*) arguments=$hf_takes_long signal=TERM ;;
    "beryl-tce: ended by signal N"*) arguments=$tce_takes_long signal=TERM ;;
    "beryl-sched: ended by signal N"*) arguments=$sched_takes_long signal=TERM ;;
    *": bad usage") arguments=--nonsense ;;
    "beryl-hf: bad input") arguments="short.xyz --basis sto-3g" ;;
    "beryl-tce: bad input") arguments="mp2 short.xyz --basis sto-3g" ;;
    "beryl-sched: bad input") arguments="--profile negative.csv" ;;
    "beryl-report: bad input") arguments="he.xyz -o page.html" ;;
    "beryl-hf: an input that cannot be read") arguments="missing.xyz --basis sto-3g" ;;
    "beryl-tce: an input that cannot be read") arguments="run missing.tce" ;;
    "beryl-sched: an input that cannot be read") arguments="--profile missing.csv" ;;
    "beryl-report: an input that cannot be read") arguments="missing.json -o page.html" ;;
    "beryl-hf: an output that cannot be written, found before the work")
        arguments="$hf_works --json missing/result.json" ;;
    "beryl-tce: an output that cannot be written, found before the work")
        arguments="$tce_works --json missing/result.json" ;;
    "beryl-sched: an output that cannot be written, found before the work")
        arguments="$drawn --json missing/result.json" ;;
    "beryl-report: an output that cannot be written, found before the work")
        arguments="run.json -o missing/page.html" ;;
    "beryl-tce: a limit of the program, found before the work") arguments="run large.tce" ;;
    "beryl-sched: a limit of the program, found before the work")
        arguments="$drawn --simulate 1000000 --threads 10000" ;;
    *) return 1 ;;
    esac
}

# run_program PROGRAM: its status; N is the number of the signal.
run_program()
{
    # shellcheck disable=SC2086 # words
    if [ -n "$signal" ]; then
        timeout --preserve-status -s "$signal" 0.5 "$bin/$1" $arguments
    else
        timeout 60 "$bin/$1" $arguments
    fi > "$output" 2> errors.txt < /dev/null
}

# check_status STATUS OUTCOME PROGRAM
check_status()
{
    local status expected N
    n_cases=$((n_cases + 1))
    arguments_for "$2" "$3" || { complain "no case: $3, $2"; return; }
    N=$(kill -l "${signal:-TERM}")
    expected=$(($1))
    run_program "$3"
    status=$?
    [ "$status" = "$expected" ] ||
        complain "$3 $arguments: exit status $status, not $expected: $(cat errors.txt)"
    if [ "$expected" = 1 ] || [ "$expected" = 2 ]; then
        grep -q "^$3: ." errors.txt || complain "$3 $arguments: no message"
    fi
}

# The rows, blanks at the ends of their fields removed.
sed -n '/^## Exit statuses/,/^## beryl-hf/p' "$table" | grep '^| [0-9]' |
    sed 's/^| *//; s/ *| */|/g' > rows.txt
while IFS='|' read -r status outcome programs; do
    for program in $(tr -d ',|' <<< "$programs"); do
        [ -x "$bin/$program" ] && check_status "$status" "$outcome" "$program"
    done
done < rows.txt
[ "$n_cases" -ge 16 ] || complain "only $n_cases outcomes: where is the table?"

echo "$n_cases cases, $n_failed complaints"
exit $((n_failed > 0))
