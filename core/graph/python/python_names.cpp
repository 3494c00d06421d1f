// SPDX-License-Identifier: Apache-2.0
#include "core/graph/python/python_names.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gradproof {
namespace {

using Entries = std::vector<std::string>;

std::string definition(std::string_view name, const Entries& entries) {
  return fmt::format("{} = ({}{})\n", name, fmt::join(entries, ", "),
                     entries.size() == 1 ? "," : "");
}

}  // namespace

double computed_in(DType storage, double number) {
  return storage == DType::f64 ? number : static_cast<double>(static_cast<float>(number));
}

std::string python_number(double number, DType storage) {
  if (std::isinf(number)) return number > 0 ? "torch.inf" : "-torch.inf";
  const std::string text = fmt::format("{}", computed_in(storage, number));
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string python_type(DType type) {
  return type == DType::f64    ? "torch.float64"
         : type == DType::f16  ? "torch.float16"
         : type == DType::bf16 ? "torch.bfloat16"
                               : "torch.float32";
}

std::string python_names(const Graph& graph) {
  Entries inputs, outputs;
  for (const GraphTensor& t : graph.tensors)
    inputs.push_back(fmt::format("(\"{}\", {})", t.name,
                                 has_gradient(t.part) ? fmt::format("\"d_{}\"", t.name) : "None"));
  for (const std::string& output : graph.outputs)
    outputs.push_back(fmt::format("(\"{}\", \"d{}\")", output, output));
  return definition("INPUTS", inputs) + definition("OUTPUTS", outputs);
}

}  // namespace gradproof
