# SPDX-License-Identifier: Apache-2.0
"""The executor's library in the candidate's process."""
import ctypes
import re
import subprocess

# In which order threads and blocks run: simt::Order.
FORWARD, REVERSE, RANDOM = 0, 1, 2
DEFAULT_STREAM = "default-stream: "
# How the library says an instruction of a module (simt/extension/control.cpp).
INSTRUCTION = re.compile(r"\{([^{}]+)\+(0x[0-9a-f]+)\}")


class Runtime:
    """paths: of builder.py's prepared()."""

    def __init__(self, paths):
        self.library = ctypes.CDLL(paths["library"], mode=ctypes.RTLD_GLOBAL)
        self.library.gradproof_executor_findings.restype = ctypes.c_char_p
        self.library.gradproof_executor_begin.argtypes = [ctypes.c_int, ctypes.c_uint64, ctypes.c_int]
        self.library.gradproof_executor_name.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
        self.library.gradproof_executor_stream.restype = ctypes.c_size_t
        ctypes.CDLL(paths["allocator"]).gradproof_executor_take_tensors()
        self.begin(FORWARD, 1, 0)

    def begin(self, order, seed, workers):
        self.library.gradproof_executor_begin(order, seed, workers)

    def stream(self):
        return self.library.gradproof_executor_stream()

    def findings(self):
        """Sentences since it was asked last, and whether a launch was on the default stream."""
        lines = self.library.gradproof_executor_findings().decode(errors="replace").splitlines()
        own = [placed(line) for line in lines if not line.startswith(DEFAULT_STREAM)]
        return own, len(own) < len(lines)

    def name(self, tensor, name):
        self.library.gradproof_executor_name(tensor.data_ptr(), name.encode(), tensor.element_size())


def placed(text):
    """The finding with file and line in place of an instruction's address."""
    def line_of(match):
        done = subprocess.run(["addr2line", "-e", match[1], match[2]], capture_output=True, text=True, check=False)
        place = done.stdout.strip().split(" ")[0].rpartition("/")[2]
        return place if done.returncode == 0 and not place.startswith("?") else "a place unknown"
    return INSTRUCTION.sub(line_of, text)
