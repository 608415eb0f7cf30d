#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
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
    /usr/bin/python3 - "$@" << 'END' 2>> "$folder/errors" || complain "energies of $* differ"
import json, sys
energies = [json.load(open(file))["return_result"] for file in sys.argv[1:]]
assert abs(energies[0] - energies[1]) < 1e-10, energies
END
}

# counts FILE FIRST ENGINE...: FIRST was tried first, and only these engines computed quartets.
counts()
{
    /usr/bin/python3 - "$@" << 'END' 2>> "$folder/errors" || complain "wrong counts in $1"
import json, sys
engines = json.load(open(sys.argv[1]))["extras"]["beryl"]["engines"]
assert engines["first"] == sys.argv[2], engines
assert {"baseline", "libint"} <= set(engines["computed"]), engines
for name, computed in engines["computed"].items():
    assert (computed["quartets"] > 0) == (name in sys.argv[3:]), engines
    assert (computed["batches"] > 0) == (computed["quartets"] > 0), engines
    assert computed["batches"] <= computed["quartets"], engines
END
}

# Any engine can do it all, but those that the processor has no vectors for.
engines="baseline libint"
for engine in avx2 avx512; do
    flag=${engine/512/512dq}
    grep -qw "$flag" /proc/cpuinfo 2> /dev/null && engines+=" $engine"
done
water="$inputs/water.xyz --basis 6-31gs"
for engine in $engines; do
    run 0 $water --engine "$engine" --json "$engine.json"
    counts "$engine.json" "$engine" "$engine"
done
for engine in $engines; do
    same_energy "$engine.json" libint.json
done

# Shells of high angular momentum, too.
cat > "$folder/g.gbs" << 'END'
H 0
S 1 1.00
 0.5 1.0
****
O 0
S 1 1.00
 2.0 1.0
P 1 1.00
 1.0 1.0
G 1 1.00
 1.0 1.0
****
END
g="$inputs/water.xyz --basis $folder/g.gbs --stability never --integrals direct"
run 0 $g --engine baseline --json baseline.json
run 0 $g --engine libint --json libint.json
counts baseline.json baseline baseline
counts libint.json libint libint
same_energy baseline.json libint.json

run 2 $water --engine fast
grep -q "'fast' is not one of .*baseline, libint" "$folder/errors" ||
    complain "the message lists no engines"
run 0 --help-all
tr -s ' \n' ' ' < "$folder/output" | grep -q "baseline, libint" || complain "the help lists no engines"

# The number of processes changes no count.
print_counts='import json; print(json.load(open("libint.json"))["extras"]["beryl"]["engines"])'
parallel=$(/usr/bin/python3 -c "$print_counts")
processes=1
run 0 $g --engine libint --json libint.json
[ "$(/usr/bin/python3 -c "$print_counts")" = "$parallel" ] || complain "not $parallel on one process"

program=$tce
processes=$2
for engine in $engines; do
    run 0 mp2 $water --engine "$engine" --json "$engine.json"
    counts "$engine.json" "$engine" "$engine"
done
for engine in $engines; do
    same_energy "$engine.json" libint.json
done

exit $((n_failed > 0))
