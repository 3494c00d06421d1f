# SPDX-License-Identifier: Apache-2.0
"""Files of the user as modules, and what of them is called. Each refusal is one line."""
import builtins
import contextlib
import importlib.util
import pathlib
import re
import sys
import traceback


class Refused(Exception):
    """What was asked for cannot be: one line, exit code 2."""


# What compilers and linkers say of a fault, the one with its place first: g++ and clang, nvcc, ld.
FAULTS = (r"^.*(?::\d+(?::\d+)?|\(\d+\)):\s*(?:fatal )?error\b.*$", r"^.*undefined reference to .*$", r"^.*\berror: .*$")


def last_line(error):
    """The exception in one line: of an extension that does not compile what its compiler said first, and not its command."""
    said = traceback.format_exception_only(error)[-1].strip()
    built = re.match(r"(\w+: Error building extension '[^']*')", said)
    fault = next((found[0].strip() for pattern in FAULTS if (found := re.search(pattern, said, re.M))), "") if built else ""
    return f"{built[1]}: " + re.sub(r"^\S*/", "", fault) if fault else said


def module_of(path):
    """The imported file. Its folder is where it finds its own modules."""
    path = pathlib.Path(path).resolve()
    sys.path.insert(0, str(path.parent))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or not path.exists():
        raise Refused(f"'{path}' is no file of Python")
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    try:
        specification.loader.exec_module(module)
    except BaseException as error:  # sys.exit() too
        raise Refused(f"'{path}' cannot be imported: {last_line(error)}") from error
    return module


def member(module, name):
    found = getattr(module, name, None)
    if not callable(found):
        raise Refused(f"'{module.__file__}' has no {name}")
    return found


def built(module, name, arguments, seed):
    """The class called with its arguments, its numbers drawn from the seed; a function is returned as it is."""
    import torch
    make = member(module, name)
    if not isinstance(make, type):
        return make
    torch.manual_seed(seed)
    try:
        model = make(*arguments)
    except Exception as error:
        raise Refused(f"{name}(...) of '{module.__file__}' raised {last_line(error)}") from error
    for part in model.modules():
        if isinstance(part, torch.nn.modules.dropout._DropoutNd):
            part.p = 0.0  # what is drawn within cannot be compared
    return model


@contextlib.contextmanager
def in_eval(model):
    """Behind it each module is in the mode that it was in: a file may have put itself, or a part of itself, in eval."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def state_of(model):
    return dict(model.state_dict(keep_vars=True)) if hasattr(model, "state_dict") else {}


def replaced(before):
    """Names of functions of torch and Python that are others than they were."""
    return [f"{place}.{name}" for place, names in before.items() for name, value in names.items()
            if vars(_places()[place]).get(name) is not value]


def functions_now():
    return {place: dict(vars(owner)) for place, owner in _places().items()}


def _places():
    import torch
    return {"builtins": builtins, "torch": torch, "torch.nn.functional": torch.nn.functional,
            "torch.Tensor": torch.Tensor, "torch.nn.Module": torch.nn.Module}
