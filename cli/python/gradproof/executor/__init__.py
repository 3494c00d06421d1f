# SPDX-License-Identifier: Apache-2.0
"""Extensions of CUDA text (torch.utils.cpp_extension) on the CPU: docs/load-inline.md.

In the candidate's process catching.py takes what load_inline is given, presented.py answers for 'cuda', runtime.py asks the executor.
In the trusted one builder.py has the text made one for g++ (translation.py, cuda_source.py), compiles it and keeps it.
"""
import os
import pathlib
import re

# A file that says one of these has, or may have, CUDA text of its own.
MENTIONED = re.compile(r"\b(cpp_extension|load_inline)\b")

# What records call it.
DEVICE = "executor sm_90"


def is_wanted(spec):
    """Whether the candidate's CUDA text runs on the executor."""
    if spec["device"] in ("", "cpu"):
        return bool(MENTIONED.search(pathlib.Path(spec["candidate"]).read_text(encoding="utf-8", errors="replace")))
    return spec["device"] == "executor"


def cache_folder():
    """Where compiled extensions are kept: beside what scripts/setup keeps."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("GRADPROOF_CACHE") or f"{base}/gradproof") / "extensions"
