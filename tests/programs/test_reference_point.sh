#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Beside a correlated energy, log and result say which kind of stationary point its reference is, with
# the energies of both where a saddle point was left; --follow uhf takes the method to UHF. By default a
# saddle point stays the reference, with a warning.
#
#   test_reference_point.sh BERYL_TCE PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/program.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '2\n\nH 0 0 0\nH 0 0 3\n' > h2.xyz

run 0 mp2 water.xyz --basis sto-3g --json result.json
expect 'set(b["stationary_point"].values()) == {"local minimum"}'
print '^  reference: a local minimum among real RHF, a local minimum among real UHF determinants$'
run 0 mp2 water.xyz --basis sto-3g --stability never --json result.json
expect 'set(b["stationary_point"].values()) == {"not tested"}'
print '^  reference: not tested whether a local minimum among real RHF'

# A hydrogen molecule that is pulled apart: CCSD is exact for two electrons, over either reference.
run 0 ccsd h2.xyz --basis sto-3g --json result.json
expect 'b["stationary_point"] == {"real_rhf": "local minimum", "real_uhf": "saddle"}'
print '^  reference: a local minimum among real RHF, a SADDLE POINT among real UHF determinants$'
energies=$(/usr/bin/python3 -c '
import json
result = json.load(open("result.json"))
print(result["return_result"], result["properties"]["scf_total_energy"])')
run 0 ccsd h2.xyz --basis sto-3g --follow uhf --frozen-core --json result.json
expect "abs(E - ${energies% *}) < 1e-7 and p['scf_total_energy'] < ${energies#* } - 0.17"
expect "abs(b['saddle_points_left'][0]['energy'] - ${energies#* }) < 1e-8"
print '^  reference: a local minimum among real UHF determinants$'
print '^  left for it: a saddle point of energy -0.[0-9]* hartree, 0.[0-9]* above$'

# The RHF of C2 that other programs find is a saddle point of RHF, and the UHF of O2 one of UHF: methods
# stay there, and say how much lower, at least, the solution is to which --follow same leads.
# kept TOTAL METHOD SPACE MOLECULE ARGUMENT...
kept()
{
    local total=$1 method=$2 space=$3 molecule=$4 energy lower
    shift 4
    run 0 "$method" "$molecule" "$@" --json result.json
    expect "b['stationary_point']['$space'] == 'saddle' and b['saddle_points_left'] == []"
    expect 'b["options"]["follow"] == "none"'
    lower=$(sed -n 's/^warning: the reference is a saddle point: another solution is at least \(0\.[0-9]*\) hartree lower; --follow same goes there$/\1/p' "$folder/errors")
    [ -z "$total" ] || expect "abs(E - $total) < 1e-7"
    energy=$(/usr/bin/python3 -c 'import json; print(json.load(open("result.json"))["properties"]["scf_total_energy"])')
    run 0 "$method" "$molecule" "$@" --follow same --json result.json
    expect "b['stationary_point']['$space'] != 'saddle' and len(b['saddle_points_left']) == 1"
    expect "abs(b['saddle_points_left'][0]['energy'] - $energy) < 1e-8"
    expect "1e-4 < ${lower:-0} <= b['saddle_points_left'][0]['energy'] - p['scf_total_energy']"
    [ ! -s "$folder/errors" ] || complain "a warning after --follow same"
}
printf '2\n\nC 0 0 -0.62125\nC 0 0 0.62125\n' > c2.xyz
printf '2\nmultiplicity=3\nO 0 0 0\nO 0 0 1.2075\n' > o2.xyz
kept -75.7266949 ccsd_t real_rhf c2.xyz --basis cc-pvdz --frozen-core
kept "" mp2 real_uhf o2.xyz --basis sto-3g

# From the file that the saddle point is in, its height is not known.
run 0 mp2 o2.xyz --basis sto-3g --checkpoint o2.h5
run 0 mp2 o2.xyz --basis sto-3g --restart o2.h5
grep -q '^warning: .* another solution is lower; --follow same' "$folder/errors" ||
    complain "no warning after a restart"
exit "$n_failed"
