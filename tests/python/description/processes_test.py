# SPDX-License-Identifier: Apache-2.0
"""How many processes a trial has, and that a candidate has nothing of the conversation with the program that judges it."""
import os
import pathlib
import subprocess
import sys
import threading
import time

import pytest

from trial_support import HERE, PROGRAM, check, counts
from cheats import HEAD

MOST = 9
LOOKING = """
import os, pathlib


def sockets_of(process):
    links = [os.readlink(path) for path in pathlib.Path(f"/proc/{process}/fd").iterdir() if os.path.islink(path)]
    return [link for link in links if link.startswith("socket:")]


"""


def candidate(body):
    return HEAD.format(reference="reference") + LOOKING + (
        "class ModelNew(Right):\n    def forward(self, x):\n        " + body + "\n        return self.right(x)\n")


def started_by(command, **environment):
    """How many processes the command and what it starts are, as far as they are seen every few milliseconds; and its result."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment})
    seen, said = {process.pid}, []
    reader = threading.Thread(target=lambda: said.append(process.communicate()[0]))
    reader.start()
    while reader.is_alive():
        for pid in list(seen):
            seen.update(children_of(pid))
        time.sleep(0.001)
    return len(seen), said[0], process.returncode


def children_of(pid):
    found = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except OSError:
            pass  # it has ended
    return found


@pytest.mark.parametrize("reference", ["reference", "with_state"])  # the second has training steps and a line of its own in eval
def test_a_trial_has_few_processes(tmp_path, reference):
    path = tmp_path / "candidate.py"
    path.write_text(f"from {reference} import Model\n\n\nclass ModelNew(Model):\n    pass\n")
    count, said, code = started_by(
        [PROGRAM, "check", "--python", path, "--reference", HERE / f"{reference}.py", "--python-program", sys.executable, "--sandbox",
         "none"], PYTHONPATH=str(HERE), TMPDIR=str(tmp_path))
    assert code == 0 and counts(said)["failed"] == 0, said
    assert 5 <= count <= MOST, f"{count} processes: {said}"  # the program, three of Python, a worker at least


def test_processes_are_counted():
    count, _, code = started_by(["sh", "-c", "for k in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done; true"])
    assert code == 0 and count > MOST


def test_a_candidate_has_no_way_to_the_program_that_answers(tmp_path):
    body = "if sockets_of('self'):\n            raise RuntimeError('a socket')"
    said, code = check(tmp_path, candidate(body), "--no-backward", "--steps", "0", "--inputs", "given")
    assert code == 0, said
    # The control: the process that started it has one, which nothing hides without a sandbox.
    body = body.replace("'self'", "os.getppid()")
    said, code = check(tmp_path, candidate(body), "--no-backward", "--steps", "0", "--inputs", "given", "--sandbox", "none")
    assert code == 1 and "raised RuntimeError: a socket" in said, said


def test_workers_start_when_the_candidate_is_gone(tmp_path):
    """A candidate that looks for the judge's process finds none that could be one."""
    body = ("front = pathlib.Path(f'/proc/{os.getppid()}/stat').read_text().rpartition(')')[2].split()[1]\n"
            "        there = pathlib.Path(f'/proc/{front}/task/{front}/children').read_text().split()\n"
            "        if len(there) WHICH 1:\n            raise RuntimeError(f'{len(there)} processes of the program')")
    for which, wanted in ((">", 0), ("==", 1)):  # the second is the control
        said, code = check(tmp_path, candidate(body.replace("WHICH", which)), "--no-backward", "--steps", "0", "--inputs", "given",
                           "--sandbox", "none")
        assert code == wanted and ("1 processes of the program" in said) == bool(wanted), said
