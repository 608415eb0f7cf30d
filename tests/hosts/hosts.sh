#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a command on the first of several hosts that are namespaces of this machine:
#
#     hosts.sh [--hosts N] [--delay MILLISECONDS] COMMAND [ARGUMENT...]
#
# The hosts are h1 to hN (2). Each has its own network, host name, processes and shared memory; files
# and CPUs are common, and h1 sees all processes. mpirun, in COMMAND, finds them by itself and starts
# one process on each in turn, over TCP. --delay: each way, for every packet (0); the kernel needs netem.
#
# COMMAND also has the program on_host in $on_host: `$on_host h2 COMMAND` runs there, `$on_host
# switch ip link set h2 down` unplugs h2. All ends with COMMAND, whose exit status is returned.
# 77: namespaces cannot be made here. Not root: user namespaces are tried.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)

arguments=("$@") hosts=2 delay=0
while [[ ${1:-} == --* ]]; do
    case $1 in
    --hosts) hosts=$2 ;;
    --delay) delay=$2 ;;
    *) break ;;
    esac
    shift 2
done
if [[ ! $hosts =~ ^[1-9][0-9]{0,2}$ || ! $delay =~ ^[0-9.]+$ || $hosts -gt 254 || $# = 0 || $1 == -* ]]; then
    echo "usage: hosts.sh [--hosts N] [--delay MILLISECONDS] COMMAND [ARGUMENT...]; N: 1 to 254" >&2
    exit 2
fi

if [ -z "${inside_switch:-}" ]; then
    as_root=(--user --map-root-user)
    if [ "$(id -u)" = 0 ]; then
        as_root=()
    fi
    namespaces=("${as_root[@]}" --net --uts --mount --pid --fork --kill-child --mount-proc)
    if ! error=$(unshare "${namespaces[@]}" mount -t tmpfs none /run 2>&1); then
        echo "skipped: namespaces cannot be made here: $error" >&2
        exit 77
    fi
    inside_switch=true exec unshare "${namespaces[@]}" "$folder/hosts.sh" "${arguments[@]}"
fi
unset inside_switch

# A machine without /etc/hosts gets a copy of /etc in which there is one to mount over.
ensure_hosts_file() {
    if [ ! -e /etc/hosts ]; then
        cp -a /etc /run/etc 2>/dev/null || true # not all of it can be read by everybody
        : >/run/etc/hosts
        mount --bind /run/etc /etc
    fi
}

# This process and its network are the switch. /run is not the machine's from here on.
set_up_files() {
    local i
    mount -t tmpfs none /run
    ensure_hosts_file
    echo "127.0.0.1 localhost" >/run/hosts
    for ((i = 1; i <= hosts; i++)); do
        echo "10.77.0.$i h$i" >>/run/hosts
        echo "h$i slots=16" >>/run/hostfile
    done
    mount --bind /run/hosts /etc/hosts
    : >/run/resolv.conf
    if [ -e /etc/resolv.conf ]; then
        mount --bind /run/resolv.conf /etc/resolv.conf
    fi
}

# A process that does nothing but see off others' orphans holds the namespaces of host h$1. UCX would
# copy memory from process to process within one namespace of them.
start_host() {
    local processes=() holder
    [ "$1" = 1 ] || processes=(--pid --fork --kill-child --mount-proc)
    mkfifo "/run/h$1.ready"
    unshare --net --uts --ipc --mount "${processes[@]}" sh -ec "hostname h$1
        mount -t tmpfs none /dev/shm
        mount -t sysfs none /sys
        ip link set lo up
        echo >/run/h$1.ready
        while sleep 1; do :; done" >/dev/null &
    holder=$!
    read -r _ <"/run/h$1.ready"
    [ "$1" = 1 ] || holder=$(pgrep -P "$holder")
    echo "$holder" >"/run/h$1.pid"
}

# plug I INTERFACE: gives the interface, which is in the switch, to host hI as eth0.
plug() {
    ip link set "$2" netns "$(cat "/run/h$1.pid")" name eth0
    "$on_host" "h$1" ip address add "10.77.0.$1/24" dev eth0
    "$on_host" "h$1" ip link set eth0 up
}

# Ports of a bridge, named for the hosts.
connect_hosts() {
    local i
    ip link add bridge type bridge
    ip link set bridge up
    for ((i = 1; i <= hosts; i++)); do
        ip link add "h$i" type veth peer name "cable$i"
        if [ "$delay" != 0 ]; then
            tc qdisc add dev "h$i" root netem delay "${delay}ms" limit 100000 ||
                { echo "hosts.sh: --delay needs a kernel with netem" >&2; exit 2; }
        fi
        ip link set "h$i" master bridge up
        plug "$i" "cable$i"
    done
}

export on_host=$folder/on_host.sh
set_up_files
for ((i = 1; i <= hosts; i++)); do
    start_host "$i"
done
connect_hosts

# A lost host ends a run after 30 s (docs/cluster.md).
export OMPI_MCA_oob_tcp_keepalive_time=10 OMPI_MCA_oob_tcp_keepalive_intvl=5 \
    OMPI_MCA_oob_tcp_keepalive_probes=4

# By node: process i on host i modulo N. Open MPI's own files: elsewhere two runs of this script, with
# the same host names and process numbers, would meet.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=$on_host OMPI_MCA_orte_default_hostfile=/run/hostfile \
    OMPI_MCA_orte_tmpdir_base=/run OMPI_MCA_rmaps_base_mapping_policy=node OMPI_MCA_hwloc_base_binding_policy=none \
    OMPI_MCA_mpi_yield_when_idle="${OMPI_MCA_mpi_yield_when_idle:-1}"
status=0
nsenter --target "$(cat /run/h1.pid)" --net --uts --ipc --mount --wd="$PWD" "$@" || status=$?
exit $status
