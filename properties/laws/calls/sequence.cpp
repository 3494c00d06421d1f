// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/sequence.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/inputs.h"
#include "core/error.h"
#include "core/graph/graph_case.h"

namespace gradproof {

const std::vector<std::string>& sequence_words() {
  static const std::vector<std::string> words{"train", "eval", "load", "copy"};
  return words;
}

std::vector<std::string> sequence_of(const Case& c) {
  const std::string& text = c.text("calls");
  std::istringstream parts(text.empty() ? "train;eval;load;train;copy;train;eval" : text);
  const std::vector<std::string>& known = sequence_words();
  std::vector<std::string> sequence;
  for (std::string word; std::getline(parts, word, ';'); sequence.push_back(word))
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw UsageError(fmt::format("bad value '{}' for key 'calls': unknown word '{}'; known: {}",
                                   text, word, fmt::join(known, " ")));
  return sequence;
}

std::optional<Case> case_of_call(const Case& c, const std::string& word) {
  if (word == "load" || word == "copy") return std::nullopt;
  const Case called = c.schema().has("mode") ? c.with("mode", word) : c;
  return refusal_of(called).empty() ? std::optional(called) : std::nullopt;
}

Tensors numbers_of_call(const Trial& t, std::int64_t k, bool loaded, Tensors others) {
  const Claim& claim = t.claim();
  const bool other_seed = loaded || claim.by_graph;
  const Case c =
      other_seed ? t.c().with("seed", fmt::format("{}", t.c().integer("seed") + k)) : t.c();
  const Tensors fresh =
      claim.by_graph ? make_graph_inputs(claim.graph, c) : make_inputs(c, claim, loaded ? 0 : k);
  for (const TensorSpec& spec : claim.tensors)
    if (is_given(spec) && runs_through(spec) != loaded)
      others.at(spec.name) = get(fresh, spec.name);
  return others;
}

}  // namespace gradproof
