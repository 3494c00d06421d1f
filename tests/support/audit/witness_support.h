// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/derivatives/derivative_witnesses.h"
#include "oracles/derivatives/dual_numbers.h"
#include "oracles/derivatives/second_order.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {

/// The fault in the adjoint of a control.
struct Fault {
  double swish = 0;            ///< swish's derivative is too large by a factor of 1 + this
  double sums = 0;             ///< so are the sums of gradients
  bool mean_terms = false;     ///< the norm's mean terms divide by N+1
  bool no_second_sum = false;  ///< the norm's term with xhat is missing

  bool operator==(const Fault&) const = default;
};
inline const Fault kSwishOff{.swish = 0x1p-40};
inline const Fault kSwishBarelyOff{.swish = 0x1p-90};
inline const Fault kSumsOff{.sums = 0x1p-40};
inline const Fault kMeanTermsOff{.mean_terms = true};
inline const Fault kNoSecondSum{.no_second_sum = true};

/// A claim and its inputs as a target.
struct TestedClaim {
  Claim claim;
  Tensors inputs;
  PipelineTarget target;

  TestedClaim(Claim tested, Tensors with)
      : claim(std::move(tested)), inputs(std::move(with)), target(claim, inputs) {}
  TestedClaim(const TestedClaim&) = delete;
  TestedClaim& operator=(const TestedClaim&) = delete;

  std::size_t position_of(const std::string& name) const;
};

/// The witnesses of one gradient.
std::vector<AuditWitness> witnesses_of(const Claim& claim, const Tensors& inputs,
                                       const std::string& gradient);
AuditWitness dual_of(const Claim& claim, const Tensors& inputs, const std::string& name,
                     const Fault& fault = {});
AuditWitness second_order_of(const Claim& claim, const Tensors& inputs, const std::string& name,
                             const Fault& fault = {}, bool cotangent = false);

/// The comparisons of one unit for one direction, by tensor: in triple-doubles, all tensors at
/// once, and in 400 digits, one at a time.
std::vector<DualMeeting> first_meetings(const PipelineTarget& target, std::int64_t unit,
                                        const Fault& fault = {});
std::vector<DualMeeting> last_meetings(const PipelineTarget& target, std::int64_t unit);

/// A few entries of each tensor in triple-doubles, and in 400 digits.
using Entries = std::vector<std::vector<SecondOrderEntry>>;
Entries first_entries(const PipelineTarget& target, const std::vector<Moved>& moved);
Entries last_entries(const PipelineTarget& target, const std::vector<Moved>& moved);

/// A claim that is declared twice differentiable, whatever the system.
inline Claim twice(const ClaimOptions& options) {
  Claim claim = make_claim(options);
  claim.differentiable = 2;
  return claim;
}

}  // namespace gradproof::oracle_tests
