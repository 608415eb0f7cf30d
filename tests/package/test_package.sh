#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the library, looks at its symbols, and builds programs against it by CMake and by
# pkg-config: the programs in sched/README.md, also by its lines for CMake; one that compares modes;
# one that runs under each mode, and under modes of its own, sched/README.md's among
# them; one in C and C++, static and shared, that has names of the library's inside; and one that
# misuses it.
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

cp "$source"/*.c "$source/../example_mode/mode_example.c" "$source/CMakeLists.txt" "$work"
cp "$source/outside.c" "$work/outside.cc"
# printed LANGUAGE N: the block of code that is the Nth of this language in sched/README.md
printed()
{
    awk -v begin="\`\`\`$1" -v n="$2" '$0 == begin { i++; inside = 1; next } /^```$/ { inside = 0 }
        inside && i == n' "$source/../../sched/README.md"
}
mkdir "$work/readme"
printed cmake 1 > "$work/readme/CMakeLists.txt"
printed c 1 > "$work/readme/program.c"
printed c 2 > "$work/tree.c"
printed c 3 > "$work/mode_single.c"
[ "$(wc -l < "$work/readme/program.c")" -le 30 ] || { echo "the first program is too long"; exit 1; }
[ "$(grep -c . "$work/mode_single.c")" -le 42 ] || { echo "the mode is too long"; exit 1; }
for project in "$work" "$work/readme"; do
    cmake -G Ninja -S "$project" -B "$project/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
        >"$work/log" 2>&1 && cmake --build "$project/build" >>"$work/log" 2>&1 ||
        { cat "$work/log"; exit 1; }
done

# 2 x (0 + 1 + 4 + ... + 999 x 999)
expected=665667000
[ "$("$mpiexec" --oversubscribe -n 2 "$work/readme/build/program")" = "sum $((expected / 2))" ]
[ "$("$mpiexec" --oversubscribe -n 3 "$work/build/tree")" = "nodes 65535" ]

# Squares below 1000 thrice, below 2000 four times, below 100.
for program in outside_c_shared outside_c_static outside_cxx_shared outside_cxx_static; do
    sums=$("$mpiexec" --oversubscribe -n 4 "$work/build/$program")
    [ "$sums" = "outside 998500500 10658668000 328350" ] || { echo "$program: $sums"; exit 1; }
done

for n in 1 2 3; do
    "$mpiexec" --oversubscribe -n $n "$work/build/misuse" > "$work/misused" ||
        { cat "$work/misused"; exit 1; }
done

{ "$build/bin/beryl-sched" --list-modes | cut -f 1; printf '%s\n' example single thieves; } |
    sed "s/$/ $expected $expected/" | sort > "$work/expected"
for n in 1 3; do
    "$mpiexec" --oversubscribe -n $n "$work/build/external" | sort | diff - "$work/expected"
done

# 3 rounds of 3 modes with 3 iterations; simulated, the worker of the long task is the slowest
# without stealing.
"$mpiexec" --oversubscribe -n 2 "$work/build/compare" > "$work/compared"
grep -qx "sum $((27 * expected / 2))" "$work/compared" || { cat "$work/compared"; exit 1; }
grep -q '^static#2 .* not distinguishable$' "$work/compared" || { cat "$work/compared"; exit 1; }
grep -q '^steal .* faster$' "$work/compared" || { cat "$work/compared"; exit 1; }

export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
cc "$work/readme/program.c" -o "$work/program" $(pkg-config --cflags --libs taskpool) \
    "-Wl,-rpath,$work/prefix/lib"
[ "$("$mpiexec" --oversubscribe -n 2 "$work/program")" = "sum $((expected / 2))" ]
echo "the installed package works"
