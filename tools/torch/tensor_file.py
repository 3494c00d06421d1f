# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch in files of the format safetensors, without another package."""
import json
import struct

import torch

TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64}
WORDS = {dtype: word for word, dtype in TYPES.items()}


def read(path):
    """Tensors by name."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name == "__metadata__":
            continue
        first, end = (8 + length + offset for offset in entry["data_offsets"])
        tensor = torch.frombuffer(bytearray(data[first:end]), dtype=TYPES[entry["dtype"]])
        tensors[name] = tensor.reshape(entry["shape"])
    return tensors


def write(path, tensors):
    header, parts, at = {}, [], 0
    for name, tensor in tensors.items():
        part = bytes(tensor.detach().contiguous().flatten().view(torch.uint8).tolist())
        header[name] = {"dtype": WORDS[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
