// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/comparison.h"

namespace gradproof {

std::string_view name_of(Change change) {
  switch (change) {
    case Change::failed:
      return "failed";
    case Change::regressed:
      return "regressed";
    case Change::missing:
      return "missing";
    case Change::added:
      return "new";
    case Change::improved:
      return "improved";
    case Change::unchanged:
      return "unchanged";
  }
  return "";
}

std::string_view name_of(Margin margin) {
  switch (margin) {
    case Margin::over:
      return "over the bound";
    case Margin::near:
      return "near the bound";
    case Margin::within:
      return "within the bound";
    case Margin::far:
      return "far below the bound";
  }
  return "";
}

Margin margin_of(double ratio) {
  if (!(ratio <= 1)) return Margin::over;
  if (ratio > 1.0 / 2) return Margin::near;
  return ratio > 1.0 / 16 ? Margin::within : Margin::far;
}

}  // namespace gradproof
