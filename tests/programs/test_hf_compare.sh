#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# beryl-hf --compare runs the same builds under each mode: a row of its table and an
# entry of its result for each, one Fock matrix for all, the same as of a run without; with --rounds
# also intervals and verdicts.
#
#   test_hf_compare.sh BERYL_HF PROCESSES MPIEXEC BERYL_SCHED INPUTS
set -u
program=$1 processes=$2 mpiexec=$3 beryl_sched=$4 inputs=$5 seconds=120
. "$(dirname "$0")/program.sh"
all_modes=$("$beryl_sched" --list-modes | cut -f 1 | paste -s -d ,)

# compare MODES N_BUILDS ARGUMENT..., the comparison alone also with the words of $more.
more=""
compare()
{
    local modes=$1 n_builds=$2 options digest
    shift 2
    options="$* --compare $modes $more"
    rm -f one.json all.json
    launch "$@" --fock-only 1 --json one.json > one.txt 2>&1 < /dev/null
    launch "$@" --compare "$modes" $more --json all.json > all.txt 2>&1 < /dev/null
    local status=$?
    digest=$(sed -n 's/.*"fock_sha256": "\([0-9a-f]\{64\}\)".*/\1/p' one.json | head -n 1)
    if [ "$status" != 0 ] || ! /usr/bin/python3 - "${modes/#all/$all_modes}" "$n_builds" "$digest" \
        "$processes" << 'END'; then
import json, sys
modes, n_builds, digest, processes = sys.argv[1:]
result = json.load(open("all.json"))
beryl = result["extras"]["beryl"]
compare = beryl["compare"]
assert result["success"] and beryl["workers"] == int(processes)
assert list(compare) == modes.split(","), list(compare)
assert digest and beryl["fock_sha256"] == digest
assert "iterations" not in beryl and "sched" not in beryl
for mode, entry in compare.items():
    assert entry["sched"] == mode and entry["fock_sha256"] == digest, mode
    assert entry["tasks"] in (beryl["non_null"], beryl["tasks"]) and entry["tasks"] > 0
    assert len(entry["iterations"]) == int(n_builds)
    for i, iteration in enumerate(entry["iterations"]):
        assert iteration["iteration"] == i and iteration["fock_seconds"] > 0
        assert 0 < iteration["efficiency"] <= 1.000001 and iteration["messages"] >= 0
table = open("all.txt").read().split("mode           first ")[1].split("\n")[1:]
rows = [line.split() for line in table[:len(compare)]]
assert [row[0] for row in rows] == list(compare), rows
assert rows[0][-1] == "1.0000"
for row in rows:
    best, of_first, ratio = float(row[2]), float(rows[0][2]), float(row[-1])
    assert abs(ratio * of_first - best) < 1e-4 * (1 + ratio), row
    assert float(row[-4]) <= float(row[-3]), ("steals done of attempted", row)
assert "-0.00 %" not in open("all.txt").read()
assert beryl["comparison"]["rounds"] == 1
assert beryl["comparison"]["counted_from"] == min(2, int(n_builds) - 1)
END
        echo "beryl-hf $options: status $status"
        tail -n 30 all.txt
        n_failed=$((n_failed + 1))
    fi
}

# Half of be16.xyz in smaller tiles: as many tasks, a quarter of the integrals.
{ echo 56; sed -n 2,58p "$inputs/be16.xyz"; } > be8.xyz
be8="be8.xyz --basis be15s --screen 1e-6 --tile 20"
compare all 3 $be8 --fock-only 3
compare all 2 $be8 --fock-only 2 --prune observed --progress thread
# Options go to the modes that have them.
compare steal,counter 3 $be8 --fock-only 3
more="--chunk 3 --managers 2 --seeding cost"
compare auto,share,static,counter 2 $be8 --fock-only 2
more=""
# Two spins; one task for all workers.
printf '2\nmultiplicity=3\nO 0 0 0\nO 0 0 1.2\n' > oxygen.xyz
compare static,auto,persist 5 oxygen.xyz --basis sto-3g

# Rounds: a mode named again has a number; the first is what the others are compared with.
rounds()
{
    launch $be8 --fock-only 3 --compare steal,static,steal --rounds 3 --json rounds.json \
        > rounds.txt 2>&1 < /dev/null
    /usr/bin/python3 - "$processes" << 'END'
import json, os, sys
processes, cores = int(sys.argv[1]), len(os.sched_getaffinity(0))
beryl = json.load(open("rounds.json"))["extras"]["beryl"]
compare, text = beryl["compare"], open("rounds.txt").read()
assert list(compare) == ["steal", "static", "steal#2"], list(compare)
assert [entry["sched"] for entry in compare.values()] == ["steal", "static", "steal"]
assert len({entry["fock_sha256"] for entry in compare.values()}) == 1
assert beryl["comparison"]["rounds"] == 3 and beryl["comparison"]["counted_from"] == 2
assert beryl["comparison"]["oversubscribed"] == (processes > cores)
assert ("Oversubscribed" in text) == (processes > cores)
assert "Rounds     3: too few to tell 3 modes apart, which takes 8 or more" in text
for name, entry in compare.items():
    builds = entry["iterations"]
    assert [(build["round"], build["iteration"]) for build in builds] == [
        (round, i) for round in range(3) for i in range(3)]
    rounds = entry["round_seconds"]
    assert rounds == [build["fock_seconds"] for build in builds if build["iteration"] == 2]
    assert entry["median_seconds"] == sorted(rounds)[1]
    low, high = entry["interval_seconds"]
    assert low <= entry["median_seconds"] <= high
    assert ("ratio" in entry) == (name != "steal")
    if name != "steal":
        ratio = entry["ratio"]
        assert ratio["to"] == "steal" and ratio["verdict"] == "not distinguishable", ratio
        assert ratio["interval"][0] <= ratio["value"] <= ratio["interval"][1]
        assert ratio["p"] >= 0.25
table = text.split("verdict\n")[1].split("\n")[:3]
assert [line.split()[0] for line in table] == list(compare), table
# One mode after another in each round, in the order that is recorded.
runs = [line.split()[0] for line in text.split("build   seconds\n")[1].split("\n\n")[0].split("\n")
        if not line.startswith("round")]
orders = beryl["comparison"]["orders"]
assert len(orders) == 3 and all(sorted(order) == sorted(compare) for order in orders), orders
assert runs == [name for order in orders for name in order for _ in range(3)], runs
assert beryl["comparison"]["seeds"] == {"steal": 1, "static": 1, "steal#2": 1001}
END
}
if ! rounds; then
    echo "beryl-hf --rounds:"
    tail -n 30 rounds.txt
    n_failed=$((n_failed + 1))
fi

exit $((n_failed > 0))
