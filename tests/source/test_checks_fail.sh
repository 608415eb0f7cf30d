#!/usr/bin/env bash
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

# finds_with FILE LINE TEXT: check_includes.py has a line with TEXT when LINE begins the file.
finds_with()
{
    sed -i "1i $2" "$folder/tree/$1"
    finds check_includes.py "$3"
    cp "$root/$1" "$folder/tree/$1"
}

# plants FILE INCLUDE TEXT: the line that it has begins with FILE:1:.
plants()
{
    finds_with "$1" "$2" "$1:1: $3"
}

plants support/base/status.c '#include "hf/scf/scf.h"' "support/base may not include hf/scf/scf.h"
plants support/base/status.c '#include <hf/scf/scf.h>' "support/base may not include hf/scf/scf.h"
plants support/base/status.c '#include /* c */ "hf/scf/scf.h"' \
    "support/base may not include hf/scf/scf.h"
plants support/base/status.c '/* c */ # include "hf/scf/scf.h" // c' \
    "support/base may not include hf/scf/scf.h"
plants support/base/status.c '#include "../../hf/scf/scf.h"' "support/base may not include"
plants support/base/status.c '#include <support/base/../../hf/scf/scf.h>' \
    "support/base may not include"
plants support/base/status.c '#include HEADER' 'an include is "ROOM/NAME.h" or <NAME.h>'
plants support/base/status.c '#include "support/base/agree.c"' 'an include is "ROOM/NAME.h"'
plants support/base/status.c '#include \\\n    <ga.h>' "support/base may not include <ga.h>"
plants sched/core/history.c '#include <ga.h>' "sched/core may not include <ga.h>"
plants sched/core/history.c '#include "ga.h"' "sched/core may not include ga.h"
plants sched/modes/mode_static.c '#include <mpi.h>' "sched/modes may not include <mpi.h>"
plants hf/fock/fock_build.c '#include <cblas.h>' "hf/fock may not include <cblas.h>"
plants hf/fock/fock_build.c '#include <lapacke.h>' "hf/fock may not include <lapacke.h>"

# By a chain of includes.
for file in sched/queues/ran_tasks.c sched/protocols/stealing.c sched/modes/mode_static.c; do
    finds_with $file '#include "support/base/agree.h"' \
        "$file: reaches <mpi.h>, which support/base/agree.h includes"
done
finds_with sched/modes/mode_static.c '#include <sched/drivers/mpi/mpi_comm.h>' \
    "sched/modes/mode_static.c: reaches sched/drivers/mpi/mpi_comm.h"

mkdir -p "$folder"/tree/{sched/attic,util/inner}
for file in sched/attic/old.c util/foo.c util/inner/foo.h foo.c; do
    touch "$folder/tree/$file"
    finds check_includes.py "$file: belongs to no room"
    rm "$folder/tree/$file"
done

# shares DECLARATION: as the beginning of a function planted_name of two files.
shares()
{
    for file in support/base/status.c tce/tensor/tensor.c; do
        cp "$root/$file" "$folder/tree/$file"
        printf "\n$1 planted_name(void)\n{\n}\n" >> "$folder/tree/$file"
    done
    finds check_names.py "planted_name: support/base/status.c:$(grep -n planted_name \
        "$folder/tree/support/base/status.c" | cut -d: -f1), tce/tensor/tensor.c:"
}

shares "static void"
shares "inline static void"
shares "VECTOR_CLONES static void"
shares "void static"
shares "static void *\n"
shares "static\nstruct name\n"
shares "__attribute__((format(printf, 1, 2))) static void"
shares "static __attribute__((noinline)) void"
exit $((n_failed > 0))
