# SPDX-License-Identifier: Apache-2.0
"""bubblewrap around a candidate's process: all files are read-only but its answers and a /tmp of its own, and there is no network."""
import os
import pathlib
import shutil
import subprocess
import sys

from gradproof.candidate.loading import Refused
from gradproof.executor import cache_folder

HIDDEN = ("/tmp", "/dev/shm")
# Caches that lie in the home folder otherwise, which is read-only.
CACHES = {"TMPDIR": "/tmp", "TRITON_CACHE_DIR": "/tmp/triton", "TORCHINDUCTOR_CACHE_DIR": "/tmp/inductor",
          "TORCH_EXTENSIONS_DIR": "/tmp/extensions", "CUDA_CACHE_PATH": "/tmp/cuda", "XDG_CACHE_HOME": "/tmp/cache"}


def sandbox(spec, notes):
    """The words in front of a command and what its environment has besides; none where there is no sandbox, which a note says.

    Raises Refused where one is required.
    """
    (pathlib.Path(spec["folder"]) / "answers").mkdir()
    if spec["sandbox"] == "none":
        return [], {}
    words = _words(spec)
    why = _why_not(words)
    if not why:
        return words, CACHES
    if spec["sandbox"] == "require":
        raise Refused(f"--sandbox=require: {why}")
    notes.append(f"no sandbox: {why}; the candidate can write what you can")
    return [], {}


def _words(spec):
    folder = pathlib.Path(spec["folder"])
    words = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/dev/shm",
             "--unshare-all", "--die-with-parent"]
    for device in pathlib.Path("/dev").glob("nvidia*"):
        words += ["--dev-bind", str(device), str(device)]
    for path in _needed(spec):
        words += ["--ro-bind-try", path, path]
    return [*words, "--ro-bind", str(folder), str(folder), "--bind", str(folder / "answers"), str(folder / "answers")]


def _needed(spec):
    """Folders that the private /tmp would hide: of the candidate's file, of Python and of what it imports, this one."""
    given = [cache_folder(), pathlib.Path(spec["candidate"]).parent, pathlib.Path.cwd(), shutil.which(spec["python"]) or spec["python"], sys.prefix,
             *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    found = dict.fromkeys(str(pathlib.Path(path).absolute()) for path in given)
    return [path for path in found if any(path.startswith(f"{hidden}/") for hidden in HIDDEN)]


def _why_not(words):
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (bwrap)"
    done = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    said = done.stderr.strip().splitlines() or ["without a word"]
    return f"bwrap cannot make one here: {said[-1]}" if done.returncode else ""
