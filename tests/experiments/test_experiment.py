# SPDX-License-Identifier: BSD-3-Clause
"""Runs an experiment with --quick and insists on every check in its JSON; every result of
beryl-sched on the way must be as RESULTS.schema.json describes it.

    test_experiment.py SCRIPT BERYL_SCHED CHECK_RESULTS
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

# Stands in for beryl-sched, whose result, if it writes one, is the last argument.
WRAPPER = """#!/bin/sh
{program} "$@" || exit
for result in "$@"; do :; done
case $result in
*.json) cp "$result" "$(mktemp -p {kept} --suffix=.json)" ;;
esac
"""


def wrap(beryl_sched, programs, kept):
    """A folder of programs in which beryl-sched leaves a copy of each result."""
    programs.mkdir()
    kept.mkdir()
    for program in beryl_sched.parent.iterdir():
        if program != beryl_sched:
            (programs / program.name).symlink_to(program)
    wrapper = programs / beryl_sched.name
    wrapper.write_text(WRAPPER.format(program=shlex.quote(str(beryl_sched)),
                                      kept=shlex.quote(str(kept))))
    wrapper.chmod(0o755)
    return wrapper


def main():
    script, beryl_sched, check_results = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        work, kept = folder / "work", folder / "kept"
        work.mkdir()
        wrapper = wrap(pathlib.Path(beryl_sched), folder / "programs", kept)
        path = work / "result.json"
        done = subprocess.run([sys.executable, script, "--beryl-sched", str(wrapper), "--quick",
                               "--no-figure", "--json", str(path)], cwd=work, check=False)
        if not path.exists():
            return f"{script}: exit status {done.returncode}, no result"
        result = json.loads(path.read_text())
        left = [other.name for other in work.iterdir() if other != path]
        results = [str(file) for file in kept.iterdir()]
        if not results or subprocess.run([check_results, *results], check=False).returncode != 0:
            return f"{script}: {len(results)} results of beryl-sched, not all as described"
    failed = [claim for claim, check in result["checks"].items() if not check["holds"]]
    if failed or left or not result["checks"] or done.returncode != 0 or not result["quick"]:
        return (f"{script}: exit status {done.returncode}, {len(result['checks'])} checks, "
                f"not held: {failed}, files left: {left}")
    return None


if __name__ == "__main__":
    sys.exit(main())
