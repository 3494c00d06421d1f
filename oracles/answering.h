// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/answer.h"
#include "core/claim.h"
#include "oracles/real.h"

namespace gradproof {

/// What a bound says about one number.
struct Permitted {
  double error = 0;       ///< |computed - exact| before the result is stored
  bool vacuous = false;   ///< the error is no bound at all
  bool overflow = false;  ///< the computation may have overflowed on the way
};

/// Turns truths and permitted errors into an Answer, element by element.
class Answering {
 public:
  Answering(const Claim& claim, const TensorSpec& spec, std::string why);

  /// Elements may be put from several threads, each index once.
  void put(std::int64_t index, const Real& truth, const Permitted& permitted);
  /// A number that every correct kernel hits.
  void put_exact(std::int64_t index, double truth);

  Answer take() { return std::move(answer_); }

 private:
  Answer answer_;
  DType storage_;
  double storage_unit_ = 0;  ///< of the extra rounding to the stored type; 0 where there is none
  double storage_underflow_ = 0;
  double truth_unit_ = 0;  ///< error of the truth, relative to the permitted error
  bool order_decides_class_ = false;
};

}  // namespace gradproof
