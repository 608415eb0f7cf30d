#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --guess FILE of another geometry or basis leads to the energy of a run without it in no more
# iterations, --guess-mix and --guess-flip to broken symmetry.
#
#   test_hf_guess.sh BERYL_HF PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/program.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '3\n\nO 0 0 0\nH 0 0.807 0.587\nH 0 -0.757 0.687\n' > moved.xyz

# solve ARGUMENT...: sets $found to the energy and the iterations.
solve()
{
    rm -f result.json
    run 0 "$@" --stability never --json result.json
    found=$(/usr/bin/python3 -c 'import json
r = json.load(open("result.json"))
print(r["return_result"], r["properties"]["scf_iterations"])')
}

# compare FILE ARGUMENT...: --guess FILE, against the run without it.
compare()
{
    local file=$1 without
    shift
    solve "$@"
    without=$found
    solve "$@" --guess "$file"
    grep -q "^Guess .* of $file, projected" "$folder/output" || complain "no line on the guess"
    /usr/bin/python3 -c 'import sys
e, n, e_guess, n_guess = map(float, sys.argv[1:])
assert abs(e - e_guess) < 1e-8 and n_guess <= n, sys.argv' $without $found 2>> "$folder/errors" ||
        complain "without the guess $without, with it $found"
}

run 0 water.xyz --basis 6-31g --converge 1e-8 --checkpoint rhf.h5
run 0 water.xyz --basis 6-31g --charge 1 --multiplicity 2 --checkpoint uhf.h5
compare rhf.h5 water.xyz --basis 6-31g*
compare rhf.h5 moved.xyz --basis 6-31g
compare rhf.h5 water.xyz --basis cc-pvdz --dependence 0.05 # drops combinations
grep -q "^1 nearly dependent combinations dropped" "$folder/output" || complain "nothing was dropped"
compare uhf.h5 moved.xyz --basis 6-31g* --charge 1 --multiplicity 2
solve moved.xyz --basis sto-3g --charge 1 --multiplicity 2 --guess rhf.h5
solve moved.xyz --basis cc-pvdz --guess uhf.h5
run 0 water.xyz --basis sto-3g --fock-only 1 --guess rhf.h5

run 0 water.xyz --basis cc-pvdz --checkpoint small.h5
# Errors of DIIS are weighed by the guess's orbitals after a restart, too: from iteration 4 on the
# gradients equal the gradients of an uninterrupted run.
gradients()
{
    awk '$5 == "DIIS" { print $4 }' "$folder/output"
}
run 0 water.xyz --basis cc-pvtz --guess small.h5 --stability never --converge 1e-7
expected=$(gradients | tail -n +3)
run 1 water.xyz --basis cc-pvtz --guess small.h5 --stability never --max-iter 3 --checkpoint part.h5
run 0 water.xyz --basis cc-pvtz --restart part.h5 --stability never --converge 1e-7
[ "$(gradients)" = "$expected" ] || complain "gradients" $(gradients) "after a restart, not" $expected
# A checkpoint of an older version gives its orbitals, also to a restart, which says so.
printf '2\n\nH 0 0 0\nH 0 0 0.74\n' > h2.xyz
cp "$(dirname "$0")/../fuzz/seeds/checkpoint/older.h5" .
for option in guess restart; do
    solve h2.xyz --basis sto-3g --$option older.h5
    case $found in -1.1167593*) ;; *) complain "--$option older.h5 leads to $found" ;; esac
done
grep -q "older.h5 has no iterations that this version continues" "$folder/output" ||
    complain "no line on the restart"
run 0 h2.xyz --basis sto-3g --fock-only 1 --density older.h5

# They are read before a checkpoint takes the place of the file.
cp rhf.h5 replaced.h5
run 0 moved.xyz --basis cc-pvdz --converge 1e-8 --guess replaced.h5 --checkpoint replaced.h5
solve moved.xyz --basis cc-pvdz --guess replaced.h5
[ "${found#* }" = 1 ] || complain "not converged at once from the new checkpoint"

# Identical geometry and basis: the orbitals as they are, converged at once.
solve water.xyz --basis 6-31g --guess rhf.h5
[ "${found#* }" = 1 ] || complain "not converged at once"
! grep -q projected "$folder/output" || complain "projected"

