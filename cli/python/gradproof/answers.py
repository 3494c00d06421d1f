# SPDX-License-Identifier: Apache-2.0
"""Command lines that a program answers which stays, a line of JSON each (docs/cli.md#serve)."""
import dataclasses
import json
import os

from gradproof import program
from gradproof.errors import ProgramError

__tracebackhide__ = True  # pytest shows the line of the test as the last one


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a command line came to: as its process would have ended, the records of the tensors that it judged, and what is wrong:
    of each cause its Case, one sentence ("what"), a table and details, in lines of messages.WIDTH."""
    code: int
    output: str
    errors: str
    records: list
    causes: list


class Conversation:
    """One question after the other, over two descriptors."""

    def __init__(self, reading, writing):
        self.reading, self.writing = reading, writing
        self.rest = b""

    def ask(self, words):
        self.send({"words": words})
        return Answer(**self.line())

    def send(self, message):
        line = json.dumps(message).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self.writing, line):]
        except BrokenPipeError:
            pass  # the other has ended, and line() says so

    def line(self):
        """The next message. Raises EOFError where there will be none."""
        while (end := self.rest.find(b"\n")) < 0:
            more = os.read(self.reading, 1 << 20)
            if not more:
                raise EOFError()
            self.rest += more
        line, self.rest = self.rest[:end], self.rest[end + 1:]
        return json.loads(line)


def judged(answer, words):
    """The answer to the words. Raises ProgramError where nothing was judged."""
    if answer.code not in program.JUDGED:
        raise ProgramError(answer.errors.strip() or f"gradproof {words[0]} ended with {answer.code}")
    return answer
