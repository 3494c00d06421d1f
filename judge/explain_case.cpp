// SPDX-License-Identifier: Apache-2.0
#include "judge/explain_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/law_key.h"
#include "core/error.h"
#include "core/nearest_word.h"
#include "judge/explain_witnesses.h"
#include "judge/records.h"
#include "judge/tensor_records.h"

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kReach = 3;
/// Of a unit with more elements no more are counted.
constexpr std::int64_t kCounted = std::int64_t{1} << 20;

/// Which verdict is explained first.
int rank(const Record& record) {
  switch (record.verdict.outcome) {
    case Outcome::instrument_broken:
      return 4;
    case Outcome::failed:
      return 3;
    case Outcome::nondeterministic:
      return 2;
    case Outcome::mistrusted:
      return 1;
    default:
      return 0;
  }
}

/// An element's tensor and index, as the kernel names them.
struct Chosen {
  std::string tensor;
  Record record;
  std::int64_t index = 0;
};

/// Finds the element that the text means among what was judged.
class Choice {
 public:
  Choice(const Systems& systems, const Case& c, const Claim& claim,
         const std::vector<Record>& records)
      : systems_(systems), c_(c), claim_(claim), records_(records) {}

  Chosen choose(const std::string& text) const {
    const ElementText asked = parse_element(text);
    const Record& record = asked.tensor.empty() ? worst() : named(asked.tensor);
    Chosen chosen{record.tensor, record, record.discrepancy().worst.index};
    chosen.record.tensor = shown(record.tensor);
    if (record.discrepancy().elements == 0)
      throw UsageError(
          fmt::format("{} of '{}' has no elements", chosen.record.tensor, to_string(c_)));
    if (!asked.index.empty()) chosen.index = index_of(chosen.record, asked.index);
    return chosen;
  }

 private:
  std::string shown(const std::string& tensor) const { return systems_.tensor_name(c_, tensor); }

  bool has_bound(const Record& record) const {
    return claim_.tensor(record.tensor).dtype != DType::i64;
  }

  const Record& worst() const {
    const Record* found = nullptr;
    for (const Record& record : records_) {
      if (!has_bound(record) || record.discrepancy().elements == 0) continue;
      if (found == nullptr || rank(record) > rank(*found) ||
          (rank(record) == rank(*found) &&
           record.discrepancy().max_ratio > found->discrepancy().max_ratio))
        found = &record;
    }
    if (found == nullptr)
      throw UsageError(fmt::format("'{}' has no elements to explain", to_string(c_)));
    return *found;
  }

  const Record& named(const std::string& name) const {
    std::vector<std::string> names;
    std::vector<std::string> known;
    for (const Record& record : records_) {
      if (!has_bound(record)) continue;
      if (record.tensor == name || shown(record.tensor) == name) return record;
      names.push_back(shown(record.tensor));
      known.push_back(fmt::format("{}[{}]", shown(record.tensor), fmt::join(record.shape, ",")));
    }
    throw UsageError(fmt::format("unknown tensor '{}' in '{}'; with their shapes: {}{}", name,
                                 to_string(c_), fmt::join(known, " "), did_you_mean(name, names)));
  }

  std::int64_t index_of(const Record& record, const std::vector<std::int64_t>& asked) const {
    std::int64_t index = 0;
    bool inside = asked.size() == record.shape.size();
    for (std::size_t k = 0; inside && k < asked.size(); ++k) {
      inside = asked[k] < record.shape[k];
      index = index * record.shape[k] + asked[k];
    }
    if (inside) return index;
    throw UsageError(fmt::format("{}[{}] is outside of {}, whose shape is ({}), in '{}'",
                                 record.tensor, fmt::join(asked, ","), record.tensor,
                                 fmt::join(record.shape, ","), to_string(c_)));
  }

  const Systems& systems_;
  const Case& c_;
  const Claim& claim_;
  const std::vector<Record>& records_;
};

/// What is judged in the neighbourhood of an element.
class Neighbourhood {
 public:
  Neighbourhood(const CaseRun& run, const std::optional<GivenStatistics>& given, std::string tensor)
      : run_(run), given_(given), tensor_(std::move(tensor)) {}

