#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The stability of an SCF in its log and its result: bonds that are pulled apart are unstable
# towards UHF, and UHF from there finds the lower energy; water is stable; a saddle point that was
# left is said.
#
#   test_stability.sh BERYL_HF PROCESSES MPIEXEC [long]
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/program.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '2\n\nH 0 0 0\nF 0 0 3\n' > hf.xyz
printf '2\n\nF 0 0 0\nF 0 0 2.5\n' > f2.xyz
printf '2\n\nH 0 0 0\nH 0 0 3\n' > h2.xyz
printf '2\nmultiplicity=3\nO 0 0 0\nO 0 0 1.2075\n' > o2.xyz
printf '1\n\nHe 0 0 0\n' > he.xyz

both_stable='all(b["stability"][s]["stable"] for s in ("real_rhf", "real_uhf"))'
unstable='b["stability"]["real_rhf"]["stable"] and b["stability"]["real_uhf"]["stable"] is False'
run 0 water.xyz --basis 6-31g --json result.json
expect "$both_stable and b['saddle_points_left'] == []"
expect 'b["lowest_curvature"] == b["stability"]["real_rhf"]["lowest_curvature"]'
expect '0 < b["stability"]["real_uhf"]["lowest_curvature"] < b["lowest_curvature"]'
print '^Lowest curvature .*: a local minimum among real RHF determinants'
print '^Lowest curvature .*: a local minimum among real UHF determinants'

# The advice in the log leads from the very solution to a lower one that is stable.
lower='E < ENERGY - 0.17 and b["stability"]["real_uhf"]["stable"] and len(b["stability"]) == 1'
for name in hf f2 h2; do
    run 0 $name.xyz --basis sto-3g --checkpoint $name.h5 --json result.json
    expect "$unstable"
    print '^Lowest curvature .*: a local minimum among real RHF determinants'
    print '^Lowest curvature .*: UNSTABLE among real UHF determinants'
    print '--method uhf'
    energy=$(energy result.json)
    run 0 $name.xyz --basis sto-3g --method uhf --guess $name.h5 --json result.json
    expect "${lower/ENERGY/$energy}"
    expect 'b["s2"] > 0.9 and len(b["saddle_points_left"]) in (1, 2)'
    expect "abs(b['saddle_points_left'][0]['energy'] - $energy) < 1e-7"
    print '^Converged .*, having left [12] saddle points*$'
done

run 0 o2.xyz --basis sto-3g --json result.json
expect 'b["saddle_points_left"][0]["energy"] > E + 1e-3'
expect 'b["saddle_points_left"][0]["lowest_curvature"] < -0.01'
print '^Converged .*, having left 1 saddle point$'
print '^Left a saddle point of energy -147.6339'

# --follow: the same saddle point is kept and called one, or RHF is left for UHF in the same run.
run 0 o2.xyz --basis sto-3g --follow none --json result.json
expect 'b["saddle_points_left"] == [] and b["stationary_point"] == {"real_uhf": "saddle"}'
expect 'abs(E - -147.6339467855) < 1e-8 and b["lowest_curvature"] < -0.01'
print 'a saddle point that --follow none keeps, among real UHF'
run 0 h2.xyz --basis sto-3g --json result.json
expect 'b["stationary_point"] == {"real_rhf": "local minimum", "real_uhf": "saddle"}'
energy=$(energy result.json)
run 0 h2.xyz --basis sto-3g --follow uhf --json result.json
expect "${lower/ENERGY/$energy}"
expect "abs(b['saddle_points_left'][0]['energy'] - $energy) < 1e-8"
expect 'b["stationary_point"] == {"real_uhf": "local minimum"} and len(b["orbital_energies"]) == 2'
expect '[i["iteration"] for i in b["scf_iterations"]] == list(range(1, 1 + len(b["scf_iterations"])))'
expect 'b["fock_builds"] == len(b["iterations"])'
print '^UHF from here: the RHF energy'
run 0 water.xyz --basis 6-31g --follow uhf --json result.json
expect "$both_stable and len(b['orbital_energies']) == 1"

# ROHF stays at its saddle point, where other programs end (Psi4 1.3.2), unless it is to go lower.
run 0 o2.xyz --basis cc-pvdz --method rohf --json result.json
expect 'abs(E - -149.6080844661) < 1e-8 and b["stationary_point"] == {"real_rohf": "saddle"}'
expect 'abs(b["s2"] - 2) < 1e-9 and len(b["orbital_energies"]) == 1'
for options in "--method rohf" "--method rohf --second-order always"; do
    run 0 o2.xyz --basis cc-pvdz $options --follow same --json result.json
    expect 'E < -149.6082705 and b["stationary_point"] == {"real_rohf": "local minimum"}'
    expect 'b["stability"]["real_rohf"]["stable"] and b["saddle_points_left"]'
