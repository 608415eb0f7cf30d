#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The checks that need no test run: format, includes, names, openings of comments, shell scripts,
# spelling, and clang-tidy on every C file: clang's warnings, and of the product bugprone-*. The target
# `lint` of CMake.
#
#     scripts/lint.sh BUILD_FOLDER      a configured build, for its compile commands
set -u
build=$(realpath "${1:?name a configured build folder}")
cd "$(dirname "$0")/.." || exit 1
failed=0

# check COMMAND...: all checks run, whatever fails before.
check() {
    "$@" || { echo "lint: failed: $1" >&2; failed=1; }
}

# tracked PATTERN...: files of the project, those too that are not added yet.
tracked() {
    git ls-files --cached --others --exclude-standard -- "$@" | sort -u |
        while read -r file; do [ -e "$file" ] && echo "$file"; done
}

mapfile -t sources < <(tracked '*.c' '*.cpp' '*.h')
mapfile -t scripts < <(tracked '*.sh' .ci/run)
mapfile -t texts < <(tracked .)

check clang-format -n -Werror "${sources[@]}"
check scripts/check_includes.py
check scripts/check_spdx.py
check shellcheck -x "${scripts[@]}"
check codespell "${texts[@]}" # .codespellrc has the words that are no mistakes
# The files that the build compiles.
# shellcheck disable=SC2317 # called by tidy
compiled() {
    sed -n "s|^ *\"file\": \"$PWD/\(.*\)\",*|\1|p" "$build/compile_commands.json"
}
# shellcheck disable=SC2317 # called by check
tidy() {
    printf '%s\n' "${sources[@]}" | grep -xFf <(compiled) |
        xargs -n 8 -P "$(env -u OMP_NUM_THREADS nproc)" clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
}
check tidy
exit "$failed"
