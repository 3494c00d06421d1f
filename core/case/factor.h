// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"

namespace gradproof {

/// One number that a Case puts into a tensor by hand (its key `set`).
struct PlacedNumber {
  std::string tensor;
  std::string number;  ///< as text; empty: no number is put there
};

/// A class of Cases in one respect, by what makes one and tells one.
struct Level {
  struct Text {
    std::string key, text;
  };
  std::string name;                       ///< "1025"; no blanks
  std::vector<Text> texts;                ///< keys that say so
  std::vector<PlacedNumber> placed = {};  ///< and numbers of tensors
  bool large = false;                     ///< needs a matrix too large to be combined with all else
  double elements = 0;                    ///< of that matrix, where it has more than others have
  /// A parameter is 0 everywhere: a pass is Mistrusted, as a kernel without its stage would pass,
  /// though a wrong number is Failed. Such a Case counts for what is together with this level.
  bool hides_a_stage = false;
};

/// One respect in which Cases differ. A Case may be of several levels: it has a NaN and an
/// infinity.
struct Factor {
  std::string name;  ///< "rows"; no blanks
  std::vector<Level> levels;
  std::vector<Condition> needs = {};  ///< where one does not hold, the factor has no effect
  bool path = false;                  ///< whether the path through a kernel depends on it
};

/// Whether the Case is of that level, and the factor has an effect on it.
bool is_of(const Case& c, const Factor& factor, const Level& level);

/// The parts of the key `set`: "x@3,7:nan" is x and nan.
std::vector<PlacedNumber> placed_numbers(const Case& c);

}  // namespace gradproof
