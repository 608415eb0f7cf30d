#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# beryl-sched --compare: simulated, where the first round of --rounds is a run without it, and for real; the
# same results under all modes, else it fails.
#
#   test_sched_compare.sh BERYL_SCHED MPIEXEC
set -u
beryl_sched=$1 mpiexec=$2
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1

# compare NAME PROCESSES ARGUMENT...
compare()
{
    local name=$1 processes=$2 launcher=()
    shift 2
    [ "$processes" = 1 ] || launcher=("$mpiexec" --oversubscribe -n "$processes")
    timeout 60 "${launcher[@]}" "$beryl_sched" "$@" --json "$name.json" > "$name.txt" ||
        complain "$*: exit status $?"
    keep_results --json "$name.json"
}

# check NAME: a program in Python, from standard input, of the result r and its modes c.
check()
{
    /usr/bin/python3 -c 'import json, sys
text = open(sys.argv[1] + ".txt").read()
r = json.load(open(sys.argv[1] + ".json"))
c = r.get("compare")
exec(sys.stdin.read())' "$1" || { complain "$1"; cat "$1.txt"; }
}

# Durations depend on the seed, modes of one seed get the same ones.
drawn="--exponential 1e-3 --tasks 500 --simulate 16 --iterations 3"
compare seeds 1 $drawn --compare static,steal,static --rounds 9
compare again 1 $drawn --compare static,steal,static --rounds 9
cmp -s seeds.json again.json || complain "--rounds: two results of one seed"
cmp -s seeds.txt again.txt || complain "--rounds: two tables of one seed"
compare alone 1 $drawn --sched steal
compare drift 1 $drawn --sched lpt --drift 0.3 --seed 2
check drift <<'END'
bound = float(text.split("Lower bound")[1].split()[0])
assert bound < min(i["makespan_seconds"] for i in r["iterations"])
END
check seeds <<'END'
assert list(c) == ["static", "steal", "static#2"] and "sched" not in r and "iterations" not in r
assert "sched" not in r["options"] and r["tasks"] == 500 and r["machine"]["simulate"] == 16
assert r["comparison"] == {"rounds": 9, "rounds_needed": 8, "counted_from": 2, "confidence": 0.98,
                           "oversubscribed": False,
                           "seeds": {"static": 1, "steal": 1, "static#2": 1001}}
assert c["static#2"]["ratio"]["value"] == 1 and c["static#2"]["ratio"]["interval"] == [1, 1]
assert c["static#2"]["ratio"]["verdict"] == "not distinguishable"
assert c["steal"]["ratio"]["verdict"] == "faster" and c["steal"]["ratio"]["interval"][1] < 1
assert len(set(c["static"]["round_seconds"])) == 9
bound = float(text.split("Lower bound")[1].split()[0])
assert "Rounds     9: enough to tell 3 modes apart, which takes 8 or more" in text.split("\nround ")[0]
iterations = [i for mode in c.values() for i in mode["iterations"]]
assert bound < 1.00001 * min(i["lower_bound_seconds"] for i in iterations)
assert bound < min(i["makespan_seconds"] for i in iterations)
alone = json.load(open("alone.json"))
first = c["steal"]["iterations"][:3]
assert [i.pop("round") for i in first] == [0, 0, 0] and first == alone["iterations"]
END
# A copy has the tasks of the first, and victims of its own; without random choices it repeats it.
compare copies 1 $drawn --compare steal,steal,steal --rounds 9
check copies <<'END'
rounds = [mode["round_seconds"] for mode in c.values()]
assert len(set(map(tuple, rounds))) == 3, rounds
assert c["steal#2"]["ratio"]["interval"][0] < 1 < c["steal#3"]["ratio"]["interval"][1]
assert rounds[0] == json.load(open("seeds.json"))["compare"]["steal"]["round_seconds"]
for first, second in zip(c["steal"]["iterations"], c["steal#2"]["iterations"]):
    assert abs(first["task_seconds"] / second["task_seconds"] - 1) < 1e-12
assert r["comparison"]["seeds"] == {"steal": 1, "steal#2": 1001, "steal#3": 2001}
assert "orders" not in r["comparison"] and "order" not in text
END
# Options go to the modes that have them; the workers have the given speeds.
printf '1\n2\n' > speeds.csv
compare speeds 1 --gauss 1e-3,0 --tasks 300 --simulate 2 --speeds speeds.csv --chunk 3 \
    --compare static,counter,dtree
check speeds <<'END'
assert r["options"]["chunk"] == 3 and "round_seconds" not in c["static"]
assert "One round shows no spread" in text
assert "Rounds     1: too few to tell 3 modes apart, which takes 8 or more" in text
assert c["counter"]["iterations"][0]["makespan_seconds"] < 0.75 * c["static"]["iterations"][0]["makespan_seconds"]
END
# For a pool whose tasks add tasks, `all` stands for the modes that can run it.
tree="-t 1 -a 3 -d 6 -b 4 -r 19"
compare tree 1 --uts "$tree" --simulate 8 --compare steal,all
"$beryl_sched" --list-modes | awk '$2 == "dynamic" { print $1 }' > dynamic.txt
check tree <<'END'
dynamic = open("dynamic.txt").read().split()
assert {"steal", "lifeline", "auto"} <= set(dynamic)
assert list(c) == ["steal"] + [mode for mode in dynamic if mode != "steal"] and r["nodes"] > 1000
assert all(mode["tasks"] == r["nodes"] for mode in c.values())
END
compare mesh 2 --jacobi 16,16,16 --sweeps 4 --compare static,hybrid --rounds 2
compare real 2 --gauss 1e-4,2e-5 --tasks 50 --compare all
# Each round runs the modes in an order of its own, which --seed repeats.
compare rounds 2 --gauss 1e-4,2e-5 --tasks 50 --compare steal,steal --rounds 6
compare repeated 2 --gauss 1e-4,2e-5 --tasks 50 --compare steal,steal --rounds 6
compare reseeded 2 --gauss 1e-4,2e-5 --tasks 50 --compare steal,steal --rounds 6 --seed 2
check rounds <<'END'
assert list(c) == ["steal", "steal#2"] and len(c["steal#2"]["round_seconds"]) == 6
assert c["steal#2"]["ratio"]["verdict"] == "not distinguishable"
assert "Rounds     6: too few to tell 2 modes apart, which takes 7 or more" in text.split("\nround ")[0]
assert "Each round runs the modes in a new random order (--seed)" in text
orders = r["comparison"]["orders"]
assert sorted(map(tuple, map(sorted, orders))) == [("steal", "steal#2")] * 6
assert 0 < [order[0] for order in orders].count("steal") < 6, orders
lines = [line.split()[:2] for line in text.split("(last iteration)\n")[1].split("\n")[:12]]
assert lines == [[str(i), name] for i, order in enumerate(orders) for name in order], lines
others = [json.load(open(f"{name}.json"))["comparison"]["orders"]
          for name in ("repeated", "reseeded")]
assert orders == others[0] != others[1], others
END

# lpt is a reference: it knows durations alone, and another mode can take less than longest tasks first.
printf 'task,seconds\n0,2\n1,2\n2,2\n3,3\n4,3\n' > graham.csv
compare graham 1 --simulate 2 --profile graham.csv --compare static,lpt
check graham <<< 'assert c["lpt"]["reference"] and "reference" not in c["static"], c["lpt"]'

exit $((n_failed > 0))
