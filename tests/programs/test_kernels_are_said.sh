#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The log names the kernels of OpenBLAS, who chose them, and processes that have others.
#
#   test_kernels_are_said.sh BERYL_HF PROCESSES MPIEXEC INPUTS BERYL_TCE
set -u
program=$1 processes=$2 mpiexec=$3 inputs=$4 tce=$5 seconds=60
. "$(dirname "$0")/program.sh"
hf=$program
build="$inputs/water.xyz --basis sto-3g --fock-only 1"
longer='(; the processor has longer vectors)?'

for program in "$hf" "$tce"; do
    program_name=$(basename "$program")
    arguments=$build
    [ "$program" = "$tce" ] && arguments="run $inputs/examples.tce"
    alone="-u OPENBLAS_CORETYPE"
    run 0 $arguments
    print '^BLAS       OpenBLAS, kernels for [[:alnum:]_]+(; its own choice would be .*)?$'
    alone="OPENBLAS_CORETYPE=Nehalem"
    run 0 $arguments
    print "^BLAS       OpenBLAS, kernels for Nehalem by OPENBLAS_CORETYPE=Nehalem$longer\$"
done

# with NAME: one process with Nehalem's kernels, two with NAME's.
with()
{
    program_name=beryl-hf
    command="with Nehalem on one process and $1 on two"
    timeout "$seconds" "$mpiexec" --oversubscribe \
        -n 1 env OPENBLAS_CORETYPE=Nehalem "$hf" $build : \
        -n 2 env OPENBLAS_CORETYPE="$1" "$hf" $build > "$folder/output" 2> "$folder/errors" ||
        complain "exit status $?"
}

with Prescott
print '^ +other kernels on 2 processes, '
with Nehalem
grep -q 'other kernels' "$folder/output" && complain "processes with the same kernels differ"
exit "$n_failed"
