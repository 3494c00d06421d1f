# SPDX-License-Identifier: Apache-2.0
"""Which operators a library has: their schemas, as the process that loaded it tells them (host.py)."""
import torch

from gradproof.candidate import library
from gradproof.candidate.loading import Refused

KEYS = ("CPU", "CUDA", "Meta", "Autograd", "CompositeImplicitAutograd", "CompositeExplicitAutograd")


def described(name):
    packet, _, variant = name.partition(".")
    schema = torch._C._get_schema(packet, variant)
    return {"name": name, "text": str(schema),
            "arguments": [{"name": a.name, "kind": str(a.type), "default": a.has_default_value(),
                           "changed": a.alias_info is not None and a.alias_info.is_write} for a in schema.arguments],
            "returns": [{"name": of.name, "kind": str(of.type), "alias": of.alias_info is not None} for of in schema.returns],
            "keys": [key for key in KEYS if torch._C._dispatch_has_kernel_for_dispatch_key(name, key)]
            + [key for key in ("AutogradCPU", "AutogradCUDA") if torch._C._dispatch_has_kernel_for_dispatch_key(name, key)]}


def of_library(path):
    before = set(torch._C._dispatch_get_all_op_names())
    library.load(path)
    names = sorted(set(torch._C._dispatch_get_all_op_names()) - before)
    if not names:
        raise Refused(f"'{path}' registers no operator")
    return [described(name) for name in names]


def told(path):
    """The answer to the question which operators the library has: their schemas, or why it is refused."""
    try:
        return {"operators": of_library(path), "cuda": torch.cuda.is_available()}
    except Refused as error:
        return {"refused": str(error)}
