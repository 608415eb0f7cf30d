#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Choices that an input leaves open or makes are in the log: charge, multiplicity and units of a
# comment line, periodic systems, d functions where a basis set does not say whether they are
# spherical, and the symmetry that centres are moved onto.
#
#   test_input_is_said.sh BERYL_HF PROCESSES MPIEXEC BASIS_FOLDER
set -u
program=$1 processes=$2 mpiexec=$3 sets=$4 seconds=60
. "$(dirname "$0")/program.sh"
once="--basis sto-3g --fock-only 1"
printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz

for comment in "mult=3" "0 3" "charge = 0, uhf=2"; do
    printf '2\n%s\nO 0 0 0\nO 0 0 1.2\n' "$comment" > o2.xyz
    run 0 o2.xyz $once --json result.json
    print '^Molecule .* charge 0, multiplicity 3$'
    print '^ +multiplicity 3 as the comment line of the file says$'
    expect 'r["molecule"]["molecular_multiplicity"] == 3'
done
run 0 o2.xyz $once --multiplicity 5 --units angstrom
print '^ +multiplicity 5 by --multiplicity; the comment line of the file says 3$'
printf '2\nmultiplicity=5 units=bohr\nO 0 0 0\nO 0 0 2.3\n' > o2.xyz
run 0 o2.xyz $once --multiplicity 3 --units angstrom
print '^ +units angstrom by --units; the file says bohr$'
run 0 o2.xyz $once --multiplicity 3
print '^ +units bohr as the file says$'

# Cores by set, as two sets may have different ones.
potential='O 0\nSP 1 1\n1 1 1\n****\nO 0\nO-ECP 0 %d\nul\n1\n2 9 9\n****\n'
printf "$potential" 2 > two.gbs
printf "$potential" 4 > four.gbs
printf '2\n\nO 0 0 0\nO 0 0 1.2\n' > o2.xyz
run 0 o2.xyz --fock-only 1 --basis two.gbs
print '^ +electrons in core potentials: O: 2$'
run 0 o2.xyz --fock-only 1 --basis two.gbs,2=four.gbs
print '^ +electrons in core potentials: O in two.gbs: 2, O in four.gbs: 4$'

# Ammonia to eight digits has its rotations by 120 degrees, to three it has not.
printf '4\n\nN 0 0 0.11\nH 0.94 0 -0.27\nH -0.47 0.81406388 -0.27\nH -0.47 -0.81406388 -0.27\n' \
    > nh3.xyz
run 0 nh3.xyz --basis sto-3g --json result.json
print '^Symmetry +C3v: an SCF computes one of up to 6 symmetric shell quartets$'
print '^ +integrals are at centres moved onto it, coordinates by up to [1-9]\.[0-9]e-(09|10) Bohr$'
symmetric=$(energy result.json)
run 0 nh3.xyz --basis sto-3g --json result.json --point-group c1
expect "abs(E - $symmetric) < 2e-9"
grep -q 'density is less symmetric' "$folder/errors" && complain "a warning of a symmetric density"
sed -i 's/0.81406388/0.814/' nh3.xyz
run 0 nh3.xyz --basis sto-3g --json result.json
print '^Symmetry +Cs: an SCF computes one of up to 2 symmetric shell quartets$'
printf '3\n\nH 0.6 0 0\nH -0.3 0.51961524 0\nH -0.3 -0.51961524 0\n' > h3.xyz
run 0 h3.xyz --basis sto-3g --multiplicity 2
grep -q '^warning: the density is less symmetric than the molecule, whose centres were moved' \
    "$folder/errors" || complain "no warning of a density that breaks the symmetry"

# unread TEXT COMMENT OPTION...: whether there is a warning that this text is not read.
unread()
{
    local text=$1
    printf '2\n%s\nO 0 0 0\nO 0 0 2.3\n' "$2" > o2.xyz
    shift 2
    run 0 o2.xyz $once "$@"
    grep -q "^warning: o2.xyz:2: '$text' is not read as charge, multiplicity or units: " \
        "$folder/errors"
}

unread triplet "oxygen, triplet" || complain "no warning"
grep -q ' charge 0, multiplicity 1 and angstrom are used. Write charge=Q' "$folder/errors" ||
    complain "not what is used and what to write"
