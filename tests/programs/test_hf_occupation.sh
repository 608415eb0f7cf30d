#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --keep-occupation stays in the state of a checkpoint, or of --guess-swap, where the lowest orbitals lead
# to another one: from geometry to geometry, from basis to basis and after a restart. Energies of
# the cation of water: Psi4 1.3.2 (MOM).
#
#   test_hf_occupation.sh BERYL_HF PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/program.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '3\n\nO 0 0 0\nH 0 0.777 0.587\nH 0 -0.777 0.587\n' > moved.xyz
cation="--charge 1 --multiplicity 2"

# check ENERGY LEAST MOST: of the result; its overlap with the reference is in between.
check()
{
    expect "abs(E - $1) < 1e-7 and $2 <= b['occupation_overlap'] <= $3 and b['options']['follow'] == 'none'"
}

run 0 water.xyz --basis 6-31g --checkpoint rhf.h5

# Holes in each of the beta orbitals.
while read -r hole energy; do
    run 0 water.xyz --basis 6-31g $cation --guess rhf.h5 --guess-swap "$hole:5:beta" \
        --keep-occupation --checkpoint "hole$hole.h5" --json result.json
    check "$energy" 0.9 0.999
done << 'END'
4 -75.50839436725
3 -75.33101341579
2 -74.71250954695
1 -56.07550214829
END

# Without it the core hole is filled.
run 0 water.xyz --basis 6-31g $cation --guess rhf.h5 --guess-swap 1:5:beta --follow none
grep -q "total energy *-75.58051984" "$folder/output" || complain "the core hole was not filled"
run 0 water.xyz --basis 6-31g $cation --guess hole1.h5 --keep-occupation --json result.json
check -56.07550214829 0.99999 1.00001

# Along a scan the hole stays in the orbital 2a1, where the lowest orbitals fill it at the first step.
printf '3\n\nO 0 0 0\nH 0 0.85 0.587\nH 0 -0.85 0.587\n' > first.xyz
printf '3\n\nO 0 0 0\nH 0 0.95 0.587\nH 0 -0.95 0.587\n' > second.xyz
run 0 first.xyz --basis 6-31g $cation --guess hole2.h5 --follow none
grep -q "total energy *-75.583958" "$folder/output" || complain "the hole was not filled"
run 0 first.xyz --basis 6-31g $cation --guess hole2.h5 --keep-occupation --checkpoint point.h5
run 0 second.xyz --basis 6-31g $cation --guess point.h5 --keep-occupation --json result.json
check -74.7682540214 0.99 0.999

# A run that is stopped resumes with the reference that it began with.
run 1 water.xyz --basis 6-31g $cation --guess rhf.h5 --guess-swap 1:5:beta --keep-occupation \
    --max-iter 3 --checkpoint cut.h5
run 0 water.xyz --basis 6-31g $cation --restart cut.h5 --keep-occupation --json result.json
check -56.07550214829 0.9430 0.9432

# Another geometry, and another basis and back: as from the state's own orbitals there.
run 0 moved.xyz --basis 6-31g $cation --guess hole1.h5 --keep-occupation --json moved.json
run 0 moved.xyz --basis 6-31g* $cation --guess hole1.h5 --keep-occupation --checkpoint large.h5
run 0 water.xyz --basis 6-31g $cation --guess large.h5 --keep-occupation --json result.json
check -56.07550214829 0.9 0.99999
run 0 moved.xyz --basis 6-31g --checkpoint moved.h5
run 0 moved.xyz --basis 6-31g $cation --guess moved.h5 --guess-swap 1:5:beta \
    --keep-occupation --json result.json
/usr/bin/python3 -c 'import json
a, b = (json.load(open(name))["return_result"] for name in ("moved.json", "result.json"))
assert abs(a - b) < 1e-7 and a > -57, (a, b)' 2>> "$folder/errors" || complain "another state"

# A guess whose orbitals leave the space of the run: its natural orbitals are the reference.
run 0 water.xyz --basis cc-pvdz --checkpoint all.h5
run 0 water.xyz --basis cc-pvdz --dependence 0.05 --guess all.h5 --keep-occupation
grep -q "^Occupied orbitals overlap with the reference by at least 0.99" "$folder/output" ||
    complain "no overlap with natural orbitals"

# RHF: two electrons are excited; down from the saddle point where --follow says so.
run 0 water.xyz --basis 6-31g --guess rhf.h5 --guess-swap 5:6 --keep-occupation \
    --checkpoint pair.h5 --json result.json
grep -q "a saddle point that --follow none keeps" "$folder/output" || complain "no saddle point"
energy=$(energy result.json)
run 0 water.xyz --basis 6-31g --guess pair.h5 --keep-occupation --stability never --json result.json
check "$energy" 0.99999 1.00001
run 0 water.xyz --basis 6-31g --guess pair.h5 --keep-occupation --follow same
grep -q "total energy *-75.98394849" "$folder/output" || complain "not left downhill"
grep -q "overlap with the reference by at least 0.0" "$folder/output" || complain "not left"

exit $((n_failed > 0))
