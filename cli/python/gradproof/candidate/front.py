# SPDX-License-Identifier: Apache-2.0
"""The program that started a trial answers its command lines: no process is started for one, and its workers stay for the verdict.

Nobody but the trusted process has the descriptor: those of reference and candidate are started without it (processes.py).
"""
import os

from gradproof import answers, lines
from gradproof.errors import ProgramError


class Front:
    def __init__(self, descriptor):
        os.set_inheritable(descriptor, False)
        self.conversation = answers.Conversation(descriptor, descriptor)
        self.known = {}  # each line is asked about once

    def run(self, *words):
        """The Answer to a command line. Raises ProgramError where the program judged nothing."""
        words = [str(word) for word in words]
        try:
            return answers.judged(self.conversation.ask(words), words)
        except (EOFError, OSError) as error:
            raise ProgramError(f"the program that started this trial is gone: {error}") from error

    def line_of(self, text, keys=""):
        """What it says of a line, and of the keys of a Case behind it."""
        if (text, keys) not in self.known:
            self.known[text, keys] = lines.described(self.run, text, keys)
        return self.known[text, keys]
