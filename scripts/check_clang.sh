#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# clang's warnings, as errors, for every C file of a build by another compiler: clang reads each file
# with the options of that build and generates no code.
#
#     scripts/check_clang.sh BUILD_FOLDER      a build, for its compile commands and generated headers
set -euo pipefail
build=$(realpath "${1:?name the folder of a build}")
jobs=$(env -u OMP_NUM_THREADS nproc)

# A command a line: clang instead of what CMake found, with a launcher perhaps, up to the first option.
python3 - "$build/compile_commands.json" << 'END' | xargs -d '\n' -n 1 -P "$jobs" bash -c
import json, re, shlex, sys
seen = set()
for entry in json.load(open(sys.argv[1])):
    words = shlex.split(entry["command"])
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    options = words[first:words.index("-o")]
    source = entry["file"]
    if not source.endswith(".c") or (source, *options) in seen:
        continue
    seen.add((source, *options))
    command = ["clang", *options, "-Werror", "-fsyntax-only", source]
    print("cd", shlex.quote(entry["directory"]), "&&", shlex.join(command))
END
