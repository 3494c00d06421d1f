# SPDX-License-Identifier: Apache-2.0
"""A process that loads a library and says which operators it has: their schemas, as JSON."""
import json
import os
import sys

import torch

from gradproof.candidate import library, processes
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


def main():
    processes.end_with_parent()
    path = json.loads(sys.stdin.readline())["file"]
    try:
        said = {"operators": of_library(path), "cuda": torch.cuda.is_available()}
    except Refused as error:
        said = {"refused": str(error)}
    os.write(int(sys.argv[1]), json.dumps(said).encode() + b"\n")
    sys.stdout.flush()
    os._exit(0)  # what the library does as the process ends is no matter here


if __name__ == "__main__":
    main()
