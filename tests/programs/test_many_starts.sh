#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Many programs start and end at the same time without mpirun: none meets another in a folder that
# MPI makes and removes.
#
#   test_many_starts.sh BERYL_SCHED MPIEXEC
set -u
beryl_sched=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export beryl_sched folder

start()
{
    timeout 60 "$beryl_sched" --gauss 1e-5,1e-6 --tasks 10 > "$folder/$1" 2>&1 ||
        echo "start $1: exit status $?: $(head -5 "$folder/$1")"
}
export -f start

# One shared folder for all processes, as users have it; this test takes its own.
TMPDIR=$folder xargs -P 12 -I{} bash -c 'start {}' < <(seq 240) > "$folder/complaints"
head -20 "$folder/complaints"
[ ! -s "$folder/complaints" ]
