#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where all processes are on one host Open MPI looks for no networks, unless the user chooses pml.
#
#     test_one_host.sh PROGRAM MPIEXEC
set -u
program=$1 mpiexec=$2
n_failed=0

# Components of pml that are loaded beside ob1: those for networks.
count_components() {
    OMPI_MCA_pml_base_verbose=10 "$@" "$program" --gauss 1e-5,1e-6 --tasks 4 2>&1 |
        grep -c 'found loaded component \(cm\|ucx\)'
}

# expect some|none WHAT COMMAND...
expect() {
    local expected=$1 what=$2 n found=none
    shift 2
    n=$(count_components "$@")
    [ "$n" -gt 0 ] && found=some
    if [ "$found" != "$expected" ]; then
        echo "$what: components for networks: $n, expected: $expected"
        n_failed=$((n_failed + 1))
    fi
}

unset OMPI_MCA_pml
if [ "$(count_components env OMPI_MCA_pml=^v)" = 0 ]; then
    echo "this Open MPI has no components for networks"
    exit 77
fi
expect none "one process" env
expect none "two processes of mpirun" "$mpiexec" --oversubscribe -n 2
expect some "a list of the user" env OMPI_MCA_pml=^v
expect some "a list of the user, two processes" "$mpiexec" --oversubscribe --mca pml ^v -n 2
folder=$(mktemp -d)
mkdir "$folder/.openmpi"
echo "pml = ^v" >"$folder/.openmpi/mca-params.conf"
expect some "a list in the user's parameter file" env "HOME=$folder"
rm -rf "$folder"
exit $((n_failed > 0))
