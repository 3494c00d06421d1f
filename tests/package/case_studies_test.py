# SPDX-License-Identifier: Apache-2.0
"""examples/case_studies, from an installed prefix, print what docs/case-studies.md shows: where a fixed tolerance was wrong, and what gradproof says.

Run as a program, it writes what they print into the page.
"""
import os
import pathlib
import re
import sys
import tempfile

import pytest
import torch
from pages import without_digits
from scratch import Scratch

SOURCE = pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"])
PAGE = SOURCE / "docs/case-studies.md"
EXAMPLES = sorted(path.stem for path in (SOURCE / "examples/case_studies").glob("*.py") if path.stem != "verdicts")
# A command, a blank line and what it prints, all of it code of Markdown.
SHOWN = re.compile(r"^    PYTHON examples/case_studies/(\w+)\.py\n((?:\n|    .*\n)*)", re.M)

# Those that call torch.exp, which is MKL's: another one on Intel's CPUs than on others.
OF_MKL = ("nan_is_close", "zeros")
INTEL = "GenuineIntel" in pathlib.Path("/proc/cpuinfo").read_text()


class Studies:
    """What each prints, run once."""

    def __init__(self, installed):
        self.installed = installed
        self.folder = installed.example("case_studies")
        self.said = {}

    def printed(self, example):
        if example not in self.said:
            code, self.said[example] = self.installed.run(sys.executable, "-B", f"{example}.py", folder=self.folder)
            assert code == 0, self.said[example]
        return self.said[example]


@pytest.fixture(scope="session")
def studies(installed):
    return Studies(installed)


def shown(page):
    return {name: "".join(line[4:] + "\n" for line in text.strip("\n").splitlines()) for name, text in SHOWN.findall(page)}


def same(said, text, example):
    """Digits follow from torch's order of sums, which follows from the vectors of the CPU, and from MKL's functions."""
    exact = torch.backends.cpu.get_cpu_capability() == "AVX512" and (INTEL or example not in OF_MKL)
    return said == text if exact else without_digits(said) == without_digits(text)


def verdicts(text):
    """(kernel is right, the tolerance fails it, gradproof fails it) of each three lines."""
    lines = text.splitlines()
    for kernel, tolerance, judged in zip(lines[0::3], lines[1::3], lines[2::3]):
        yield (kernel.startswith("right"), bool(re.search(r"fails(?! in 0 of)|exit code 1", tolerance)),
               bool(re.search(r"FAILED|exit code [15]", judged)))


def test_the_page_has_each_example():
    assert sorted(shown(PAGE.read_text())) == EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_prints_what_the_page_shows(studies, example):
    said = shown(PAGE.read_text())[example]
    text = studies.printed(example)
    assert same(said, text, example), text
    # A control of the comparison: the other verdict is no match.
    assert not same(said.replace("passe", "faile") if "passe" in said else said.replace("code 0", "code x"), text, example)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_tolerance_was_wrong_and_gradproof_is_not(studies, example):
    found = list(verdicts(studies.printed(example)))
    assert any(right == failed for right, failed, _ in found)
    assert not any(convicted for right, _, convicted in found if right)
    assert any(convicted for right, _, convicted in found if not right)


def test_a_tolerance_that_fails_in_no_run_is_not_wrong():
    said = "right\n  atol=1: fails in {} of 200 runs\n  gradproof: y passed (0.5)\n"
    assert list(verdicts(said.format(0) + said.format(4))) == [(True, False, False), (True, True, False)]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        made = Studies(Scratch(pathlib.Path(os.environ["GRADPROOF_BIN_DIR"]).parent, scratch))
        PAGE.write_text(SHOWN.sub(
            lambda found: f"    PYTHON examples/case_studies/{found[1]}.py\n\n"
            + "".join(f"    {line}\n" for line in made.printed(found[1]).splitlines()) + "\n", PAGE.read_text()))
