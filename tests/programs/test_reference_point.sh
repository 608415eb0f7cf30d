#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Beside a correlated energy, log and result say which kind of stationary point its reference is, with
# the energies of both where a saddle point was left; --follow uhf takes the method to UHF.
#
#   test_reference_point.sh BERYL_TCE PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/program.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '2\n\nH 0 0 0\nH 0 0 3\n' > h2.xyz

# expect CONDITION: of b, the result's extras, p, its properties, and E, its energy.
expect()
{
    /usr/bin/python3 - "$1" << 'END' 2>> "$folder/errors" || complain "not so: $1"
import json, sys
result = json.load(open("result.json"))
assert eval(sys.argv[1], {"b": result["extras"]["beryl"], "p": result["properties"],
                          "E": result["return_result"]})
END
}

# print TEXT: the log has this line.
print()
{
    grep -qE -- "$1" "$folder/output" || complain "the log lacks $1"
}

run 0 mp2 water.xyz --basis sto-3g --json result.json
expect 'set(b["stationary_point"].values()) == {"minimum"}'
print '^  reference: a minimum among real RHF, a minimum among real UHF determinants$'
run 0 mp2 water.xyz --basis sto-3g --stability never --json result.json
expect 'set(b["stationary_point"].values()) == {"not tested"}'
print '^  reference: not tested whether a minimum among real RHF'

# A hydrogen molecule that is pulled apart: CCSD is exact for two electrons, over either reference.
run 0 ccsd h2.xyz --basis sto-3g --json result.json
expect 'b["stationary_point"] == {"real_rhf": "minimum", "real_uhf": "saddle"}'
print '^  reference: a minimum among real RHF, a SADDLE POINT among real UHF determinants$'
energies=$(/usr/bin/python3 -c '
import json
result = json.load(open("result.json"))
print(result["return_result"], result["properties"]["scf_total_energy"])')
run 0 ccsd h2.xyz --basis sto-3g --follow uhf --frozen-core --json result.json
expect "abs(E - ${energies% *}) < 1e-7 and p['scf_total_energy'] < ${energies#* } - 0.17"
expect "abs(b['saddle_points_left'][0]['energy'] - ${energies#* }) < 1e-8"
print '^  reference: a minimum among real UHF determinants$'
print '^  left for it: a saddle point of energy -0.[0-9]* hartree, 0.[0-9]* above$'
exit "$n_failed"
