#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How often a process waits for the others, by count, as a network would make every one of them a
# round trip: in a Fock build, in an SCF with its test of stability, in an iteration of CCSD, and in what
# comes before: the transformation of integrals and MP2.
# Differences of two runs, so that neither the start nor the number of iterations matters.
#
#   test_round_trips.sh BERYL_TCE MPIEXEC MPI_CALLS_LIBRARY INPUTS
set -u
export BERYL_NEAR_MEMORY=never # as on hosts of their own
beryl_tce=$1 beryl_hf=$(dirname "$1")/beryl-hf mpiexec=$2 library=$3
molecule=("$4/water.xyz" --basis cc-pvdz)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
n_failed=0

# count NAME PROGRAM ARGUMENT...: on two processes; the calls are in NAME.0 and NAME.1.
count() {
    timeout 60 "$mpiexec" --oversubscribe -n 2 \
        env LD_PRELOAD="$library" MPI_CALLS="$folder/$1" "${@:2}" > "$folder/$1" 2>&1 ||
        { cat "$folder/$1"; exit 1; }
}

# limit WHAT LESS MORE N COLLECTIVES FLUSHES: run MORE makes at most so many calls more than run
# LESS, for each of N; of flushes in the mean of the processes, as the one that runs most tasks makes most.
limit() {
    local rank less more flushes=0
    for rank in 0 1; do
        read -ra less < "$folder/$2.$rank" && read -ra more < "$folder/$3.$rank" || exit 1
        flushes=$((flushes + more[1] - less[1]))
        echo "process $rank, $4 $1: $((more[0] - less[0])) collectives, at most $(($4 * $5));" \
            "${more[2]} windows"
        [ "$4" -gt 0 ] && [ "${less[0]}" -ge 20 ] &&
            ((more[0] - less[0] <= $4 * $5 && more[2] <= 2)) || n_failed=$((n_failed + 1))
    done
    echo "both processes, $4 $1: $flushes flushes, at most $((2 * $4 * $6))"
    ((flushes <= 2 * $4 * $6)) || n_failed=$((n_failed + 1))
}

count few "$beryl_hf" "${molecule[@]}" --fock-only 2
count many "$beryl_hf" "${molecule[@]}" --fock-only 6
# The SCF of coupled cluster: an SCF alone ends earlier.
count symmetric "$beryl_hf" "${molecule[@]}" --converge 1e-8
molecule+=(--point-group c1)
count scf "$beryl_hf" "${molecule[@]}" --converge 1e-8
count short "$beryl_tce" ccsd "${molecule[@]}" --converge-amplitudes 1e-4
count ccsd "$beryl_tce" ccsd "${molecule[@]}"
# builds NAME: of the SCF in NAME, but for the two of fock-only
builds() {
    echo "$(($(sed -n 's/^Converged after .* iterations, \([0-9]*\) Fock builds$/\1/p' "$folder/$1") - 2))"
}
# iterations NAME: of the CCSD in NAME
iterations() {
    sed -n '/^iter   correlation/,/^$/p' "$folder/$1" | grep -c '^ *[0-9]'
}

limit "Fock builds" few many 4 5 3
limit "Fock builds of an SCF" few scf "$(builds scf)" 35 6
# The test of stability searches each representation apart, and sums are made symmetric.
limit "Fock builds of an SCF with symmetry" few symmetric "$(builds symmetric)" 52 6
# Packing and unpacking of pairs have a stage each.
limit "iterations of CCSD" short ccsd "$(($(iterations ccsd) - $(iterations short)))" 20 16
# Each pool shares the memory of its node in three collectives, and agrees once when few tasks are dealt out.
limit "run of integrals, MP2 and $(iterations short) iterations" scf short 1 351 160
exit $((n_failed > 0))
