# SPDX-License-Identifier: BSD-3-Clause
"""A program's output with the time of each line, for the comparisons with NWChem."""
import sys
import time


def follow(log_path, on_line):
    """Reads standard input to its end; calls on_line(text, seconds since the start) for each
    line as it comes, and writes it with this time to a log."""
    start = time.monotonic()
    with open(log_path, "w") as log:
        for text in sys.stdin:
            now = time.monotonic() - start
            log.write(f"{now:9.3f} {text}")
            on_line(text, now)
