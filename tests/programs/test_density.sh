#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The density of --fock-only and --compare is the one that the log and the result name: a guess, a
# converged one, or a checkpoint's, the same to the last bit on any number of processes; under
# --screening schwarz a build computes the integrals that --count-tasks counts; and
# --profile-classes accounts for them all.
#
#   test_density.sh BERYL_HF PROCESSES MPIEXEC INPUTS
set -u
program=$1 processes=$2 mpiexec=$3 inputs=$4 seconds=120
. "$(dirname "$0")/program.sh"
# Matrices of more than one block, so that processes share them.
rhf="$inputs/benzene.xyz --basis sto-3g --tile 7"
uhf="$inputs/c2h4.xyz --basis 6-31g* --tile 12 --charge 1 --multiplicity 2"

# build ARGUMENT...: a run of status 0 with a result.
build()
{
    rm -f result.json
    run 0 "$@" --json result.json
}

# digests: prints the digests of D and F in the result, for each spin.
digests()
{
    sed -n 's/.*"\(density\|fock\)_sha256\(_beta\)\{0,1\}": "\([0-9a-f]*\)".*/\1\2 \3/p' result.json
}

# same NAME: compares the digests with the first build of that name.
same()
{
    [ -e "$1.digests" ] || digests > "$1.digests"
    [ -s "$1.digests" ] || complain "no digests"
    digests | cmp -s - "$1.digests" || complain "other digests than the first $1: $(digests)"
}

# The guess, which is also what is built from without the option.
for option in "" "--density guess"; do
    build $rhf --fock-only 1 $option
    [ "$(grep -c "guess (sad).*not representative" "$folder/output")" = 1 ] || complain "no warning"
    expect 'b["density"] == "guess" and r["return_result"] is None and "scf_iterations" not in b'
    same guess
done

# A converged density: an SCF, whose builds are not among those that follow, and its checkpoint.
build $rhf --fock-only 2 --density converged --max-iter 50 --checkpoint rhf.h5
expect 'b["density"] == "converged" and abs(r["return_result"] + 227.89) < 0.01'
expect '[i["iteration"] for i in b["iterations"]] == [0, 1] and len(b["scf_iterations"]) > 5'
expect 'sum(i["fock_seconds"] for i in b["scf_iterations"]) < b["density_seconds"]'
! grep -q "not representative" "$folder/output" || complain "a warning"
same rhf
! cmp -s rhf.digests guess.digests || complain "the digests of the guess"
build $uhf --compare static,steal --fock-only 1 --density converged --checkpoint uhf.h5
expect 'set(b["compare"]) == {"static", "steal"} and "density_sha256_beta" in b'
expect 'b["compare"]["steal"]["fock_sha256_beta"] == b["fock_sha256_beta"]'
same uhf
[ "$(wc -l < uhf.digests)" -ge 4 ] || complain "not a digest of each spin"

# The files, and the guess, on any number of processes.
started=$processes
for processes in 1 2 3; do
    build $rhf --fock-only 1 --density rhf.h5 --sched counter
    expect 'b["density"] == "rhf.h5" and r["return_result"] is None'
    same rhf
    build $rhf --fock-only 1
    same guess
    build $uhf --compare static,steal --fock-only 1 --density uhf.h5
    same uhf
done
# Files written on one number of processes are read on another.
for processes in 1 3; do
    written=$processes
    build $rhf --fock-only 1 --density converged --checkpoint by$written.h5
    same by$written
    processes=$((4 - written))
    build $rhf --fock-only 1 --density by$written.h5
    same by$written
done
processes=$started
# A restricted density for either spin.
build $rhf --method uhf --fock-only 1 --density rhf.h5
expect 'b["density_sha256"] == b["density_sha256_beta"]'
build $rhf --fock-only 1 --guess rhf.h5
expect 'b["density"] == "guess"'
! grep -q "not representative" "$folder/output" || complain "a warning"
same rhf

# Without --checkpoint the converged density is gone; one that does not converge is a failure.
ls > before
build $uhf --fock-only 1 --density converged --converge 1e-4
ls | cmp -s - before || complain "left behind: $(ls)"
run 1 $rhf --fock-only 1 --density converged --max-iter 2 --json result.json
grep -q "not converged" "$folder/errors" || complain "the message does not say why"
expect 'not r["success"] and "density" not in b and len(b["scf_iterations"]) == 2'

# As many integrals as are counted, more than with the density.
for options in "$inputs/be16.xyz --basis be15s --screen 1e-6" "$rhf --symmetry none" "$uhf" \
    "$uhf --screening density" "$rhf --decomposition pair"; do
    build --fock-only 1 --screening schwarz $options
    n=$(sed -n 's/.*"integrals": \([0-9]*\).*/\1/p' result.json)
    processes=1
    run 0 $options --count-tasks
    processes=$started
    case $options in
    *" density") ! grep -q "\"integrals\": $n}" "$folder/output" || complain "all of $n integrals" ;;
    *) grep -q "\"integrals\": $n}" "$folder/output" || complain "$n integrals in the build" ;;
    esac
done
grep -q '"integrals": 216096}' "$folder/output" || complain "another number than 216096"

# Integrals of the classes add up to the builds' integrals; without the option none are listed.
build $uhf --fock-only 2 --profile-classes
expect 'sum(c["integrals"] for c in b["classes"].values()) == sum(i["integrals"] for i in b["iterations"])'
expect '{"(ss|ss)", "(ss|[sp]s)", "(d[sp]|d[sp])"} < set(b["classes"])'
expect '0 < sum(s for c in b["classes"].values() for k, s in c.items() if k.endswith("_seconds"))'
expect 'sum(c["integral_seconds"] for c in b["classes"].values()) < sum(i["task_seconds"] for i in b["iterations"])'
expect 'all(0 < c["quartets"] <= c["primitives"] <= c["lanes"] for c in b["classes"].values())'
grep -Fq "(d[sp]|d[sp]) " "$folder/output" || complain "no table of classes"
build $uhf --fock-only 1
expect '"classes" not in b'

exit $((n_failed > 0))
