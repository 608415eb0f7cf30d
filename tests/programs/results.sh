# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by tests that run programs, with
#
#   folder=FOLDER
#
# set, a folder of the test's own that goes away at its end: the results of the runs
# passed to keep_results must conform to RESULTS.schema.json, else the test fails. It has complain, too.
# shellcheck disable=SC2154 # folder is set by the test
mkdir "$folder/results"
check_results=$(dirname "${BASH_SOURCE[0]}")/../../scripts/check_results.py
check_results=$(realpath "$check_results")
trap end_test EXIT

n_failed=0

# complain TEXT...: counts in n_failed, which the test looks at; some say more in one of their own.
complain()
{
    echo "$*"
    n_failed=$((n_failed + 1))
}

# keep_results ARGUMENT...: copies the result of a run with these arguments, if it wrote one.
keep_results()
{
    local argument option="" file
    for argument in "$@"; do
        file=""
        case $option in
        --json | --calibrate) file=$argument ;;
        esac
        case $argument in
        --json=* | --calibrate=*) file=${argument#*=} ;;
        esac
        option=$argument
        if [ -f "$file" ] && [ -s "$file" ]; then
            cp "$file" "$(mktemp -p "$folder/results" --suffix=.json)"
        fi
    done
}

end_test()
{
    local status=$?
    if [ -n "$(ls "$folder/results")" ]; then
        "$check_results" "$folder"/results/*.json || status=1
    fi
    rm -rf "$folder"
    exit "$status"
}
