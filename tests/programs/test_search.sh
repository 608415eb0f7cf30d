#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The search for the lowest solution of UHF: where one guess ends above another, the run ends in the lower one
# and says so; stable molecules are not searched. Energies are of independent programs or of other guesses.
#
#   test_search.sh BERYL_HF PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=200
. "$(dirname "$0")/program.sh"

printf '2\n\nN 0 0 0\nN 0 0 3\n' > n2.xyz
printf '2\nmultiplicity=2\nN 0 0 0\nO 0 0 2.07144\n' > no.xyz
printf '1\nmultiplicity=4\nCo 0 0 0\n' > co.xyz
printf '4\nmultiplicity=2\nC 0 0 0\nH 1.079 0 0\nH -0.5395 0.93444 0\nH -0.5395 -0.93444 0\n' > ch3.xyz
printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz

# searched MOLECULE ENERGY OPTIONS: the search ends at this energy.
searched()
{
    local molecule=$1 energy=$2
    shift 2
    run 0 $molecule --method uhf "$@" --json result.json
    expect "abs(E - $energy) < 2e-8 and E < min(start['energy'] for start in b['starts']) + 1e-8"
    grep -q "^The lowest of [0-9]* starts$" "$folder/output" || complain "the search is not said"
}

searched n2.xyz -108.7820955537 --basis cc-pvdz
searched no.xyz -129.0481182 --basis def2-svp
expect 'b["starts"][0]["energy"] > E + 0.05 and any("reversed" in start["name"] for start in b["starts"])'
searched co.xyz -1381.2110333756 --basis def2-svp
expect 'b["starts"][0]["energy"] > E + 0.05'

# The end of a search is in its checkpoint: a restart neither searches again nor goes elsewhere. Its
# beginning is not: the search follows the restart.
run 0 no.xyz --method uhf --basis def2-svp --checkpoint lowest.h5 --json result.json
run 0 no.xyz --method uhf --basis def2-svp --restart lowest.h5 --json result.json
expect 'abs(E + 129.0481182) < 2e-8 and "starts" not in b'
run 1 no.xyz --method uhf --basis def2-svp --max-iter 9 --checkpoint first.h5
run 0 no.xyz --method uhf --basis def2-svp --restart first.h5 --json result.json
expect 'abs(E + 129.0481182) < 2e-8 and len(b["starts"]) > 2'

# A state that the user has chosen stays, and so does the minimum of a stable molecule.
for options in "--search never" "--guess-swap 8:9" "--follow none" "--guess core"; do
    run 0 no.xyz --method uhf --basis 6-31g $options --json result.json
    expect '"starts" not in b'
done
run 0 ch3.xyz --basis 6-31g --json result.json
expect '"starts" not in b'
run 0 water.xyz --method uhf --basis 6-31g --json result.json
expect '"starts" not in b'
run 0 water.xyz --basis 6-31g --search always --json result.json
expect 'len(b["starts"]) == 2 and abs(b["starts"][0]["energy"] - E) < 1e-9'
# Of ROHF, which is searched where it may go lower.
printf '2\nmultiplicity=3\nV 0 0 0\nV 0 0 1.77\n' > v2.xyz
run 0 v2.xyz --method rohf --basis sto-3g --follow same --json result.json
expect 'b["starts"][0]["energy"] > E + 1e-3 and b["stability"]["real_rohf"]["stable"]'
exit "$n_failed"
