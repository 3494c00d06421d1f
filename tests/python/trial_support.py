# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --python` on candidates that a test writes."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent / "candidates"
PROGRAM = pathlib.Path(os.environ["GRADPROOF_BIN_DIR"]).resolve() / "gradproof"
sys.path.insert(0, str(HERE))
# Sentences stand in one line, so that a test finds them.
WIDE = {"COLUMNS": "10000"}


def check(folder, text, *more, reference="reference", deadline="100"):
    """The program's output and exit code about a candidate of this text."""
    path = folder / "candidate.py"
    path.write_text(text)
    arguments = ["--reference", HERE / f"{reference}.py" if reference else path, "--python-program", sys.executable, "--deadline", deadline]
    done = subprocess.run(
        [PROGRAM, "check", "--python", path, *arguments, *more], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(HERE), "TMPDIR": str(folder), **WIDE})
    return done.stdout + done.stderr, done.returncode


def counts(text):
    return dict((word, int(number)) for word, number in re.findall(r"(\w+)=(\d+) ", re.search(r"^RESULT .*", text, re.M)[0]))
