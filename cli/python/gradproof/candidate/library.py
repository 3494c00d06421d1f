# SPDX-License-Identifier: Apache-2.0
"""An operator of a TORCH_LIBRARY library, called as a line is: tensors in the line's order to its outputs."""
import pathlib
import re

import torch

from gradproof.candidate import layouts
from gradproof.candidate.loading import Refused, last_line
from gradproof.candidate.matching import becoming


def load(path):
    try:
        torch.ops.load_library(path)
    except Exception as error:
        why = last_line(error.__cause__ or error)  # torch says that it could not, and the linker why
        raise Refused(f"'{path}' cannot be loaded by torch {torch.__version__}: {why}{built_against(path)}{other_strings(path)}") from error


def built_against(path):
    """Which torch the library's search path names, where there is one; nothing else in it says that."""
    for folder in re.findall(rb"[^\0:]*/torch(?=/lib[\0:])", pathlib.Path(path).read_bytes()):
        version = pathlib.Path(folder.decode(errors="replace")) / "version.py"
        found = re.search(r"__version__ = '(.*)'", version.read_text()) if version.exists() else None
        return f" (its search path names '{folder.decode(errors='replace')}', {'torch ' + found[1] if found else 'which is not there'})"
    return ""


def other_strings(path):
    """Where its names of c10 have the std::string of libstdc++'s other ABI, that; the linker names a symbol alone."""
    data, own = pathlib.Path(path).read_bytes(), torch.compiled_with_cxx11_abi()
    old, new = (re.search(rb"_ZN3c10\w*RK" + string, data) is not None for string in (b"Ss", b"NSt7__cxx11"))
    if (new if own else old) or not (old or new):
        return ""
    return f"; it was compiled with _GLIBCXX_USE_CXX11_ABI={int(new)}, and torch with {int(own)}"


class Operator:
    """plan: of plans.py, with the line's `inputs`, `outputs`, `cotangents` and `gradients`."""

    def __init__(self, plan, placement):
        self.plan = plan
        self.placement = placement
        self.likes = {}  # of each output and gradient a tensor of its shape and type

    def __call__(self, *tensors):
        if "backward" in self.plan:
            return list(ByOtherOperator.apply(self, *tensors))
        known = self.forward(dict(zip(self.plan["inputs"], tensors)))
        return [known[name] for name in self.plan["outputs"]]

    def forward(self, given):
        """All that the line and the operator give a name."""
        known = dict(given)
        arguments, keywords, becomes = self.arguments(self.plan, known)
        operator = overload(self.plan["op"])
        layouts.poison_freed([(like.shape, like.dtype) for like in self.likes.values()], self.placement.device)
        returned = listed(operator(*arguments, **keywords))
        known.update(becomes())
        for k, (value, of) in enumerate(zip(returned, operator._schema.returns)):
            known[f"return {k}"] = known[of.name or f"return {k}"] = value
        known.update({name: value for name, value in zip(self.plan["returns"], returned) if name})
        return known

    def arguments(self, plan, known):
        """By position, by keyword where the schema wants that, and what some become: outputs by name, when the call has returned."""
        memory, values, keywords = {}, [], {}
        for argument in overload(plan["op"])._schema.arguments:
            value = plan["arguments"].get(argument.name, argument.default_value)
            if isinstance(value, list) and "List[Tensor]" in str(argument.type):
                value = [known[name] for name in value]
            elif isinstance(value, str) and "Tensor" in str(argument.type):
                declared = argument.alias_info is not None and argument.alias_info.is_write
                value = self._tensor(value, known, declared, memory)
            if argument.kwarg_only:
                keywords[argument.name] = value
            else:
                values.append(value)
        return values, keywords, lambda: {name: value if fresh else value.clone()
                                          for names, (value, fresh) in memory.items() for name in names.split()}

    def _tensor(self, text, known, declared, memory):
        source, output = becoming(text)
        if not source:
            like = self.likes[output.split()[0]]  # of several gradients in one any has its shape
            value = self.placement.placed(output, layouts.poisoned(like.shape, like.dtype, self.placement.device))
        else:
            # What is declared to change is a copy; what is not, is the set's own, and its bytes are compared.
            value = self.placement.placed(source, known[source]) if declared else known[source]
        if output is not None:
            memory[output] = value, declared
        return value

    def gradients(self, known):
        plan = self.plan["backward"]
        arguments, keywords, becomes = self.arguments(plan, known)
        returned = listed(overload(plan["op"])(*arguments, **keywords))
        return {**becomes(),
                **{name: value for names, value in zip(plan["returns"], returned) for name in (names or "").split()}}


class ByOtherOperator(torch.autograd.Function):
    """Forward by one operator and backward by another."""

    @staticmethod
    def forward(context, operator, *tensors):
        context.operator, context.known = operator, operator.forward(dict(zip(operator.plan["inputs"], tensors)))
        return tuple(context.known[name] for name in operator.plan["outputs"])

    @staticmethod
    def backward(context, *cotangents):
        plan = context.operator.plan
        found = context.operator.gradients({**context.known, **dict(zip(plan["cotangents"], cotangents))})
        return None, *[found.get(gradient) for gradient in plan["gradients"]]


def overload(name):
    """The operator of "space::name" or "space::name.overload"."""
    space, _, rest = name.partition("::")
    packet, _, variant = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, space), packet), variant or "default")


def listed(returned):
    return [] if returned is None else list(returned) if isinstance(returned, (tuple, list)) else [returned]
