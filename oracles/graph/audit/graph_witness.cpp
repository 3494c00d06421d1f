// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/parallel.h"
#include "core/tensor/philox.h"
#include "oracles/differences/steps/step_rules.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/audit/graph_target.h"
#include "oracles/graph/audit/part_at_rest.h"

namespace gradproof {
namespace {

/// Elements of steps that one tensor's witness evaluates by dual numbers, roughly: as many parts,
/// spread over all, are compared whole.
constexpr double kWitnessElements = 0x1p15;
constexpr std::int64_t kFewestParts = 4;

using TripleDouble = TripledOf<double>;

TripleDouble triple_double(const Wide& number) { return {number.hi, number.mid, number.lo}; }
TripleDouble magnitude_of(const TripleDouble& number) { return number.hi < 0 ? -number : number; }

/// The witness of dual numbers in packs for one part; silent if they do not agree.
AuditWitness quick_witness(const GraphTarget& target, PartAtRest& part, int digits) {
  const std::size_t tensor = target.tensor();
  const Stream stream(FunctionOptions().seed, "direction " + target.tensors()[0].name);
  const std::vector<Wide>& gradient = part.gradient(tensor);
  std::vector<double> direction(gradient.size());
  stream.normals(0, direction.size(), direction.data());
  TripleDouble product(0);
  TripleDouble terms(0);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const Wide claim = target.is_edited()
                           ? wide_of(target.edited(part.part(), i, real_of(gradient[i])))
                           : gradient[i];
    const TripleDouble term = TripleDouble(direction[i]) * triple_double(claim);
    product += term;
    terms += magnitude_of(term);
  }
  const TripleDouble forward = triple_double(part.moves().directional(tensor, direction.data()));
  const double error = std::abs((forward - product).hi);
  const double size = std::max(terms.hi, std::abs(forward.hi));
  AuditWitness witness;
  witness.name = Witness::dual_numbers;
  witness.digits = digits_of(error == 0 ? 0 : error / size);
  if (std::isfinite(error) && witness.digits < digits) {
    const double typical = std::ldexp(part.typical_change(tensor), -part.widths(tensor).most);
    if (size <= step_rules::kVanishing * typical) {
      witness.digits = digits_of(0);
      witness.text = "0 both ways";
    }
  }
  if (std::isfinite(error) && witness.digits >= digits) witness.verdict = WitnessVerdict::agrees;
  return witness;
}

/// The parts that a witness compares.
std::vector<std::int64_t> compared_parts(const AuditedGraph& graph) {
  const auto fitting = static_cast<std::int64_t>(kWitnessElements / graph.elements());
  return spread_over(graph.parts(), std::max(kFewestParts, fitting), "dual numbers");
}

}  // namespace

HiLo directional_derivative(const GraphClaim& claim, const Tensors& inputs,
                            const Tensors& directions) {
  const AuditedGraph graph(claim, inputs);
  Real total(0);
  for (std::size_t k = 0; k < claim.graph.tensors.size(); ++k) {
    const auto found = directions.find(claim.graph.tensors[k].name);
    if (found == directions.end()) continue;
    const GraphTarget target(graph, k);
    PartInUse part(target, AuditArithmetic::double_double);
    for (std::int64_t p = 0; p < graph.parts(); ++p) {
      part.take(p);
      std::vector<double> direction(part->count(k));
      for (std::size_t i = 0; i < direction.size(); ++i)
        direction[i] = found->second.at(graph.entry_of(k, p, i));
      total += real_of(part->moves().directional(k, direction.data()));
    }
  }
  const double hi = total.convert_to<double>();
  return {hi, Real(total - Real(hi)).convert_to<double>()};
}

AuditWitness dual_numbers_witness(const GraphTarget& target, int digits) {
  const AuditedGraph& graph = target.graph();
  const std::vector<std::int64_t> parts = compared_parts(graph);
  std::vector<AuditWitness> found(parts.size());
  const std::int64_t threads = std::min<std::int64_t>(std::ssize(parts), thread_limit());
  for_each_index(threads, [&](std::int64_t thread) {
    PartInUse quick(target, AuditArithmetic::double_double);
    PartInUse longer(target, AuditArithmetic::triple_double);
    for (auto k = static_cast<std::size_t>(thread); k < parts.size();
         k += static_cast<std::size_t>(threads)) {
      AuditWitness& witness = found[k];
      witness.name = Witness::dual_numbers;
      if (!graph.is_finite(parts[k])) continue;
      for (PartInUse* const part : {&quick, &longer}) {
        if (witness.verdict == WitnessVerdict::agrees) break;
        part->take(parts[k]);
        witness = quick_witness(target, **part, digits);
      }
      if (witness.verdict == WitnessVerdict::agrees) continue;
      FunctionOptions options;
      options.digits = digits;
      const std::size_t input = graph.input_of_function(target.tensor());
      witness = dual_numbers_witness(target.function(parts[k]), input, options);
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
