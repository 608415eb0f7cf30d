#!/usr/bin/env bash
# Runs fuzz targets of a build with libFuzzer, as many at once as there are processors, and prints a
# line for each: inputs, edges covered, peak memory, findings. What is found stays in
# BUILD/fuzz/findings, the corpus that grew in BUILD/fuzz/corpus, where later runs go on.
#
#     tests/fuzz/fuzz.sh BUILD SECONDS [NAME...]     all targets, or fuzz_NAME...
set -u
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

# The last figure that libFuzzer prints after a word of its log.
figure()
{
    grep -o "$1 *[0-9]*" "$2" | tail -n 1 | grep -o '[0-9]*$'
}

fuzz_one()
{
    local name=$1 work=$build/fuzz dictionary=() more=() status log
    log=$work/$name.log
    mkdir -p "$work/corpus/$name" "$work/findings"
    [ -f "$here/dictionaries/$name" ] && dictionary=(-dict="$here/dictionaries/$name")
    [ "$name" = tce_program ] && more=("$here/../../inputs" "$here/../../tce/methods")
    "$build/tests/bin/fuzz_$name" "${limits[@]}" "${dictionary[@]}" -max_total_time="$seconds" \
        -print_final_stats=1 -artifact_prefix="$work/findings/$name-" \
        "$work/corpus/$name" "$here/seeds/$name" "${more[@]}" > "$log" 2>&1
    status=$?
    printf '%-16s %12s inputs %7s edges %6s MB  %s\n' "$name" \
        "$(figure stat::number_of_executed_units: "$log")" "$(figure cov: "$log")" \
        "$(figure stat::peak_rss_mb: "$log")" \
        "$([ $status = 0 ] && echo "no finding" || echo "FINDING, see $log")"
    [ $status = 0 ] || tail -n 60 "$log"
    return $status
}

failed=0 n_running=0
for name in "${names[@]}"; do
    if [ "$n_running" -ge "$(nproc)" ]; then
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
