// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "oracles/explain/explain.h"
#include "oracles/graph/explain/step_bounds.h"

namespace gradproof {

/// The terms of a bound. The first-order parts of a bound add up; those of second order, an
/// error times an error, belong to two sources.
struct BoundTerms {
  std::vector<Term> terms;  ///< the largest first; the shares add up to 1
  double over_bound = 0;    ///< the sum of all, before shares were made of them, over the bound
};

/// The element whose bound is divided, and its claim.
struct BoundOfElement {
  const GraphClaim& claim;  ///< about the target alone
  const std::string& target;
  const GraphElement& element;
  const GraphSite& site;
  const GraphClaim& described;  ///< whose sizes the words give; the claim itself, or a larger one
};

/// `stored` is the error that storing the element adds. For each step's value and adjoint the bound
/// is evaluated with its roundings alone, then with one of its sources after the other left out:
/// the loss is that source's term, the rest its single roundings. Empty if there is no bound.
BoundTerms terms_of_bound(const BoundOfElement& of, const StepBounds& bounds, double stored);

}  // namespace gradproof
