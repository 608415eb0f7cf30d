#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The preset sched needs no chemistry: with headers of Global Arrays, libint, ELPA and TREXIO
# first on the include path that end every compilation, it configures, builds (with `tests`: also
# its tests, whose unit tests pass) and gives the same package as the build with chemistry; and its programs load none of
# those libraries.
#   test_without_chemistry.sh SOURCE BUILD [tests]
# BUILD is the folder of a build with chemistry.
set -eu
source=$1 build=$2 tests=OFF
[ "${3:-}" != tests ] || tests=ON
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# quietly COMMAND...: its output only if it fails
quietly()
{
    "$@" > "$work/log" 2>&1 || { tail -n 40 "$work/log"; echo "failed: $*"; exit 1; }
}

mkdir -p "$work/traps/elpa"
for header in ga.h libint2.h elpa/elpa.h trexio.h; do
    echo "#error \"$header is chemistry's\"" > "$work/traps/$header"
done

cd "$source"
quietly cmake --preset sched -B "$work/sched" -DCMAKE_C_FLAGS="-I$work/traps" \
    -DCMAKE_C_FLAGS_RELEASE="-O0 -DNDEBUG" -DBERYL_TESTS=$tests -DCMAKE_UNITY_BUILD=ON
quietly cmake --build "$work/sched"
[ "$tests" = OFF ] ||
    quietly ctest --test-dir "$work/sched" -L unit -LE 'property|fuzz' --no-tests=error -j2
quietly cmake --install "$work/sched" --prefix "$work/all"
for program in "$work"/all/bin/*; do
    if ldd "$program" | grep -E 'libga|libarmci|libint2|libelpa|libtrexio|libscalapack'; then
        echo "$program loads chemistry"
        exit 1
    fi
done
[ -x "$work/all/bin/beryl-sched" ]

quietly cmake --install "$work/sched" --prefix "$work/of_sched" --component taskpool
quietly cmake --install "$build" --prefix "$work/of_all" --component taskpool
diff <(cd "$work/of_sched" && find . -type f | sort) <(cd "$work/of_all" && find . -type f | sort)
diff -r "$work/of_sched/include" "$work/of_all/include"
echo "the scheduler needs no chemistry"