done

# A weak saddle point is left, too, for a solution of lower energy; where its curvature is below what
# energies can show, the SCF has converged all the same.
# weak DISTANCE: UHF of a hydrogen molecule just beyond the distance where it parts from RHF.
weak()
{
    printf '2\n\nH 0 0 0\nH 0 0 %s\n' "$1" > weak.xyz
    run 0 weak.xyz --basis cc-pvdz --method uhf --json result.json
}
for distance in 1.2105 1.2110; do
    weak $distance
    expect 'b["stability"]["real_uhf"]["stable"] and len(b["saddle_points_left"]) == 1'
    expect 'E < b["saddle_points_left"][0]["energy"] - 1e-9'
done
weak 1.2104
expect 'b["stability"]["real_uhf"]["stable"] is not False and len(b["saddle_points_left"]) == 1'
weak 1.210386
expect 'not b["stability"]["real_uhf"]["stable"] and b["saddle_points_left"] == []'
expect 'abs(b["lowest_curvature"]) < 1e-6' # -2e-7 but for errors of screening

# A radical whose saddle point is as weak, symmetric in space and not in spin.
if [ "${4:-}" = long ]; then
    seconds=600
    printf '3\nmultiplicity=2\nN 0 0 0\nO 0 1.10 0.465\nO 0 -1.10 0.465\n' > no2.xyz
    run 0 no2.xyz --basis '6-31g*' --spherical --json result.json
    expect 'b["stability"]["real_uhf"]["stable"] and len(b["saddle_points_left"]) == 1'
    expect '-2e-4 < b["saddle_points_left"][0]["lowest_curvature"] < -1e-4'
    expect 'abs(E - -204.0264116996) < 1e-8'
fi

# warned TEXT: one line on standard error, with this in it.
warned()
{
    [ "$(grep -c . "$folder/errors")" = 1 ] && grep -qF -- "$1" "$folder/errors" ||
        complain "not the one message: $1"
}

# Screening errors of the gradient above --converge cause a warning, and no verdict from curvatures within
# those errors. A gradient that cannot fall further is no convergence.
run 0 water.xyz --basis sto-3g
[ ! -s "$folder/errors" ] || complain "a warning by default"
run 0 water.xyz --basis sto-3g --screen 0.1 --converge 1e-3 --json result.json
warned "warning: --screen 0.1 changes the energy and the orbital gradient by up to about 5e+00 hartree, more than --converge 0.001: take --screen 1e-05 or less"
print '^Screening  integrals below --screen 0.1 are left out'
expect 'b["stability"]["real_rhf"]["stable"] is None and b["stability"]["real_uhf"]["stable"] is None'
run 1 water.xyz --basis cc-pvdz --converge 1e-15 --screen 1e-17
warned 'no more than rounding errors: --converge 1e-15 is out of reach, take '

# A restart of a converged run takes one build and knows the stability, also at a saddle point. A saddle point
# that is to be left is left.
run 0 h2.xyz --basis sto-3g --checkpoint kept.h5
run 0 h2.xyz --basis sto-3g --restart kept.h5 --json result.json
expect 'b["fock_builds"] == 1'
expect 'b["stationary_point"] == {"real_rhf": "local minimum", "real_uhf": "saddle"}'
run 0 o2.xyz --basis sto-3g --follow none --checkpoint kept.h5
run 0 o2.xyz --basis sto-3g --follow none --restart kept.h5 --json result.json
expect 'b["fock_builds"] == 1 and b["stationary_point"] == {"real_uhf": "saddle"}'
run 0 o2.xyz --basis sto-3g --restart kept.h5 --json result.json
expect 'b["stationary_point"] == {"real_uhf": "local minimum"} and len(b["saddle_points_left"]) == 1'

# Nothing tested, nothing claimed.
run 0 water.xyz --basis sto-3g --stability never --json result.json
expect 'b["stability"] == {} and "lowest_curvature" not in b'
expect 'b["stationary_point"] == {"real_rhf": "not tested", "real_uhf": "not tested"}'
print '^Stability not tested'
grep -q minimum "$folder/output" && complain "a claim without a test"
run 0 he.xyz --basis sto-3g --json result.json
expect 'b["stability"] == {} and b["stationary_point"]["real_uhf"] == "local minimum"'
exit "$n_failed"
