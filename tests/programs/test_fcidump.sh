#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From the integrals of --write-fcidump alone a reader computes Beryl's Hartree-Fock and MP2 energies,
# with and without a frozen core, for closed and for open shells.
#
#   test_fcidump.sh BERYL_TCE PROCESSES MPIEXEC INPUTS
set -u
program=$1 processes=$2 mpiexec=$3 inputs=$4 seconds=120
check=$(realpath "$(dirname "$0")/check_fcidump.py")
. "$(dirname "$0")/program.sh"

# check ARGUMENT...: of check_fcidump.py
check()
{
    "$check" "$@" 2>> "$folder/errors" || complain "check_fcidump.py $*"
}

# dump NAME ARGUMENT...: runs MP2 all-electron and with a frozen core.
dump()
{
    local name=$1
    shift
    run 0 mp2 "$@" --write-fcidump "$name" --json "$name.json"
    run 0 mp2 "$@" --frozen-core --write-fcidump "$name.frozen" --json "$name.frozen.json"
    check "$name" "$name.json" "$name.frozen"
    check "$name.frozen" "$name.frozen.json"
}

printf '3\ncharge=1 multiplicity=2\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > cation.xyz
water="$inputs/water.xyz --basis cc-pvdz"

dump water $water
dump cation cation.xyz --basis 6-31g --orbital-tile 3
# No beta electrons are left.
printf '2\nmultiplicity=3\nLi 0 0 0\nH 0 0 3\n' > triplet.xyz
dump triplet triplet.xyz --basis 6-31g
# ROHF: one set of orbitals.
dump shared cation.xyz --basis 6-31g --orbital-tile 3 --method rohf
grep -q '^UHF=.FALSE.,$' shared || complain "spin orbitals of ROHF"
dump shared_triplet triplet.xyz --basis 6-31g --method rohf

# The core is not the lowest orbitals, and of KO not the same ones of both spins.
printf '2\n\nK 0 0 0\nF 0 0 2.17\n' > kf.xyz
dump kf kf.xyz --basis sto-3g
printf '2\nmultiplicity=2\nK 0 0 0\nO 0 0 2.168\n' > ko.xyz
dump ko ko.xyz --basis sto-3g

# Identical bytes from one process, after another method, and in place of an older file.
processes=1
cp water kept
run 0 ccd $water --max-iter-amplitudes 50 --write-fcidump water
cmp -s water kept || complain "other bytes on one process"
# Linear dependence leaves fewer orbitals than functions.
run 0 mp2 $water --dependence 0.05 --write-fcidump fewer --json fewer.json
check fewer fewer.json
grep -q '^NORB=23,$' fewer || complain "no orbital was dropped"
exit $((n_failed > 0))
