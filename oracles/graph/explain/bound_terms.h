// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "oracles/explain/explain.h"
#include "oracles/graph/explain/step_bounds.h"

namespace gradproof {

/// Where a bound comes from. The first-order parts of a bound add up; those of second order, an
/// error times an error, belong to two sources.
struct BoundTerms {
  std::vector<Term> terms;  ///< the largest first; the shares add up to 1
  double over_bound = 0;    ///< the sum of all, before shares were made of them, over the bound
};

/// What a bound is divided for.
struct BoundOfElement {
  const GraphClaim& claim;  ///< about the target alone
  const std::string& target;
  const GraphElement& element;
  const GraphSite& site;
  const GraphClaim& described;  ///< whose sizes the words give; the claim itself, or a larger one
};

/// `stored` is what storing the element adds. Of each step's value and adjoint the bound is
/// evaluated with its roundings alone, then with one of its sources after the other left out: what
/// it loses is that source's term, the rest its single roundings. Nothing where there is no bound.
BoundTerms terms_of_bound(const BoundOfElement& of, const StepBounds& bounds, double stored);

}  // namespace gradproof
