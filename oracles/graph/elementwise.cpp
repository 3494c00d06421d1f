// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/elementwise.h"

#include <string_view>
#include <unordered_map>

#include "core/error.h"

namespace gradproof {

ElementwiseWord elementwise_word(const GraphStep& step) {
  using enum ElementwiseWord;
  static const std::unordered_map<std::string_view, ElementwiseWord> words = {
      {"relu", relu},
      {"leaky_relu", leaky_relu},
      {"gelu", gelu},
      {"sigmoid", sigmoid},
      {"tanh", tanh},
      {"silu", silu},
      {"softplus", softplus},
      {"mish", mish},
      {"hardswish", hardswish},
      {"hardtanh", hardtanh},
      {"abs", abs},
      {"neg", neg},
      {"detach", detach},
      {"square", square},
      {"exp", exp},
      {"log", log},
      {"log1p", log1p},
      {"sqrt", sqrt},
      {"rsqrt", rsqrt},
      {"elu", elu},
      {"erf", erf},
      {"sin", sin},
      {"cos", cos},
      {"pow", pow},
      {"softcap", softcap}};
  const auto found = words.find(step.stage);
  if (found == words.end())
    throw InstrumentError("no function of one number for stage '" + step.stage + "'");
  return found->second == gelu && step.word("approximate") == "tanh" ? gelu_tanh : found->second;
}

std::optional<Relation> relation_of(std::string_view stage) {
  if (stage == "greater") return Relation::greater;
  if (stage == "greater_equal") return Relation::greater_equal;
  if (stage == "equal") return Relation::equal;
  return std::nullopt;
}

}  // namespace gradproof
