// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracles/diagnosis/observation.h"

namespace gradproof::diagnosis {

struct Entry {
  double ratio = 0;
  std::int64_t index = 0;
};

/// One look at every entry.
struct Overview {
  std::int64_t wrong = 0;
  std::int64_t nonfinite = 0;  ///< of those: NaN or infinite
  std::int64_t poisoned = 0;   ///< of those: the bytes that memory had before
  double most_bits = 0;        ///< that an explanation could have
  std::vector<Entry> worst;    ///< up to 8, the worst first
  std::string pattern;
  std::vector<std::int64_t> columns;              ///< with a wrong entry
  std::map<std::int64_t, std::int64_t> by_block;  ///< how many are wrong
  std::vector<std::int64_t>
      by_unit;  ///< the same of rows of groups, of a matrix: row groups + group
  Answer answer;
  std::optional<Observation> entries;  ///< no replayed; none where they are too many

  std::vector<std::int64_t> worst_entries() const;
};
Overview survey_of(const Question& question);

/// The simplest explanation that holds for the whole, in words; empty: none does.
std::string words_for(const Question& question, const Overview& overview);

}  // namespace gradproof::diagnosis
