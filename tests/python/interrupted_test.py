# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in `check --python`, and what a candidate's exception says."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from trial_support import HERE, PROGRAM, check
from cheats import HEAD  # behind trial_support, which knows the folder

SLEEPS = HEAD.format(reference="reference") + """
class ModelNew(Right):
    def forward(self, x):
        open({0!r} + f"/{{os.getpid()}}.pid", "w").close()
        time.sleep(1000)
"""


def interrupted(folder, text, number, moment, *more):
    """The end of a check that a signal reaches as a terminal sends it, to all of the foreground. moment: when, once it has begun."""
    path = folder / "candidate.py"
    path.write_text(text)
    words = [PROGRAM, "check", "--python", path, "--reference", HERE / "reference.py", "--python-program", sys.executable,
             "--sandbox", "none", "--deadline", "100", *more]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env={**os.environ, "PYTHONPATH": str(HERE), "TMPDIR": str(folder)})
    while not blocks(process.pid, number):  # until then any signal ends the program with a sentence alone
        time.sleep(0.01)
    moment()
    os.killpg(process.pid, number)
    out, said = process.communicate(timeout=100)
    return out, said, process.returncode


def blocks(process, number):
    """Whether the process takes the signal itself; one that has ended does not wait for it either."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except ProcessLookupError:
        return True
    blocked = next((line.split()[1] for line in status.splitlines() if line.startswith("SigBlk:")), None)
    return blocked is None or "State:\tZ" in status or bool(int(blocked, 16) >> (number - 1) & 1)


def waits_for(folder):
    """Until the candidate runs."""
    def moment():
        while not list(folder.glob("*.pid")):
            time.sleep(0.05)
    return moment


def running(folder):
    return [path for path in folder.glob("*.pid") if pathlib.Path(f"/proc/{path.stem}").exists()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.1, 0.6, 2, None], ids=["at once", "soon", "later", "within the candidate"])
def test_it_ends_as_other_verbs_do(tmp_path, number, seconds):
    moment = waits_for(tmp_path) if seconds is None else lambda: time.sleep(seconds)
    out, said, code = interrupted(tmp_path, SLEEPS.format(str(tmp_path)), number, moment)
    assert code == 4 and said == "", said + out
    incomplete, result = out.splitlines()[-2:]
    assert incomplete == "incomplete: interrupted while the candidate ran: nothing was judged"
    assert result.startswith("RESULT passed=0 failed=0 mistrusted=0 skipped=0 incomplete=1 elements=0 seconds="), out
    assert not running(tmp_path)
    assert not list(tmp_path.glob("gradproof-*")), "nothing names its files"


@pytest.mark.parametrize("place", ["__init__", "run"])
def test_the_trusted_process_ends_without_a_trace_wherever_it_is(tmp_path, place):
    """Where a signal comes is chance in the tests above; one came while the process read its own argument."""
    program = f"""
import os, signal, sys
from gradproof.candidate import runs
class Trial:
    def __init__(self, spec, front): self.spec = spec
    def run(self): return {{}}
def told(self, *_):
    os.kill(os.getpid(), signal.SIGTERM)
setattr(Trial, {place!r}, told)
runs.importlib.util.find_spec = lambda name: name
runs.Front = int  # nobody answers here
runs.serve(Trial)
"""
    spec = json.dumps({"folder": str(tmp_path)})
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(PROGRAM).parents[1] / "share/gradproof/python")}
    ended = subprocess.run([sys.executable, "-c", program, spec], capture_output=True, text=True, env=environment)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert not (tmp_path / "trial.json").exists()


def test_as_json(tmp_path):
    out, said, code = interrupted(tmp_path, SLEEPS.format(str(tmp_path)), signal.SIGINT, waits_for(tmp_path), "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 4 and "incomplete" in lines[0] and lines[1]["result"]["incomplete"] == 1, out + said


RAISES = HEAD.format(reference="reference") + """
class ModelNew(Right):
    def forward(self, x):
        raise RuntimeError("boo \\x1b[31m" + "z" * 100000 + "end")
"""


@pytest.mark.parametrize("more", [[], ["--verbose"], ["--quiet"], ["--json"]])
def test_what_an_exception_says_is_escaped_and_short(tmp_path, more):
    records = tmp_path / "records"
    said, code = check(tmp_path, RAISES, "--records", records, *more)
    assert code == 1 and "\x1b" not in said, said
    if more != ["--json"]:  # which has all of it, for programs
        assert "raised RuntimeError: boo \\x1b[31mzzz" in said or more == ["--quiet"], said[:3000]
        assert "z" * 2100 not in said and max(map(len, said.splitlines())) < 3000, said[:3000]
    (run,) = records.glob("*.jsonl")
    assert "z" * 100000 + "end" in run.read_text(), "the record has all of it"
