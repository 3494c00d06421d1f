# SPDX-License-Identifier: Apache-2.0
"""The one place that keeps tensors of runs that failed, so that their replay lines run: docs/python.md."""
import os
import pathlib
import shutil
import stat
import tempfile
import time

# So many runs stay, and so many bytes of all together; the newest stays in any case.
MOST_RUNS = 100
MOST_BYTES = 1 << 30


def place():
    """In the temporary folder ($TMPDIR), of this user alone."""
    path = pathlib.Path(tempfile.gettempdir()) / f"gradproof-failures-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise OSError(f"{path} is somebody else's")
    return path


def keep(folders):
    """Moves the folders into a new one there, which it returns, and removes the oldest beyond the limits."""
    into = pathlib.Path(tempfile.mkdtemp(prefix=time.strftime("%Y%m%d-%H%M%S-"), dir=place()))
    try:
        for folder in folders:
            shutil.move(folder, into)
    except OSError:
        shutil.rmtree(into, ignore_errors=True)
        raise
    _clean(into)
    return into


def said(into):
    return f"tensors: {into}, one of the last {MOST_RUNS} that failed, {MOST_BYTES >> 20} MiB at most"


def _clean(newest):
    runs = sorted((path for path in newest.parent.iterdir() if path != newest), key=_age)
    count, size = 1, _size(newest)
    for path in runs:
        count += 1
        size += _size(path)
        if count > MOST_RUNS or size > MOST_BYTES:
            shutil.rmtree(path, ignore_errors=True)


def _age(path):
    try:
        return -path.stat().st_mtime_ns
    except OSError:  # another process has removed it
        return 0


def _size(path):
    try:
        return sum(file.stat().st_size for file in path.rglob("*.safetensors"))
    except OSError:
        return 0
