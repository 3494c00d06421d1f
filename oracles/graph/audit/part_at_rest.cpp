// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/part_at_rest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/philox.h"

namespace gradproof {
namespace {

constexpr std::size_t kSampled = 16;  ///< typical_change() moves about so many numbers of a tensor
/// The most numbers of all values in all parts, for which parts are kept: each takes some 300
/// bytes.
constexpr double kKept = 0x1p18;

}  // namespace

PartAtRest::PartAtRest(const AuditedGraph& graph, AuditArithmetic arithmetic)
    : graph_(graph), arithmetic_(arithmetic), moves_(packed_moves(arithmetic)) {}

void PartAtRest::take(const GraphTarget& target, std::int64_t part) {
  target_ = &target;
  if (part == part_) return;
  part_ = part;
  own_.emplace(graph_.plan(), graph_.inputs(), graph_.block(part));
  view_.emplace(own_->view());
  tensors_.assign(graph_.plan().graph->tensors.size(), {});
  magnitude_.reset();
  typical_changes_.clear();
  moves_->take(graph_.plan(), graph_.moved(), *view_);
}

std::size_t PartAtRest::count(std::size_t tensor) const {
  return static_cast<std::size_t>(graph_.plan().values[tensor].count);
}

const std::vector<Wide>& PartAtRest::gradient(std::size_t tensor) {
  std::vector<Wide>& gradient = tensors_[tensor].gradient;
  if (gradient.empty()) {
    gradient.resize(count(tensor));
    moves_->gradient(tensor, gradient.data());
  }
  return gradient;
}

const Widths& PartAtRest::widths(std::size_t tensor) {
  std::optional<Widths>& widths = tensors_[tensor].widths;
  if (widths) return *widths;
  const double* const from = numbers(tensor);
  if (!graph_.is_finite(part_)) return widths.emplace(Widths{0, std::vector<int>(count(tensor))});
  widths = widths_of({from, from + count(tensor)});
  if (!follows_adjoint(tensor, *widths))
    widths = target_->function(part_).facts().widths[graph_.input_of_function(tensor)];
  return *widths;
}

const std::vector<int>& PartAtRest::wider(std::size_t tensor) {
  std::vector<int>& wider = tensors_[tensor].wider;
  if (wider.empty()) {
    const Widths& of = widths(tensor);
    for (const int own : of.own) wider.push_back(own - of.most);
  }
  return wider;
}

const std::vector<double>& PartAtRest::normals(std::size_t tensor) {
  normals_.resize(tensors_.size());
  std::vector<double>& normals = normals_[tensor];
  if (normals.empty()) {
    normals.resize(count(tensor));
    Stream(tensor, "response").normals(0, normals.size(), normals.data());
  }
  return normals;
}

bool PartAtRest::follows_adjoint(std::size_t tensor, const Widths& widths) {
  // This test is that of FunctionOf::too_wide. A slope that nearly vanishes in this direction
  // counts as a millionth of its terms, and changes that are rounded to nothing follow.
  constexpr int kSteps[] = {-20, -30};
  const int log2_rounding = arithmetic_ == AuditArithmetic::double_double ? -96 : -148;
  const std::vector<double>& normals = this->normals(tensor);
  const std::vector<Wide>& gradient = this->gradient(tensor);
  std::vector<double> direction;
  double slope = 0;
  double terms = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    direction.push_back(std::ldexp(normals[i], widths.own[i]));
    slope += direction[i] * gradient[i].hi;
    terms += std::abs(direction[i] * gradient[i].hi);
  }
  if (terms == 0) return true;
  const double permitted = 0.1 * std::max(std::abs(slope), 0x1p-20 * terms);
  double factors[4];
  Wide changes[4];
  for (std::size_t k = 0; k < 4; ++k) factors[k] = std::ldexp(k % 2 == 0 ? 1 : -1, kSteps[k / 2]);
  for (std::size_t k = 0, lanes = moves_->lanes(); k < 4; k += lanes)
    moves_->response(tensor, direction.data(), factors + k, std::min(4 - k, lanes), changes + k);
  for (std::size_t k = 0; k < 2; ++k) {
    const double difference = std::ldexp(changes[2 * k].hi - changes[2 * k + 1].hi, -kSteps[k] - 1);
    const double rounding = std::ldexp(moves_->magnitude(), log2_rounding - kSteps[k] - 1);
    if (!(std::abs(difference - slope) <= permitted + rounding)) return false;
  }
  return true;
}

