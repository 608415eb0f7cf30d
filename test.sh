#!/usr/bin/env bash
# The whole test suite, after the same set-up as quickstart.sh. Arguments go to
# ctest, for instance: ./test.sh -R fock -L unit
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh

install_missing
build release
build asan unit-tests
prepare_run

# Most of the time of many small MPI runs is waiting.
jobs=$((2 * $(nproc)))
ctest --test-dir build/asan -L 'unit|fuzz' --output-on-failure --no-tests=error -j "$jobs" "$@"
exec ctest --test-dir build/release --output-on-failure --no-tests=error -j "$jobs" "$@"
