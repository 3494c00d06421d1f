// SPDX-License-Identifier: Apache-2.0
#include "core/graph/contract/rung.h"

#include <array>
#include <string>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr std::array kRungRows{
    RungRow{Rung::fused, "fused", "rounds its results", false, true},
    RungRow{Rung::fused_as_saved, "fused, as saved", "its adjoint reads rounded values", true,
            true},
    RungRow{Rung::operator_at_a_time, "operator at a time", "rounds between its steps", false,
            true},
    RungRow{Rung::statistics_too, "statistics too", "rounds mean and 1/std", false, false}};

}  // namespace

std::span<const RungRow> rung_rows() { return kRungRows; }

const RungRow& rung_row(Rung rung) { return kRungRows.at(static_cast<std::size_t>(rung)); }

std::string_view name_of(Rung rung) { return rung_row(rung).name; }

std::optional<Rung> rung_named(std::string_view name) {
  for (const RungRow& row : kRungRows)
    if (row.name == name) return row.rung;
  return std::nullopt;
}

Rung parse_rung(std::string_view name) {
  if (const auto rung = rung_named(name)) return *rung;
  throw InstrumentError("unknown rung '" + std::string(name) + "'");
}

}  // namespace gradproof