double PartAtRest::magnitude() {
  if (magnitude_) return *magnitude_;
  constexpr double kLeast = 0x1p-430;  // the square of a smaller one has parts below all doubles
  constexpr double kNoticed = 0x1p12;  // roundings of a chain of operations
  double of_inputs = 0;
  for (std::size_t k = 0; k < tensors_.size(); ++k) {
    if (!has_gradient(graph_.plan().graph->tensors[k].part)) continue;
    const std::vector<Wide>& gradient = this->gradient(k);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double number = std::abs(numbers(k)[i]);
      if (number != 0 && number < kLeast) of_inputs = std::numeric_limits<double>::quiet_NaN();
      of_inputs += std::abs(number * gradient[i].hi);
    }
  }
  const double of_outputs = moves_->magnitude();
  const bool is_noticed = of_inputs > kNoticed * of_outputs || std::isnan(of_inputs);
  magnitude_ = is_noticed ? of_inputs : of_outputs;
  return *magnitude_;
}

double PartAtRest::typical_change(std::size_t tensor) {
  double most = -1;
  for (std::size_t k = 0; k < tensors_.size(); ++k)
    if (has_gradient(graph_.plan().graph->tensors[k].part) && count(k) > 0)
      most =
          std::max(most, typical_change_of(k, std::max(0, widths(k).most - widths(tensor).most)));
  return most < 0 ? magnitude() : most;
}

/// -1 where no move has a value.
double PartAtRest::typical_change_of(std::size_t tensor, int log2_less) {
  const auto [kept, is_new] = typical_changes_.try_emplace({tensor, log2_less}, -1);
  double& most = kept->second;
  if (!is_new) return most;
  std::vector<MovedNumber> moved;
  for (std::size_t i = 0; i < count(tensor);
       i += std::max<std::size_t>(1, count(tensor) / kSampled))
    moved.push_back({i, std::ldexp(1, widths(tensor).own[i] - log2_less)});
  std::vector<double> changes(moves_->lanes());
  for (std::size_t first = 0; first < moved.size(); first += moves_->lanes()) {
    const std::size_t here = std::min(moves_->lanes(), moved.size() - first);
    moves_->absolute_changes(tensor, moved.data() + first, here, changes.data());
    for (std::size_t k = 0; k < here; ++k) {
      const double change = std::ldexp(changes[k], -wider(tensor)[moved[first + k].place]);
      if (std::isfinite(change)) most = std::max(most, change);
    }
  }
  return most;
}

PartsAtRest::PartsAtRest(const AuditedGraph& graph, AuditArithmetic arithmetic)
    : graph_(graph), arithmetic_(arithmetic) {
  double numbers = 1;
  for (const PlanValue& value : graph.plan().values) numbers += static_cast<double>(value.count);
  if (numbers * static_cast<double>(graph.parts()) <= kKept)
    kept_.resize(static_cast<std::size_t>(graph.parts()));
}

std::unique_ptr<PartAtRest> PartsAtRest::take(const GraphTarget& target, std::int64_t part,
                                              std::unique_ptr<PartAtRest> own) {
  if (!kept_.empty()) {
    const std::lock_guard lock(mutex_);
    if (own) kept_[static_cast<std::size_t>(own->part())] = std::move(own);
    own = std::move(kept_[static_cast<std::size_t>(part)]);
  }
  if (!own) own = std::make_unique<PartAtRest>(graph_, arithmetic_);
  own->take(target, part);
  return own;
}

void PartsAtRest::give_back(std::unique_ptr<PartAtRest> part) {
  if (kept_.empty()) return;
  const std::lock_guard lock(mutex_);
  kept_[static_cast<std::size_t>(part->part())] = std::move(part);
}

PartInUse::~PartInUse() {
  if (part_) kept_.give_back(std::move(part_));
}

void PartInUse::take(std::int64_t part) {
  if (part_ && part_->part() == part) return;
  part_ = kept_.take(target_, part, std::move(part_));
}

}  // namespace gradproof
