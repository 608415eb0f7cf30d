#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An SCF by itself ends where its energy is right to 1e-9 hartree, with a checkpoint or without, also where
# the energy is flat; --converge, --density converged and methods of beryl-tce have the gradient's criterion.
# Second-order steps end under coarse screening, too.
#
#   test_convergence.sh BERYL_HF PROCESSES MPIEXEC BERYL_TCE INPUTS
set -u
program=$1 processes=$2 mpiexec=$3 tce=$4 inputs=$5 seconds=200
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
def iterations(result): return result["properties"]["scf_iterations"]
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
run 0 water.xyz --basis 6-31g --fock-only 1 --density converged --json b.json
expect 'gradient(b) < 1e-8'
grep -q '^Converged when no element of the orbital gradient exceeds 1e-08' "$folder/output" ||
    complain "the criterion is not said"

# A checkpoint changes nothing, a restart from it has no iterations left, and methods go on to the gradient.
for molecule in water li3; do
    run 0 $molecule.xyz --basis 6-31g --json a.json
    run 0 $molecule.xyz --basis 6-31g --checkpoint scf.h5 --json b.json
    expect 'a["return_result"] == b["return_result"] and builds(a) == builds(b) > 1'
    expect 'gradient(a) == gradient(b) and iterations(a) == iterations(b)'
    run 0 $molecule.xyz --basis 6-31g --restart scf.h5 --json a.json
    expect 'builds(a) == 1 and abs(a["return_result"] - b["return_result"]) < 1e-12'
    run 0 $molecule.xyz --basis 6-31g --restart scf.h5 --converge 1e-8 --json a.json
    expect 'gradient(a) < 1e-8'
    program=$tce
    run 0 mp2 $molecule.xyz --basis 6-31g --follow same --json b.json
    expect 'gradient(b) < 1e-8 and b["extras"]["beryl"]["options"]["converge"] == 1e-8'
    for from in --restart --guess; do
        run 0 mp2 $molecule.xyz --basis 6-31g --follow same $from scf.h5 --json a.json
        expect 'gradient(a) < 1e-8 and abs(a["return_result"] - b["return_result"]) < 1e-8'
    done
    program=$1
done

# Coarse screening leaves noise in the energies, below which second-order steps go by the gradient.
for molecule in "benzene.xyz --basis 6-31g" "water10.xyz --basis sto-3g"; do
    run 0 "$inputs/"$molecule --second-order always --stability never --screen 1e-6 --json a.json
    run 0 "$inputs/"$molecule --second-order always --stability never --json b.json
    expect 'iterations(a) <= iterations(b) + 1 and abs(a["return_result"] - b["return_result"]) < 5e-5'
done
exit "$n_failed"
