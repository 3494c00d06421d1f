// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// These texts say what the passes of a run prove. A *cell* is a kernel's tensor in one type and
/// mode; a pass is *trusted* where a wrong kernel would not have had it, or the line says what the
/// truth is. Passes that are not trusted are counted by what a wrong kernel could do
/// (docs/verdicts.md); those of tensors without elements and of gradients that vanish by the
/// mathematics are counted apart, because no inputs of these sizes could make them prove more.

/// "276 of 276 combinations of kernel, type, mode and tensor have trusted passes, the fewest 12
/// (K f64 eval d_x)";
/// empty where nothing was compared.
std::string trusted_text(const std::vector<Record>& records);

/// "8506 of 46492 passes prove little; 2023 are of tensors without elements"; empty where every
/// pass is trusted.
std::string untrusted_text(const std::vector<Record>& records);

/// Both texts, as headlines have them, in one sentence.
std::string proof_sentence(const std::vector<Record>& records);

/// Passes that prove little for reasons of one kind, which the words say.
struct DoubtedPasses {
  std::int64_t count = 0;
  std::string words;
  friend bool operator==(const DoubtedPasses&, const DoubtedPasses&) = default;
};

/// All passes that prove little, by kind, the most first. Of more kinds than `most_kinds` the last
/// ones are counted together.
std::vector<DoubtedPasses> doubted_passes(const std::vector<Record>& records,
                                          std::size_t most_kinds = 20);

/// "f32: 2.3e-07 in the median pass, 0.012 in the coarsest (d_x of K)": what a pass resolves, in
/// float32, or where none is float32 in the first type. Empty where no factor moves a truth.
std::string resolves_text(const std::vector<Record>& records);

/// Lines of a run of many Cases: how many tensors passed, the texts above, the rungs and chains of
/// the passes. None is longer than `width`.
std::string summary_lines(const std::vector<Record>& records, std::size_t width);

/// True if the resolution of a pass says something: no factor is seen of a truth that is 0 by
/// mathematics.
bool resolves_something(const Record& record);

}  // namespace gradproof
