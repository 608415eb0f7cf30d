#!/usr/bin/env bash
# --engine puts an integral engine first: the energy stays the same, and the result counts what
# each engine computed, over all processes.
#
#   test_engines.sh BERYL_HF PROCESSES MPIEXEC INPUTS BERYL_TCE
set -u
program=$1 processes=$2 mpiexec=$3 inputs=$4 tce=$5 seconds=120
. "$(dirname "$0")/program.sh"

# same_energy FILE FILE: the results have one energy.
same_energy()
{
    python3 - "$@" << 'END' 2>> "$folder/errors" || complain "energies of $* differ"
import json, sys
energies = [json.load(open(file))["return_result"] for file in sys.argv[1:]]
assert abs(energies[0] - energies[1]) < 1e-10, energies
END
}

# counts FILE FIRST ENGINE...: FIRST was tried first, and only these engines computed quartets.
counts()
{
    python3 - "$@" << 'END' 2>> "$folder/errors" || complain "wrong counts in $1"
import json, sys
engines = json.load(open(sys.argv[1]))["extras"]["beryl"]["engines"]
assert engines["first"] == sys.argv[2], engines
assert sorted(engines["computed"]) == ["libint", "s"], engines
for name, computed in engines["computed"].items():
    assert (computed["quartets"] > 0) == (name in sys.argv[3:]), engines
    assert (computed["batches"] > 0) == (computed["quartets"] > 0), engines
    assert computed["batches"] <= computed["quartets"], engines
END
}

# Only s functions: either engine can do it all.
be16="$inputs/be16.xyz --basis be15s --screen 1e-6 --converge 1e-2 --stability never"
run 0 $be16 --json s.json
run 0 $be16 --engine libint --json libint.json
counts s.json s s
counts libint.json libint libint
same_energy s.json libint.json

# Classes that the first engine does not handle go to the other.
water="$inputs/water.xyz --basis 6-31g"
run 0 $water --engine s --json s.json
run 0 $water --engine libint --json libint.json
counts s.json s s libint
counts libint.json libint libint
same_energy s.json libint.json

run 2 $water --engine fast
grep -q "'fast' is not one of s, libint" "$folder/errors" || complain "the message lists no engines"
run 0 --help
grep -q "one of s, libint" "$folder/output" || complain "the help lists no engines"

# The number of processes changes no count.
print_counts='import json; print(json.load(open("libint.json"))["extras"]["beryl"]["engines"])'
parallel=$(python3 -c "$print_counts")
processes=1
run 0 $water --engine libint --json libint.json
[ "$(python3 -c "$print_counts")" = "$parallel" ] || complain "not $parallel on one process"

program=$tce
processes=$2
run 0 mp2 $water --json s.json
run 0 mp2 $water --engine libint --json libint.json
counts s.json s s libint
counts libint.json libint libint
same_energy s.json libint.json

exit $((n_failed > 0))
