// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/graph/contract/declared_contract.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof {

/// The numbers of a computation that is simulated in R, float or double.
template <class R>
using Numbers = std::vector<R>;

/// A Case whose tensors a test computes itself, in R, number by number.
template <class R>
class Simulated {
 public:
  explicit Simulated(const std::string& line)
      : c_(parse_case(line + (sizeof(R) == 8 ? " dtype=f64" : ""), {})),
        graph_(graph_of(c_)),
        inputs_(make_graph_inputs(graph_, c_)) {}

  Numbers<R> numbers(const std::string& name) const {
    const Tensor& t = get(inputs_, name);
    Numbers<R> all;
    for (std::int64_t i = 0; i < t.numel(); ++i) all.push_back(static_cast<R>(t.at(i)));
    return all;
  }
  /// Gives an input these numbers, again from the first where they are fewer.
  void set(const std::string& name, const Numbers<R>& numbers) {
    Tensor& t = inputs_.at(name);
    for (std::int64_t i = 0; i < t.numel(); ++i)
      t.set(i, static_cast<double>(numbers[static_cast<std::size_t>(i) % numbers.size()]));
  }

  /// The number of computed numbers that are over their bound under the contract, by tensor.
  std::map<std::string, std::int64_t> bad(const std::string& contract,
                                          const std::map<std::string, Numbers<R>>& computed) const {
    const GraphClaim claim = claim_under(contract);
    Tensors got;
    for (const auto& [name, numbers] : computed) {
      const bool gradient = !has_name(graph_.outputs, name);
      Tensor t(claim.contract.storage, claim.shape_of(gradient ? name.substr(2) : name));
      for (std::int64_t i = 0; i < t.numel(); ++i)
        t.set(i, static_cast<double>(numbers[static_cast<std::size_t>(i)]));
      got.emplace(name, std::move(t));
    }
    std::map<std::string, std::int64_t> counts;
    for (const auto& [name, judged] : judge_graph(claim, inputs_, got))
      counts[name] = judged.discrepancy.bad;
    return counts;
  }

  /// The number of all computed numbers that are over their bound.
  std::int64_t all_bad(const std::string& contract,
                       const std::map<std::string, Numbers<R>>& computed) const {
    std::int64_t sum = 0;
    for (const auto& [name, count] : bad(contract, computed)) sum += count;
    return sum;
  }

  /// The bounds of an output or a gradient.
  std::vector<double> bounds(const std::string& contract, const std::string& target) const {
    const GraphClaim claim = claim_under(contract);
    const bool gradient = !has_name(graph_.outputs, target);
    const Tensor like(claim.contract.storage, claim.shape_of(gradient ? target.substr(2) : target));
    return truths_of_graph(claim, inputs_, target, like).truths.bound;
  }
  const Graph& graph() const { return graph_; }

 private:
  GraphClaim claim_under(const std::string& contract) const {
    return {
        graph_, extents_of(graph_, c_),
        graph_contract(parse_dtype(c_.text("dtype")), parse_declared_contract(contract, graph_))};
  }

  Case c_;
  Graph graph_;
  Tensors inputs_;
};

/// The contract with these forms, given by their places, as "variance=welford affine=plain".
inline std::string contract_of(const std::map<FormPart, int>& forms) {
  DeclaredContract contract;
  for (const auto& [part, form] : forms) contract.every.forms[part] = {1U << form};
  return to_string(contract);
}

}  // namespace gradproof
