#!/usr/bin/env bash
# The Fock matrix is the same, bit for bit, whatever the number of processes, the
# scheduling mode, the pruning and the cache: one SHA-256 for each molecule.
#
#   test_same_digest.sh BERYL_HF MPIEXEC INPUTS
#
# Fifteen runs for each molecule: with each number of processes every pruning; over
# all of them every mode, with and without a cache, polling and with a thread.
set -u
beryl_hf=$1 mpiexec=$2 inputs=$3
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

modes=(static counter share steal retentive persist dtree hybrid auto)
prunings=(none observed inspect)
caches=("" "--cache 0")
progress=(poll thread)
n_failed=0

# digest_of PROCESSES OPTION...: that of the matrix after the last build.
digest_of()
{
    local processes=$1
    shift
    rm -f "$folder/result.json"
    timeout 120 "$mpiexec" --oversubscribe -n "$processes" "$beryl_hf" "$@" \
        --json "$folder/result.json" > "$folder/output" 2>&1 || cat "$folder/output" >&2
    sed -n 's/.*"fock_sha256": "\([0-9a-f]\{64\}\)".*/\1/p' "$folder/result.json"
}

check_molecule()
{
    local first="" i=0 processes builds digest options
    for processes in 1 2 3 4 7; do
        for _ in "${prunings[@]}"; do
            # Only from the second build on does observed leave out null tasks.
            builds=$((i % 3 == 1 ? 2 : 1))
            options="--sched ${modes[(i + i / 3) % 9]} --prune ${prunings[i % 3]} --fock-only $builds"
            options="$options ${caches[i / 2 % 2]} --progress ${progress[i % 2]}"
            digest=$(digest_of "$processes" "$@" $options)
            first=${first:-$digest}
            if [ -z "$digest" ] || [ "$digest" != "$first" ]; then
                echo "$* $options on $processes processes: '$digest', not '$first'"
                n_failed=$((n_failed + 1))
            fi
            i=$((i + 1))
        done
    done
    echo "$*: $first"
}

check_molecule "$inputs/be16.xyz" --basis be15s --screen 1e-6
check_molecule "$inputs/water10.xyz" --basis sto-3g --screen 1e-6 --tile 20
exit $((n_failed > 0))
