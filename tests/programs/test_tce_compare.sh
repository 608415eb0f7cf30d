#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# beryl-tce --compare runs a program, or a method, under each mode: a row of its table and an
# entry of its result for each, one digest of the results for all. A program's digest and a method's
# energy are independent of the number of processes.
#
#   test_tce_compare.sh BERYL_TCE MPIEXEC BERYL_SCHED INPUTS
set -u
program=$1 mpiexec=$2 beryl_sched=$3 inputs=$4 seconds=120 processes=1
. "$(dirname "$0")/program.sh"
all_modes=$("$beryl_sched" --list-modes | cut -f 1 | paste -s -d ,)

# Modes of three kinds: where the number of processes or the method is what differs.
few_modes=static,counter,auto

# check KIND N_RUNS MODES: the result in result.json and the table in the output; prints what must
# not depend on the number of processes.
check()
{
    /usr/bin/python3 - "$1" "$2" "$processes" "$folder/output" "$3" << 'END'
import json, sys
kind, n_runs, processes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
output, modes = sys.argv[4], sys.argv[5].split(",")
result = json.load(open("result.json"))
if kind == "program":
    assert result["workers"] == processes
    assert "sched" not in result and "iterations" not in result
    assert "sched" not in result["options"]
    compare, common = result["compare"], "sha256"
else:
    assert result["success"] and result["extras"]["beryl"]["workers"] == processes
    options = result["extras"]["beryl"]["options"]
    assert options["charge"] == 0 and options["multiplicity"] in (1, 2) and options["tile"] > 0, options
    assert not {"sched", "iterations", "timeline"} & set(result["extras"]["beryl"])
    assert "sched" not in options and "orbital-tile" in options and "fock-only" not in options, options
    compare, common = result["extras"]["beryl"]["compare"], "correlation_energy"
assert list(compare) == modes, list(compare)
assert len({entry["sha256"] for entry in compare.values()}) == 1
assert len({entry[common] for entry in compare.values()}) == 1
n_runs = n_runs or len(compare["static"]["iterations"])
for mode, entry in compare.items():
    assert entry["sched"] == mode and entry["tasks"] > 0 and len(entry["iterations"]) == n_runs, mode
    for i, iteration in enumerate(entry["iterations"]):
        assert iteration["iteration"] == i and iteration["seconds"] > 0, (mode, i)
        assert iteration["flops"] > 0
        assert 0 < iteration["efficiency"] <= 1.000001
table = open(output).read().split("mode           first ")[1].split("\n")[1:]
rows = [line.split() for line in table[:len(compare)]]
assert [row[0] for row in rows] == modes, rows
assert rows[0][-1] == "1.0000"
assert all(float(row[-4]) <= float(row[-3]) for row in rows), "steals done of attempted"
assert "-0.00 %" not in open(output).read()
if kind == "program":
    print(compare["static"]["sha256"])
else:
    print(round(result["return_result"], 7))
END
}

# compare KIND N_RUNS MODES NUMBERS_OF_PROCESSES ARGUMENT...; MODES: `all` or $few_modes
compare()
{
    local kind=$1 n_runs=$2 modes=$3 numbers=$4 first="" found expected=$3
    shift 4
    [ "$modes" = all ] && expected=$all_modes
    for processes in $numbers; do
        rm -f result.json
        run 0 "$@" --compare "$modes" --json result.json
        found=$(check "$kind" "$n_runs" "$expected" 2>> "$folder/errors")
        first=${first:-$found}
        if [ -z "$found" ] || [ "$found" != "$first" ]; then
            complain "$processes processes: '$found', not '$first'"
        fi
    done
    echo "$*: $first"
}

# The benchmark of Lifflander et al. with blocks of half the length of lifflander-s.tce.
sed -e 's/30 irrep 0, 22 irrep 1, 12 irrep 2, 26 irrep 3/15 irrep 0, 11 irrep 1, 6 irrep 2, 13 irrep 3/' \
    -e 's/20 irrep 0, 24 irrep 1, 20 irrep 2, 20 irrep 3/10 irrep 0, 12 irrep 1, 10 irrep 2, 10 irrep 3/' \
    -e 's/^tile 20/tile 10/' "$inputs/lifflander-s.tce" > lifflander.tce
run 0 run lifflander.tce --count-tasks
grep -q '"tasks": 601,' "$folder/output" || complain "$(cat "$folder/output")"

compare program 2 all 4 run lifflander.tce --iterations 2
compare program 2 $few_modes "1 7" run "$inputs/examples.tce" --iterations 2
compare program 1 $few_modes 2 run "$inputs/examples.tce" --verify --cache 0 --no-prefetch --progress thread
printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
compare method 0 all 4 ccsd water.xyz --basis sto-3g
compare method 0 $few_modes 1 ccsd water.xyz --basis sto-3g
compare method 1 $few_modes 3 mp2 water.xyz --basis sto-3g
printf '2\nmultiplicity=2\nBe 0 0 0\nH 0 0 1.34\n' > radical.xyz
compare method 0 $few_modes 3 ccsd radical.xyz --basis sto-3g

# Rounds, of a program and of a method; a mode named again has a number.
processes=2
rounds()
{
    rm -f result.json
    run 0 "$@" --compare auto,static,auto --rounds 3 --json result.json
    /usr/bin/python3 - 2>> "$folder/errors" << 'END' || complain "rounds"
import json
result = json.load(open("result.json"))
beryl = result["extras"]["beryl"] if "extras" in result else result
assert beryl["comparison"]["rounds"] == 3
assert list(beryl["compare"]) == ["auto", "static", "auto#2"]
assert beryl["comparison"]["seeds"] == {"auto": 1, "static": 1, "auto#2": 1001}
assert [sorted(order) for order in beryl["comparison"]["orders"]] == [["auto", "auto#2", "static"]] * 3
for name, entry in beryl["compare"].items():
    assert len(entry["round_seconds"]) == 3 and entry["iterations"][-1]["round"] == 2
    assert ("ratio" in entry) == (name != "auto")
END
}
rounds run lifflander.tce --iterations 2
rounds mp2 water.xyz --basis sto-3g

exit $((n_failed > 0))
