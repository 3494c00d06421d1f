// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string_view>

#include "core/compare/record.h"

namespace gradproof {

/// The verb whose run or plan it is. Those of `check` and `audit` judge Cases and leave Records;
/// the others are cut into cells and leave what was found in each (docs/scale-out.md).
class RunKind {
 public:
  enum Verb { check, audit, exhaustive, calibrate, search };
  static constexpr std::array<std::string_view, 5> kNames{"check", "audit", "exhaustive",
                                                          "calibrate", "search"};

  constexpr RunKind(Verb verb) : verb_(verb) {}
  constexpr RunKind(Measured measured) : verb_(measured == Measured::differences ? audit : check) {}

  constexpr std::string_view name() const { return kNames[verb_]; }
  constexpr bool has_records() const { return verb_ == check || verb_ == audit; }
  /// The kind of figures that the Records of the verb have; a comparison if it has none.
  constexpr Measured measured() const {
    return verb_ == audit ? Measured::differences : Measured::comparison;
  }
  friend constexpr auto operator<=>(RunKind, RunKind) = default;

 private:
  Verb verb_;
};

}  // namespace gradproof
