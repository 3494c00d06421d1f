// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/candidates/line_description.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "core/case/said_keys.h"
#include "core/error.h"
#include "core/graph/contract/declared_contract.h"
#include "core/graph/given_tensors.h"
#include "core/graph/graph_case.h"
#include "core/graph/python/python_source.h"
#include "fixtures/claims/claims.h"
#include "tensor_files/given_file.h"
#include "tensor_files/safetensors.h"

namespace gradproof {
namespace {

std::string case_text(const Options& o) {
  const std::string keys = o.cases.empty() ? "" : o.cases.front();
  return o.pipeline.empty() ? keys : fmt::format("{{{}}} {}", o.pipeline, keys);
}

/// The one Case of a graph that the options say; no worker is asked.
Case graph_case(const Options& o) {
  const std::string text = case_text(o);
  if (!graph_word(text).schema)
    throw UsageError(fmt::format(
        "{} is for a computation as text: '{{y = tanh(x)}} rows=4 cols=8' (docs/graphs.md)",
        o.verb));
  Case c = parse_case(text, {});
  if (!o.described) require_extents(text);
  return c;
}

/// A path stands in a Case, whose words blanks divide.
const std::string& path_in_case(const std::string& path) {
  if (path.find_first_of(" \t\n") != std::string::npos)
    throw UsageError(fmt::format("'{}' has a blank, which the path in a Case cannot have", path));
  return path;
}

}  // namespace

std::string given_case(const Options& o, const GivenFiles& files) {
  const Graph graph = parse_graph(o.pipeline);
  parse_declared_contract(o.contract, graph);  // refuses what is none, before a worker is asked
  const GivenSizes sizes = sizes_of_given(graph, given_file_at(path_in_case(files.inputs)),
                                          given_file_at(path_in_case(files.outputs)));
  std::string text = fmt::format("{{{}}}", o.pipeline);
  for (const auto& [axis, extent] : sizes.extents) text += fmt::format(" {}={}", axis, extent);
  text += fmt::format(" dtype={}", name_of(sizes.types.storage()));
  if (!sizes.types.said().empty()) text += " dtypes=" + sizes.types.text();
  text += fmt::format(" inputs={} outputs={}", files.inputs, files.outputs);
  std::string contract = o.contract;
  std::replace_if(
      contract.begin(), contract.end(), [](char c) { return c == ' ' || c == '\t'; }, ',');
  if (!contract.empty()) text += " contract=" + contract;
  if (!o.elements.empty()) text += " elements=" + o.elements;
  if (!o.name.empty()) text += " name=" + o.name;
  return text;
}

Options check_of_given(const Options& options) {
  const std::size_t sets = options.inputs.size();
  if (sets != options.outputs.size())
    throw UsageError(
        fmt::format("--inputs names {} files, --outputs {}; each set has one of either", sets,
                    options.outputs.size()));
  Options check = options;
  check.cases.clear();
  for (std::size_t k = 0; k < sets; ++k)
    check.cases.push_back(given_case(options, {options.inputs[k], options.outputs[k]}));
  check.pipeline.clear();
  return check;
}

int run_judge(const Options& options) { return run_check(check_of_given(options)); }

int run_inputs(const Options& options) {
  const Case c = graph_case(options);
  const Tensors inputs = make_graph_inputs(graph_of(c), c);
  write_safetensors(options.output, inputs);
  for (const auto& [name, t] : inputs)
    say(fmt::format("{}  {} [{}]\n", name, name_of(t.dtype()), fmt::join(t.shape(), ",")));
  return 0;
}

int run_python(const Options& options) {
  const Case c = graph_case(options);
  if (options.described) {
    Json described = line_description(c, case_text(options));
    if (!options.claim.empty()) described["contract"] = named_claim(options.claim).contract;
    say(dump(described) + "\n");
    return 0;
  }
  const Graph graph = graph_of(c);
  say(python_source(graph, extents_of(graph, c), parse_dtype(c.text("dtype"))));
  return 0;
}

}  // namespace gradproof
