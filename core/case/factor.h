// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"

namespace gradproof {

/// One number that a Case puts into a tensor through its key `set`.
struct PlacedNumber {
  std::string tensor;
  std::string number;  ///< as text; empty: no number is put there
};

/// A class of Cases in one respect: the keys and numbers that a Case of this level has.
struct Level {
  struct Text {
    std::string key, text;
  };
  std::string name;                       ///< "1025"; no blanks
  std::vector<Text> texts;                ///< texts that these keys have
  std::vector<PlacedNumber> placed = {};  ///< numbers that tensors have
  bool large = false;                     ///< needs a matrix too large to be combined with all else
  double elements = 0;                    ///< of that matrix, where it has more than others have
  /// A parameter is 0 everywhere: a pass is Mistrusted, as a kernel without its stage would pass,
  /// though a wrong number is Failed. Such a Case counts only for combinations with this level.
  bool hides_a_stage = false;
};

/// One respect in which Cases differ. A Case may have several levels of one factor: a NaN and an
/// infinity.
struct Factor {
  std::string name;  ///< "rows"; no blanks
  std::vector<Level> levels;
  std::vector<Condition> needs = {};  ///< if one does not hold, the factor has no effect
  bool path = false;                  ///< whether the path through a kernel depends on it
};

/// True if the Case has that level and the factor has an effect on it.
bool is_of(const Case& c, const Factor& factor, const Level& level);

/// The parts of the key `set`: "x@3,7:nan" is x and nan.
std::vector<PlacedNumber> placed_numbers(const Case& c);

}  // namespace gradproof
