# SPDX-License-Identifier: Apache-2.0
"""On which of a GPU's streams a candidate is called: one of its own, and the default one where it launches there whatever is asked.

Launches on the default stream do not wait for the inputs of the caller's, so nothing of what they compute can be judged there. Then
that is one finding, and all else is judged on the default stream.
"""
import contextlib

from gradproof.candidate import layouts


class Streams:
    """stream: "own" or "default", on which the calls begin. is_found: the candidate is right on the default one alone."""

    def __init__(self, device, stream):
        self.device = device
        self.is_default = stream == "default"
        self.is_found = False

    def current(self):
        return contextlib.nullcontext() if self.is_default else layouts.own_stream(self.device)

    def run(self, run):
        """What run() has written; of a first set on a GPU on whichever stream it is to be judged."""
        with self.current():
            written = run()
        if self.device != "cuda" or self.is_default:
            return written
        behind = run()
        if is_repeated(behind) and of_part(behind, "first") != of_part(written, "first"):
            self.is_default = self.is_found = True
            return behind
        return written


def of_part(written, part):
    """Bytes by name of what repeated.py keeps."""
    return {name.partition("/")[2]: data.data for name, data in written.items() if name.startswith(f"{part}/")}


def is_repeated(written):
    """Whether a second call gave the same bits: else no difference says anything of the stream."""
    again = of_part(written, "again")
    return bool(again) and all(of_part(written, "first").get(name) == data for name, data in again.items())
