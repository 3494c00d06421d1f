# SPDX-License-Identifier: Apache-2.0
"""pytest --gradproof-records (cli/python/gradproof/pytest_plugin.py): run after run into one folder, and runs of several processes."""
import os
import re
import subprocess
import sys

import pytest

from function_support import PACKAGE, program  # noqa: F401
from gradproof import judgement

TESTS = '''
import gradproof, torch
def test_right():
    gradproof.check(torch.tanh, "y = tanh(x)", rows=4, cols=8, fill="normal")
def test_wrong():
    gradproof.check(lambda x: torch.tanh(x) * 1.0001, "y = tanh(x)", rows=4, cols=8, fill="normal")
'''
SUM = "gradproof: RESULT passed=2 failed=2"

# In place of pytest-xdist, which is in no pin: it starts processes whose config has a workerinput, which pytest_configure_node
# fills, lets them run the tests, and prints the summary itself.
WORKERS = '''
import os, subprocess, sys, types
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    part = os.environ.get("TRIED_PART")
    if part:
        config.workerinput = {"gradproof_part": part}
@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if hasattr(session.config, "workerinput"):
        return None
    from gradproof import pytest_plugin
    node = types.SimpleNamespace(workerinput={})
    pytest_plugin.pytest_configure_node(node)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "tried_workers", "-p", "gradproof.pytest_plugin", "--gradproof-records",
             session.config.getoption("--gradproof-records"), session.config.args[0], "-k"]
    environment = {**os.environ, "TRIED_PART": node.workerinput["gradproof_part"]}
    workers = [subprocess.Popen([*words, of], env=environment) for of in ("right", "wrong")]
    session.testsfailed = sum(worker.wait() != 0 for worker in workers)
    return True
'''


def run(folder, *more):
    (folder / "some_test.py").write_text(TESTS)
    (folder / "tried_workers.py").write_text(WORKERS)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(folder)])}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", *more, "-p", "gradproof.pytest_plugin", "--gradproof-records",
                           folder / "records", folder / "some_test.py"],
                          capture_output=True, text=True, env=environment, cwd=folder, check=False)
    return done.stdout + done.stderr, done.returncode


def test_records_are_kept_that_the_program_reports(tmp_path, program):  # noqa: F811
    said, code = run(tmp_path)
    assert code == 1 and "1 failed, 1 passed" in said and SUM in said, said
    report = subprocess.run([program, "report", tmp_path / "records"], capture_output=True, text=True, check=False)
    assert "passed=2 failed=2" in report.stdout, report.stdout + report.stderr


def test_a_second_run_into_the_same_folder(tmp_path):
    for _ in range(3):
        said, code = run(tmp_path)
        assert code == 1 and "1 failed, 1 passed" in said and SUM in said, said
    assert sorted(path.name for path in (tmp_path / "records" / "tensors").iterdir()) == ["1", "2", "3"]


def test_a_run_of_several_processes_is_judged_as_one(tmp_path):
    said, code = run(tmp_path, "-p", "tried_workers")
    assert code == 1 and said.count(SUM) == 1, said
    assert [path.name for path in (tmp_path / "records" / "tensors").iterdir()] == ["1"]


def test_a_run_in_which_nothing_is_judged_says_so(tmp_path):
    said, code = run(tmp_path, "-k", "neither")
    assert code == 5 and "gradproof: nothing was judged" in said, said
    (tmp_path / "conftest.py").write_text("import pytest\n@pytest.fixture(autouse=True)\ndef skipped():\n    pytest.skip()\n")
    said, code = run(tmp_path)
    assert code == 5 and "2 skipped" in said and "gradproof: nothing was judged" in said, said


KEEPS = '''
import sys
sys.path.insert(0, sys.argv[1])
from gradproof import judgement
kept = judgement.Kept(sys.argv[2], sys.argv[3])
for k in range(40):
    judgement.Kept.keep(kept.new_folder(), f"{sys.argv[4]}{k}")
'''


def test_processes_that_keep_at_once_lose_nothing(tmp_path):
    first = judgement.Kept(tmp_path)
    workers = [subprocess.Popen([sys.executable, "-c", KEEPS, PACKAGE, tmp_path, first.part, name]) for name in "abcd"]
    assert [worker.wait() for worker in workers] == [0] * 4
    assert sorted(first.cases()) == sorted(f"{name}{k}" for name in "abcd" for k in range(40))
    assert judgement.Kept(tmp_path).cases() == [], "another run has its own"


@pytest.mark.parametrize("name", ["1", "x"])
def test_what_others_left_there_is_left_alone(tmp_path, name):
    (tmp_path / "tensors").mkdir()
    (tmp_path / "tensors" / name).write_text("mine")
    kept = judgement.Kept(tmp_path)
    kept.keep(kept.new_folder(), "case")
    assert kept.cases() == ["case"] and (tmp_path / "tensors" / name).read_text() == "mine"
    assert re.fullmatch(r"\d", kept.part.name)


def with_known(folder, lines, *more):
    (folder / "known.txt").write_text(lines)
    return run(folder, "-rx", "--gradproof-known-failures", folder / "known.txt", *more)


def test_a_known_failure_is_expected(tmp_path):
    said, code = with_known(tmp_path, "# of the old compiler\n\n*::test_wrong | * | a factor, issue 7 | 2026-11-28\n")
    assert code == 0 and "1 passed, 1 xfailed" in said, said
    assert "a factor, issue 7 (known since 2026-11-28)" in said, said


@pytest.mark.parametrize("line, expects", [
    ("*::test_* | * | both | 2026-11-28\n", "1 failed, 1 xfailed"),  # test_right passes
    ("*::test_right | * | mended | 2026-11-28\n", "2 failed"),
    ("*::test_other | * | no such test | 2026-11-28\n", "1 failed, 1 passed"),
    ("*::test_wron? | * | a question mark is one | 2026-11-28\n", "1 failed, 1 passed")])
def test_a_known_failure_hides_nothing_else(tmp_path, line, expects):
    said, code = with_known(tmp_path, line)
    assert code == 1 and expects in said, said


@pytest.mark.parametrize("line, says", [
    ("\ntest | * | 2026-11-28\n", "known.txt:2: 'test | * | 2026-11-28' is not TEST | * | REASON | DATE"),
    ("test | d_x | why | 2026-11-28\n", "known.txt:1: 'd_x' is no '*'"),
    ("test | * | why | soon\n", "known.txt:1: 'soon' is no date")])
def test_a_bad_line_of_known_failures_ends_it_before_any_test(tmp_path, line, says):
    said, code = with_known(tmp_path, line)
    assert code == pytest.ExitCode.USAGE_ERROR and says in said, said