  std::vector<Comparand> around(std::int64_t index, std::int64_t reach) const {
    const std::vector<std::int64_t> indices = neighbours_of(run_.claim, tensor_, index, reach);
    const std::vector<Truth> truths =
        truths_of(closeup_of(run_.claim, run_.inputs, given_, tensor_, indices), tensor_);
    const Tensor& got = get(run_.judged.tensors, tensor_);
    std::vector<Comparand> all;
    for (std::size_t i = 0; i < indices.size(); ++i)
      all.push_back({indices[i], got.at(indices[i]), truths[i]});
    return all;
  }

 private:
  const CaseRun& run_;
  const std::optional<GivenStatistics>& given_;
  std::string tensor_;
};

void add_neighbours(ElementFacts& facts, const CaseRun& run,
                    const std::optional<GivenStatistics>& given, const Chosen& chosen) {
  const Neighbourhood near(run, given, chosen.tensor);
  facts.neighbours = near.around(chosen.index, kReach);
  const TensorSpec& spec = run.claim.tensor(chosen.tensor);
  facts.where = run.claim.is_matrix(spec) ? facts.explanation.unit : "the tensor";
  const std::vector<Comparand> unit = near.around(chosen.index, kCounted);
  facts.unit_size = static_cast<std::int64_t>(unit.size());
  facts.unit_bad = std::count_if(unit.begin(), unit.end(),
                                 [](const Comparand& near_by) { return near_by.ratio() > 1; });
}

}  // namespace

double Comparand::error() const {
  if (std::isfinite(truth.hi) && std::isfinite(got)) return std::abs((got - truth.hi) - truth.lo);
  return class_of(got) == class_of(truth.hi) ? 0 : kInfinity;
}

double Comparand::ratio() const {
  if (!std::isfinite(truth.hi) || !std::isfinite(got)) return truth.any_nonfinite ? 0 : error();
  if (error() == 0 || std::isinf(truth.bound)) return 0;
  return truth.bound > 0 ? error() / truth.bound : kInfinity;
}

ElementText parse_element(const std::string& text) {
  if (text.empty()) return {};
  std::optional<ElementText> element = element_text(text);
  const auto is_negative = [](std::int64_t number) { return number < 0; };
  if (!element || std::any_of(element->index.begin(), element->index.end(), is_negative))
    throw UsageError(fmt::format("'{}' is no element; write d_x[3,7], d_x or 3,7 (of y)", text));
  if (element->tensor.empty()) element->tensor.assign(1, 'y');
  return *element;
}

ElementFacts element_facts(const Systems& systems, const Case& c, const std::string& element) {
  parse_element(element);
  refuse_law(c, "elements");
  const CaseRun run = run_case(systems, c);
  if (!run.findings().empty())
    throw UsageError(fmt::format("'{}' left nothing to explain: {}: {}", to_string(c),
                                 run.findings().front().kind, run.findings().front().text));
  const std::vector<Record> records =
      tensor_records(run, compare_run(run), cross_check(run.claim, run.inputs, seed_of(c)),
                     blank_record(c), Detail::of_all);
  const Chosen chosen = Choice(systems, c, run.claim, records).choose(element);
  const TensorSpec& spec = run.claim.tensor(chosen.tensor);
  std::optional<GivenStatistics> given;
  if (spec.role == Role::gradient) given = given_statistics(run.claim, run.judged.tensors);
  ElementFacts facts{c,
                     c.schema().summary,
                     to_string(run.claim.pipeline),
                     chosen.record,
                     {},
                     {},
                     {},
                     "",
                     0,
                     0,
                     {},
                     {},
                     ""};
  facts.explanation = explain_element(run.claim, run.inputs, given, chosen.tensor, chosen.index);
  facts.element = {chosen.index, get(run.judged.tensors, chosen.tensor).at(chosen.index),
                   facts.explanation.ruled};
  add_neighbours(facts, run, given, chosen);
  facts.libtorch = libtorch_says(run, chosen.tensor, chosen.index);
  facts.saved = saved_statistics(run, chosen.tensor, chosen.index);
  facts.schedule = systems.pair_of(c) != nullptr ? "not run: a library's product promises no bits"
                                                 : schedule_says(run, chosen.tensor);
  return facts;
}

}  // namespace gradproof
