# SPDX-License-Identifier: Apache-2.0
"""What README.md and docs/ show of commands that a user types beside an installed prefix, and of the examples' text."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BRING_YOUR_OWN = ROOT / "docs/bring-your-own.md"
sys.path.insert(0, str(ROOT / "tests/docs"))
import sessions  # noqa: E402


def shown(command, page=BRING_YOUR_OWN):
    """The lines of code behind the block or the paragraph that has the command."""
    behind = page.read_text().split(command, 1)[1].split("\n\n", 1)[1]
    return [line[4:] for line in re.search(r"(?:^    .*\n)+", behind, re.M)[0].splitlines()]


def fenced(language, page=BRING_YOUR_OWN):
    return re.findall(rf"^```{language}\n(.*?)^```\n", page.read_text(), re.M | re.S)


def without_digits(text):
    return re.sub(r"\d[\d.]*(e[+-]?\d+)?", "#", text)


def prints(said, printed, digits=True):
    """Whether these lines are the first that were printed, in which `...` is any text; whether bubblewrap is there is no matter.

    digits: whether they are to be the same. What torch computes follows from its order of sums, and that from the CPU.
    """
    lines = [line for line in printed.splitlines() if not line.startswith("no sandbox: ")]
    said = [*said, sessions.ANY_LINES]
    return sessions.matches(said, lines) if digits else sessions.matches(
        [without_digits(line) for line in said], [without_digits(line) for line in lines])


def is_part_of(snippet, source):
    """Whether the source has this text, in which `...` is any text; line breaks are no matter, nor is a first line that is a comment."""
    compact = ["".join(text.split()) for text in (re.sub(r"\A//.*\n", "", snippet), source)]
    return re.search(re.escape(compact[0]).replace(r"\.\.\.", ".*?"), compact[1]) is not None


def lines(text):
    """How many there are that are not blank, nor say the licence."""
    return sum(1 for line in text.splitlines() if line.strip() and "SPDX" not in line)


def says_lines(example, *texts):
    """Whether the page's table of what one writes has these lines of the example."""
    counted = " + ".join(str(lines(text)) for text in texts)
    return re.search(rf"^\|[^|\n]*\|[^|\n]*{re.escape(example)}[^|\n]*\| {re.escape(counted)} \|$", BRING_YOUR_OWN.read_text(), re.M) is not None
