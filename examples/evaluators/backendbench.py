# SPDX-License-Identifier: Apache-2.0
"""One operator of a backend beside torch's own, as BackendBench's runner asks: the operator, the kernel, and lists of arguments.

    python backendbench.py     judges two kernels of torch.ops.aten.silu, a right one and one in bfloat16
"""
import inspect
import sys

import gradproof


def correct(operator, kernel, arguments):
    """Whether the kernel is right on these tensors, and the verdict. operator: of torch.ops.aten, whose schema names its arguments."""
    names = [argument.name if argument.name != "self" else "input" for argument in operator._schema.arguments][:len(arguments)]
    text = ", ".join(names)
    reference = eval(f"lambda {text}: operator({text})", {"operator": operator})
    assert list(inspect.signature(reference).parameters) == names
    found = gradproof.verdict(kernel, reference=reference, **dict(zip(names, arguments)))
    seen = all(tensor["trusted_sets"] for tensor in found["tensors"].values())
    return found["outcome"] == "passed" and seen, found


if __name__ == "__main__":
    import torch
    numbers = [torch.randn(32, 64, generator=torch.Generator().manual_seed(1))]
    silu = torch.ops.aten.silu.default
    for kernel in (torch.nn.functional.silu, lambda x: torch.nn.functional.silu(x.bfloat16()).float()):
        is_correct, verdict = correct(silu, kernel, numbers)
        print(is_correct, verdict["outcome"], "; ".join(verdict["reasons"]))
    sys.exit(0)
