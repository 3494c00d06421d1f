# SPDX-License-Identifier: Apache-2.0
"""What an operator's registration promises beside its numbers: torch.library.opcheck, and strides of the meta kernel."""
import torch

from gradproof.candidate import library
from gradproof.candidate.loading import last_line

COMPOSITE = ("CompositeImplicitAutograd", "CompositeExplicitAutograd")


def examined(operator, tensors, keys, backward):
    """Sentences of what is wrong, and notes of what was asked. backward: the operator's own autograd is judged."""
    arguments, keywords, _ = operator.arguments(operator.plan, dict(zip(operator.plan["inputs"], tensors)))
    target = library.overload(operator.plan["op"])
    tests = ["test_schema"]
    notes = []
    if backward:
        tests.append("test_autograd_registration")
    if any(key == "Meta" or key in COMPOSITE for key in keys):
        tests += ["test_faketensor", "test_aot_dispatch_dynamic"]
    else:
        notes.append(f"{operator.plan['op']} has no meta kernel (torch.compile asks for one): not checked")
    if not backward:
        arguments, keywords = of_tensors(torch.Tensor.detach, arguments, keywords)
    found = torch.library.opcheck(target, tuple(arguments), keywords, test_utils=tests, raise_exception=False)
    wrong = [f"opcheck's {test}: {first_line(said)}" for test, said in found.items() if said != "SUCCESS"]
    if "test_faketensor" in tests and not wrong:
        wrong += strides(target, arguments, keywords)
    notes.append(f"asked of {operator.plan['op']} too: opcheck's {' '.join(tests)}")
    return wrong, notes


def first_line(said):
    return str(said).strip().splitlines()[0]


def of_tensors(change, arguments, keywords):
    """The arguments with their tensors changed."""
    def changed(value):
        return change(value) if isinstance(value, torch.Tensor) else value
    return [changed(value) for value in arguments], {name: changed(value) for name, value in keywords.items()}


def strides(target, arguments, keywords):
    """Where the meta kernel's results lie otherwise than the operator's own: opcheck compares shapes and types alone."""
    on_meta, keywords_on_meta = of_tensors(lambda tensor: tensor.to("meta"), arguments, keywords)
    with torch.no_grad():
        try:
            expected = library.listed(target(*on_meta, **keywords_on_meta))
        except Exception as error:
            return [f"its meta kernel raised {last_line(error)}"]
        results = library.listed(target(*arguments, **keywords))
    return [f"its meta kernel gives result {k} the strides {list(meta.stride())}, the operator {list(real.stride())}"
            for k, (meta, real) in enumerate(zip(expected, results))
            if isinstance(real, torch.Tensor) and isinstance(meta, torch.Tensor) and lie_apart(meta, real)]


def lie_apart(meta, real):
    """Whether elements do: strides of an axis of length 1, and of no elements, say nothing."""
    return real.numel() > 0 and any(extent > 1 and one != other
                                    for extent, one, other in zip(real.shape, meta.stride(), real.stride()))
