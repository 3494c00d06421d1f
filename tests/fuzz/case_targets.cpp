// SPDX-License-Identifier: Apache-2.0
// The readers of what users write: a Case, a file of Cases, a graph, an element, the
// numbers that `set`
// names.
#include "core/case/case.h"
#include "core/case/case_file.h"
#include "core/case/inputs.h"
#include "core/case/law_key.h"
#include "core/error.h"
#include "core/graph/graph.h"
#include "core/parallel.h"
#include "core/tensor/element_text.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"
#include "tests/support/sample_schema.h"

namespace gradproof {
namespace {

/// Keys of all types, those of every kernel among them, and a refusal of each relation.
const std::vector<SchemaPtr>& schemas() {
  static const std::vector<SchemaPtr> all = [] {
    Schema schema = *sample_schema();
    schema.keys.push_back({"groups", KeyType::integer, "1", {}, 1, 1000, ""});
    schema.keys.push_back({"depth", KeyType::integer, "0", {}, INT64_MIN, INT64_MAX, ""});
    schema.keys.push_back(law_key());
    schema.refusals.push_back({{{"cols", "indivisible", "groups"}}, "groups must divide cols"});
    schema.refusals.push_back({{{"momentum", ">", "1"}}, "momentum is over 1"});
    schema.refusals.push_back({{{"momentum", "<", "0"}, {"law", "!=", "none"}}, "no such law"});
    Schema other = *sample_schema();
    other.word = "other";
    return std::vector<SchemaPtr>{std::make_shared<const Schema>(schema),
                                  std::make_shared<const Schema>(other)};
  }();
  return all;
}

/// x, dy and one tensor of whole numbers, so small that drawing them costs little.
Claim small_claim() {
  Claim claim;
  claim.extents = {{"rows", 2}, {"cols", 3}};
  const Layout matrix = Layout::contiguous({2, 3});
  claim.tensors = {{"x", Role::input, DType::f32, matrix},
                   {"dy", Role::cotangent, DType::f16, matrix},
                   {"weight", Role::parameter, DType::f64, Layout::contiguous({3})},
                   {"num_batches_tracked", Role::buffer, DType::i64, Layout::contiguous({})}};
  return claim;
}

std::string text_of(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& c : cases) text += to_string(c) + "\n";
  return text;
}

std::string text_of(const ElementText& element) {
  std::string text = element.tensor;
  for (std::size_t i = 0; i < element.index.size(); ++i)
    text += (i == 0 ? "[" : ",") + std::to_string(element.index[i]);
  return element.index.empty() ? text : text + "]";
}

}  // namespace

void fuzz_case(std::string_view text) {
  const auto c = unless_refused<UsageError>([&] { return parse_case(text, schemas()); });
  if (!c) return;
  require(refusal_of(*c).empty(), "a Case that its schema refuses was read");
  const std::string line = to_string(*c);
  const Case again = parse_case(line, schemas());
  require(again == *c && to_string(again) == line, "the text of a Case is another Case: " + line);
}

void fuzz_case_file(std::string_view text) {
  const auto read = [](const std::string& lines) {
    return read_cases(MemoryFile(lines).path(), schemas());
  };
  require_inverse<UsageError>(text, read, [](const auto& cases) { return text_of(cases); });
}

void fuzz_graph(std::string_view text) {
  const auto graph = unless_refused<UsageError>([&] { return parse_graph(text); });
  if (!graph) return;
  const std::string line = to_string(*graph);
  const Graph again = parse_graph(line);
  require(again == *graph && to_string(again) == line,
          "the text of a graph is another one: " + line);
}

void fuzz_element(std::string_view text) {
  const auto element = element_text(text);
  if (!element) return;
  const auto again = element_text(text_of(*element));
  require(again && again->tensor == element->tensor && again->index == element->index,
          "the text of an element is another element");
}

void fuzz_inputs(std::string_view text) {
  static const Claim claim = small_claim();
  const ThreadLimit limit(1);  // threads for six numbers would be most of the time
  const auto c = unless_refused<UsageError>([&] { return parse_case(text, schemas()); });
  if (!c) return;
  const auto inputs = unless_refused<UsageError>([&] { return make_inputs(*c, claim); });
  if (!inputs) return;
  const Tensors again = make_inputs(parse_case(to_string(*c), schemas()), claim);
  for (const auto& [name, tensor] : *inputs)
    require(same_bits(tensor, get(again, name)), "the text of a Case has other inputs: " + name);
}

}  // namespace gradproof
