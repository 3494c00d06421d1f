# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch and arrays of numpy in files of the format safetensors, without another package."""
import dataclasses
import json
import math
import struct

__tracebackhide__ = True  # pytest shows the line of the test as the last one

# Words of the format by the names of the types in torch and numpy.
WORDS = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
         "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL",
         "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0"}
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
    has_shape = hasattr(type(value), "shape") or hasattr(value, "shape")  # a nested tensor raises where it is asked for its own
    return has_shape and hasattr(value, "dtype") and not isinstance(value, type)  # numpy.float32 has both


def fault_of(tensor):
    """What it is instead of a dense tensor of numbers, and what to do; empty where it is one."""
    if getattr(tensor, "is_nested", False):
        return "is a nested tensor; one of a single shape is taken: torch.nested.to_padded_tensor"
    if getattr(tensor, "is_meta", False):
        return "is a meta tensor, which has no numbers; one in the memory of a device is taken"
    if getattr(tensor, "is_quantized", False):
        return f"is a quantised tensor ({tensor.dtype}); one of floating numbers is taken: .dequantize()"
    layout = str(getattr(tensor, "layout", "torch.strided"))
    if layout != "torch.strided":
        return f"is a sparse tensor ({layout}); a dense one is taken: .to_dense()"
    if type_name(tensor) not in WORDS:
        return f"has the type {type_name(tensor)}; known: {' '.join(WORDS)}"
    return ""


def require_usable(name, tensor):
    """Raises TypeError that names the tensor, what it is and what is taken."""
    if not is_tensor(tensor):
        raise TypeError(f"'{name}' is {type(tensor).__name__}, not a tensor")
    if fault := fault_of(tensor):
        raise TypeError(f"'{name}' {fault}")


def is_floating(tensor):
    """Whether it has numbers of which there are gradients: those of 8 bits are what somebody else rounded to."""
    return type_name(tensor) in CASE_WORDS


def is_of_8_bits(tensor):
    """Whether it has floating numbers of 8 bits, which every other type has too."""
    return type_name(tensor).startswith("float8")


def is_finite(data):
    """Whether all numbers of a Data are."""
    import torch
    dtype = getattr(torch, data.dtype)
    return not dtype.is_floating_point or not data.data or are_finite(torch.frombuffer(bytearray(data.data), dtype=dtype))


def are_finite(tensor):
    """Whether all numbers of a tensor of torch are. A sum is not finite where one of them is not; where it overflows,
    each is looked at."""
    if tensor.is_floating_point() and tensor.element_size() == 1:
        tensor = tensor.float()  # few operators know numbers of 8 bits
    return tensor.is_floating_point() and math.isfinite(tensor.sum().item()) or bool(tensor.isfinite().all())


def data_of(tensor):
    """The bytes of the elements in row-major order."""
    return bytes(_buffer_of(tensor))


def _buffer_of(tensor):
    """The same, which are the tensor's own where they lie so."""
    if hasattr(tensor, "tobytes"):
        return memoryview(tensor.tobytes())
    import torch
    flat = torch_of(tensor).detach().cpu().contiguous().flatten()
    return memoryview(flat.view(torch.uint8).numpy() if flat.numel() else b"")


def size_of(tensor):
    """Bytes of its elements, 8 for each at most."""
    return 8 * math.prod(tensor.shape)


def write(path, tensors, metadata=None):
    """`metadata`: texts by name. Raises TypeError as require_usable() does."""
    header, parts, at = {"__metadata__": metadata} if metadata else {}, [], 0
    for name, tensor in tensors.items():
        require_usable(name, tensor)
        part = _buffer_of(tensor)
        header[name] = {"dtype": WORDS[type_name(tensor)], "shape": list(tensor.shape), "data_offsets": [at, at + len(part)]}
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
    if isinstance(value, torch.Tensor):  # autograd takes none that was made in inference mode
        return value.clone() if value.is_inference() and not torch.is_inference_mode_enabled() else value
    # numpy's way has no bfloat16, and of a read-only array DLPack refuses to tell.
    is_numpy = type(value).__module__.partition(".")[0] == "numpy"
    return torch.as_tensor(value.copy()) if is_numpy or not hasattr(value, "__dlpack__") else torch.from_dlpack(value).clone()


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
