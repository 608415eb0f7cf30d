#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# On two hosts the programs find a transport by themselves, unless the user chooses; where the
# user's choice has no windows, or --progress thread asks for several threads, they say what to
# type and end with status 2.
#
#     test_host_start.sh PROGRAMS INPUTS
source "$(dirname "$0")/host_test.sh"

water=("$inputs/water.xyz" --basis sto-3g --fock-only 1)
gauss=(--exponential 1e-4 --tasks 20)
advice="mpirun --mca osc ^ucx"

run 0 beryl-hf "${water[@]}"
run 0 beryl-sched "${gauss[@]}" --sched counter

mpirun_options="--mca osc ^ucx,pt2pt"
run 2 beryl-hf "${water[@]}"
prints "$advice"
run 2 beryl-sched "${gauss[@]}" --sched counter
prints "$advice"
# Without windows.
run 0 beryl-sched "${gauss[@]}" --sched steal

# The user's parameter files: the choice is theirs too.
echo " osc= ^ucx,pt2pt" >"$folder/mca-params.conf"
mkdir "$folder/.openmpi"
cp "$folder/mca-params.conf" "$folder/.openmpi"
mpirun_options="--am $folder/mca-params.conf"
run 2 beryl-sched "${gauss[@]}" --sched counter
prints "$advice"
mpirun_options=""
home=$HOME
export HOME=$folder
run 2 beryl-sched "${gauss[@]}" --sched counter
prints "$advice"
export HOME=$home

run 2 beryl-hf "${water[@]}" --progress thread
prints "--progress poll"
mpirun_options="--mca osc ^ucx"
run 2 beryl-hf "${water[@]}" --progress thread
prints "$advice"
finish
