// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include "core/error.h"
#include "oracles/oracle.h"
#include "oracles/truth/judging.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {
namespace {

/// Whether the truth decides the verdict. An infinite bound needs no truth; a radius of at most the
/// smallest double is part of the bound already (stored_type.h).
bool decides(double radius, double bound) {
  return std::isinf(bound) || radius <= kSmallestDouble || is_decided(radius, bound);
}

/// The comparison of one tensor so far.
struct Found {
  explicit Found(Comparison start) : comparison(std::move(start)) {}
  Comparison comparison;
  std::int64_t escalated = 0;   ///< elements whose truth needed 50 digits
  std::int64_t too_coarse = 0;  ///< of those: still not decided
};

/// Compares truths when they are put. Of a matrix in `got`, one batch is in memory at a time.
class ComparingSink final : public TruthSink {
 public:
  ComparingSink(const Claim& claim, const Tensors& got) : claim_(claim), got_(got) {
    for (const TensorSpec& spec : claim.tensors) {
      if (!is_judged(claim, spec)) continue;
      const Tensor& tensor = get(got, spec.name);
      if (tensor.shape() != spec.layout.shape)
        throw InstrumentError(fmt::format("{}: {} elements against {} of the truth", spec.name,
                                          tensor.numel(), numel(spec.layout.shape)));
    }
    for (const TensorSpec& spec : claim.tensors) total_.emplace_back(nothing_of(spec));
  }

  std::unique_ptr<SinkWriter> writer() override { return std::make_unique<ComparingWriter>(*this); }

  std::map<std::string, Judged, std::less<>> take(bool given) const {
    std::map<std::string, Judged, std::less<>> all;
    for (std::size_t k = 0; k < claim_.tensors.size(); ++k) {
      const TensorSpec& spec = claim_.tensors[k];
      if (!is_judged(claim_, spec)) continue;
      all.emplace(spec.name, Judged{total_[k].comparison.finish(), why_of(claim_, spec, given),
                                    total_[k].escalated, total_[k].too_coarse});
    }
    return all;
  }

 private:
  class ComparingWriter final : public SinkWriter {
   public:
    explicit ComparingWriter(ComparingSink& sink)
        : sink_(sink), found_(sink.claim_.tensors.size()) {}

    void open(const Batch& batch) override {
      for (const TensorSpec& spec : sink_.claim_.tensors) {
        if (!is_judged(sink_.claim_, spec) || !sink_.claim_.is_matrix(spec)) continue;
        const auto [matrix, fresh] = matrices_.try_emplace(&spec, sink_.claim_);
        matrix->second.read(get(sink_.got_, spec.name), batch);
      }
    }

    void put(const ElementRange& range, const Truths& truths) override {
      const TensorSpec& spec = sink_.claim_.tensors[range.tensor];
      std::optional<Found>& found = found_[range.tensor];
      if (!found) found.emplace(sink_.nothing_of(spec));
      if (range.escalated) note(*found, truths);
      const Run run{range.first, range.stride};
      if (range.unit >= 0) {
        found->comparison.add(run, matrices_.at(&spec).of(range.unit), truths);
        return;
      }
      got_.clear();
      const Tensor& got = get(sink_.got_, spec.name);
      std::int64_t index = range.first;
      for (std::size_t i = 0; i < truths.size(); ++i, index += range.stride)
        got_.push_back(got.at(index));
      found->comparison.add(run, got_.data(), truths);
    }

    void close() override {
      const std::lock_guard lock(sink_.mutex_);
      for (std::size_t k = 0; k < found_.size(); ++k) {
        if (!found_[k]) continue;
        sink_.total_[k].comparison.merge(found_[k]->comparison);
        sink_.total_[k].escalated += found_[k]->escalated;
        sink_.total_[k].too_coarse += found_[k]->too_coarse;
      }
    }

   private:
    static void note(Found& found, const Truths& truths) {
      found.escalated += static_cast<std::int64_t>(truths.size());
      for (std::size_t i = 0; i < truths.size(); ++i)
        found.too_coarse += !decides(truths.radius[i], truths.bound[i]);
    }

    ComparingSink& sink_;
    std::vector<std::optional<Found>> found_;  ///< by tensor
    std::vector<double> got_;
    std::map<const TensorSpec*, BatchNumbers> matrices_;
  };

  /// The comparison of a tensor of `got` before any element is compared.
  Comparison nothing_of(const TensorSpec& spec) const {
    const Shape& shape = spec.layout.shape;
    const bool by_channel = !shape.empty() && shape.back() == claim_.cols();
    return Comparison(is_judged(claim_, spec) ? get(got_, spec.name).dtype() : spec.dtype, shape,
                      by_channel && claim_.groups() > 0 ? claim_.block_width() : 0);
  }

  const Claim& claim_;
  const Tensors& got_;
  std::mutex mutex_;
  std::vector<Found> total_;  ///< by tensor
};

}  // namespace

std::map<std::string, Judged, std::less<>> compare_with_truth(
    const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
    const Tensors& got, const InexactInputs& inexact) {
  ComparingSink sink(claim, got);
  judge_claim(claim, inputs, given, inexact, sink);
  return sink.take(given.has_value());
}

}  // namespace gradproof