# Centres that integrals have on their symmetry are those that were given in results and checkpoints, and
# orbitals of the ones are orthonormal at the others.
printf '3\n\nO 0 0 0.1192620\nH 0 0.7632400 -0.4770475\nH 0 -0.7632375 -0.4770465\n' > rounded.xyz
printf '3\n\nO 0 0 0.1192620\nH 0 0.7632425 -0.4770475\nH 0 -0.7632375 -0.4770445\n' > near.xyz
# given: the result has the centres of rounded.xyz, and so has the file.
given()
{
    /usr/bin/python3 - "$1" 2>> "$folder/errors" << 'END' || complain "other centres"
import json, struct, sys
given = [float(x) / 0.529177210903 for line in open("rounded.xyz") for x in line.split()[1:]]
geometry = json.load(open("result.json"))["molecule"]["geometry"]
assert max(abs(a - b) for a, b in zip(given, geometry, strict=True)) < 1e-14, geometry
assert struct.pack("<9d", *geometry) in open(sys.argv[1], "rb").read()
END
}
# agree ENERGY ARGUMENT...: a run that leads there, from a file that is not refused.
agree()
{
    local expected=$1
    shift
    solve "$@"
    expect "abs(E - $expected) < 2e-9"
}
ion="--charge 1 --multiplicity 2"
solve rounded.xyz --basis cc-pvdz $ion --checkpoint ion.h5
given ion.h5
cation=${found% *}
solve rounded.xyz --basis cc-pvdz --point-group c1 --checkpoint c1.h5
given c1.h5
solve rounded.xyz --basis cc-pvdz --checkpoint moved.h5
given moved.h5
grep -q "^ *integrals are at centres moved onto it" "$folder/output" || complain "no centre was moved"
neutral=${found% *}
agree -76.0260277373 rounded.xyz --basis cc-pvdz --restart moved.h5
[ "${found#* }" = 1 ] || complain "not converged at once"
agree $neutral rounded.xyz --basis cc-pvdz --method uhf --guess moved.h5
agree $cation rounded.xyz --basis cc-pvdz $ion --guess moved.h5
agree $neutral rounded.xyz --basis cc-pvdz --guess ion.h5
agree $neutral rounded.xyz --basis cc-pvdz --point-group c1 --restart moved.h5
agree $neutral rounded.xyz --basis cc-pvdz --restart c1.h5
solve near.xyz --basis cc-pvdz
agree ${found% *} near.xyz --basis cc-pvdz --restart moved.h5
run 0 rounded.xyz --basis cc-pvdz --fock-only 1 --density moved.h5


# From any guess, the mixed orbitals of a long bond become the atoms' orbitals. Where RHF is the minimum, they
# return to it.
printf '2\n\nH 0 0 0\nH 0 0 6\n' > h2.xyz
run 0 h2.xyz --basis sto-3g --checkpoint h2.h5
for guess in sad core h2.h5; do
    run 0 h2.xyz --basis sto-3g --method uhf --guess-mix --guess $guess --json result.json
    expect 'abs(b["scf_iterations"][0]["energy"] + 2 * 0.466581850) < 1e-6 and abs(b["s2"] - 1) < 1e-6'
    expect '[b["scf_iterations"][0][key] for key in ("method", "n_builds")] == ["mixed guess", 2]'
done
solve water.xyz --basis 6-31g
without=${found% *}
solve water.xyz --basis 6-31g --method uhf --guess-mix
expect "abs(E - $without) < 1e-8"
# A hydrogen atom has no orbital to mix.
printf '1\nmultiplicity=2\nH 0 0 0\n' > h.xyz
run 0 h.xyz --basis sto-3g --guess-mix

# Reversed spins at one atom of a long bond: three unpaired electrons on either, of opposite spins, from
# atoms and from the septet, also of another basis. The energy: psi4 1.3.2, guess_mix and stability
# analysis; two atoms have -108.78222912 hartree.
printf '2\n\nN 0 0 0\nN 0 0 3\n' > long.xyz
# check_long ENERGY S2: compares them with the result, which is a minimum.
check_long()
{
    expect "abs(E - $1) < 1e-8 and abs(b['s2'] - $2) < 1e-4 and b['stability']['real_uhf']['stable']"
}
run 0 long.xyz --basis cc-pvdz --multiplicity 7 --checkpoint septet.h5
for options in "--guess-flip 2" "--guess-flip 1" "--guess-flip 2 --guess septet.h5"; do
    run 0 long.xyz --basis cc-pvdz --method uhf --follow none --json result.json $options
    grep -q "^Guess      spins reversed at centres" "$folder/output" || complain "no line on the guess"
    check_long -108.7820955537 2.99984
done
run 0 long.xyz --basis 6-31g --method uhf --follow none --guess-flip 2 --json result.json
large=$(energy result.json)
run 0 long.xyz --basis 6-31g --method uhf --follow none --guess-flip 1-1 --guess septet.h5 \
    --json result.json
check_long "$large" 3.00096

run 0 long.xyz --basis sto-3g --method uhf --guess-flip 2 --fock-only 1
exit $((n_failed > 0))
