# SPDX-License-Identifier: Apache-2.0
"""nn.MultiheadAttention of a value with itself as products and a softmax (docs/graphs.md)."""
from gradproof.candidate.traced import views
from gradproof.candidate.traced.operations import Unknown, number, renamed_axis


def of_module(writer, module, path, arguments, keywords):
    """The result and the weights of attention, as the module returns them; nobody may take the weights."""
    query, key, value = arguments[:3]
    masks = [*arguments[3:4], *(keywords.get(name) for name in ("key_padding_mask", "attn_mask")), keywords.get("is_causal") or None]
    if query is not key or key is not value or any(mask is not None for mask in masks):
        raise Unknown("MultiheadAttention with a mask, or of other keys than queries")
    if module.in_proj_weight is None or module.bias_k is not None or module.add_zero_attn or (module.training and module.dropout):
        raise Unknown("MultiheadAttention with dropout, or with more than its projections")
    x = views.placed(writer, query)
    if len(x.axes) != 3 or None in x.axes:
        raise Unknown("MultiheadAttention of one sample, or of a single number along a dimension")
    tokens = x.axes[1 if module.batch_first else 0]
    batch = x.axes[0 if module.batch_first else 1]
    queries, keys, values = _heads(writer, module, path, x)
    other = writer.axis("keys", writer.extents[tokens])
    keys, values = (renamed_axis(writer, one, tokens, other) for one in (keys, values))
    head, own = queries.axes[-2:]
    scores = writer.step(f"contract({queries.name}, {keys.name}, {own})", [batch, head, tokens, other], order=[batch, head, tokens, other])
    scaled = writer.step(f"multiply({scores.name}, {number(module.head_dim ** -0.5)})", scores.axes)
    weights = writer.step(f"softmax({scaled.name}, {other})", scaled.axes)
    order = [*x.axes[:2], head, own]
    made = writer.step(f"contract({weights.name}, {values.name}, {other})", order, order=order)
    joined = writer.axis(x.axes[2], module.embed_dim)
    whole = writer.step(f"join({made.name}, {head}, {own}, {joined})", [*x.axes[:2], joined])
    out = writer.axis("out", module.embed_dim)
    operands = _members(writer, f"{path}.out_proj", [out, joined], module.out_proj.bias is not None)
    return writer.step(f"linear({whole.name}{operands})", [*x.axes[:2], out]), None


def _members(writer, path, axes, has_bias, names=("weight", "bias")):
    weight = writer.tensor(f"{path}.{names[0]}", axes).name
    return f", {weight}" + (f", {writer.tensor(f'{path}.{names[1]}', axes[:1]).name}" if has_bias else "")


def _heads(writer, module, path, x):
    """Queries, keys and values, each with an axis of heads and one of the numbers of a head."""
    out = writer.axis("out", 3 * module.embed_dim)
    operands = _members(writer, path, [out, x.axes[2]], module.in_proj_bias is not None, ("in_proj_weight", "in_proj_bias"))
    whole = writer.step(f"linear({x.name}{operands})", [*x.axes[:2], out])
    part = writer.axis(out, module.embed_dim)
    head, own = writer.axis("heads", module.num_heads), writer.axis("d", module.head_dim)
    heads = []
    for k in range(3):
        sliced = writer.step(f"slice({whole.name}, {out}, {part}, from={k * module.embed_dim}, count={module.embed_dim})", [*x.axes[:2], part])
        heads.append(writer.step(f"split({sliced.name}, {part}, {head}, {own}, parts={module.num_heads})", [*x.axes[:2], head, own]))
    return heads
