#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Where the name server does not answer, and no name is in /etc/hosts, each look-up takes 20 s: a
# program starts without one.
#
#     test_host_names.sh PROGRAMS INPUTS
n_hosts=1
source "$(dirname "$0")/host_test.sh"

echo "nameserver 10.77.0.99" >/run/resolv.conf
: >/run/hosts
unset HWLOC_COMPONENTS
start_s=$SECONDS
command="beryl-hf of one process"
timeout 60 "$programs/beryl-hf" "$inputs/water.xyz" --basis sto-3g >"$folder/output" 2>&1 ||
    complain "exit status $?"
[ $((SECONDS - start_s)) -lt 10 ] || complain "a look-up: $((SECONDS - start_s)) s"
finish
