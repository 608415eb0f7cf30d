#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# CCSD(T): a user's program of the same text has its energies to the last bit, for closed and open shells;
# from one checkpoint all modes give one energy and one digest; the energy does not depend on tiles; two
# electrons have no triples, and molecules far apart add up; plan, tasks and profile have the loop.
#
#   test_ccsd_t.sh BERYL_TCE PROCESSES MPIEXEC METHODS
set -u
program=$1 processes=$2 mpiexec=$3 methods=$4 seconds=120
. "$(dirname "$0")/program.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '2\nmultiplicity=2\nO 0 0 0\nH 0 0 0.97\n' > radical.xyz
printf '2\n\nH 0 0 0\nH 0 0 0.74\n' > hydrogen.xyz
printf '2\n\nLi 0 0 0\nH 0 0 1.6\n' > hydride.xyz
printf '4\n\nLi 0 0 0\nH 0 0 1.6\nLi 0 5000 0\nH 0 5000 1.6\n' > hydrides.xyz
water="water.xyz --basis 6-31g" radical="radical.xyz --basis 6-31g"

cat "$methods/ccsd.tce" "$methods/ccsd_t.tce" > ccsd_t.tce
cat "$methods/uccsd.tce" "$methods/uccsd_t.tce" > uccsd_t.tce
for options in "ccsd_t $water" "ccsd_t $water --frozen-core" "uccsd_t $radical"; do
    run 0 ccsd_t ${options#* } --json method.json
    run 0 run "${options%% *}.tce" ${options#* } --json result.json
    expect 'r["return_result"] == m["return_result"]'
    expect 'b["scalars"] == m["extras"]["beryl"]["scalars"]'
done
expect 'abs(sum(b["scalars"][x] for x in ("E", "E4", "E5")) - b["scalars"]["ET"]) < 1e-14'
expect 'm["properties"]["ccsd_prt_pr_total_energy"] == m["return_result"]'
expect 'm["model"]["method"] == "ccsd(t)"'

# Blocks of single elements on one process: several take a minute to exchange them.
all=$processes
tight="--converge 1e-9 --converge-amplitudes 1e-10"
run 0 ccsd_t $water $tight --json method.json
for options in "--orbital-tile 1" "--orbital-tile 3 --cache 0" "--orbital-tile 1000"; do
    [ "$options" != "--orbital-tile 1" ] || processes=1
    run 0 ccsd_t $water $tight $options --json result.json
    processes=$all
    expect 'abs(r["return_result"] - m["return_result"]) < 1e-10'
done

# --compare ends with status 1 unless all modes have one digest.
run 0 ccsd_t $water --compare static,counter,steal,retentive,dtree,auto --json result.json
expect 'len({x["correlation_energy"] for x in b["compare"].values()}) == 1'

# From one checkpoint of the orbitals: one energy to the last bit, and one digest, on any number of processes.
for options in "$water" "$radical"; do
    run 0 mp2 $options --checkpoint orbitals.h5
    for processes in 1 2 3; do
        run 0 ccsd_t $options --restart orbitals.h5 --compare static,counter,steal,retentive,dtree,auto \
            --json on$processes.json
    done
    /usr/bin/python3 - << 'END' 2>> "$folder/errors" || complain "not the same bits"
import json
results = [json.load(open(f"on{n}.json")) for n in (1, 2, 3)]
modes = [mode for r in results for mode in r["extras"]["beryl"]["compare"].values()]
assert len({r["return_result"] for r in results}) == 1, [r["return_result"] for r in results]
assert len({mode["correlation_energy"] for mode in modes}) == 1
assert len({mode["sha256"] for mode in modes}) == 1 and len(modes) == 18
END
done
processes=$all

run 0 ccsd_t hydrogen.xyz --basis cc-pvdz --json result.json
expect 'abs(b["scalars"]["E4"]) + abs(b["scalars"]["E5"]) < 1e-14'
run 0 ccsd_t hydride.xyz --basis 6-31g --screen 1e-13 $tight --json method.json
run 0 ccsd_t hydrides.xyz --basis 6-31g --screen 1e-13 $tight --json result.json
expect 'abs(r["return_result"] - 2 * m["return_result"]) < 1e-9'

run 0 ccsd_t $water --explain --dry-run --write-profile predicted.csv --json result.json
grep -Eq '^Predicted +[0-9.e-]+ s for each iteration' "$folder/output" || complain "no predicted seconds"
expect 'r["return_result"] is None and 0 < b["predicted_seconds"]["iteration"] < 1e9'
expect '0 < b["predicted_seconds"]["once"] < 1e9'
grep -q 'for a >= b >= c by tiles of' "$folder/output" || complain "the plan lacks the loop"
run 0 mp2 $water --dry-run
grep -Eq '^Predicted +[0-9.e-]+ s, without SCF' "$folder/output" || complain "mp2 has no iterations"
run 0 ccsd_t $water --write-profile measured.csv
run 0 ccsd_t $water --count-tasks
tasks=$(sed -n 's/^{"tasks": \([0-9]*\),.*/\1/p' "$folder/output")
for profile in predicted.csv measured.csv; do
    [ "$(wc -l < $profile)" = $((tasks + 1)) ] || complain "$profile has not $tasks tasks"
done

exit $((n_failed > 0))
