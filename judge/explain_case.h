// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "judge/run_case.h"
#include "oracles/explain/explain.h"

namespace gradproof {

/// One element and its truth.
struct Comparand {
  std::int64_t index = 0;
  double got = 0;
  Truth truth;

  double error() const;  ///< |got - truth|; 0 for NaN beside NaN and Inf beside Inf, else infinite
  double ratio() const;  ///< error/bound; infinite where NaN or Inf is wrong or missing
};

/// The answer of LibTorch's float64 autograd about the element, end to end.
struct LibTorchAnswer {
  std::string silence;  ///< why it was not asked; empty: it was
  double value = 0;
  double off = 0;    ///< |value - the end-to-end truth|
  double bound = 0;  ///< what its own contract permits

  bool agrees() const { return off <= bound; }
};

/// A statistic of the element's unit that the kernel saved, and its truth.
struct SavedStatistic {
  std::string name;
  Comparand comparand;
};

/// All facts about one element of a Case.
struct ElementFacts {
  Case c;
  std::string formula;
  std::string pipeline = {};  ///< of a kernel; of a graph the formula is all
  Record record;              ///< of the tensor, named as the Case's system names it
  Comparand element = {};
  double certain = 0;  ///< beside a likely bound the certain one; 0: the bound is that itself
  Explanation explanation = {};
  std::vector<Comparand> neighbours = {};  ///< the element among them
  std::string where = {};                  ///< what the neighbours and `unit_bad` are of
  std::int64_t unit_bad = 0;               ///< elements there that are over their bound
  std::int64_t unit_size = 0;
  LibTorchAnswer libtorch = {};
  std::vector<SavedStatistic> saved = {};
  std::string schedule = {};  ///< what the second schedule said
};

/// Runs the Case and gathers the facts. Throws UsageError for an element that is not there and for
/// a Case that has none (a law, a run with findings).
ElementFacts element_facts(const Systems& systems, const Case& c, const std::string& element);

}  // namespace gradproof
