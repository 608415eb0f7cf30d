#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The checks of the source find what they are for, with file and line: each fault is planted in a
# copy of the tree.
#   test_checks_fail.sh ROOT
set -u
root=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
n_failed=0

mkdir "$folder/tree"
cp -r "$root"/{support,basis,sched,hf,tce,tests} "$folder/tree"

expected=()

# finds SCRIPT: it fails on the copy, and its output has a line with each of the expected texts.
finds()
{
    "$root/scripts/$1" "$folder/tree" > "$folder/output"
    local status=$? text
    for text in "${expected[@]}"; do
        if [ "$status" != 1 ] || ! grep -qF -- "$text" "$folder/output"; then
            echo "$1: status $status, no line with '$text'"
            n_failed=$((n_failed + 1))
        fi
    done
    [ $n_failed = 0 ] || head -n 60 "$folder/output"
    expected=()
}

# reaches FILE LINE TEXT: check_includes.py is to have a line with TEXT when LINE ends the file.
reaches()
{
    printf "$2\n" >> "$folder/tree/$1"
    expected+=("$3")
}

# plants FILE INCLUDE TEXT: the line that it is to have begins with FILE and the line's number.
plants()
{
    reaches "$1" "$2" "$1:$(($(wc -l < "$folder/tree/$1") + 1)): $3"
}

plants support/base/status.c '#include "hf/scf/scf.h"' "support/base may not include hf/scf/scf.h"
plants support/base/status.c '#include <hf/scf/scf.h>' "support/base may not include hf/scf/scf.h"
plants support/base/status.c '/* c */ # include "hf/scf/scf.h" // c' \
    "support/base may not include hf/scf/scf.h"
plants support/base/status.c '#include "../../hf/scf/scf.h"' "support/base may not include"
plants support/base/status.c '#include <support/base/../../hf/scf/scf.h>' \
    "support/base may not include"
plants support/base/status.c '#include HEADER' 'an include is "ROOM/NAME.h" or <NAME.h>'
plants support/base/status.c '#include "support/base/agree.c"' 'an include is "ROOM/NAME.h"'
plants support/base/status.c '#include \\\n    <ga.h>' "support/base may not include <ga.h>"
plants sched/pool/core/history.c '#include <ga.h>' "sched/pool/core may not include <ga.h>"
plants sched/pool/modes/shared_counter.c '#include <mpi.h>' "sched/pool/modes may not include <mpi.h>"
plants hf/fock/fock_build.c '#include <cblas.h>' "hf/fock may not include <cblas.h>"

# By a chain of includes.
for file in sched/pool/queues/record_list.c sched/pool/protocols/stealing.c sched/pool/modes/mode_static.c; do
    reaches $file '#include "support/base/agree.h"' \
        "$file: reaches <mpi.h>, which support/base/agree.h includes"
done
reaches sched/pool/modes/mode_persist.c '#include <sched/pool/drivers/mpi/mpi_comm.h>' \
    "sched/pool/modes/mode_persist.c: reaches sched/pool/drivers/mpi/mpi_comm.h"

mkdir -p "$folder"/tree/{sched/attic,util/inner}
for file in sched/attic/old.c util/foo.c util/inner/foo.h foo.c; do
    touch "$folder/tree/$file"
    expected+=("$file: belongs to no room")
done
finds check_includes.py

sed -i 1d "$folder/tree/support/base/status.c"
expected+=("support/base/status.c: no line 'SPDX")
finds check_spdx.py
exit $((n_failed > 0))
