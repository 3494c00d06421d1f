// SPDX-License-Identifier: Apache-2.0
#include "core/graph/text/torch_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/stages.h"
#include "core/graph/text/written_call.h"

namespace gradproof {
namespace {

using Text = std::string_view;

constexpr Text kProduct = "y = contract(a[i,k], b[k,j], k)";
constexpr Text kElu = "y = elu(x, alpha=1)";
constexpr Text kAttention =
    "s = contract(q[b,h,i,d], k[b,h,j,d], d); p = softmax(multiply(s, 0.125), j); y = "
    "contract(p, v[b,h,j,d], j)";

constexpr Text kNoStep = "no step is needed: axes have names, and operands are joined by them";
constexpr Text kConvolution = "y = conv(x[n,c,h,w], weight, bias, stride=2, padding=1)";
constexpr Text kTransposed = "y = conv_transpose(x[n,c,h,w], weight, bias, stride=2)";
constexpr Text kSplit = "s = split(x[b,t,c], c, h, d, parts=4)";
constexpr Text kJoin = "y = join(x[b,t,h,d], h, d, c)";
constexpr Text kSlice = "y = slice(x[rows,cols], cols, d, from=0, count=4)";
constexpr Text kConcat = "y = concat(a[rows,p], b[rows,q], p, q, cols)";
constexpr Text kTake = "y = take(table[v,d], labels[t], v)";
constexpr Text kPut = "y = put(x[t,d], labels[t], v, size=8)";
constexpr Text kOrder = "y[cols,rows] = permute(x[rows,cols])";
constexpr Text kRepeat = "y = repeat(x, n, size=4)";
constexpr Text kStack = "y = concat(repeat(a, i, size=1), repeat(b, j, size=1), i, j, k)";
constexpr Text kNoMove = "what scatters or resizes a tensor cannot be said yet";
constexpr Text kNoScan = "a running product or maximum cannot be said yet";
constexpr Text kNoFunction = "this function cannot be said yet";
constexpr Text kNoPlace = "places of numbers cannot be said yet";

constexpr std::array kTorchWords{
    TorchWord{"mul", "y = multiply(x, z)", ""},
    TorchWord{"div", "y = divide(x, z)", ""},
    TorchWord{"truediv", "y = divide(x, z)", ""},
    TorchWord{"sub", "y = subtract(x, z)", ""},
    TorchWord{"negative", "y = neg(x)", ""},
    TorchWord{"absolute", "y = abs(x)", ""},
    TorchWord{"matmul", kProduct, ""},
    TorchWord{"mm", kProduct, ""},
    TorchWord{"einsum", kProduct, ""},
    TorchWord{"bmm", "y = contract(a[b,i,k], c[b,k,j], k)", ""},
    TorchWord{"mv", "y = contract(a[i,k], b[k], k)", ""},
    TorchWord{"dot", "y = contract(a[k], b[k], k)", ""},
    TorchWord{"outer", "y = multiply(a[i], b[j])", ""},
    TorchWord{"addmm", "y = linear(x, weight, bias)", ""},
    TorchWord{"scaled_dot_product_attention", kAttention, ""},
    TorchWord{"cross_entropy", "y = nll_loss(log_softmax(x), labels)", ""},
    TorchWord{"mse_loss", "y = mean(square(subtract(x, fixed(target))), rows, cols)", ""},
    TorchWord{"l1_loss", "y = mean(abs(subtract(x, fixed(target))), rows, cols)", ""},
    TorchWord{"std", "y = sqrt(var(x, cols))", ""},
    TorchWord{"norm", "y = sqrt(sum(square(x), cols))", ""},
    TorchWord{"normalize", "y = divide(x, sqrt(sum(square(x), cols)))", ""},
    TorchWord{"amax", "y = max(x, cols)", ""},
    TorchWord{"amin", "y = min(x, cols)", ""},
    TorchWord{"clip", "y = clamp(x, min=0, max=1)", ""},
    TorchWord{"relu6", "y = clamp(x, min=0, max=6)", ""},
    TorchWord{"hardsigmoid", "y = divide(clamp(add(x, 3), min=0, max=6), 6)", ""},
    TorchWord{"celu", kElu, ""},
    TorchWord{"selu", "y = elu(x, alpha=1.6732632423543772, scale=1.0507009873554805)", ""},
    TorchWord{"logsigmoid", "y = neg(softplus(neg(x)))", ""},
    TorchWord{"softmin", "y = softmax(neg(x))", ""},
    TorchWord{"softsign", "y = divide(x, add(abs(x), 1))", ""},
    TorchWord{"tanhshrink", "y = subtract(x, tanh(x))", ""},
    TorchWord{"glu", "y = multiply(x, sigmoid(gate))", ""},
    TorchWord{"reciprocal", "y = divide(1, x)", ""},
    TorchWord{"masked_fill", "y = where(mask, -inf, x)", ""},
    TorchWord{"gt", "m = greater(x, z)", ""},
    TorchWord{"lt", "m = greater(z, x)", ""},
    TorchWord{"ge", "m = greater_equal(x, z)", ""},
    TorchWord{"le", "m = greater_equal(z, x)", ""},
    TorchWord{"eq", "m = equal(x, z)", ""},
    TorchWord{"threshold", "y = where(greater(x, 1), x, 0)", ""},
    TorchWord{"transpose", kOrder, ""},
    TorchWord{"movedim", kOrder, ""},
    TorchWord{"unsqueeze", "", kNoStep},
    TorchWord{"squeeze", "", kNoStep},
    TorchWord{"expand", kRepeat, ""},
    TorchWord{"broadcast_to", kRepeat, ""},
    TorchWord{"contiguous", "", kNoStep},
    TorchWord{"conv1d", kConvolution, ""},
    TorchWord{"conv2d", kConvolution, ""},
    TorchWord{"conv3d", kConvolution, ""},
    TorchWord{"conv_transpose1d", kTransposed, ""},
    TorchWord{"conv_transpose2d", kTransposed, ""},
    TorchWord{"conv_transpose3d", kTransposed, ""},
    TorchWord{"view", kSplit, ""},
    TorchWord{"unflatten", kSplit, ""},
    TorchWord{"reshape", kJoin, ""},
    TorchWord{"flatten", kJoin, ""},
    TorchWord{"cat", kConcat, ""},
    TorchWord{"stack", kStack, ""},
    TorchWord{"chunk", kSlice, ""},
    TorchWord{"narrow", kSlice, ""},
    TorchWord{"gather", kTake, ""},
    TorchWord{"index_select", kTake, ""},
    TorchWord{"embedding", kTake, ""},
    TorchWord{"scatter", "", kNoMove},
    TorchWord{"scatter_add", kPut, ""},
    TorchWord{"index_add", kPut, ""},
    TorchWord{"interpolate", "", kNoMove},
    TorchWord{"cumprod", "", kNoScan},
    TorchWord{"cummax", "", kNoScan},
    TorchWord{"logcumsumexp", "", kNoScan},
    TorchWord{"prod", "", kNoFunction},
    TorchWord{"exp2", "", kNoFunction},
    TorchWord{"expm1", "", kNoFunction},
    TorchWord{"log2", "", kNoFunction},
    TorchWord{"sign", "", kNoFunction},
    TorchWord{"floor", "", kNoFunction},
    TorchWord{"round", "", kNoFunction},
    TorchWord{"prelu", "", kNoFunction},
    TorchWord{"smooth_l1_loss", "", kNoFunction},
    TorchWord{"huber_loss", "", kNoFunction},
    TorchWord{"kl_div", "", kNoFunction},
    TorchWord{"topk", "y = slice(sort(x[rows,cols], cols), cols, k, count=2)", ""},
    TorchWord{"msort", "y = sort(x[rows,cols], rows, order=ascending)", ""},
    TorchWord{"kthvalue", "y = select(sort(x[rows,cols], cols, order=ascending), cols, at=1)", ""},
    TorchWord{"argmax", "", kNoPlace},
    TorchWord{"argmin", "", kNoPlace},
};

struct TorchKey {
  Text key;
  Text advice;
};
constexpr Text kByName = "axes are said by name behind the operands, as in 'y = softmax(x, cols)'";
constexpr std::array kTorchKeys{
    TorchKey{"dim", kByName},
    TorchKey{"dims", kByName},
    TorchKey{"axis", kByName},
    TorchKey{"normalized_shape", kByName},
    TorchKey{"keepdim", "leave it out: operands are joined by the names of their axes"},
    TorchKey{"keepdims", "leave it out: operands are joined by the names of their axes"},
    TorchKey{"unbiased", "correction=1 divides by N - 1, correction=0 by N"},
    TorchKey{"dtype", "types are keys of the Case: dtype=bf16 behind the braces"},
    TorchKey{"inplace", "leave it out: a line says what is computed, not where"},
};

struct Operator {
  char character;
  Text line;
};
constexpr std::array kOperators{
    Operator{'+', "y = add(x, z)"},
    Operator{'-', "y = subtract(x, z)"},
    Operator{'*', "y = multiply(x, z)"},
    Operator{'/', "y = divide(x, z)"},
    Operator{'@', kProduct},
};

/// The word without its prefix up to the last point, and without an underscore at the end.
Text plain_word(Text word) {
  if (const std::size_t point = word.rfind('.'); point != Text::npos) word.remove_prefix(point + 1);
  while (word.size() > 1 && word.ends_with('_')) word.remove_suffix(1);
  return word;
}

/// The axes of a tensor as far as they are read; none of a value, which has them later.
std::vector<std::string> axes_read(const Graph& graph, std::string_view name) {
  for (const GraphTensor& t : graph.tensors)
    if (t.name == name) return t.axes;
  for (const GraphStep& s : graph.steps)
    if (s.value == name) return {};
  return {"rows", "cols"};
}

std::string lower(Text word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::span<const TorchWord> torch_words() { return kTorchWords; }

std::string advice_on_torch(std::string_view word) {
  const Text plain = plain_word(word);
  for (const std::string& name : {std::string(plain), lower(plain)}) {
    if (name != word && is_graph_stage(name)) return fmt::format("; in a line it is '{}'", name);
    for (const TorchWord& w : kTorchWords)
      if (w.word == name)
        return w.line.empty() ? fmt::format("; {}", w.reason)
                              : fmt::format("; in a line it is '{}'", w.line);
  }
  return "";
}

std::string advice_on_torch_key(std::string_view key) {
  for (const TorchKey& k : kTorchKeys)
    if (k.key == key) return fmt::format("; {}", k.advice);
  return "";
}

std::string advice_on_number(const Graph& graph, const GraphStage& row, const GraphStep& step,
                             const std::string& number) {
  const std::optional<double> said = number_in(number);
  if (!said) return "";
  const std::string& operand = step.operands.front().name;
  if (row.axes != StageAxes::none) {
    const std::vector<std::string> axes = axes_read(graph, operand);
    const double place = *said < 0 ? *said + static_cast<double>(axes.size()) : *said;
    const bool is_place = place >= 0 && place < static_cast<double>(axes.size());
    return fmt::format("; axes are said by name, as in 'y = {}({}, {})'", row.word, operand,
                       is_place ? axes[static_cast<std::size_t>(place)] : "cols");
  }
  std::vector<std::string> keys;
  for (const StageOption& o : row.options) keys.push_back(fmt::format("{}=NUMBER", o.key));
  return keys.empty() ? ""
                      : fmt::format("; numbers are said by key, as in 'y = {}({}, {})'", row.word,
                                    operand, fmt::join(keys, ", "));
}

std::string advice_on_name(std::string_view name) {
  for (const Text end : {".T", ".mT", ".H"})
    if (name.ends_with(end))
      return fmt::format(
          "the axes of '{}' have names, and need no order: y = linear(x, w[out,cols])",
          name.substr(0, name.size() - end.size()));
  for (const Text number : {"inf", "nan", "Inf", "NaN"})
    if (name == number) return "a line has finite numbers; set=x@0,3:-inf places another one";
  return "";
}

std::string advice_on_operator(char c) {
  for (const Operator& o : kOperators)
    if (o.character == c) return fmt::format("; '{}' is a stage, as in '{}'", c, o.line);
  return "";
}

}  // namespace gradproof
