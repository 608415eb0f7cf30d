#!/usr/bin/env bash
# The checks of the source find what they are for, with file and line: each fault is planted in a
# copy of the tree.
#   test_checks_fail.sh ROOT
set -u
root=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
n_failed=0

# copy: the source anew into $folder/tree
copy()
{
    rm -rf "$folder/tree"
    mkdir "$folder/tree"
    cp -r "$root"/{support,basis,sched,hf,tce,tests} "$folder/tree"
}

# finds SCRIPT TEXT: the script fails on the copy and its output has a line with TEXT.
finds()
{
    "$root/scripts/$1" "$folder/tree" > "$folder/output"
    local status=$?
    if [ "$status" != 1 ] || ! grep -qF -- "$2" "$folder/output"; then
        echo "$1: status $status, no line with '$2':"
        head -n 20 "$folder/output"
        n_failed=$((n_failed + 1))
    fi
}

copy
sed -i '1i #include "hf/scf/scf.h"' "$folder/tree/support/base/status.c"
finds check_includes.py "support/base/status.c:1: support/base may not include hf/scf/scf.h"
copy
sed -i '1i #include <ga.h>' "$folder/tree/sched/core/history.c"
finds check_includes.py "sched/core/history.c:1: sched/core may not include <ga.h>"
copy
mkdir "$folder/tree/sched/attic"
touch "$folder/tree/sched/attic/old.c"
finds check_includes.py "sched/attic/old.c: belongs to no room"
copy
for file in support/base/status.c tce/tensor/tensor.c; do
    printf '\nstatic void planted_name(void)\n{\n}\n' >> "$folder/tree/$file"
done
finds check_names.py "planted_name"
finds check_names.py "support/base/status.c:$(grep -n planted_name "$folder/tree/support/base/status.c" | cut -d: -f1)"
exit $((n_failed > 0))
