// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/diagnosis/diagnose_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "core/parallel.h"
#include "oracles/graph/diagnosis/hypotheses.h"

namespace gradproof {
namespace diagnosis {
namespace {

/// A tensor counts as rounded if so many different wrong numbers fit a narrow type.
constexpr std::size_t kManyNumbers = 8;
/// A larger tensor is not explained: each element takes some 100 bytes.
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;
/// One entry in so many may contradict an explanation.
constexpr std::int64_t kExceptions = 256;
/// A type that a result may have been rounded to on the way, with the count of bits that are 0
/// then: in a number that was not rounded they are 0 once in 2^bits.
struct NarrowType {
  const char* name;
  std::uint32_t bits;
  double relative;  ///< its rounding, at most
};
constexpr std::array kNarrowTypes{NarrowType{"bfloat16", 16, 0x1p-8},
                                  NarrowType{"float16", 13, 0x1p-11},
                                  NarrowType{"TF32", 13, 0x1p-10}};

struct Tested {
  GraphHypothesis hypothesis;
  std::int64_t place = 0;  ///< from 1: so many were tested until this one
  Fit fit;
};

/// The numbers that one evaluation computes.
double numbers_of(const WrongTensor& asked) {
  double numbers = 0;
  for (const auto& [name, tensor] : asked.inputs) numbers += static_cast<double>(tensor.numel());
  for (const GraphStep& step : asked.claim.graph.steps) {
    double value = 1;
    for (const std::string& axis : step.value_axes)
      value *= static_cast<double>(asked.claim.extents.at(axis));
    numbers += value;
  }
  return asked.is_gradient() ? 2 * numbers : numbers;
}

std::optional<Fit> fit_of(const GraphHypothesis& one, const WrongTensor& asked) {
  const std::optional<Prediction> predicted = one.predict(asked);
  if (!predicted || predicted->size() != asked.entries.size()) return std::nullopt;
  Fit fit;
  for (std::size_t i = 0; i < predicted->size(); ++i) fit.take(asked.entries[i], (*predicted)[i]);
  return fit;
}

/// The hypotheses that explain the entries, and those that a sample cannot test.
std::vector<Tested> fitting(std::vector<Tested> all, const WrongTensor& asked, bool is_sample) {
  std::vector<std::optional<Fit>> fits(all.size());
  const auto is_left = [&](std::size_t k) { return is_sample && all[k].hypothesis.of_whole; };
  for_each_index(std::ssize(all), [&](std::int64_t index) {
    const ThreadLimit alone(1);
    const auto k = static_cast<std::size_t>(index);
    if (!is_left(k)) fits[k] = fit_of(all[k].hypothesis, asked);
  });
  std::vector<Tested> left;
  for (std::size_t k = 0; k < all.size(); ++k) {
    // A changed line that gives NaN where the tensor is NaN explains next to nothing.
    if (!is_left(k) && (!fits[k] || !fits[k]->explains() || fits[k]->finite == 0)) continue;
    if (fits[k]) all[k].fit = *fits[k];
    left.push_back(std::move(all[k]));
  }
  return left;
}

/// The tested hypotheses that are left, and the simplest rank of those not tested.
struct Search {
  std::vector<Tested> left;
  std::optional<GraphRank> cut = {};
};

/// Keeps the first hypotheses, as many as `numbers` allows. Factors evaluate nothing.
void cut_off(Search& search, double each, double& numbers) {
  std::vector<Tested> kept;
  for (Tested& one : search.left) {
    const double cost = one.hypothesis.rank == GraphRank::factor ? 0 : each;
    if (cost <= numbers) {
      numbers -= cost;
      kept.push_back(std::move(one));
    } else if (!search.cut || one.hypothesis.rank < *search.cut) {
      search.cut = one.hypothesis.rank;
    }
  }
  search.left = std::move(kept);
}

Search searched(const WrongTensor& whole, double& numbers) {
  Search search;
  for (GraphHypothesis& one : hypotheses_about(whole)) {
    const std::int64_t place = std::ssize(search.left) + 1;
    search.left.push_back({std::move(one), place, {}});
  }
  const std::optional<WrongTensor> sample = sample_of(whole);
  if (sample) {
    cut_off(search, numbers_of(*sample), numbers);
    search.left = fitting(std::move(search.left), *sample, true);
  }
  cut_off(search, numbers_of(whole), numbers);
  search.left = fitting(std::move(search.left), whole, false);
  return search;
}

bool has_bytes(const WrongTensor& whole, const ComparedEntry& entry, std::byte byte) {
  const auto size = size_of(whole.got.dtype());
  const std::byte* first =
      whole.got.bytes().data() + static_cast<std::size_t>(whole.got.position(entry.index)) * size;
  return std::all_of(first, first + size, [&](std::byte b) { return b == byte; });
}

/// A text if all wrong entries hold unwritten memory's bytes: ours, or the Python package's.
std::string unwritten_text(const WrongTensor& whole) {
  for (const std::byte byte : {std::byte{0xFF}, std::byte{0x7F}})
    if (std::ranges::all_of(whole.entries, [&](const ComparedEntry& entry) {
          return !entry.wrong || has_bytes(whole, entry, byte);
        }))
      return "never written: every wrong entry has the bytes of memory that nobody wrote";
  return "";
}

/// A text if the last bits are 0 in all numbers of a float32 tensor that is about right.
std::string narrow_text(const WrongTensor& whole) {
  if (whole.got.dtype() != DType::f32) return "";
  for (const NarrowType& type : kNarrowTypes) {
    std::set<double> numbers;
    const auto fits = [&](const ComparedEntry& entry) {
      const auto number = static_cast<float>(entry.got);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      const double size = static_cast<double>(std::fabs(entry.truth));
      const double error = static_cast<double>(std::fabs(LongDouble(entry.got) - entry.truth));
      if (entry.wrong && numbers.size() < kManyNumbers) numbers.insert(entry.got);
      return (bits & ((1U << type.bits) - 1)) == 0 && error <= entry.bound + type.relative * size;
    };
    if (std::ranges::all_of(whole.entries, fits) && numbers.size() == kManyNumbers)
      return fmt::format("every number is one of {}: rounded to it on the way", type.name);
  }
  return "";
}

/// The first hypothesis that holds sets the rank. All of that rank that agree with as many entries
/// are named; none if some of that rank were not tested, as one of these may agree as well.
std::string best_text(const Search& search, std::int64_t right) {
  const std::vector<Tested>& left = search.left;
  const auto holds = [&](const Tested& one) {
    return one.fit.contradicted * kExceptions <= right && one.fit.holds(one.place);
  };
  const auto first = std::ranges::find_if(left, holds);
  if (first == left.end() || (search.cut && *search.cut <= first->hypothesis.rank)) return "";
  const auto agreement = [](const Tested& one) { return one.fit.explained - one.fit.contradicted; };
  std::int64_t most = 0;
  for (const Tested& one : left)
    if (one.hypothesis.rank == first->hypothesis.rank && holds(one))
      most = std::max(most, agreement(one));
  std::vector<Explanation> best;
  for (const Tested& one : left)
    if (one.hypothesis.rank == first->hypothesis.rank && holds(one) && agreement(one) >= most)
      best.push_back({one.hypothesis.text, one.fit});
  return fit_text(best);
}

std::string text_of(const WrongTensor& whole, double& numbers) {
  if (std::string text = unwritten_text(whole); !text.empty()) return text;
  std::string text = best_text(searched(whole, numbers), std::ssize(whole.entries) - whole.wrong());
  return text.empty() ? narrow_text(whole) : text;
}

}  // namespace
}  // namespace diagnosis

std::string diagnose_graph(const GraphClaim& claim, const Tensors& inputs, const std::string& name,
                           const Tensor& got, double& numbers) {
  const Graph& graph = claim.graph;
  const auto is_gradient = [&](const GraphTensor& tensor) {
    return gradient_name(tensor.name) == name;
  };
  const bool is_known =
      has_name(graph.outputs, name) || std::ranges::any_of(graph.tensors, is_gradient);
  if (!is_known || got.numel() > diagnosis::kMostElements) return "";
  GraphClaim certain = claim;
  certain.contract.bound = ErrorBound::certain;
  const diagnosis::WrongTensor whole = diagnosis::wrong_tensor(certain, inputs, name, got);
  return whole.wrong() == 0 ? "" : diagnosis::text_of(whole, numbers);
}

}  // namespace gradproof
