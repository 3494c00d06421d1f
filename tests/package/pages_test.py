# SPDX-License-Identifier: Apache-2.0
"""What README.md and docs/ show of examples and of code in Python, typed in a folder beside an installed prefix."""
import pathlib
import re
import sys

import pages
import pytest
import torch
from pages import ROOT, fenced, sessions

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SESSIONS = [(page.name, session) for page in PAGES for session in sessions.find(page.read_text()) if session.has_an_example()]
# What stands around the snippets in a test of their reader.
PRELUDE = """import gradproof
import torch

LINE = "y = rms_norm(x, weight, eps=1e-6)"


def my_norm(x, weight):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, 1e-6) * {factor}


def my_serf(x):
    return x * torch.erf(torch.nn.functional.softplus(x) * {factor})


x, weight = torch.randn(16, 64, generator=torch.Generator().manual_seed(1)), torch.full((64,), 1.5)
"""
SNIPPETS = [(page.name, text) for page in PAGES for text in fenced("python", page) if "gradproof.check" in text]


def complaints(installed, page, session):
    with_torch = {**installed.environment, "PATH": f"{pathlib.Path(sys.executable).parent}:{installed.environment['PATH']}"}
    return list(sessions.complaints(page, session, installed.prefix / "bin", examples=installed.prefix / "share/gradproof/examples",
                                    variables=with_torch))


@pytest.mark.parametrize("page, session", SESSIONS)
def test_a_session_with_an_example(installed, page, session):
    assert not complaints(installed, page, session)


def test_a_session_that_shows_something_else(installed):
    page, session, lines, at = next((page, session, step.lines, at) for page, session in SESSIONS for step in session.steps
                                    for at, line in enumerate(step.lines) if line.lstrip().startswith("passed"))
    lines[at] = lines[at].replace("passed", "FAILED")
    assert complaints(installed, page, session)


def run_snippet(installed, text, factor):
    text = text if torch.cuda.is_available() else text.replace(', device="cuda"', "")
    called = "".join(f"{name}()\n" for name in re.findall(r"^def (test_\w+)\(\)", text, re.M))
    (installed.folder / "snippet.py").write_text(f"{PRELUDE.format(factor=factor)}\n\n{text}\n{called}")
    return installed.run(sys.executable, "-B", "snippet.py")


@pytest.mark.parametrize("page, text", SNIPPETS)
def test_a_snippet(installed, page, text):
    code, said = run_snippet(installed, text, factor=1)
    assert code == 0, said
    code, said = run_snippet(installed, text, factor=1.03)
    assert code != 0 and re.search("gradproof.errors.Convicted: \\w+: ", said), said


def test_the_pages_have_snippets():
    assert {page for page, _ in SNIPPETS} == {"README.md", "bring-your-own.md", "python.md", "without-a-line.md"}


def typed(installed, command, folder=None):
    """What a command prints to standard output, and its exit code, where PATH begins with the prefix's programs."""
    return installed.run("bash", "-c", f"PATH={installed.prefix}/bin:$PATH; {command} 2>errors", folder=folder)


def test_the_first_line_of_the_readme(installed):
    readme = (ROOT / "README.md").read_text()
    code, said = typed(installed, re.search(r"`(gradproof check --pipeline '[^`]*')`", readme)[1])
    assert code == 0 and "RESULT passed=3 failed=0" in said, said


def test_the_wrong_candidate(installed):
    folder = installed.example("python_candidate")
    _, trials = installed.run(sys.executable, "-B", "trials.py", "wrong", folder=folder)
    assert pages.prints(pages.shown("`python trials.py wrong`"), trials), trials
    command = "gradproof check --python wrong.py --reference layer_norm.py"
    code, said = typed(installed, f"{command} --python-program {sys.executable}", folder)
    # What torch computes is not the same on each CPU: of that the verdicts alone.
    shown = pages.shown(f"`{command}`")
    assert code == 1 and pages.prints(shown, said, digits=False), said
    assert shown[-1].partition(" seconds=")[0] in said, said
    assert not pages.prints(pages.shown(f"`{command}`"), trials), "a control"
