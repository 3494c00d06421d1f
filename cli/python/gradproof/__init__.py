# SPDX-License-Identifier: Apache-2.0
"""Judges functions of torch and tensors of anything by a line of mathematics: docs/python.md.

    import gradproof
    gradproof.check(my_norm, "y = rms_norm(x, weight, eps=1e-6)", x=x, weight=weight)

stands where torch.testing.assert_close(my_norm(x, weight), reference(x, weight), rtol=?, atol=?) stood.
"""
from gradproof.backwards import backward
from gradproof.drawn import given
from gradproof.errors import Convicted, Inconclusive, MistrustedWarning, ProgramError
from gradproof.functions import check
from gradproof.invariance import Invariance, invariant
from gradproof.judgement import Judgement, judge
from gradproof.verdicts import verdict

__all__ = ["Convicted", "Inconclusive", "Invariance", "Judgement", "MistrustedWarning", "ProgramError", "backward", "check", "given",
           "invariant", "judge", "verdict"]
