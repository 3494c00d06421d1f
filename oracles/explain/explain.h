// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "oracles/oracle.h"

namespace gradproof {

/// One source of an element's permitted error.
struct Term {
  std::string words;   ///< "sum of 1024 squares for 1/std of v0"
  std::string detail;  ///< "chain 36"; may be empty
  double share = 0;    ///< of the bound, 0 to 1
};

/// The largest term of an element's bound (Explanation::terms): "sum of 1024 squares for 1/std of
/// v0 (61%)"; empty if there is no bound to divide, as it is 0 or vacuous. The share is an estimate
/// from about a hundred of the numbers that decide the element.
std::string largest_term(const Claim& claim, const Tensors& inputs,
                         const std::optional<GivenStatistics>& given, const std::string& tensor,
                         std::int64_t index);

/// A number that a graph computes for one element.
struct Passage {
  std::string name;     ///< of the value: "v0[3,7]"; of a cotangent "d_v0[3,7]"
  std::string formula;  ///< how it is computed from the numbers before: "x sigmoid(x)"
  std::string value;    ///< the truth, 20 significant digits
  double size = 0;      ///< the same as a double
  double error = 0;     ///< permitted |computed - truth| here; infinite where there is no bound
};

/// An element's bound under a contract that says something more.
struct ContractBound {
  std::string text;  ///< what it says more; empty: all that is said one by one
  double bound = 0;
};

/// Everything that the oracle knows about one element.
struct Explanation {
  Truth stored_truth;         ///< truth and bound as the verdict used them
  std::string truth;          ///< 30 significant digits
  double radius = 0;          ///< |exact - truth before it was printed| is at most this
  bool fifty_digits = false;  ///< the truth has 50 digits; otherwise it is double-double
  /// True if double-double decides the element; below, if its radius holds the 50 digits.
  bool fast_decided = false;
  bool fast_agrees = false;
  double fast_radius = 0;
  std::string unit;        ///< "column 5, 64 rows", "rows 3 of 8"; of a sum the largest summand's
  std::int64_t units = 1;  ///< summands; the passages are those of `unit`
  std::vector<Passage> forward;   ///< inputs, then each step's value; a gradient's from those given
  std::vector<Passage> backward;  ///< dy, then the cotangent in front of each step
  std::vector<Passage> statistics;  ///< mean and rstd of the element's group, or those given
  std::vector<Passage> numbers;     ///< parameters that the element meets; exact
  /// The sources of the bound, the largest first; the shares add up to 1. Empty if there is no
  /// bound to divide, as it is 0 or vacuous. For a sum over blocks, some of these are read.
  std::vector<Term> terms;
  double terms_over_bound =
      0;  ///< sum of all terms, before their shares were made 1, over the bound
  /// Declarations that would lower the bound, the lowest first, then all together.
  std::vector<ContractBound> tighter = {};
};

/// Explains one element. Gradients are computed from the given statistics, all else from those of
/// the unit. `index` is row-major in the tensor, which is judged and of a floating type.
Explanation explain_element(const Claim& claim, const Tensors& inputs,
                            const std::optional<GivenStatistics>& given, const std::string& tensor,
                            std::int64_t index);

/// The whole blocks of a claim that decide some elements of one tensor.
struct Closeup {
  Claim claim;
  Tensors inputs;
  std::optional<GivenStatistics> given;
  std::vector<std::int64_t> indices;  ///< of the elements in the tensor of the part
};
Closeup closeup_of(const Claim& claim, const Tensors& inputs,
                   const std::optional<GivenStatistics>& given, const std::string& tensor,
                   const std::vector<std::int64_t>& indices);

/// Truth and bound of the close-up's elements, computed by evaluate() on the close-up.
std::vector<Truth> truths_of(const Closeup& closeup, const std::string& tensor);

/// Indices of the element and of up to `reach` elements on each side: in its unit for a matrix, in
/// the tensor otherwise.
std::vector<std::int64_t> neighbours_of(const Claim& claim, const std::string& tensor,
                                        std::int64_t index, std::int64_t reach);

}  // namespace gradproof
