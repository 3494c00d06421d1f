# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --library` and `describe` on libraries that a test builds."""
import os
import subprocess
import sys

from trial_support import PROGRAM, WIDE

TRIPLE = "y = multiply(x, 3)"
SMALL = "rows=6 cols=8 fill=normal"


def run(*arguments, folder=None):
    """What the program prints and its exit code."""
    done = subprocess.run([str(PROGRAM), *map(str, arguments), "--python-program", sys.executable], capture_output=True, text=True,
                          check=False, env={**os.environ, **WIDE, **({"TMPDIR": str(folder)} if folder else {})})
    return done.stdout + done.stderr, done.returncode