unread spin=2 "spin=2 in bohr" --units bohr || complain "no warning"
grep -q ' multiplicity 1 and bohr are used' "$folder/errors" || complain "not the unit in use"
unread "charge: 2" "charge: 2, spin: 1, coordinates in bohr" || complain "no warning"
[ "$(grep -c '^warning: ' "$folder/errors")" = 1 ] || complain "not one warning of one line"
unread "1 4" "1 4 dioxane" || complain "no warning"
unread triplet "oxygen, triplet" --multiplicity 1 && complain "a warning where an option says it"
unread triplet "triplet multiplicity=3" && complain "a warning where the file says it"
unread bohr "in bohr" --units bohr && complain "a warning where an option says it"
unread '' "singlet, angstrom" && complain "a warning where the same is used"

# Hydrogen as its isotopes, lines after the centres, and the second of two frames.
printf '2\n\nH 0 0 0\nD 0 0 0.74\n4401.2\n[H][H]\n1\nhelium, charge 2+\nHe 0 0 0\n' > frames.xyz
run 0 frames.xyz $once --frame -2
print '^Molecule .*: 2 centres, charge 0, multiplicity 1$'
print '^ +frame 1 of 2$'
print '^ +lines after its centres, from line 5, are not read$'
print '^ +D and T are read as hydrogen: no mass is used$'
grep -q '^warning: frames' "$folder/errors" && complain "a warning of another frame"
run 0 frames.xyz $once --frame 2 --json result.json
print '^ +frame 2 of 2$'
expect "r['molecule']['symbols'] == ['He'] and b['options']['frame'] == 2"
grep -q "^warning: frames.xyz:8: 'charge 2+' is not read" "$folder/errors" || complain "no warning"
grep -Eq 'isotope|hydrogen|lines after' "$folder/output" && complain "lines of another frame"
run 0 water.xyz $once --json result.json
expect "'frame' not in b['options']"

# Columns of extended XYZ: water with ids or forces before its positions.
printf '3\nProperties=species:S:1:id:I:1:pos:R:3 pbc="F F F"\nO 1 0 0 0.119262\n%s\n%s\n' \
    'H 2 0 0.763239 -0.477047' 'H 3 0 -0.763239 -0.477047' > ids.xyz
printf '3\nProperties=species:S:1:forces:R:3:pos:R:3 pbc="T T T"\n%s\n%s\n%s\n' \
    'O 0.01 0.02 0.5 0 0 0.119262' 'H 0.3 -0.4 0.01 0 0.763239 -0.477047' \
    'H -0.3 0.4 -0.02 0 -0.763239 -0.477047' > forces.xyz
for molecule in ids forces; do
    run 0 $molecule.xyz --basis sto-3g --json result.json
    expect 'abs(E + 74.9644048240) < 2e-9'
done
grep -q '^warning: forces.xyz:2: pbc= or Lattice= is of a periodic system' "$folder/errors" ||
    complain "no warning of a periodic system"
run 0 ids.xyz $once
grep -q 'periodic' "$folder/errors" && complain "a warning where pbc is false"

# warned BASIS MOLECULE OPTION...: whether there is a warning on the form of d functions.
warned()
{
    local basis=$1 molecule=$2
    shift 2
    run 0 "$molecule" --basis "$basis" --fock-only 1 "$@"
    grep -q '^warning: .*does not say whether its d functions are spherical or Cartesian' \
        "$folder/errors"
}

printf '2\n\nH 0 0 0\nH 0 0 0.74\n' > h2.xyz
grep -v cartesian "$sets/6-31gs.gbs" > unsaid.gbs
printf 'basis "ao basis" print\nO S\n1 1\nO D\n1 1\nH S\n1 1\nend\n' > unsaid.nw
{ echo cartesian; cat unsaid.gbs; } > said.gbs
warned unsaid.gbs water.xyz || complain "no warning"
grep -q 'taken as spherical. Sets of the 6-31G family are Cartesian by convention' \
    "$folder/errors" || complain "the assumed form is not named"
warned unsaid.nw water.xyz || complain "no warning"
grep -q 'taken as Cartesian, as NWChem does' "$folder/errors" || complain "the assumed form is not named"
warned unsaid.gbs water.xyz --spherical && complain "a warning where an option says it"
warned unsaid.gbs water.xyz --cartesian && complain "a warning where an option says it"
warned unsaid.gbs h2.xyz && complain "a warning where there are no d functions"
warned said.gbs water.xyz && complain "a warning where the file says it"
warned 6-31g* water.xyz && complain "a warning where the file says it"
exit "$n_failed"
