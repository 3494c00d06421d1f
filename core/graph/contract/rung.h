// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace gradproof {

/// The roundings to the storage type that code which declares nothing may have, from few to many.
/// Such code is judged on each rung until it is within the bound of one (docs/contracts.md).
enum class Rung {
  fused,               ///< outputs and gradients alone
  fused_as_saved,      ///< and what the adjoint reads from forward
  operator_at_a_time,  ///< and every value and every gradient on the way
  statistics_too       ///< and mean and 1/std, before anything takes them
};

struct RungRow {
  Rung rung;
  std::string_view name;      ///< of a record, a line and a baseline
  std::string_view rounding;  ///< what code on it does that code on the rung before does not
  bool of_gradients_alone;    ///< an output is on this rung where it is on the one before
  bool is_right;              ///< else the code is Failed, and is told how to declare it
};

/// The rows of all rungs, in the order of the enum.
std::span<const RungRow> rung_rows();
const RungRow& rung_row(Rung rung);

/// The name of the rung: "fused", "fused, as saved", "operator at a time" or "statistics too".
std::string_view name_of(Rung rung);
std::optional<Rung> rung_named(std::string_view name);
/// The rung of that name. Throws InstrumentError for an unknown name.
Rung parse_rung(std::string_view name);

}  // namespace gradproof
