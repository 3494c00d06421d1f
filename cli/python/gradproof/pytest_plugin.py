# SPDX-License-Identifier: Apache-2.0
"""pytest --gradproof-records DIR keeps the tensors of every check; at the end all are judged as one run, for report.

--gradproof-known-failures FILE expects the tests that it names to be convicted, and fails where one is not.
With pytest-xdist the tests run in workers; the process that started them judges what all of them kept.
"""
import pathlib

import pytest

from gradproof import judgement, known_failures, program, resident
from gradproof.errors import Convicted

# What pytest-xdist hands to a worker by this name: the part of the folder that is this run's.
PART = "gradproof_part"
KNOWN = pytest.StashKey()


def is_worker(config):
    """Whether another process started this one and has the summary."""
    return hasattr(config, "workerinput")


def pytest_addoption(parser):
    group = parser.getgroup("gradproof")
    group.addoption(
        "--gradproof-records", metavar="DIR", help="folder that takes tensors and records of gradproof.check and judge")
    group.addoption(
        "--gradproof-known-failures", metavar="FILE", help="file of tests that are convicted, and known to be: TEST | * | REASON | DATE")


def pytest_configure(config):
    file = config.getoption("--gradproof-known-failures")
    try:
        config.stash[KNOWN] = known_failures.read(file) if file else []
    except (OSError, ValueError) as error:
        raise pytest.UsageError(f"--gradproof-known-failures: {error}") from None
    folder = config.getoption("--gradproof-records")
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        judgement.kept = judgement.Kept(folder, getattr(config, "workerinput", {}).get(PART))


def pytest_collection_modifyitems(config, items):
    for item in items:
        for known in config.stash[KNOWN]:
            if known.is_of(item.nodeid):
                item.add_marker(pytest.mark.xfail(raises=Convicted, strict=True, reason=f"{known.reason} (known since {known.date})"))
                break


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Of pytest-xdist: a worker is about to be started."""
    if judgement.kept:
        node.workerinput[PART] = str(judgement.kept.part)


def pytest_sessionfinish(session, exitstatus):
    """Nothing judged is no success: an empty list of parameters is a skipped test to pytest, and a green run."""
    if is_worker(session.config):  # it may have got no test that judges
        return
    if judgement.kept and not judgement.kept.cases() and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


def pytest_terminal_summary(terminalreporter):
    kept = judgement.kept
    if not kept or is_worker(terminalreporter.config):
        return
    found = kept.cases()
    if not found:
        terminalreporter.write_line("gradproof: nothing was judged")
        return
    cases = kept.part / "checks.cases"
    cases.write_text("".join(f"{case}\n" for case in found))
    last = resident.run("check", "--cases", cases, "--records", kept.folder, "--quiet").output.splitlines()[-1]
    terminalreporter.write_line(f"gradproof: {last}")
    terminalreporter.write_line(f"gradproof: {program.command('report', kept.folder)}")


def pytest_unconfigure(config):
    judgement.kept = None
