#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs fuzz targets of a build with libFuzzer, as many at once as there are processors, and prints a
# line for each: inputs, edges covered, peak memory, findings. What is found stays in
# BUILD/fuzz/findings, the corpus that grew in BUILD/fuzz/corpus, where later runs go on.
#
#     tests/fuzz/fuzz.sh BUILD SECONDS [NAME...]     all targets, or fuzz_NAME...
#
# FUZZ_SEED, a number in the environment: the same inputs in every run, not new ones.
set -u
TMPDIR=$(mktemp -d -p /dev/shm) || exit 1 # processes that crash leave files
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
here=$(dirname "$(realpath "$0")")
build=$(realpath "$1") seconds=$2
shift 2
names=("$@")
if [ $# = 0 ]; then
    mapfile -t names < <(cd "$build/tests/bin" && ls -d fuzz_* | sed 's/^fuzz_//')
fi

# No input of less than 1 MB may take more memory than these, or many seconds.
limits=(-malloc_limit_mb=256 -rss_limit_mb=1024 -timeout=20 -max_len=65536)
export LSAN_OPTIONS=suppressions=$here/../mpi_leaks.txt:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
# Numbers in a damaged HDF5 file become the sizes of what HDF5 allocates.
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1000

# The last figure in a log after a word.
figure()
{
    grep -ao "$1 *[0-9]*" "$2" | tail -n 1 | grep -o '[0-9]*$'
}

# Inputs that crash HDF5 end a process, and another continues. Of every such input the crash has to be in
# HDF5 indeed.
# shellcheck disable=SC2317 # called by fuzz_one
fuzz_checkpoint()
{
    local status=0 crashes
    export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # of HDF5
    BERYL_FUZZ_UNGUARDED=1 "$@" -fork=1 -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 \
        -malloc_limit_mb=4000 || status=$? # of the last process, which may have crashed
    mapfile -t crashes < <(ls -d "$work/findings/checkpoint-"* 2> /dev/null)
    [ ${#crashes[@]} = 0 ] && return $status
    status=0
    "$1" "${crashes[@]}" || status=$?
    [ "$status" = 0 ] && mkdir -p "$work/hdf5" && mv "${crashes[@]}" "$work/hdf5"
    return $status
}

fuzz_one()
{
    local name=$1 work=$build/fuzz command=() run=() status log inputs
    log=$work/$name.log
    mkdir -p "$work/corpus/$name" "$work/findings"
    command=("$build/tests/bin/fuzz_$name" "$work/corpus/$name" "$here/seeds/$name")
    [ "$name" = tce_program ] && command+=("$here/../../inputs" "$here/../../tce/methods")
    [ "$name" = checkpoint ] && run=(fuzz_checkpoint)
    [ -f "$here/dictionaries/$name" ] && command+=(-dict="$here/dictionaries/$name")
    "${run[@]}" "${command[@]}" "${limits[@]}" -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" \
        -print_final_stats=1 -artifact_prefix="$work/findings/$name-" > "$log" 2>&1
    status=$?
    inputs=$(figure stat::number_of_executed_units: "$log")
    printf '%-16s %12s inputs %7s edges %6s MB  %s\n' "$name" "${inputs:-$(figure '^#' "$log")}" \
        "$(figure cov: "$log")" "$(figure stat::peak_rss_mb: "$log" || echo -)" \
        "$([ $status = 0 ] && echo "no finding" || echo "FINDING, see $log")"
    [ $status = 0 ] || tail -n 60 "$log"
    grep -a '^HDF5 crashed' "$log" # of checkpoints
    return $status
}

failed=0 n_running=0
for name in "${names[@]}"; do
    if [ "$n_running" -ge "$(env -u OMP_NUM_THREADS nproc)" ]; then
        wait -n || failed=1
        n_running=$((n_running - 1))
    fi
    fuzz_one "$name" &
    n_running=$((n_running + 1))
done
while [ "$n_running" -gt 0 ]; do
    wait -n || failed=1
    n_running=$((n_running - 1))
done
exit $failed
