#!/usr/bin/env bash
# CCSD of water in cc-pVDZ on two processes: how often each waits for the other, by count, as a
# network would make every one of them a round trip.
#
#   test_round_trips.sh BERYL_TCE MPIEXEC MPI_CALLS_LIBRARY INPUTS
set -u
beryl_tce=$1 mpiexec=$2 library=$3 inputs=$4
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
n_failed=0

timeout 60 "$mpiexec" --oversubscribe -n 2 \
    env LD_PRELOAD="$library" MPI_CALLS="$folder/calls" \
    "$beryl_tce" ccsd "$inputs/water.xyz" --basis cc-pvdz > "$folder/output" 2>&1 ||
    { cat "$folder/output"; exit 1; }

# limit NAME COUNT MOST
limit()
{
    echo "process $rank: $2 $1, at most $3"
    [ "$2" -le "$3" ] || n_failed=$((n_failed + 1))
}
for rank in 0 1; do
    read -r collectives flushes windows < "$folder/calls.$rank" || exit 1
    [ "$collectives" -ge 100 ] || { echo "the calls were not counted"; exit 1; }
    limit collectives "$collectives" 950
    limit flushes "$flushes" 300
    limit windows "$windows" 10
done
exit $((n_failed > 0))
