# SPDX-License-Identifier: Apache-2.0
"""A process of user's code: messages from it with a deadline, its last words, and its end with all that it started."""
import ctypes
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PRCTL = ctypes.CDLL(None).prctl

# What of its output is kept for a message; it may print without end.
LAST_WORDS = 4096
# What C++ says of an exception that ends a process.
THROWN = re.compile(rb"^ *what\(\): *(.+)\n", re.M)
# So many reads of it when the process is gone: what it left behind may go on printing.
LAST_READS = 64


class Silent(Exception):
    """Nothing came before the deadline."""


class Ended(Exception):
    """The process is gone: the text says how."""


class Interrupted(BaseException):
    """This process was told to end, and ends those that it started first."""


def end_when_told():
    """From here on a SIGTERM, of the program that started this process or because that is gone, raises Interrupted, once.

    Before, it ends the process at once: nothing has been started then.
    """
    def tell(number, frame):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Interrupted()
    signal.signal(signal.SIGTERM, tell)
    end_with_parent(signal.SIGTERM)


def adopt_orphans():
    """What processes below this one leave behind becomes its child, and ends with the Child that left it."""
    PRCTL(PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent(signal_number=signal.SIGKILL):
    PRCTL(PR_SET_PDEATHSIG, signal_number)


def _own_children():
    found = set()
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it ended meanwhile
        if parent == os.getpid():
            found.add(int(stat.parent.name))
    return found


def _end_orphan(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass  # whoever waited for it has had its end


class Child:
    """A module of this package run by the user's Python in a session of its own.

    It imports torch and waits for a line of JSON on standard input that says what it is to do; it answers on the descriptor
    that is its argument.
    """

    known = set()  # process numbers of those that are not ended

    def __init__(self, python, module, within=((), {})):
        """within: of sandbox.py, words in front of the command and what its environment has besides."""
        reading, writing = os.pipe()
        printed, printing = os.pipe()
        self.is_within = bool(within[0])
        command = [*within[0], python, "-B", "-m", f"gradproof.candidate.{module}", str(writing)]
        # What is allocated is filled with 0x7f and what is freed with 0x80: a result that nobody wrote is no result of before.
        environment = {**os.environ, "MALLOC_PERTURB_": "128", "TORCHINDUCTOR_COMPILE_THREADS": "1", **within[1]}
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=printing, stderr=printing,
                                            pass_fds=[writing], start_new_session=True, env=environment)
        finally:
            os.close(writing)
            os.close(printing)
        Child.known.add(self.process.pid)
        self.reading, self.printed = reading, printed
        self.buffer, self.words, self.thrown = b"", b"", b""
        self.is_ready = False

    def await_ready(self, seconds):
        """Waits for the first message of host.py, which says that torch is imported. Nothing of the candidate's has run then."""
        if not self.is_ready:
            self.message(seconds)
            self.is_ready = True

    def message(self, seconds):
        """The next one. Raises Silent and Ended."""
        end = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0:
                raise Silent()
            ready, _, _ = select.select([self.reading, *self._printing()], [], [], left)
            if self.printed in ready:
                self._take_words()
            if self.reading in ready:
                part = os.read(self.reading, 65536)
                if not part:
                    raise Ended(self.ending())
                self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise Ended("it wrote what is no message where its answers belong")
        return message

    def _printing(self):
        return [] if self.printed is None else [self.printed]

    def _take_words(self):
        part = os.read(self.printed, 65536)
        # Behind what C++ says of an exception that nobody catches LibTorch prints frames without end.
        thrown = THROWN.search(self.words + part)
        self.thrown = self.thrown or (thrown[1] if thrown else b"")
        self.words = (self.words + part)[-LAST_WORDS:]
        if not part:
            os.close(self.printed)
            self.printed = None

    def last_line(self):
        """Of what it printed; empty where that is nothing."""
        for _ in range(LAST_READS):
            if self.printed is None or not select.select([self.printed], [], [], 0)[0]:
                break
            self._take_words()
        lines = (self.thrown or self.words).decode(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else ""

    def ending(self):
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            return "closed the channel that it answers on"
        if self.is_within and code > 128:  # as a shell says it
            code = 128 - code
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        said = self.last_line()
        return f"{how}: {said}" if said else how

    def send(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # message() says how it ended

    def end(self):
        """Ends it and all that it started, in sessions of their own too."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        Child.known.discard(self.process.pid)
        while orphans := _own_children() - Child.known:
            for pid in orphans:
                _end_orphan(pid)
        for descriptor in [self.reading, *self._printing()]:
            os.close(descriptor)
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # a line that it never read
