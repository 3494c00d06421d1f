// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/claimed_gradients.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/differences/pipeline_target.h"
#include "oracles/pipeline/evaluate_unit.h"

namespace gradproof {
namespace {

/// The target's loss, but with claims that somebody else makes.
class Claimed final : public PerturbedLoss {
 public:
  Claimed(const AuditTarget& target, const std::vector<Values<Digits400>>& claimed,
          std::unique_ptr<PerturbedLoss> losses)
      : target_(target), claimed_(claimed), losses_(std::move(losses)) {}

  void take_unit(std::int64_t unit) override { losses_->take_unit(unit); }
  std::optional<Values<Difference>> differences(std::size_t tensor, const StepChoice& step,
                                                Method method) override {
    auto result = losses_->differences(tensor, step, method);
    if (!result) return result;
    const Values<Digits400>& claimed = this->claimed(tensor);
    for (std::size_t place = 0; place < result->size(); ++place) {
      Difference& of = (*result)[place];
      const Digits400 fine = real_of(of.claimed) + of.error;
      of.claimed = wide_of(claimed[place]);
      of.error = Digits400(fine - claimed[place]).convert_to<double>();
    }
    return result;
  }

  std::int64_t count(std::size_t tensor) const override { return losses_->count(tensor); }
  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    return losses_->entry(tensor, place);
  }
  Digits400 change(std::size_t tensor, std::int64_t place, double move) override {
    return losses_->change(tensor, place, move);
  }
  std::vector<Values<Digits400>> changes(std::size_t tensor,
                                         const std::vector<std::int64_t>& places,
                                         const std::vector<double>& moves, Method method) override {
    return losses_->changes(tensor, places, moves, method);
  }
  Method quickest(std::size_t tensor) const override { return losses_->quickest(tensor); }
  int log2_scale(std::size_t tensor) override { return losses_->log2_scale(tensor); }
  double magnitude() override { return losses_->magnitude(); }
  double magnitude_of(std::int64_t place) override { return losses_->magnitude_of(place); }
  double typical_change() override { return losses_->typical_change(); }
  bool moves(std::size_t tensor, std::int64_t place, double move) override {
    return losses_->moves(tensor, place, move);
  }
  Irregularity irregular(std::size_t tensor, std::int64_t place, double move) override {
    return losses_->irregular(tensor, place, move);
  }

  const Values<Digits400>& claimed(std::size_t tensor) override {
    terms_ = losses_->claimed(tensor);
    for (std::size_t place = 0; place < terms_.size(); ++place) {
      const auto at =
          static_cast<std::size_t>(losses_->entry(tensor, static_cast<std::int64_t>(place)));
      const Digits400& given = claimed_[tensor][at];
      terms_[place] = target_.in_one_unit(tensor) ? given : terms_[place] + given;
    }
    return terms_;
  }

 private:
  const AuditTarget& target_;
  const std::vector<Values<Digits400>>& claimed_;
  std::unique_ptr<PerturbedLoss> losses_;
  Values<Digits400> terms_;
};

}  // namespace

RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs) {
  const PipelineTarget target(claim, inputs);
  const Geometry& geometry = target.geometry();
  std::vector<Adjoint<Digits400>> terms(static_cast<std::size_t>(geometry.units()));
  for_each_index(geometry.units(), [&](std::int64_t k) {
    terms[static_cast<std::size_t>(k)] =
        evaluate_unit(claim, Plain<Digits400>(), gather<Digits400>(claim, inputs, k), {}, k)
            .gradients;
  });
  RealGradients result;
  for (std::size_t t = 0; t < target.tensors().size(); ++t) {
    const AuditedTensor& tensor = target.tensors()[t];
    const bool is_input = target.movable(t).input;
    Values<Digits400> gradient(static_cast<std::size_t>(numel(tensor.shape)), Digits400(0));
    for (std::int64_t k = 0; k < geometry.units(); ++k) {
      const Adjoint<Digits400>& of = terms[static_cast<std::size_t>(k)];
      const Values<Digits400>& values = is_input ? of.input : of.parameters.at(tensor.name);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        // A number that all channels share has a term for each of them.
        const std::int64_t entry = is_input ? geometry.first(k) + place * geometry.stride()
                                   : target.shared(t) ? 0
                                                      : geometry.first_column(k) + place;
        gradient[static_cast<std::size_t>(entry)] += values[i];
      }
    }
    Values<Real>& rounded = result["d_" + tensor.name];
    for (const Digits400& entry : gradient) rounded.emplace_back(entry);
  }
  return result;
}

ClaimedGradients::ClaimedGradients(const AuditTarget& target, const RealGradients& claimed)
    : target_(target) {
  for (const AuditedTensor& tensor : target.tensors()) {
    const auto found = claimed.find("d_" + tensor.name);
    if (found == claimed.end() || std::ssize(found->second) != numel(tensor.shape))
      throw InstrumentError(fmt::format("no gradient d_{} of its size is claimed", tensor.name));
    claimed_.emplace_back(found->second.begin(), found->second.end());
  }
  for (std::size_t k = 0; k < claimed_.size(); ++k)
    if (!target.in_one_unit(k)) share_out(k);
}

void ClaimedGradients::share_out(std::size_t tensor) {
  Values<Digits400>& extra = claimed_[tensor];
  std::vector<int> units(extra.size());
  const auto losses = target_.losses(AuditArithmetic::digits400);
  for (std::int64_t block = 0; block < target_.blocks(); ++block)
    for (const std::int64_t unit : target_.units_of(block)) {
      losses->take_unit(unit);
      const Values<Digits400>& target_claims = losses->claimed(tensor);
      for (std::size_t place = 0; place < target_claims.size(); ++place) {
        const auto at =
            static_cast<std::size_t>(losses->entry(tensor, static_cast<std::int64_t>(place)));
        extra[at] -= target_claims[place];
        ++units[at];
      }
    }
  for (std::size_t k = 0; k < extra.size(); ++k) extra[k] /= std::max(units[k], 1);
}

std::unique_ptr<PerturbedLoss> ClaimedGradients::losses(AuditArithmetic arithmetic) const {
  return std::make_unique<Claimed>(target_, claimed_, target_.losses(arithmetic));
}

std::vector<AuditRow> audit_gradients(const Claim& claim, const Tensors& inputs,
                                      const RealGradients& claimed, const AuditOptions& options) {
  const PipelineTarget target(claim, inputs);
  return audit_target(ClaimedGradients(target, claimed), options);
}

}  // namespace gradproof
