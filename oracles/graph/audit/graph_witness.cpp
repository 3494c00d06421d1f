// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/parallel.h"
#include "core/tensor/philox.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/audit/graph_target.h"
#include "oracles/graph/audit/part_at_rest.h"

namespace gradproof {
namespace {

/// The witness of dual numbers in double-doubles for one part; silent if they do not agree.
AuditWitness quick_witness(const GraphTarget& target, PartAtRest& part, int digits) {
  const std::size_t tensor = target.tensor();
  const Stream stream(FunctionOptions().seed, "direction " + target.tensors()[0].name);
  const std::vector<Wide>& gradient = part.gradient(tensor);
  std::vector<double> direction(gradient.size());
  Real product(0);
  Real terms(0);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    direction[i] = stream.normal(i);
    const Real claim(target.edited(part.part(), i, real_of(gradient[i])));
    product += direction[i] * claim;
    terms += abs(Real(direction[i] * claim));
  }
  const Real forward = real_of(part.moves().directional(tensor, direction.data()));
  const Real error = abs(Real(forward - product));
  const Real size = std::max(terms, Real(abs(forward)));
  AuditWitness witness;
  witness.name = Witness::dual_numbers;
  witness.digits = error == 0 ? digits_of(0) : digits_of(Real(error / size).convert_to<double>());
  if (isfinite(error) && witness.digits >= digits) witness.verdict = WitnessVerdict::agrees;
  return witness;
}

}  // namespace

HiLo directional_derivative(const GraphClaim& claim, const Tensors& inputs,
                            const Tensors& directions) {
  Real total(0);
  for (std::size_t k = 0; k < claim.graph.tensors.size(); ++k) {
    const auto found = directions.find(claim.graph.tensors[k].name);
    if (found == directions.end()) continue;
    const GraphTarget target(claim, inputs, k);
    PartAtRest part(target);
    for (std::int64_t p = 0; p < target.parts(); ++p) {
      part.take(p);
      std::vector<double> direction(part.count(k));
      for (std::size_t i = 0; i < direction.size(); ++i)
        direction[i] = found->second.at(target.entry_of(p, i));
      total += real_of(part.moves().directional(k, direction.data()));
    }
  }
  const double hi = total.convert_to<double>();
  return {hi, Real(total - Real(hi)).convert_to<double>()};
}

AuditWitness dual_numbers_witness(const GraphTarget& target, int digits) {
  std::vector<AuditWitness> found(static_cast<std::size_t>(target.parts()));
  const std::int64_t threads = std::min<std::int64_t>(target.parts(), thread_limit());
  for_each_index(threads, [&](std::int64_t thread) {
    PartAtRest part(target);
    for (std::int64_t k = thread; k < target.parts(); k += threads) {
      AuditWitness& witness = found[static_cast<std::size_t>(k)];
      witness.name = Witness::dual_numbers;
      if (!target.is_finite(k)) continue;
      part.take(k);
      witness = quick_witness(target, part, digits);
      if (witness.verdict == WitnessVerdict::agrees) continue;
      FunctionOptions options;
      options.digits = digits;
      const std::size_t input = target.input_of_function(target.tensor());
      witness = dual_numbers_witness(target.function(k), input, options);
    }
  });
  const auto says = [](const AuditWitness& w) { return w.verdict != WitnessVerdict::silent; };
  const auto rank = [](const AuditWitness& w) {
    return std::pair(w.verdict == WitnessVerdict::wrong    ? 0
                     : w.verdict == WitnessVerdict::agrees ? 1
                                                           : 2,
                     w.digits);
  };
  AuditWitness worst = *std::min_element(
      found.begin(), found.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (!std::ranges::any_of(found, says)) worst.text = "nothing that it could look at is finite";
  if (worst.verdict == WitnessVerdict::wrong && found.size() > 1)
    worst.text += fmt::format(", in the worst of {} parts", found.size());
  return worst;
}

}  // namespace gradproof
