# SPDX-License-Identifier: Apache-2.0
"""What an operator's registration promises beside its numbers: torch.library.opcheck, and strides of the meta kernel."""
import torch

from gradproof.candidate import library
from gradproof.candidate.loading import last_line

COMPOSITE = ("CompositeImplicitAutograd", "CompositeExplicitAutograd")


def examined(operator, tensors, cotangents, keys):
    """Sentences of what is wrong, and notes of what was asked: of the operator, and of that which is its backward, if one is.

    cotangents: none where backward is not judged. keys: of each operator.
    """
    plan, known = operator.plan, dict(zip(operator.plan["inputs"], tensors))
    wrong, notes = _of_one(operator, plan, known, keys[plan["op"]], bool(cotangents) and "backward" not in plan)
    if cotangents and "backward" in plan and not wrong:
        with torch.no_grad():
            known = {**operator.forward(known), **dict(zip(plan["cotangents"], cotangents))}
        more = _of_one(operator, plan["backward"], known, keys[plan["backward"]["op"]], False)
        wrong, notes = wrong + [f"{plan['backward']['op']}: {sentence}" for sentence in more[0]], notes + more[1]
    return wrong, notes


def _of_one(operator, plan, known, keys, backward):
    """backward: the operator's own autograd is judged."""
    arguments, keywords, _ = operator.arguments(plan, known)
    target = library.overload(plan["op"])
    tests = ["test_schema"]
    notes = []
    if backward:
        tests.append("test_autograd_registration")
    if any(key == "Meta" or key in COMPOSITE for key in keys):
        tests += ["test_faketensor", "test_aot_dispatch_dynamic"]
    else:
        notes.append(f"{plan['op']} has no meta kernel (torch.compile asks for one): not checked")
    if not backward:
        arguments, keywords = of_tensors(torch.Tensor.detach, arguments, keywords)
    found = torch.library.opcheck(target, tuple(arguments), keywords, test_utils=tests, raise_exception=False)
    wrong = [f"opcheck's {test}: {first_line(said)}" for test, said in found.items() if said != "SUCCESS"]
    if "test_faketensor" in tests and not wrong:
        wrong += strides(target, arguments, keywords)
    notes.append(f"asked of {plan['op']} in its own process: opcheck's {' '.join(tests)}")
    return wrong, notes


def first_line(said):
    return str(said).strip().splitlines()[0]


def of_tensors(change, arguments, keywords):
    """The arguments with their tensors changed."""
    def changed(value):
        if isinstance(value, list):
            return [changed(one) for one in value]
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
