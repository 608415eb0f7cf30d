#!/bin/sh
# Inside hosts.sh: on_host.sh HOST COMMAND... runs a shell command on a host, as ssh does: in the
# home folder's place the present one, and without this shell's environment. mpirun's launch agent.
# HOST `switch` is where the cables end: its interfaces are named for the hosts.
host=$1
shift
if [ "$host" = switch ]; then
    exec nsenter --target 1 --net -- sh -c "$*"
fi
exec nsenter --target "$(cat "/run/$host.pid")" --net --uts --mount --wd="$PWD" -- \
    env -i HOME="$HOME" PATH="$PATH" SHELL=/bin/sh sh -c "$*"
