#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# --dry-run counts tasks and integrals and reports its predictions in its text and its result. Seconds are
# only checked to be there. A sample of all tile quartets has the integrals of a build.
#
#   test_dry_run.sh BERYL_HF PROCESSES MPIEXEC INPUTS
set -u
program=$1 processes=$2 mpiexec=$3 inputs=$4 seconds=120
. "$(dirname "$0")/program.sh"
rhf="$inputs/benzene.xyz --basis sto-3g --tile 7"

# check TEXT: a condition in Python. b: extras.beryl of the dry run; p: its prediction; build and symmetric:
# extras.beryl of builds without and with symmetry. near compares two numbers if all integrals were sampled.
check()
{
    /usr/bin/python3 - "$1" 2>> "$folder/errors" << 'END' || complain "not so: $1"
import json, sys
r = json.load(open("result.json"))
b = r["extras"]["beryl"]
p = b["prediction"]
def builds(name):
    try:
        return json.load(open(name))["extras"]["beryl"]
    except FileNotFoundError:
        return None
build, symmetric = builds("build.json"), builds("symmetric.json")
def near(left, right, tolerance):
    return p["sampled_integrals"] < p["build_integrals"] * 0.9 or abs(left / right - 1) < tolerance
def quartets(of):
    return sum(engine["quartets"] for engine in of["engines"]["computed"].values())
assert eval(sys.argv[1])
END
}

# With groups of several shells; UHF; every ordered quartet; rows of tiles as tasks; loose screening
# and null tasks; tiles of one group.
for options in "$rhf" "$inputs/c2h4.xyz --basis 6-31g* --tile 12 --charge 1 --multiplicity 2" \
    "$inputs/water.xyz --basis cc-pvtz" "$inputs/water.xyz --basis cc-pvdz --symmetry none" \
    "$rhf --decomposition pair" "$inputs/be16.xyz --basis be15s --screen 1e-6" \
    "$inputs/water.xyz --basis 6-31g --tile 1"; do
    rm -f result.json build.json
    run 0 $options --dry-run --point-group c1 --json result.json
    grep -q "^Predicted seconds, from a sample of " "$folder/output" || complain "no prediction of $options"
    grep -Eq "^Fock build +[0-9]" "$folder/output" || complain "no seconds of a build of $options"
    grep -Eq "^Memory +[0-9]" "$folder/output" || complain "no memory of $options"
    run 0 $options --fock-only 1 --screening schwarz --json build.json
    check 'p["integrals"] == build["iterations"][0]["integrals"]'
    check 'p["tasks"] == build["tasks"] and p["non_null"] == build["non_null"]'
    check '0 < p["sampled_integrals"] <= p["integrals"] and p["build_integrals"] > 0'
    check 'near(p["build_integrals"], p["integrals"], 0.02)'
    check '0 < p["build_seconds"] and 0 < p["later_build_seconds"] <= p["scf_fock_seconds"][0]'
    check 'r["return_result"] is None and r["success"] and b["iterations"] == []'
done

# The symmetry of the molecule leaves nearly as large a fraction of the integrals as of the shell quartets of an SCF.
for options in "$rhf" "$inputs/c2h4.xyz --basis 6-31g*" "$inputs/water.xyz --basis cc-pvtz"; do
    run 0 $options --dry-run --json result.json
    scf="--max-iter 2 --screening schwarz --integrals direct"
    run 1 $options $scf --point-group c1 --json build.json
    run 1 $options $scf --json symmetric.json
    check 'near(p["build_integrals"] / p["integrals"], quartets(symmetric) / quartets(build), 0.4)'
done

# Integrals that are not kept are computed in every build; options of the SCF change nothing.
run 0 $rhf --dry-run --integrals direct --json result.json --max-iter 3 --converge 1e-6
check 'p["kept_fraction"] == 0 and p["first_build_seconds"] == p["later_build_seconds"] == p["build_seconds"]'
! grep -q "are read" "$folder/output" || complain "reads integrals that are not kept"
run 0 $rhf --dry-run --integrals memory --json result.json
check 'p["kept_fraction"] == 1'
[ "$(ls)" = "$(printf 'build.json\nresult.json\nsymmetric.json')" ] || complain "left behind: $(ls)"

# A molecule without quartets above the threshold.
run 0 $inputs/water.xyz --basis sto-3g --screen 1 --tile 1 --dry-run
exit $((n_failed > 0))
