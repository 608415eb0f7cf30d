#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the library beryl, and checks that no name but its own is visible, that a program which
# defines names of the library's inside links with it in C and C++, static and shared, and runs with
# MPI started by either, and that the energies agree with the programs' energies.
# Usage: test_library.sh BUILD_FOLDER MPIEXEC c|python
set -eu
source=$(cd "$(dirname "$0")" && pwd)
build=$1 mpiexec=$2 language=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
molecule=$source/../../inputs/water.xyz
basis=cc-pvdz
unset BERYL_BASIS_PATH

cmake --install "$build" --prefix "$work/prefix" --component beryl >"$work/log" ||
    { cat "$work/log"; exit 1; }
lib=$work/prefix/lib

# The last digits of energies depend on the number of processes: one.
solve_by_program() {
    "$build/bin/$1" "${@:2}" "$molecule" --basis $basis --json "$work/$1.json" >"$work/log" ||
        { cat "$work/log"; exit 1; }
}

if [ "$language" = python ]; then
    if ! /usr/bin/python3 -c 'import ctypes, json' 2>"$work/log"; then
        echo "skipped: python3 with ctypes is missing"
        exit 77
    fi
    # One without symmetry, which an SCF uses and a build alone does not, as the second frame.
    { printf '1\n\nHe 0 0 0\n'; sed 's/0.65280883/0.66/' "$molecule"; } >"$work/molecule.xyz"
    molecule=$work/molecule.xyz
    solve_by_program beryl-hf --frame 2 --fock-only 1 --density converged
    solve_by_program beryl-tce mp2 --frame 2
    exec /usr/bin/python3 "$source/energies.py" "$lib/libberyl.so" "$molecule" $basis \
        "$work/beryl-hf.json" "$work/beryl-tce.json"
fi

foreign=$({ nm -D --defined-only "$lib/libberyl.so"; nm -g --defined-only "$lib/libberyl.a"; } |
    awk 'NF == 3 && $3 !~ /^beryl_/ {print $3}')
[ -z "$foreign" ] || { echo "visible names: $foreign"; exit 1; }

cp "$source"/*.c "$source/CMakeLists.txt" "$work"
cmake -G Ninja -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" \
    >"$work/log" 2>&1 && cmake --build "$work/build" >>"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
for program in outside_static outside_shared outside_static_cxx outside_shared_cxx; do
    for who in library own; do
        "$mpiexec" --oversubscribe -n 2 "$work/build/$program" $who \
            >"$work/$program.$who" 2>&1 || { cat "$work/$program.$who"; exit 1; }
        cmp "$work/$program.$who" "$work/outside_static.library"
    done
done
[ "$(wc -l <"$work/outside_static.library")" = 2 ] # nothing but what the program prints

for kind in static shared; do
    energy=$("$mpiexec" --oversubscribe -n 2 "$work/build/own_arrays_$kind")
    [ "$energy" = -2.85516043 ] || { echo "own_arrays_$kind: $energy"; exit 1; }
done

solve_by_program beryl-tce ccsd
export PKG_CONFIG_PATH=$lib/pkgconfig
# shellcheck disable=SC2046
cc "$work/prefix/share/beryl/examples/energies.c" -o "$work/energies" \
    $(pkg-config --cflags --libs beryl) -Wl,-rpath,"$lib"
"$work/energies" "$molecule" $basis >"$work/energies.out"
"$work/build/energies" "$molecule" $basis | cmp - "$work/energies.out"

# A basis set of the installation, found from the place of the shared library.
cp "$work/prefix/share/beryl/basis/$basis.gbs" "$work/prefix/share/beryl/basis/installed.gbs"
"$work/energies" "$molecule" installed | cmp - "$work/energies.out"

for key in hf:scf_total_energy ccsd:ccsd_total_energy; do
    expected=$(sed -n "s/.*\"${key#*:}\": *\([-0-9.e]*\).*/\1/p" "$work/beryl-tce.json")
    awk -v key="${key%:*}" -v expected="$expected" '
        $1 == key {found = 1; difference = $2 - expected}
        END {exit !(found && difference < 1e-12 && difference > -1e-12)}' "$work/energies.out" ||
        { echo "${key%:*}: not $expected"; cat "$work/energies.out"; exit 1; }
done
echo "the installed library works"
