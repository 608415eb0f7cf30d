#!/usr/bin/env bash
# Installs the library, builds the examples against it by CMake and by pkg-config, runs one
# under each mode on two processes, one that compares modes, and one that brings a mode of its own,
# on three.
# Usage: test_package.sh BUILD_FOLDER MPIEXEC
set -eu
source=$(cd "$(dirname "$0")" && pwd)
build=$1 mpiexec=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" --component taskpool >"$work/log" ||
    { cat "$work/log"; exit 1; }
cp "$source"/*.[ch] "$source/CMakeLists.txt" "$work"
cmake -G Ninja -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 &&
    cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# 2 x (0 + 1 + 4 + ... + 999 x 999)
expected=665667000
for mode in $("$build/bin/beryl-sched" --list-modes | cut -f 1); do
    sum=$("$mpiexec" --oversubscribe -n 2 "$work/build/example" $mode)
    [ "$sum" = $expected ] || { echo "$mode: $sum, not $expected"; exit 1; }
done

sums=$("$mpiexec" --oversubscribe -n 3 "$work/build/external")
[ "$sums" = "$expected $expected" ] || { echo "a mode from outside: $sums"; exit 1; }

# 3 rounds of 3 modes with 3 iterations; simulated, the worker of the long task is the slowest
# without stealing.
"$mpiexec" --oversubscribe -n 2 "$work/build/compare" > "$work/compared"
grep -qx "sum $((27 * expected / 2))" "$work/compared" || { cat "$work/compared"; exit 1; }
grep -q '^static#2 .* not distinguishable$' "$work/compared" || { cat "$work/compared"; exit 1; }
grep -q '^steal .* faster$' "$work/compared" || { cat "$work/compared"; exit 1; }

export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
cc "$work/example.c" -o "$work/example" $(pkg-config --cflags --libs taskpool)
[ "$("$mpiexec" --oversubscribe -n 2 "$work/example")" = $expected ]
echo "the installed package works"
