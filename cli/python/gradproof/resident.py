# SPDX-License-Identifier: Apache-2.0
"""The program that stays beside this process and judges for it: `gradproof serve` (docs/python.md, docs/cli.md).

It starts with the first use and ends with this process, however that ends. A forked child has one of its own.
"""
import atexit
import fcntl
import functools
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

from gradproof import answers, lines, program
from gradproof.errors import ProgramError

__tracebackhide__ = True  # pytest shows the line of the test as the last one

# What the program's first line has; it grows with any change that this file would misread.
SERVED = 3
# Its folders are called so: no others are removed when it was killed and cannot do it.
NAME = "gradproof-serve-"
# A folder in memory is taken where it has so many times the room that the files need.
ROOM = 4


class _Ended(Exception):
    """The program is not there any more; the text says how it ended."""


def _workers():
    """pytest-xdist gives each core a process like this one: there each has one worker."""
    return ["--workers", "1"] if "PYTEST_XDIST_WORKER" in os.environ else []


class _Resident:
    def __init__(self, path):
        self.path = path
        # A session of its own: Ctrl-C is for the test, which then says what becomes of this.
        self.process = subprocess.Popen([path, "serve", *_workers()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        bufsize=0, start_new_session=True)
        self.conversation = answers.Conversation(self.process.stdout.fileno(), self.process.stdin.fileno())
        try:
            self.folders = self._folders_of(self._told(self.conversation.line))
        except _Ended as ended:
            raise ProgramError(f"{path} serve: {ended}") from ended
        # Files outlive a program that is killed: whoever looks for abandoned folders sees that they are not.
        self.locks = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY) for folder in self.folders]
        for lock in self.locks:
            fcntl.flock(lock, fcntl.LOCK_SH)

    def _folders_of(self, hello):
        folders = [pathlib.Path(folder) for folder in hello.get("folders", ())]
        if hello.get("serve") == SERVED and folders and all(folder.name.startswith(NAME) for folder in folders):
            return folders
        self.kill()
        raise ProgramError(f"{self.path} is of another version than this package, or names folders that are not its own: {hello}")

    def _told(self, question, *words):
        try:
            return question(*words)
        except EOFError:
            raise _Ended(self._how_it_ended()) from None

    def _how_it_ended(self):
        said = self.process.stderr.read().decode(errors="replace").strip()
        code = self.process.wait()
        return said or (f"it was ended by {signal.Signals(-code).name}" if code < 0 else f"it ended with {code}")

    def ask(self, words):
        return self._told(self.conversation.ask, words)

    def let_go(self):
        """Of a forked child: what it has of the other's pipes would keep the program alive."""
        self._close()
        for lock in self.locks:
            os.close(lock)
        self.process.returncode = 0  # it is another's child

    def end(self):
        """It removes its folders."""
        self._close()
        self.process.wait()

    def kill(self):
        """What it was asked is not wanted, or not known, any more."""
        self.process.kill()
        self.end()

    def _close(self):
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


class _Keeper:
    """The one that is there, if there is one; threads share it."""

    def __init__(self):
        self.lock = threading.RLock()
        self.resident = None
        self.left = []  # folders of those that were killed

    def started(self):
        path = program.path()
        if self.resident and (self.resident.path != path or self.resident.process.poll() is not None):
            self.resident.kill()
            self.left += self.resident.folders
            self.resident = None
        if not self.resident:
            self.resident = _Resident(path)
        return self.resident

    def ask(self, words):
        with self.lock:
            try:
                try:
                    return self.started().ask(words)
                except _Ended:  # somebody ended it, which says nothing of what it was asked
                    return self.started().ask(words)
            except _Ended as ended:
                raise ProgramError(f"gradproof serve, asked '{words[0]}' twice: {ended}") from ended
            except BaseException:  # Ctrl-C: the answer to come is not the next request's
                if self.resident:
                    self.resident.kill()
                raise

    def end(self):
        if self.resident:
            self.resident.end()
        for folder in [*self.left, *(self.resident.folders if self.resident else ())]:
            shutil.rmtree(folder, ignore_errors=True)

    def forget(self):
        """What a forked child does."""
        if self.resident:
            self.resident.let_go()
        self.__init__()


_keeper = _Keeper()
atexit.register(_keeper.end)
os.register_at_fork(after_in_child=_keeper.forget)


@functools.lru_cache(maxsize=1024)
def _line(_, text):
    return lines.described(run, text)


def line_of(text):
    """The Line of that text, which the same program is asked about once."""
    return _line(program.path(), text)


def claim(name):
    """The line of the claim of that name (`gradproof list claims`), as check(), judge(), backward() and laws() take it: its contract is
    that of the function unless another is said. Raises ProgramError for a name that no claim has, with the nearest one."""
    return lines.claimed(run, name)


def start():
    """Starts it where there is none, and does not wait: it loads what it needs while this process does."""
    with _keeper.lock:
        _keeper.started()


def begin(*words):
    """Lets it judge the one set of a command line while this process makes others, which run() then names behind that one."""
    with _keeper.lock:
        _keeper.started().conversation.send({"early": [str(word) for word in words]})


def run(*words):
    """The Answer to a command line. Raises ProgramError where it judged nothing."""
    words = [str(word) for word in words]
    return answers.judged(_keeper.ask(words), words)


def new_folder(size):
    """A folder that goes with this process, for files of so many bytes: in memory where there is room."""
    with _keeper.lock:
        folders = _keeper.started().folders
    for folder in folders[:-1]:
        found = os.statvfs(folder)
        if found.f_bavail * found.f_frsize >= ROOM * size:
            return pathlib.Path(tempfile.mkdtemp(dir=folder))
    return pathlib.Path(tempfile.mkdtemp(dir=folders[-1]))
