#!/usr/bin/env bash
# A small address space (ulimit -v) is refused with a message, or is enough; nothing waits for
# memory for ever, as OpenBLAS does by itself, also where only one process is limited.
#
#   test_address_space.sh BERYL_HF MPIEXEC BERYL_TCE INPUTS
set -u
beryl_hf=$1 mpiexec=$2 beryl_tce=$3 inputs=$4
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
n_failed=0 n_refused=0

# limited KILOBYTES PROGRAM [ARGUMENT...]
limited()
{
    local kilobytes=$1
    shift
    (ulimit -v "$kilobytes" && exec timeout 20 "$@") > "$folder/out" 2> "$folder/errors"
}

# judge STATUS WORDS: of a run under a limit. A smaller one than libraries need to start is
# theirs to refuse.
judge()
{
    if [ "$1" = 124 ]; then
        echo "$2: no end within 20 s"
        n_failed=$((n_failed + 1))
    elif grep -q '^beryl-[a-z]*: .*address space' "$folder/errors"; then
        n_refused=$((n_refused + 1))
    fi
}

hf=("$beryl_hf" "$inputs/water.xyz" --basis sto-3g --cache 20)
for ((kilobytes = 360000; kilobytes <= 720000; kilobytes += 40000)); do
    limited $kilobytes "${hf[@]}"
    judge $? "beryl-hf in $kilobytes kB"
done
for kilobytes in 400000 440000; do
    limited $kilobytes "$beryl_tce" run "$inputs/examples.tce" --cache 2
    judge $? "beryl-tce in $kilobytes kB"
done
timeout 20 "$mpiexec" --oversubscribe -n 1 bash -c 'ulimit -v 440000; exec "$@"' - "${hf[@]}" \
    : -n 1 "${hf[@]}" > "$folder/out" 2> "$folder/errors"
judge $? "beryl-hf with one process of two limited"

if [ $n_refused -lt 3 ]; then
    echo "$n_refused refusals: no limit of these fell between start and need"
    n_failed=$((n_failed + 1))
fi
limited 4000000 "${hf[@]}" || { cat "$folder/errors"; n_failed=$((n_failed + 1)); }
exit $((n_failed > 0))
