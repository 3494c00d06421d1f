# SPDX-License-Identifier: Apache-2.0
"""The program gradproof: where it is."""
import os
import pathlib
import shlex
import shutil
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


def is_wrong(record):
    return record["verdict"] not in ("Passed", "Mistrusted", "Skipped")
