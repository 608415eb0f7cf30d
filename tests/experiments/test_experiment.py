"""Runs an experiment with --quick and insists on every check in its JSON.

    test_experiment.py SCRIPT BERYL_SCHED
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def main():
    script, beryl_sched = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.json"
        done = subprocess.run([sys.executable, script, "--beryl-sched", beryl_sched, "--quick",
                               "--no-figure", "--json", str(path)], cwd=folder, check=False)
        if not path.exists():
            return f"{script}: exit status {done.returncode}, no result"
        result = json.loads(path.read_text())
        left = [other.name for other in pathlib.Path(folder).iterdir() if other != path]
    failed = [claim for claim, check in result["checks"].items() if not check["holds"]]
    if failed or left or not result["checks"] or done.returncode != 0 or not result["quick"]:
        return (f"{script}: exit status {done.returncode}, {len(result['checks'])} checks, "
                f"not held: {failed}, files left: {left}")
    return None


if __name__ == "__main__":
    sys.exit(main())
