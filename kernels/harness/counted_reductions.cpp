// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/case/inputs.h"
#include "core/error.h"
#include "core/graph/stages.h"
#include "kernels/harness/counted_run.h"
#include "kernels/harness/counting_tensors.h"

namespace gradproof {
namespace {

using simt::Counted;

std::int64_t most(const std::vector<Counted>& numbers, std::int32_t Counted::*count) {
  std::int64_t found = 0;
  for (const Counted& number : numbers) found = std::max<std::int64_t>(found, number.*count);
  return found;
}

/// The additions that each number has gone through before the norm adds it to others.
std::int64_t in_front_of_norm(const Claim& claim) {
  const std::vector<GraphStep> chain = claim.chain();
  const std::size_t norm = first_norm(chain);
  return norm > 0 && norm < chain.size() && graph_stage(chain[norm - 1].stage).is_summand() ? 1 : 0;
}

/// The chains of additions in the gradients of a Case.
class CountedGradients {
 public:
  CountedGradients(const Claim& claim, const CountingTensors& tensors) : claim_(claim) {
    for (const TensorSpec& spec : claim.tensors) {
      if (spec.role != Role::gradient) continue;
      const std::vector<Counted> numbers = tensors.numbers(spec.name);
      if (claim.is_matrix(spec))
        of_input_ = most(numbers, &Counted::longest);
      else if (numbers.size() == 1 && claim.cols() > 1)
        shared_ = std::max(shared_, most(numbers, &Counted::depth));
      else
        of_parameters_ = std::max(of_parameters_, most(numbers, &Counted::depth));
    }
  }

  /// The reductions of the contract that the Case shows. If the columns share a parameter, their
  /// sums stand in front of those over the columns, and none shows alone.
  std::vector<CountedReduction> all() const {
    const Contract& contract = claim_.contract;
    const bool in_columns = claim_.groups() == 0;
    const std::string over_rows = in_columns ? "gradients" : "parameters";
    const auto declared = [&](const std::string& name) { return contract.reduction(name).chain; };
    if (shared_ > 0) {
      // In closed form each column's sum is multiplied before the sums meet: a product starts anew.
      const bool anew = contract.scale_in_closed_form && claim_.batch_statistics();
      return {{"shared", (anew ? 0 : declared(over_rows)) + declared("shared"), shared_}};
    }
    if (in_columns)
      return {{"gradients", declared("gradients"), std::max(of_input_, of_parameters_)}};
    return {{"gradients", declared("gradients"), of_input_},
            {"parameters", declared("parameters"), of_parameters_}};
  }

 private:
  const Claim& claim_;
  std::int64_t of_input_ = 0, of_parameters_ = 0, shared_ = 0;
};

}  // namespace

std::vector<CountedReduction> count_reductions(const Kernel& kernel, const Case& c) {
  if (!kernel.counting.entry.forward)
    throw InstrumentError("no number counts in the kernel '" + kernel.schema->word + "'");
  const Claim claim = kernel.claim(c);
  CountingTensors tensors(claim, make_inputs(c, claim));
  std::int64_t statistics = 0;
  const auto between = [&] {
    statistics = most(tensors.numbers("y"), &Counted::longest);
    tensors.start_anew();
    return claim.backward;
  };
  if (const std::string wrong = run_counting(kernel, c, execution_of(c), tensors, between);
      !wrong.empty())
    throw InstrumentError(to_string(c) + ": on numbers that count it ended with " + wrong);
  if (statistics > kAdditionsOfElement) statistics -= in_front_of_norm(claim);
  std::vector<CountedReduction> all = CountedGradients(claim, tensors).all();
  if (claim.batch_statistics() && first_norm(claim.chain()) < claim.chain().size())
    all.insert(all.begin(),
               {"statistics", claim.contract.reduction("statistics").chain, statistics});
  return all;
}

}  // namespace gradproof
