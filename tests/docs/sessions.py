# SPDX-License-Identifier: Apache-2.0
"""Sessions in Markdown: `$ COMMAND` in a fenced block, and beneath it what the command prints (docs_test.py)."""
import dataclasses
import difflib
import itertools
import os
import pathlib
import re
import subprocess
import tempfile

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
ANY_LINES = "..."
PROGRAMS = re.compile(r"(build/cpu/bin/)?(gradproof|audit_your_function)\b")
# What no two runs share: seconds, the last column of an audit's rows, and memory.
VARYING = [
    (re.compile(r"seconds=[\d.]+"), "seconds=#"),
    (re.compile(r"\b\d+\.\d+ s\b"), "# s"),
    (re.compile(r"^(  (?:certified|wrong|inconclusive) .*?) +\d+\.\d\d$"), r"\1 #"),
    (re.compile(r"[\d.]+ GiB \((worker|front)\)"), r"# GiB (\1)"),
]
WIDTH = 100  # columns of the terminal that sessions are printed for
WHOLE = re.compile(r"RESULT |gradproof: ")


@dataclasses.dataclass
class Step:
    """A command, and the lines that stand beneath it."""
    command: str
    lines: list


@dataclasses.dataclass
class Session:
    """A fenced block whose first line is a command."""
    text: str
    steps: list

    def has_an_example(self):
        """Whether it runs a program of examples/, which is done from an installed prefix: tests/package/pages_test.py."""
        return "examples/" in self.text

    def with_steps(self, steps):
        return "```\n" + "".join(f"$ {s.command}\n" + "".join(line + "\n" for line in s.lines) for s in steps) + "```\n"


def find(page):
    sessions = []
    for block in re.findall(r"^```\n(?:\$ .*\n)(?:(?!```).*\n)*```\n", page, re.M):
        steps = []
        for line in block.splitlines()[1:-1]:
            if line.startswith("$ "):
                steps.append(Step(line[2:], []))
            else:
                steps[-1].lines.append(line)
        sessions.append(Session(block, steps))
    return sessions


def masked(line):
    for pattern, instead in VARYING:
        line = pattern.sub(instead, line)
    return line


def matches(said, printed):
    """Whether these lines are what was printed."""
    pattern = "".join("(?:.*\n)*?" if line == ANY_LINES else re.escape(masked(line)).replace(r"\.\.\.", ".*") + "\n"
                      for line in said)
    return re.fullmatch(pattern, "".join(masked(line) + "\n" for line in printed)) is not None


def rewritten(said, printed):
    """`said` with what was printed in place of the lines that were not. Where lines are left out, those between two
    `...` become as many that stand together and are most like them; nothing changes where they are not alike."""
    if matches(said, printed):
        return said
    if ANY_LINES not in said:
        return printed
    result, at = [], 0
    for together, lines in itertools.groupby(said, lambda line: line != ANY_LINES):
        lines = list(lines)
        if together:
            found = [(alike(lines, printed[start:]), start) for start in range(at, len(printed) - len(lines) + 1)]
            score, start = max(found, default=(0, at), key=lambda pair: pair[0])
            if score > 0.5:
                at = start + len(lines)
                lines = [old if matches([old], [new]) else new for old, new in zip(lines, printed[start:])]
        result += lines
    return result


def alike(lines, printed):
    """How alike these lines are to the first printed ones, from 0 to 1."""
    ratios = [1.0 if matches([line], [other]) else difflib.SequenceMatcher(None, line, other).ratio()
              for line, other in zip(lines, printed)]
    return sum(ratios) / len(ratios)


def run(session, programs, examples=CHECKOUT / "examples", variables=os.environ):
    """What each command prints, in a folder of its own that has programs and examples where a checkout has them."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder, "build/cpu")).mkdir(parents=True)
        os.symlink(programs, pathlib.Path(folder, "build/cpu/bin"))
        os.symlink(examples, pathlib.Path(folder, "examples"))
        # Commands that are printed name the program as it was started, so it is found by its name only where that is how.
        by_name = any(not step.command.startswith("build/cpu/bin/") for step in session.steps)
        environment = {**variables, "COLUMNS": str(WIDTH), "PATH": f"{programs}:{variables['PATH']}" if by_name else variables["PATH"]}
        for step in session.steps:
            done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode == 127:
                raise FileNotFoundError(done.stdout)  # a program that was not built
            # How far a run is, every 30 seconds.
            yield [line for line in done.stdout.splitlines() if not line.startswith("progress  ")]


def difference(said, printed):
    """Lines of both that tell why they do not match."""
    if ANY_LINES in said:
        missed = (n for n in range(len(said)) if not matches([*said[:n + 1], ANY_LINES], printed))
        return ["-" + said[next(missed, -1)], "and what follows is not printed there"]
    pairs = [list(map(masked, lines)) for lines in (said, printed)]
    return [line for line in difflib.unified_diff(*pairs, n=0, lineterm="") if line[:2] not in ("--", "++", "@@")]


def too_long(command, printed):
    """Lines that the width does not hold, paths left out. RESULT, an error and an object are one line each, and `search`
    is a tool of developers whose rows end in a Case."""
    if "--json" in command or command.startswith("gradproof search"):
        return []
    return [line for line in printed if len(re.sub(r"\S*/\S*", "", line)) > WIDTH and not WHOLE.match(line)]


def complaints(page, session, programs, **where):
    for step, printed in zip(session.steps, run(session, programs, **where)):
        for line in too_long(step.command, printed):
            yield f"{page}: $ {step.command}: a line of {len(line)} characters: {line}"
        if not PROGRAMS.match(step.command):
            yield f"{page}: $ {step.command}: none of the programs"
        elif not matches(step.lines, printed):
            yield "\n  ".join([f"{page}: $ {step.command}", *difference(step.lines, printed)])


def updated(page, programs):
    for session in find(page):
        steps = [Step(step.command, rewritten(step.lines, printed))
                 for step, printed in zip(session.steps, run(session, programs))]
        page = page.replace(session.text, session.with_steps(steps))
    return page
