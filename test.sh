#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The whole test suite, after the same set-up as quickstart.sh.
#
#     ./test.sh [--ci] [--nightly] [ARGUMENT of ctest ...]
#
# Without arguments the tests run in tiers (tests/README.md), with a table of their times at the
# end. With arguments ctest chooses, for instance: ./test.sh -L unit -R fock
#
#   --ci       first lint, and every compiler with warnings as errors; the thread sanitizer and
#              libFuzzer too
#   --nightly  the long random tests as well
set -euo pipefail
cd "$(dirname "$0")"
. scripts/setup.sh
. scripts/tiers.sh

ci=false nightly=false
while [ $# -gt 0 ]; do
    case $1 in
    --ci) ci=true ;;
    --nightly) nightly=true ;;
    *) break ;;
    esac
    shift
done

# Most of the time of many small MPI runs is waiting.
jobs=$((2 * $(env -u OMP_NUM_THREADS nproc) + 1))
ctest_options=(--output-on-failure -j "$jobs")
if $nightly; then
    ctest_options+=(-C nightly)
fi

build_release() {
    if $ci; then
        build release lint -DBERYL_WERROR=ON
    fi
    build release all
}

build_sanitizers() {
    if $ci; then
        build tsan pool-tests -DBERYL_WERROR=ON
        # A second of each target finds as much in code that was compiled in half the time.
        build fuzz fuzz-targets -DCMAKE_C_FLAGS_DEBUG="-O0 -g1"
    fi
    build asan unit-tests
}

# A build alone leaves a core idle while it is configured, checked by lint and linked.
build_all() {
    local pid pids=() failed=false
    build_release &
    pids+=("$!")
    build_sanitizers &
    pids+=("$!")
    for pid in "${pids[@]}"; do
        wait "$pid" || failed=true
    done
    ! $failed || exit 1
}

begin_tier "set-up"
install_missing "$packages"
if $ci; then
    install_missing "$lint_packages"
fi
begin_tier "lint and builds"
build_all
prepare_run

if [ $# -gt 0 ]; then
    run_chosen asan -L 'unit|fuzz' "$@"
    run_chosen release "$@"
    report_chosen
fi

run_tests release -L package
begin_tier "unit and property"
# Tests must not need what CI installs for lint.
if $ci; then
    ctest_prefix=(without_lint_tools)
fi
# Errors of memory that several processes bring about show on three.
run_tests asan -L 'unit|fuzz' -E '\.np4$'
ctest_prefix=()
run_tests release -L unit
if $ci; then
    run_tests fuzz -L fuzz
fi
begin_tier "parallel"
run_tests release -L parallel
if $ci; then
    run_tests tsan -R 'thread\.np3$'
fi
begin_tier "science"
run_tests release -L 'science|experiments'
begin_tier "the rest"
run_tests release -LE 'package|unit|parallel|science|experiments'
report_tiers
