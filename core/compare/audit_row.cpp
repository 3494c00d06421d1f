// SPDX-License-Identifier: Apache-2.0
#include "core/compare/audit_row.h"

#include "core/enum_names.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 3> kPhases{"kernel", "differences", "witnesses"};
constexpr std::array<std::string_view, 6> kWitnesses{
    "kernel", "LibTorch", "dual numbers", "second order", "second order, dy", "numbers"};
constexpr std::array<std::string_view, 4> kVerdicts{"agrees", "wrong", "mistrusted", "silent"};

constexpr std::array<std::string_view, 6> kOpenReasons{
    "cancellation",
    "domain",
    "kink",
    "not finite: the value at rest is NaN or Inf (an input is, or it overflows)",
    "saturation",
    "too fine: differences still grow at the finest step, the value changes over less"};

}  // namespace

std::string_view name_of(AuditPhase phase) { return kPhases.at(static_cast<std::size_t>(phase)); }

AuditPhase parse_audit_phase(std::string_view word) {
  return static_cast<AuditPhase>(place_of_name(kPhases, word, "phase of an audit"));
}

std::string_view name_of(Witness witness) {
  return kWitnesses.at(static_cast<std::size_t>(witness));
}

Witness parse_witness(std::string_view name) {
  return static_cast<Witness>(place_of_name(kWitnesses, name, "witness"));
}

bool counts_entries(Witness witness) {
  return witness != Witness::dual_numbers && witness != Witness::second_order &&
         witness != Witness::second_order_dy;
}

std::string_view name_of(WitnessVerdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict));
}

WitnessVerdict parse_witness_verdict(std::string_view name) {
  return static_cast<WitnessVerdict>(place_of_name(kVerdicts, name, "verdict of a witness"));
}

std::string_view name_of(OpenReason reason) {
  return kOpenReasons.at(static_cast<std::size_t>(reason));
}

OpenReason parse_open_reason(std::string_view name) {
  return static_cast<OpenReason>(place_of_name(kOpenReasons, name, "reason of an open entry"));
}

}  // namespace gradproof
