#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Fock matrix is bitwise independent of the number of processes, the
# scheduling mode, the pruning and the cache: one SHA-256 for each molecule.
#
#   test_same_digest.sh BERYL_HF MPIEXEC BERYL_SCHED INPUTS [MODE...]
#
# For each molecule every pruning with each number of processes; over all of these runs, which
# are at least as many as there are modes, every mode, with and without a cache, polling and with
# a thread. With MODE only these modes, the first molecule and two numbers of processes.
set -u
beryl_hf=$1 mpiexec=$2 beryl_sched=$3 inputs=$4
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"

mapfile -t modes < <("$beryl_sched" --list-modes | cut -f 1)
[ "${#modes[@]}" -gt 1 ] || { echo "$beryl_sched --list-modes names no modes"; exit 1; }
numbers=(1 2 3 4 7)
[ $# = 4 ] || modes=("${@:5}") numbers=(1 3)
prunings=(none observed inspect)
caches=("" "--cache 0")
progress=(poll thread)
n_failed=0

# digest_of PROCESSES OPTION...: prints the digest of the matrix after the last build.
digest_of()
{
    local processes=$1
    shift
    rm -f "$folder/result.json"
    timeout 120 "$mpiexec" --oversubscribe -n "$processes" "$beryl_hf" "$@" \
        --json "$folder/result.json" > "$folder/output" 2>&1 || cat "$folder/output" >&2
    keep_results --json "$folder/result.json"
    sed -n 's/.*"fock_sha256": "\([0-9a-f]\{64\}\)".*/\1/p' "$folder/result.json"
}

# With each molecule modes meet other prunings and numbers of processes.
shift_of_modes=0

check_molecule()
{
    local first="" i processes builds digest options n_runs=$((3 * ${#numbers[@]}))
    [ "$n_runs" -ge "${#modes[@]}" ] || n_runs=${#modes[@]}
    for ((i = 0; i < n_runs; i++)); do
        processes=${numbers[i / 3 % ${#numbers[@]}]}
        # Only from the second build on does observed leave out null tasks.
        builds=$((i % 3 == 1 ? 2 : 1))
        options="--sched ${modes[(i + shift_of_modes) % ${#modes[@]}]}"
        options="$options --prune ${prunings[i % 3]} --fock-only $builds"
        options="$options ${caches[i / 2 % 2]} --progress ${progress[i % 2]}"
        digest=$(digest_of "$processes" "$@" $options)
        first=${first:-$digest}
        if [ -z "$digest" ] || [ "$digest" != "$first" ]; then
            echo "$* $options on $processes processes: '$digest', not '$first'"
            n_failed=$((n_failed + 1))
        fi
    done
    shift_of_modes=$((shift_of_modes + 1))
    echo "$*: $first in $n_runs runs, ${#modes[@]} modes"
}

check_molecule "$inputs/be16.xyz" --basis be15s --screen 1e-6
[ $# -gt 4 ] || check_molecule "$inputs/water10.xyz" --basis sto-3g --screen 1e-6
exit $((n_failed > 0))
