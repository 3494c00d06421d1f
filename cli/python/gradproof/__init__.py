# SPDX-License-Identifier: Apache-2.0
"""Judges functions of torch and tensors of anything by a line of mathematics: docs/python.md.

    import gradproof
    gradproof.check(my_norm, "y = rms_norm(x, weight, eps=1e-6)", x=x, weight=weight)

stands where torch.testing.assert_close(my_norm(x, weight), reference(x, weight), rtol=?, atol=?) stood.
"""
import importlib.util

# Each name stands beside its module, which is imported with the first use: the processes of a candidate use none of these names,
# and importing all modules takes longer than the trusted process itself.
_MODULES = {"backward": "backwards", "given": "drawn", "Convicted": "errors", "Inconclusive": "errors", "MistrustedWarning": "errors",
            "ProgramError": "errors", "check": "functions", "Invariance": "invariance", "invariant": "invariance",
            "Judgement": "judgement", "judge": "judgement", "claim": "resident", "laws": "law_calls", "verdict": "verdicts"}

__all__ = ["Convicted", "Inconclusive", "Invariance", "Judgement", "MistrustedWarning", "ProgramError", "backward", "check", "claim", "given",
           "invariant", "judge", "laws", "verdict"]


def __getattr__(name):
    module = f"gradproof.{_MODULES.get(name, name)}"
    if name.startswith("_") or name not in _MODULES and importlib.util.find_spec(module) is None:
        raise AttributeError(f"module 'gradproof' has no attribute '{name}'")
    found = importlib.import_module(module)  # which is an attribute from here on
    if name in _MODULES:
        found = globals()[name] = getattr(found, name)
    return found


def __dir__():
    return sorted({*globals(), *__all__})
