# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch and arrays of numpy in files of the format safetensors, without another package."""
import dataclasses
import json
import math
import struct

# Words of the format by the names of the types in torch and numpy.
WORDS = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
         "int16": "I16", "int8": "I8", "uint8": "U8"}
# Those that a Case has.
CASE_WORDS = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}


@dataclasses.dataclass(frozen=True)
class Data:
    """A tensor as its bytes, for those who import no torch."""
    dtype: str
    shape: list
    data: bytes

    def tobytes(self):
        return self.data


def type_name(tensor):
    """"float32" of both torch.float32 and numpy's."""
    return str(tensor.dtype).removeprefix("torch.")


def is_tensor(value):
    return hasattr(value, "dtype") and hasattr(value, "shape") and not isinstance(value, type)  # numpy.float32 has both


def is_floating(tensor):
    return "float" in type_name(tensor)


def data_of(tensor):
    """The bytes of the elements in row-major order."""
    return bytes(_buffer_of(tensor))


def _buffer_of(tensor):
    """The same, which are the tensor's own where they lie so."""
    if hasattr(tensor, "tobytes"):
        return memoryview(tensor.tobytes())
    import torch
    flat = tensor.detach().cpu().contiguous().flatten()
    return memoryview(flat.view(torch.uint8).numpy() if flat.numel() else b"")


def size_of(tensor):
    """Bytes of its elements, 8 for each at most."""
    return 8 * math.prod(tensor.shape)


def write(path, tensors, metadata=None):
    """`metadata`: texts by name. Raises TypeError for an element type that the format or the program has not."""
    header, parts, at = {"__metadata__": metadata} if metadata else {}, [], 0
    for name, tensor in tensors.items():
        word = WORDS.get(type_name(tensor))
        if word is None:
            raise TypeError(f"'{name}' has the type {type_name(tensor)}; known: {' '.join(WORDS)}")
        part = _buffer_of(tensor)
        header[name] = {"dtype": word, "shape": list(tensor.shape), "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    text = json.dumps(header).encode()
    with open(path, "wb", buffering=0) as file:
        for part in (struct.pack("<Q", len(text)) + text, *parts):
            while part:
                part = part[file.write(part):]


def torch_of(value):
    """The tensor itself, or one of torch of an array's numbers."""
    import torch
    return value if isinstance(value, torch.Tensor) else torch.as_tensor(value.copy())


def read_data(path):
    """Data by name."""
    names = {word: name for name, word in WORDS.items()}
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    parts = {name: slice(*(8 + length + offset for offset in entry["data_offsets"])) for name, entry in header.items()}
    return {name: Data(names[entry["dtype"]], entry["shape"], data[parts[name]]) for name, entry in header.items()}


def read(path):
    """Tensors of torch by name."""
    return {name: tensor_of(found) for name, found in read_data(path).items()}


def tensor_of(found):
    """One of torch of Data."""
    import torch
    dtype = getattr(torch, found.dtype)
    flat = torch.frombuffer(bytearray(found.data), dtype=dtype) if found.data else torch.empty(0, dtype=dtype)
    return flat.reshape(found.shape)
