# Sourced by quickstart.sh and test.sh: installs what is missing, then builds.
# Says nothing when there is nothing to do.

# What building, running and testing take (Debian 12 names).
packages="gcc g++ gfortran cmake ninja-build pkg-config
    openmpi-bin libopenmpi-dev
    libglobalarrays-dev libarmci-mpi-dev libscalapack-openmpi-dev
    libint2-dev libopenblas-dev libelpa-dev
    libjansson-dev libtrexio-dev libhdf5-dev libssl-dev libcmocka-dev
    python3 help2man"

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "Not root and no sudo: ask your administrator to run: $*" >&2
        exit 1
    fi
}

install_missing() {
    missing=""
    for package in $packages; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "install ok installed" ||
            missing="$missing $package"
    done
    [ -z "$missing" ] && return
    if ! command -v apt-get >/dev/null; then
        echo "This script installs Debian packages; here please install the like of:$missing" >&2
        exit 1
    fi
    echo "Installing:$missing"
    log=$(mktemp)
    if ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "apt-get could not install:$missing" >&2
        exit 1
    fi
    rm -f "$log"
}

# build PRESET [TARGET]: configures, and builds all or one target into build/PRESET.
build() {
    log=$(mktemp)
    if ! { cmake --preset "$1" && cmake --build --preset "$1" ${2:+--target "$2"}; } >"$log" 2>&1; then
        grep -E "error|FAILED|CMake Error" -A 5 "$log" | tail -n 40 >&2
        echo "The build failed; the whole log is in $log" >&2
        exit 1
    fi
    rm -f "$log"
}

# Open MPI refuses to start as root, as is usual in containers, unless told
# twice; one thread per process, because processes are what Beryl runs on.
prepare_run() {
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
}
