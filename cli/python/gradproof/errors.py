# SPDX-License-Identifier: Apache-2.0
"""What a check raises. A conviction is an AssertionError, so that a test fails and is no error of the test."""


class Convicted(AssertionError):
    """Something is wrong with what was judged: an element over its bound, no gradient, an input that changed."""

    def __init__(self, text, judgement=None):
        super().__init__(text)
        self.judgement = judgement


class Inconclusive(AssertionError):
    """Nothing is over its bound, and some tensor was not judged."""

    def __init__(self, text, judgement=None):
        super().__init__(text)
        self.judgement = judgement


class ProgramError(RuntimeError):
    """The program refused what it was asked (a line, a name, a shape), is not there or broke down."""


class MistrustedWarning(UserWarning):
    """A tensor passed, and the pass proves little: the reason is in the text. -W error makes it an error."""
