#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Output files of beryl-hf: the result of a failed run records why it failed, and task
# profiles do not depend on how null tasks are left out.
#
#   test_hf_outputs.sh BERYL_HF PROCESSES MPIEXEC INPUTS
set -u
program=$1 processes=$2 mpiexec=$3 inputs=$4 seconds=120
. "$(dirname "$0")/program.sh"

# fail TEXT ARGUMENT...: status 1, and a result without success whose error has TEXT in it.
fail()
{
    local text=$1
    shift
    rm -f result.json
    run 1 "$@" --json result.json
    grep -qF -- "$text" "$folder/errors" || complain "the message does not say $text"
    expect "r['success'] is False and '$text' in r['error']['error_message'] and b['workers'] >= 1"
}

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
water="water.xyz --basis sto-3g"

# A failed run records why, and all results up to the failure; also where a page cannot be written after it.
fail "not converged after 1 iteration: " $water --max-iter 1 --report page.html
grep -q '^NOT CONVERGED after 1 iteration, 1 Fock build$' "$folder/output" || complain "no singular"
grep -q '^1 Fock build took ' "$folder/output" || complain "no singular"
[ -s page.html ] || complain "no page"
fail /dev/full $water --report /dev/full
expect 'E < -74'

# Sets by element and centre: a line of the log for each set, a restart.
mixed="water.xyz --basis 6-31g,H=6-31g(d,p),3=STO3G"
run 0 $mixed --json mixed.json --checkpoint mixed.h5
[ "$(grep -cE '^           (6-31g on 1 O|6-31g\(d,p\) on 1 H|STO3G on 1 H)$' "$folder/output")" = 3 ] ||
    complain "the log does not say which set is where"
run 0 $mixed --json again.json --restart mixed.h5
/usr/bin/python3 - << 'END' || complain "a restart with sets by element has another energy"
import json
results = [json.load(open(name)) for name in ("mixed.json", "again.json")]
energies = [result["return_result"] for result in results]
assert results[0]["model"]["basis"] == "6-31g,H=6-31g(d,p),3=STO3G"
assert abs(energies[0] - energies[1]) < 1e-9
END

# The seconds of all uses add up to the wall time of the command.
before=$(date +%s.%N)
run 0 $water --json wall.json --checkpoint wall.h5
grep -q '^Wall time  .* s: start .*, files .* %)$' "$folder/output" || complain "no wall time"
/usr/bin/python3 - "$before" "$(date +%s.%N)" << 'END' || complain "the wall time is not as it should be"
import json, sys
wall = json.load(open("wall.json"))["extras"]["beryl"]["wall_seconds"]
total = wall.pop("total")
assert abs(total - sum(wall.values())) < 1e-9 and len(wall) == 7
assert all(seconds >= 0 for seconds in wall.values())
assert min(wall[use] for use in ("start", "integrals", "digestion", "stability", "files")) > 0
assert total < float(sys.argv[2]) - float(sys.argv[1]) + 0.02
END

# A checkpoint whose folder goes away between two of many iterations: one warning, and the run goes
# on. Second-order steps would see that the gradient is rounding errors.
mkdir folder
(
    fail "not converged" water.xyz --basis cc-pvdz --checkpoint folder/run.h5 --converge 1e-15 \
        --second-order never --max-iter 100
    [ "$(grep -c '^warning: cannot write folder/run.h5: No such file' "$folder/errors")" = 1 ] ||
        complain "not one warning of it"
    exit "$n_failed"
) &
for _ in $(seq 600); do
    [ -e folder/run.h5 ] && break
    sleep 0.1
done
mv folder gone
wait $! || n_failed=$((n_failed + 1))

# Two runs that write one checkpoint leave a whole one and nothing else.
command="two at once"
launch $water --checkpoint both.h5 > "$folder/output" 2>&1 &
run 0 $water --checkpoint both.h5
wait $! || complain "the other run failed"
[ "$(ls | grep both)" = both.h5 ] || complain "left behind: $(ls)"
run 0 $water --restart both.h5

# Without --tile a molecule has tasks for two workers; the size is in log and result.
tiles()
{
    local tasks=$1 tile=$2
    shift 2
    run 0 water.xyz --basis cc-pvdz --fock-only 1 --json result.json "$@"
    grep -q "^Tasks  *$tasks of $tasks are not null (tiles of up to $tile functions" \
        "$folder/output" || complain "not $tasks tasks of tiles of $tile functions"
    expect "b['options']['tile'] == $tile"
}
tiles 55 8
tiles 1 24 --tile 24

# Hydrogen atoms in a row: only neighbours interact.
{ printf '12\n\n'; for i in $(seq 12); do echo "H 0 0 $((2 * i))"; done; } > row.xyz
row="row.xyz --basis sto-3g --tile 2 --screen 1e-6"

# ids OPTION...: prints the ids of the profiled tasks.
ids()
{
    rm -f tasks.csv
    run 0 $row --write-profile tasks.csv "$@"
    [ "$(head -n 1 tasks.csv)" = task,seconds ] || complain "no header"
    tail -n +2 tasks.csv | cut -d , -f 1
    tail -n +2 tasks.blocks.csv | cut -d , -f 1 | uniq | cmp -s - <(tail -n +2 tasks.csv | cut -d , -f 1) ||
        complain "not the tasks of the profile have data"
    tail -n +2 tasks.blocks.csv | cut -d , -f 3 | sort -nu |
        cmp -s - <(tail -n +2 tasks.sizes.csv | cut -d , -f 1) ||
        complain "not the blocks of the tasks have sizes"
}

for options in "--symmetry full" "--symmetry none"; do
    ids $options --fock-only 1 --prune none > none
    ids $options --fock-only 1 --prune observed > first
    ids $options --fock-only 2 --prune observed > observed
    ids $options --fock-only 1 --prune inspect > inspect
    for other in first observed inspect; do
        cmp -s none $other || complain "names other tasks than none: $other"
    done
    run 0 $row $options --count-tasks
    grep -q "\"non_null\": $(wc -l < none)," "$folder/output" || complain "$(wc -l < none) tasks"
    ! grep -q "\"tasks\": $(wc -l < none)," "$folder/output" || complain "no task is null"
done

# The four tiles of a quartet make six pairs, or fewer, each read of D and written of F.
ids --fock-only 1 > /dev/null
/usr/bin/python3 - << 'END' || complain "tasks read other tiles than they write"
import collections, csv
tasks = collections.defaultdict(lambda: {"r": [], "w": []})
for row in csv.DictReader(open("tasks.blocks.csv")):
    tasks[row["task"]][row["access"]].append(int(row["block"]))
n_pairs = 6 * 7 // 2
for blocks in tasks.values():
    assert 1 <= len(set(blocks["r"])) == len(blocks["r"]) <= 6, blocks
    assert blocks["w"] == [n_pairs + block for block in blocks["r"]], blocks
sizes = {int(row["block"]): row for row in csv.DictReader(open("tasks.sizes.csv"))}
for block, row in sizes.items():
    assert int(row["owner"]) == block % n_pairs and int(row["bytes"]) == 2 * 2 * 8, row
END

# The memory estimate includes a history of all tasks, and no cache for --count-tasks.
run 1 "$inputs/be512.xyz" --basis be15s --tile 20 --symmetry none --prune none --fock-only 1 \
    --write-profile tasks.csv
grep -q "MB are available" "$folder/errors" || complain "no message"
run 0 $water --count-tasks --memory 10

exit $((n_failed > 0))
