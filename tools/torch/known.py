# SPDX-License-Identifier: Apache-2.0
"""Wrong results of torch 2.11 itself on lines of the case files, with their cause."""

RECOMPUTED = ("inductor computes what amax or amin takes a second time in backward, by other roundings, and compares it for "
              "equality with the stored result: the gradient is 0, or 0/0 (pytorch issue 186799)")
OF_COMPILED = {
    "level2.75": ("f16", "bf16"),
    "level2.79": ("f16", "bf16"),
    "level2.89": ("f16", "bf16"),
    "level2.98": ("f32", "f16", "bf16"),
}


def reason(name, dtype, how):
    """Why the line is wrong there; nothing where it has to be right."""
    return RECOMPUTED if how == "compiled" and dtype in OF_COMPILED.get(name, ()) else None
