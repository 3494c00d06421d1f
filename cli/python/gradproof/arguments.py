# SPDX-License-Identifier: Apache-2.0
"""What check() is given: tensors of a line by name, or the keys of a Case by which the program draws them."""
import functools
import inspect
import shutil

from gradproof import resident, tensor_files

__tracebackhide__ = True  # pytest shows the line of the test as the last one


def require_no_tensors(options):
    """Raises TypeError where a tensor is passed in the place of an option that has the tensor's name."""
    for key, value in options.items():
        if tensor_files.is_tensor(value):
            raise TypeError(f"'{key}' is an option of check(); a tensor of that name is passed by tensors={{'{key}': ...}}")


def one_of(words, option, word):
    """The word. Raises ValueError where it is none of them."""
    if word not in words:
        import difflib
        near = difflib.get_close_matches(str(word), words, 1)
        raise ValueError(f"{option}={word!r} is none of {' '.join(words)}" + (f"; did you mean '{near[0]}'?" if near else ""))
    return word


def called_by_name(function, names):
    """The function called by the names of its arguments where it has those of the line; else as it is, in the line's order.

    Other arguments that it has by default, *values and **options are its own matter.
    """
    try:
        own = inspect.signature(function).parameters
    except (TypeError, ValueError):  # of a builtin
        return function
    others = [one for name, one in own.items() if name not in names and one.default is one.empty and one.kind < one.VAR_POSITIONAL]
    by_position = [name for name, one in own.items() if one.kind < one.VAR_POSITIONAL]
    if set(names) - set(own) or others or by_position[:len(names)] == list(names):
        return function

    @functools.wraps(function)
    def called(*tensors):
        return function(**dict(zip(names, tensors)))
    return called


def tensors_of(line, keywords, by_name, seed):
    """Those given by name, or what the program draws for the keys of a Case. by_name: as `tensors` of check()."""
    _require_tensors(line, keywords, by_name)
    twice = [key for key in by_name if key in keywords]
    if twice:
        raise TypeError(f"given twice, by keyword and in tensors={{...}}: {' '.join(twice)}")
    given = {**keywords, **by_name}
    if any(tensor_files.is_tensor(value) for value in given.values()):
        given.pop("dtypes", None)  # each tensor has its own, and that of an output is types_said()
    names = [key for key, value in given.items() if tensor_files.is_tensor(value)]
    if not names and line.inputs:
        return _drawn(line, {"seed": seed, **given})
    keys = [key for key in given if key not in names]
    if keys:
        raise TypeError(f"tensors and keys of a Case cannot be mixed: {' '.join(names)} and {' '.join(keys)}")
    missing = [key for key in line.inputs if key not in given]
    unknown = [key for key in names if not line.is_given(key)]
    if missing or unknown:
        raise TypeError(f"the line has the tensors {' '.join(line.inputs)}"
                        + (f"; missing: {' '.join(missing)}" if missing else "")
                        + (f"; unknown: {' '.join(unknown)}" if unknown else ""))
    return {key: tensor_files.torch_of(value) for key, value in given.items()}


def types_said(line, text):
    """The types of outputs that `dtypes="y:f32"` says, by name, as torch calls them. Raises ValueError for what is none."""
    import torch
    words = {word: getattr(torch, name) for name, word in tensor_files.CASE_WORDS.items()}
    said = dict(one.partition(":")[::2] for one in str(text).split(",") if one)
    for name, word in said.items():
        if word not in words:
            raise ValueError(f"dtypes={text!r}: '{name}:{word}' is no NAME:TYPE, as in dtypes=\"y:f32\"; types: {' '.join(words)}")
    return {name: words[word] for name, word in said.items() if name in line.outputs}


def require_fixed(line, tensors, backward):
    """Raises TypeError for a tensor without floating numbers of which the line has a gradient."""
    for key in line.inputs if backward else ():
        if line.gradients[key] and not tensor_files.is_floating(tensors[key]):
            raise TypeError(f"'{key}' has the type {tensor_files.type_name(tensors[key])}, and the line asks for its gradient; "
                            f"fixed({key}) in the line asks for none")


def _require_tensors(line, keywords, by_name):
    """An axis may be called as a tensor is, so a number by that keyword may be its length."""
    axes = {axis for axes in line.axes.values() for axis in axes}
    for key, value in [*keywords.items(), *by_name.items()]:
        is_tensors_name = key in by_name or line.is_given(key) and key not in axes
        if is_tensors_name:
            tensor_files.require_usable(key, value)


def _drawn(line, keys):
    case = line.case({key: word_of(value) for key, value in keys.items()})
    folder = resident.new_folder(0)
    try:
        resident.run("inputs", case, "--output", folder / "inputs.safetensors")
        return tensor_files.read(folder / "inputs.safetensors")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def word_of(value):
    """torch.bfloat16, numpy.float32 and numpy.dtype("float32") as a Case writes them."""
    name = str(value).removeprefix("torch.")
    return tensor_files.CASE_WORDS.get(getattr(value, "__name__", name), value)
