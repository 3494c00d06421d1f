// SPDX-License-Identifier: Apache-2.0
#include "oracles/functions/second_order.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "oracles/differences/entry.h"

namespace gradproof {
namespace {

/// Digits that the audit certifies (docs/audit.md).
constexpr double kSecondOrderDigits = 20;
constexpr std::int64_t kMostNamed = 8;

Real apart(const SecondOrderEntry& e) { return abs(Real(e.product - e.difference)); }
Real size_of(const SecondOrderEntry& e) {
  return std::max(Real(abs(e.product)), Real(abs(e.difference)));
}
double digits_of_part(const Real& part, const Real& whole) {
  return digits_of(part == 0 ? 0 : Real(part / whole).convert_to<double>());
}

/// The sizes that distances are judged by.
struct Scales {
  Real largest{0};  ///< of what does not count as 0
  Real self_error{0};

  explicit Scales(const std::vector<SecondOrderEntry>& known) {
    for (const SecondOrderEntry& e : known) {
      if (size_of(e) > e.floor) largest = std::max(largest, size_of(e));
      self_error = std::max(self_error, e.self_error);
    }
  }
  /// A step far above the width over which M changes says nothing.
  bool is_wrong(const SecondOrderEntry& e) const {
    const Real permitted = largest * pow(Real(10), -Real(kSecondOrderDigits));
    return apart(e) > std::max(permitted, e.floor) && apart(e) > 8 * e.self_error;
  }
};

}  // namespace

AuditWitness second_order_witness(Witness name, const std::vector<SecondOrderEntry>& entries,
                                  std::int64_t of) {
  AuditWitness witness;
  witness.name = name;
  std::vector<SecondOrderEntry> known;
  std::ranges::copy_if(entries, std::back_inserter(known), &SecondOrderEntry::known);
  if (known.empty()) {
    witness.text = entries.empty() ? "no elements" : "not finite, or not smooth";
    return witness;
  }
  std::ranges::stable_sort(known, std::ranges::greater(), apart);
  const Scales scales(known);
  for (const SecondOrderEntry& e : known)
    if (scales.is_wrong(e) && ++witness.wrong <= kMostNamed) witness.entries.push_back(e.entry);
  const bool zero = scales.largest == 0;
  witness.digits = zero ? digits_of(0) : digits_of_part(apart(known.front()), scales.largest);
  if (witness.wrong == 0 && witness.digits < kSecondOrderDigits) {
    witness.text = fmt::format("the differences agree with themselves to {:.0f} digits",
                               digits_of_part(scales.self_error, scales.largest));
    return witness;
  }
  witness.verdict = witness.wrong > 0 ? WitnessVerdict::wrong : WitnessVerdict::agrees;
  witness.text =
      fmt::format("{} against differences of <c, gradients>, {} of {} entries{}",
                  name == Witness::second_order_dy ? "J c forward" : "H c forward over reverse",
                  known.size(), of, zero ? ": 0 everywhere, both ways" : "");
  if (witness.wrong > 0) witness.text += fmt::format("; wrong in {} entries", witness.wrong);
  if (known.size() < entries.size())
    witness.text +=
        fmt::format("; {} more are not finite, or not smooth", entries.size() - known.size());
  return witness;
}

}  // namespace gradproof
