#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the library, looks at its symbols, and builds programs against it by CMake and by
# pkg-config: the one that sched/README.md begins with; one that runs under each mode; one that
# compares modes; one with modes of its own; one in C and C++, static and shared, that has names of
# the library's inside; and one that misuses it.
# Usage: test_package.sh BUILD_FOLDER MPIEXEC
set -eu
source=$(cd "$(dirname "$0")" && pwd)
build=$1 mpiexec=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" --component taskpool >"$work/log" ||
    { cat "$work/log"; exit 1; }
foreign=$(nm -D --defined-only "$work/prefix/lib/libtaskpool.so"
    nm -g --defined-only "$work/prefix/lib/libtaskpool.a") || exit 1
foreign=$(echo "$foreign" | awk 'NF == 3 && $3 !~ /^taskpool_/')
[ -z "$foreign" ] || { echo "symbols without the prefix: $foreign"; exit 1; }

cp "$source"/*.[ch] "$source/CMakeLists.txt" "$work"
cp "$source/outside.c" "$work/outside.cc"
awk '/^```c$/ { inside = 1; next } /^```$/ && inside { exit } inside' \
    "$source/../../sched/README.md" > "$work/program.c"
[ "$(wc -l < "$work/program.c")" -le 30 ] || { echo "the first program is too long"; exit 1; }
cmake -G Ninja -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 &&
    cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# 2 x (0 + 1 + 4 + ... + 999 x 999)
expected=665667000
for mode in $("$build/bin/beryl-sched" --list-modes | cut -f 1); do
    sum=$("$mpiexec" --oversubscribe -n 2 "$work/build/example" $mode)
    [ "$sum" = $expected ] || { echo "$mode: $sum, not $expected"; exit 1; }
done

[ "$("$mpiexec" --oversubscribe -n 2 "$work/build/program")" = "sum $((expected / 2))" ]

# Squares below 1000 thrice, below 2000 four times, below 100.
for program in outside_c_shared outside_c_static outside_cxx_shared outside_cxx_static; do
    sums=$("$mpiexec" --oversubscribe -n 4 "$work/build/$program")
    [ "$sums" = "outside 998500500 10658668000 328350" ] || { echo "$program: $sums"; exit 1; }
done

for n in 1 2 3; do
    "$mpiexec" --oversubscribe -n $n "$work/build/misuse" > "$work/misused" ||
        { cat "$work/misused"; exit 1; }
    awk '$1 < 75 { exit 1 }' "$work/misused" || { cat "$work/misused"; exit 1; }
done

for n in 1 3; do
    sums=$("$mpiexec" --oversubscribe -n $n "$work/build/external")
    for mode in countdown thieves halves; do
        grep -qx "$mode $expected $expected" <<< "$sums" ||
            { echo "modes from outside: $sums"; exit 1; }
    done
done

# 3 rounds of 3 modes with 3 iterations; simulated, the worker of the long task is the slowest
# without stealing.
"$mpiexec" --oversubscribe -n 2 "$work/build/compare" > "$work/compared"
grep -qx "sum $((27 * expected / 2))" "$work/compared" || { cat "$work/compared"; exit 1; }
grep -q '^static#2 .* not distinguishable$' "$work/compared" || { cat "$work/compared"; exit 1; }
grep -q '^steal .* faster$' "$work/compared" || { cat "$work/compared"; exit 1; }

export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
cc "$work/example.c" -o "$work/example" $(pkg-config --cflags --libs taskpool) \
    "-Wl,-rpath,$work/prefix/lib"
[ "$("$mpiexec" --oversubscribe -n 2 "$work/example")" = $expected ]
echo "the installed package works"
