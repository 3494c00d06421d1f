# SPDX-License-Identifier: Apache-2.0
"""The text of an extension as g++ takes it: launches, shared memory and words of CUDA become the executor's, in their lines."""
import dataclasses
import pathlib
import re

from gradproof.executor import cuda_source, cuda_words, places

# include/prelude.h has what is there of these.
HAD = re.compile(r"[ \t]*#[ \t]*include[ \t]*[<\"](torch/(extension|types|torch|all|script|python)\.h|ATen/(ATen|Dispatch)\.h"
                 r"|(ATen|c10|torch)/(csrc/)?(cuda|cudnn)/[\w/]+\.(h|cuh)|pybind11/[\w/]+\.h|c10/cuda/\w+\.h|math_constants\.h)[>\"].*")
# Tensors are the CPU's, and these words of C++ say so of them.
SAID_OF_DEVICE = re.compile(r"\bDeviceType\s*::\s*CUDA\b|\.\s*type\(\)\s*\.\s*is_cuda\b")
WORDS = {"is_cuda": "is_cpu", "kCUDA": "kCPU", '"cuda"': '"cpu"', '"cuda:0"': '"cpu"'}
CU = cuda_words.Dialect("simt::extension::launch", "simt::extension::launch_deduced", cuda_words.UNSUPPORTED,
                         {**cuda_words.FAST, **WORDS})


class Refused(Exception):
    """One line: place and reason."""


@dataclasses.dataclass
class Piece:
    """A text and where its lines stand."""
    text: str
    places: list

    def refuse(self, line, what):
        path, number = self.places[line - 1]
        raise Refused(f"{pathlib.Path(path).name}:{number}: {what}")

    def translated(self):
        said = SAID_OF_DEVICE.sub(lambda found: "DeviceType::CPU" if "CUDA" in found[0] else ".is_cuda", self.text)
        try:
            text = cuda_source.rewritten(said, CU)
        except cuda_source.Refused as refused:
            self.refuse(refused.line, str(refused))
        return places.with_places("\n".join("" if HAD.match(line) else line for line in text.split("\n")), self.places)


def pieces_of(request, path, source):
    """path, source: of the candidate's file."""
    return [Piece(text, places.lines_of(text, re.sub(r'["\\\n]', "_", name), path, source)) for name, text in request["texts"]]


def binding(request):
    """What load_inline adds where it is told the functions' names."""
    functions = request["functions"]
    if functions is None:
        return ""
    rows = "".join(f'm.def("{name}", torch::wrap_pybind_function({name}), {_quoted(said)});\n' for name, said in functions.items())
    return "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n" + rows + "}\n"


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def unit(request, path, source):
    """One unit of g++, behind the prelude."""
    pieces = [piece.translated() for piece in pieces_of(request, path, source)]
    head = f'#define TORCH_EXTENSION_NAME {request["name"]}\n'
    return head + "\n".join(pieces) + f'\n#line 1 "{request["name"]}"\n' + binding(request)
