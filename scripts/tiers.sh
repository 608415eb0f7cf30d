# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by test.sh: runs tests in tiers and prints their seconds. No tier fails for its time.
tier_logs=$(mktemp -d)
trap 'rm -rf "$tier_logs"' EXIT
tier_names=() tier_starts=()
n_calls=0
n_calls_failed=0

# begin_tier NAME: what follows belongs to it.
begin_tier() {
    tier_names+=("$1") tier_starts+=("$(date +%s)")
}

# A command and its first arguments that start ctest, as env would.
ctest_prefix=()

# without_lint_tools COMMAND [ARGUMENT...]: runs it as on a machine that has no tools of clang and no
# symbols of system libraries, which name the functions in reports of sanitizers. All programs of
# clang are links into its folder. Where nothing can be mounted they stay, and this says so.
without_lint_tools() {
    if ! unshare --mount true 2>/dev/null; then
        echo "No mount namespaces here: clang's tools are not hidden from these tests"
        "$@"
        return
    fi
    # shellcheck disable=SC2016 # expanded inside
    unshare --mount bash -c 'for folder in /usr/lib/llvm-*/bin /usr/lib/debug; do
            [ ! -d "$folder" ] || mount -t tmpfs none "$folder"
        done
        exec "$@"' - "$@"
}

# run_tests PRESET ARGUMENT...: those tests of build/PRESET that the arguments choose.
run_tests() {
    local preset=$1 log
    shift
    n_calls=$((n_calls + 1))
    log=$tier_logs/$((${#tier_names[@]} - 1)).$n_calls
    # shellcheck disable=SC2154 # ctest_options is test.sh's
    (
        set -o pipefail
        "${ctest_prefix[@]}" ctest --test-dir "build/$preset" "${ctest_options[@]}" \
            --no-tests=error "$@" | tee "$log"
    ) || n_calls_failed=$((n_calls_failed + 1))
}

# run_chosen PRESET ARGUMENT...: as run_tests, but it may be that no test is chosen.
run_chosen() {
    local preset=$1
    shift
    if ctest --test-dir "build/$preset" -N "$@" | grep -q '^Total Tests: 0$'; then
        return
    fi
    run_tests "$preset" "$@"
}

# n_passed LOG..., n_failed LOG...: sums of ctest's own figures.
n_passed() {
    sed -n 's/^.* tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\2 \1/p' "$@" |
        awk '{ n += $1 - $2 } END { print n + 0 }'
}

n_failed() {
    sed -n 's/^.* tests passed, \([0-9]*\) tests failed out of [0-9]*$/\1/p' "$@" |
        awk '{ n += $1 } END { print n + 0 }'
}

print_slowest() {
    echo
    echo "The ten slowest tests, seconds"
    sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) \.*.* \([0-9.]*\) sec.*$/\2 \1/p' \
        "$tier_logs"/* | sort -rn | awk 'NR <= 10 { printf "%8.1f  %s\n", $1, $2 }'
}

# A machine that cannot make namespaces skips these, and says so.
print_host_tests() {
    local run skipped
    run=$(cat "$tier_logs"/* | grep -cE ' #[0-9]+: test_host_.* (Passed|\*\*\*[^S])' || true)
    skipped=$(cat "$tier_logs"/* | grep -cE ' #[0-9]+: test_host_.*\*\*\*Skipped' || true)
    echo
    echo "Tests on several hosts: $run run, $skipped skipped"
}

# The last line: the sums over all calls of ctest. The exit status counts failed tests and calls
# that failed for another reason.
finish_tests() {
    local failed
    failed=$(n_failed "$tier_logs"/*)
    echo
    echo "$(n_passed "$tier_logs"/*) passed, $failed failed"
    exit $((n_calls_failed > 0 || failed > 0))
}

report_chosen() {
    if [ "$n_calls" = 0 ]; then
        echo "No tests were chosen" >&2
        exit 1
    fi
    print_slowest
    finish_tests
}

report_tiers() {
    local i
    tier_starts+=("$(date +%s)")
    print_slowest
    print_host_tests
    echo
    printf '%-20s %6s %8s\n' Tier tests seconds
    for i in "${!tier_names[@]}"; do
        printf '%-20s %6d %8d\n' "${tier_names[i]}" \
            "$(cat "$tier_logs/$i".* 2>/dev/null | n_passed)" $((tier_starts[i + 1] - tier_starts[i]))
    done
    printf '%-20s %6d %8d\n' Total "$(n_passed "$tier_logs"/*)" \
        $((tier_starts[${#tier_names[@]}] - tier_starts[0]))
    finish_tests
}
