#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An SCF whose orbitals nothing else uses ends where its energy is right to 1e-9 hartree, also where
# the energy is flat; --converge, a checkpoint and --density converged keep the gradient's criterion.
#
#   test_convergence.sh BERYL_HF PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=200
. "$(dirname "$0")/program.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '2\n\nLi 0 0 0\nF 0 0 4.0\n' > lif.xyz
printf '2\nmultiplicity=2\nN 0 0 0\nO 0 0 1.15\n' > no.xyz
printf '3\nmultiplicity=2\nLi 0 0 0\nLi 0 0 2.7\nLi 0 2.4 1.35\n' > li3.xyz

# expect CONDITION: of a and b, results with the energy's and with the gradient's criterion.
expect()
{
    /usr/bin/python3 - "$1" << 'END' 2>> "$folder/errors" || complain "not so: $1"
import json, sys
a, b = (json.load(open(name)) for name in ("a.json", "b.json"))
def builds(result): return result["extras"]["beryl"]["fock_builds"]
def gradient(result): return result["extras"]["beryl"]["orbital_gradient"]
def points(result): return result["extras"]["beryl"]["stationary_point"]
assert eval(sys.argv[1])
END
}

for molecule in water lif no li3; do
    run 0 $molecule.xyz --basis 6-31g --json a.json
    grep -q '^Converged when the energy is right to 1e-09 hartree' "$folder/output" ||
        complain "the criterion is not said"
    run 0 $molecule.xyz --basis 6-31g --converge 1e-8 --json b.json
    expect 'abs(a["return_result"] - b["return_result"]) < 1.2e-9'
    expect 'gradient(b) < 1e-8 and builds(a) <= builds(b) and points(a) == points(b)'
    [ $molecule = water ] && expect 'gradient(a) > 1e-7 and builds(a) < builds(b)'
done
for options in "--checkpoint water.h5" "--fock-only 1 --density converged"; do
    run 0 water.xyz --basis 6-31g $options --json b.json
    expect 'gradient(b) < 1e-8'
    grep -q '^Converged when no element of the orbital gradient exceeds 1e-08' "$folder/output" ||
        complain "the criterion is not said"
done
exit "$n_failed"
