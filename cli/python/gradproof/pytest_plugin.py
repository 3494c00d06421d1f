# SPDX-License-Identifier: Apache-2.0
"""pytest --gradproof-records DIR keeps the tensors of every check; at the end all are judged as one run, for report."""
import pathlib

import pytest

from gradproof import judgement, program


def pytest_addoption(parser):
    parser.getgroup("gradproof").addoption(
        "--gradproof-records", metavar="DIR", help="folder that takes tensors and records of gradproof.check and judge")


def pytest_configure(config):
    folder = config.getoption("--gradproof-records")
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        judgement.kept = judgement.Kept(folder)


def pytest_sessionfinish(session, exitstatus):
    """Nothing judged is no success: an empty list of parameters is a skipped test to pytest, and a green run."""
    if judgement.kept and not judgement.kept.cases and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


def pytest_terminal_summary(terminalreporter):
    kept = judgement.kept
    if not kept:
        return
    if not kept.cases:
        terminalreporter.write_line("gradproof: nothing was judged")
        return
    cases = kept.folder / "checks.cases"
    cases.write_text("".join(f"{case}\n" for case in kept.cases))
    last = program.run("check", "--cases", cases, "--records", kept.folder, "--quiet").stdout.splitlines()[-1]
    terminalreporter.write_line(f"gradproof: {last}")
    terminalreporter.write_line(f"gradproof: {program.command('report', kept.folder)}")


def pytest_unconfigure(config):
    judgement.kept = None
