#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The commands of a document work as printed: its blocks `sh` run in order, in a folder with the inputs
# and the build of a clone, its last block `c` being program.c. Each line of its blocks `text` is in the output.
# Usage: test_document.sh PROGRAM MPIEXEC DOCUMENT
set -eu
document=$(realpath "$3")
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$(dirname "$1")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# block LANGUAGE: the lines of all blocks of code in this language
block()
{
    awk -v begin="\`\`\`$1" '/^```$/ { inside = 0 } inside; $0 == begin { inside = 1 }' "$document"
}

mkdir "$work/build"
ln -s "$build" "$work/build/release"
ln -s "$source/inputs" "$source/tce" "$work"
cd "$work"
block c > program.c
block sh > commands
PATH=$(dirname "$2"):$PATH OMPI_MCA_rmaps_base_oversubscribe=1 \
    bash -eu -o pipefail commands > output 2>&1 || { cat output; exit 1; }
block text | while read -r line; do
    grep -qF -- "$line" output || { cat output; echo "$document: not printed: $line"; exit 1; }
done
