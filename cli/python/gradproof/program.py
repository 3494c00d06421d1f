# SPDX-License-Identifier: Apache-2.0
"""The program gradproof: where it is, and what it says of a line."""
import ast
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from gradproof.errors import ProgramError

__tracebackhide__ = True  # pytest shows the line of the test as the last one

# Exit codes (docs/cli.md): passed, something wrong, not all judged, the accuracy fell.
JUDGED = (0, 1, 4, 5)

PACKAGE = pathlib.Path(__file__).resolve().parent
CARRIED = PACKAGE / "bundle" / "bin" / "gradproof"
# A prefix has the package in share/gradproof/python.
IS_IN_PREFIX = PACKAGE.parts[-4:-1] == ("share", "gradproof", "python")
BESIDE = PACKAGE.parents[3] / "bin" / "gradproof" if IS_IN_PREFIX else None


def path():
    """$GRADPROOF, else the program that the wheel carries, else that of the package's prefix, else the one on PATH."""
    said = os.environ.get("GRADPROOF")
    if said:
        if os.access(said, os.X_OK):
            return said
        raise ProgramError(f"GRADPROOF={said} is no program")
    if CARRIED.exists():
        return str(CARRIED)
    if BESIDE and BESIDE.exists():
        return str(BESIDE)
    found = shutil.which("gradproof")
    if found:
        return found
    raise ProgramError("the program gradproof is not on PATH; set GRADPROOF to it (build/cpu/bin/gradproof)")


def main():
    """The command that pip installs: the program that the wheel carries. `python3` is the Python that has the wheel."""
    if not CARRIED.exists():
        _refuse(f"{CARRIED} is not there; scripts/wheel builds a package that carries it")
    _become(CARRIED, sys.argv[0])


def start():
    """What `python -m gradproof` does: the program takes this one's place, and prints commands that begin with its path."""
    try:
        found = path()
    except ProgramError as error:
        _refuse(error)
    _become(found, found)


def _refuse(why):
    print(f"gradproof: {why}", file=sys.stderr)
    sys.exit(3)


def _become(found, called):
    folder = str(pathlib.Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([folder, *filter(None, [os.environ.get("PATH")])])
    os.execv(found, [called, *sys.argv[1:]])


def command(*words):
    """How a shell starts the program with these words."""
    return shlex.join([path(), *map(str, words)])


def run(*arguments):
    """What a process of its own printed, and its exit code: for programs of `check --python`, which leave no process behind.

    All else asks the one that stays (gradproof/resident.py). Raises ProgramError where it judged nothing.
    """
    command = [path(), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode not in JUDGED:
        raise ProgramError(done.stderr.strip() or f"gradproof {arguments[0]} ended with {done.returncode}")
    return done


def is_wrong(record):
    return record["verdict"] not in ("Passed", "Mistrusted", "Skipped")


class Line:
    """A line of mathematics with the names of its tensors, of whichever the order is the line's."""

    def __init__(self, text, source):
        """source: what `gradproof python` prints of it."""
        self.text = text
        self.gradients = dict(_defined(source, "INPUTS"))
        self.cotangents = dict(_defined(source, "OUTPUTS"))
        self.axes = {name: axes.split() for name, axes in _defined(source, "AXES")}
        # For each number that the line says or takes by default: the value of its step, its word, and the number.
        self.numbers = _defined(source, "NUMBERS")

    @property
    def inputs(self):
        return list(self.gradients)

    @property
    def outputs(self):
        return list(self.cotangents)

    def is_given(self, name):
        """Whether the tensor is one that the computation gets: an input, a parameter, labels, a cotangent."""
        return name in self.gradients or name in self.cotangents.values()


def line_of(text, keys=""):
    """keys: of a Case, which say sizes and type; numbers are rounded to that type."""
    return Line(text, run("python", "{" + text + "} " + keys).stdout)


def _defined(source, name):
    """What the program defines by a tuple of Python."""
    return ast.literal_eval(re.search(rf"^{name} = (.*)$", source, re.M)[1])
