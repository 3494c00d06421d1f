// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/diagnosis_survey.h"

#include <algorithm>
#include <set>

#include "core/bad_set.h"

namespace gradproof::diagnosis {
namespace {

constexpr std::size_t kShown = 8;
/// Elements of x that are looked at together: a batch takes some 800 bytes for each.
constexpr std::int64_t kBatch = std::int64_t{1} << 18;

std::vector<std::vector<std::int64_t>> batches_of(const Question& q) {
  const std::int64_t blocks = q.claim.blocks();
  const std::int64_t size = std::max<std::int64_t>(1, q.claim.rows * q.claim.block_width());
  const bool shared = target_of(q).shared;  // all blocks decide it
  const std::int64_t each = shared ? blocks : std::max<std::int64_t>(1, kBatch / size);
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t first = 0; first < blocks; first += each) {
    all.emplace_back();
    for (std::int64_t k = first; k < std::min(blocks, first + each); ++k) all.back().push_back(k);
  }
  return all;
}

bool is_poison(const Tensor& tensor, std::int64_t index) {
  const auto size = size_of(tensor.dtype());
  const std::byte* first =
      tensor.bytes().data() + static_cast<std::size_t>(tensor.position(index)) * size;
  return std::all_of(first, first + size, [](std::byte b) { return b == std::byte{0xFF}; });
}

/// Collects while the batches pass.
class Surveyor {
 public:
  explicit Surveyor(const Question& q)
      : q_(q),
        extents_(extents_of(q.got.shape(), q.claim.groups > 0 ? q.claim.block_width() : 0)) {}

  void take(const Evidence& e) {
    for (std::size_t i = 0; i < e.got.size(); ++i)
      if (e.wrong[i] != 0) take_wrong(e, i);
    survey_.most_bits += most_bits(e);
    const auto keep = std::min(kShown, survey_.worst.size());
    std::partial_sort(survey_.worst.begin(), survey_.worst.begin() + static_cast<long>(keep),
                      survey_.worst.end(), [](const Entry& a, const Entry& b) {
                        return a.ratio > b.ratio || (a.ratio == b.ratio && a.index < b.index);
                      });
    survey_.worst.resize(keep);
  }

  Survey finish() {
    survey_.columns.assign(columns_.begin(), columns_.end());
    survey_.pattern = pattern_of(bad_, extents_, survey_.columns);
    return std::move(survey_);
  }

 private:
  void take_wrong(const Evidence& e, std::size_t i) {
    const std::int64_t index = e.index[i];
    const std::int64_t col = e.target.shared ? 0 : index % q_.claim.cols;
    ++survey_.wrong;
    survey_.nonfinite += std::isfinite(e.got[i]) ? 0 : 1;
    survey_.poisoned += is_poison(q_.got, index) ? 1 : 0;
    ++survey_.by_block[col / q_.claim.block_width()];
    survey_.worst.push_back({e.ratio[i], index});
    bad_.add(index, extents_);
    columns_.insert(col);
  }

  const Question& q_;
  Extents extents_;
  BadSet bad_;
  std::set<std::int64_t> columns_;
  Survey survey_;
};

}  // namespace

std::vector<std::int64_t> Survey::worst_entries() const {
  std::vector<std::int64_t> all;
  for (const Entry& entry : worst) all.push_back(entry.index);
  return all;
}

Survey survey_of(const Question& question) {
  const auto batches = batches_of(question);
  Surveyor surveyor(question);
  std::optional<Evidence> whole;
  for (const std::vector<std::int64_t>& batch : batches) {
    Evidence evidence = evidence_of(question, batch);
    surveyor.take(evidence);
    if (batches.size() == 1) whole = std::move(evidence);
  }
  Survey survey = surveyor.finish();
  survey.batches = batches;
  survey.whole = std::move(whole);
  return survey;
}

}  // namespace gradproof::diagnosis
