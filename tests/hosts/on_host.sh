#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Inside hosts.sh: on_host.sh HOST COMMAND... runs a shell command on a host, as ssh does, without
# this shell's environment, but in the same folder. mpirun's launch agent. HOST `switch` is where
# the cables end: its interfaces are named for the hosts.
host=$1
shift
if [ "$host" = switch ]; then
    exec nsenter --target 1 --net -- sh -c "$*"
fi
status=0
# The kernels of OpenBLAS belong to the machine: others would give other digests.
nsenter --target "$(cat "/run/$host.pid")" --net --uts --ipc --mount --pid --wd="$PWD" -- \
    env -i HOME="$HOME" PATH="$PATH" SHELL=/bin/sh \
    ${OPENBLAS_CORETYPE:+OPENBLAS_CORETYPE="$OPENBLAS_CORETYPE"} sh -c "$*" ||
    status=$?
# ssh does not learn of its command's end over a cut link.
while nsenter --target 1 --net -- ip link show "$host" 2>/dev/null | grep -q 'state DOWN'; do
    sleep 1
done
exit $status
