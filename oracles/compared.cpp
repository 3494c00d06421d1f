// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include <fmt/format.h>

#include "core/error.h"
#include "oracles/judging.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

/// What was found about one tensor so far.
struct Found {
  explicit Found(DType dtype) : comparison(dtype) {}
  Comparison comparison;
  std::int64_t escalated = 0;
};

/// Compares as truths come; no more than a batch of got's matrices is read at a time.
class ComparingLedger final : public Ledger {
 public:
  ComparingLedger(const Claim& claim, const Tensors& got) : claim_(claim), got_(got) {
    for (const TensorSpec& spec : claim.tensors) {
      if (!is_judged(claim, spec)) continue;
      const Tensor& tensor = get(got, spec.name);
      if (tensor.shape() != spec.layout.shape)
        throw InstrumentError(fmt::format("{}: {} elements against {} of the truth", spec.name,
                                          tensor.numel(), numel(spec.layout.shape)));
    }
    for (const TensorSpec& spec : claim.tensors) total_.emplace_back(dtype_of(spec));
  }

  std::unique_ptr<Page> page() override { return std::make_unique<ComparingPage>(*this); }

  std::map<std::string, Judged, std::less<>> take(bool given) const {
    std::map<std::string, Judged, std::less<>> all;
    for (std::size_t k = 0; k < claim_.tensors.size(); ++k) {
      const TensorSpec& spec = claim_.tensors[k];
      if (!is_judged(claim_, spec)) continue;
      all.emplace(spec.name, Judged{total_[k].comparison.finish(spec.layout.shape),
                                    why_of(claim_, spec, given), total_[k].escalated});
    }
    return all;
  }

 private:
  class ComparingPage final : public Page {
   public:
    explicit ComparingPage(ComparingLedger& ledger)
        : ledger_(ledger), found_(ledger.claim_.tensors.size()) {}

    void open(const Batch& batch) override {
      for (const TensorSpec& spec : ledger_.claim_.tensors) {
        if (!is_judged(ledger_.claim_, spec) || !ledger_.claim_.is_matrix(spec)) continue;
        const auto [matrix, fresh] = matrices_.try_emplace(&spec, ledger_.claim_);
        matrix->second.read(get(ledger_.got_, spec.name), batch);
      }
    }

    void put(const Place& place, const Values<Truth>& truths) override {
      const TensorSpec& spec = ledger_.claim_.tensors[place.tensor];
      std::optional<Found>& found = found_[place.tensor];
      if (!found) found.emplace(ledger_.dtype_of(spec));
      if (place.escalated) found->escalated += static_cast<std::int64_t>(truths.size());
      const double* numbers = place.unit >= 0 ? matrices_.at(&spec).of(place.unit) : nullptr;
      std::int64_t index = place.first;
      for (std::size_t i = 0; i < truths.size(); ++i, index += place.stride) {
        const double got = numbers != nullptr ? numbers[i] : get(ledger_.got_, spec.name).at(index);
        found->comparison.add(index, got, truths[i]);
      }
    }

    void close() override {
      const std::lock_guard lock(ledger_.mutex_);
      for (std::size_t k = 0; k < found_.size(); ++k) {
        if (!found_[k]) continue;
        ledger_.total_[k].comparison.merge(found_[k]->comparison);
        ledger_.total_[k].escalated += found_[k]->escalated;
      }
    }

   private:
    ComparingLedger& ledger_;
    std::vector<std::optional<Found>> found_;  ///< by tensor
    std::map<const TensorSpec*, BatchNumbers> matrices_;
  };

  /// The dtype of what was got.
  DType dtype_of(const TensorSpec& spec) const {
    return is_judged(claim_, spec) ? get(got_, spec.name).dtype() : spec.dtype;
  }

  const Claim& claim_;
  const Tensors& got_;
  std::mutex mutex_;
  std::vector<Found> total_;  ///< by tensor
};

}  // namespace

std::map<std::string, Judged, std::less<>> compare_with_truth(
    const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
    const Tensors& got) {
  ComparingLedger ledger(claim, got);
  judge_claim(claim, inputs, given, ledger);
  return ledger.take(given.has_value());
}

}  // namespace gradproof
