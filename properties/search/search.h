// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/case/draw.h"
#include "core/compare/verdict.h"
#include "core/tensor/tensor.h"
#include "properties/search/elites.h"

namespace gradproof {

/// The part of a Case's result that a search sees for one tensor.
struct TensorRatio {
  std::string tensor;
  double ratio = 0;  ///< the largest error/bound
  std::string at;    ///< where that is: "[3,7]"
  std::int64_t elements = 0;
  bool inexact = false;  ///< whether any bound is not 0
};

/// A tensor that no Case may have: wrong, or the judge at odds with itself.
struct Trouble {
  std::string tensor;
  Verdict verdict;
};

/// The result of judging one Case: the tensors that were decided within finite bounds, and the
/// first trouble if there is any.
struct SearchEvaluation {
  std::vector<TensorRatio> tensors;
  std::optional<Trouble> trouble = {};
};

/// The Cases of a schema with these keys, which are searched, and the function that judges them.
struct SearchTask {
  SchemaPtr schema;
  std::vector<std::string> pinned;  ///< "dtype=f16"
  std::function<SearchEvaluation(const Case&)> evaluate;
  std::function<Tensors(const Case&)> inputs;
};

/// The highest error/bound that was met in one tensor.
struct Peak {
  double ratio = 0;
  bool inexact = false;  ///< whether any bound was not 0
  std::optional<Case> c;
  std::string at;          ///< the element
  std::int64_t cases = 0;  ///< that had this tensor
  std::int64_t elements = 0;
};

/// Peaks by tensor.
using Peaks = std::map<std::string, Peak, std::less<>>;

/// A search for the largest error/bound of each tensor: never for a large error in ulp, which finds
/// ill-conditioned numbers and not what breaks a bound. Each function judges one Case. The tensors
/// whose bound is not 0 take turns; the parent is one of the elites of the tensor whose turn it is.
/// With the same random bits the same Cases come in the same order.
class Search {
 public:
  Search(SearchTask task, RandomBits next) : task_(std::move(task)), next_(std::move(next)) {}

  /// Draws a random Case: the search starts from such Cases, and they count for both.
  void draw() { look(draw_for_search(), Counts::for_both); }
  /// Draws a Case for comparison, which the search does not get to see.
  void draw_beside() { look(draw_for_search(), Counts::for_comparison); }
  /// Judges a neighbour of an elite, or a cross of two.
  void vary_case();
  /// Judges an elite of few elements with one element changed.
  void vary_contents();

  const Peaks& drawn() const { return drawn_; }  ///< by random draws alone
  const Peaks& found() const { return found_; }  ///< by the search, its first draws included
  std::int64_t cases() const { return cases_; }  ///< that the search judged

  /// The first Case with trouble, whoever drew it.
  struct TroubledCase {
    Case c;
    Trouble trouble;
  };
  const std::optional<TroubledCase>& trouble() const { return trouble_; }

 private:
  enum class Counts { for_both, for_comparison, for_search };

  Case draw_for_search() const;
  /// The tensors that can be improved and have an elite.
  std::vector<std::string> targets(const Elites& elites) const;
  /// One of the elites of the tensor that has the turn; nothing where there is none.
  std::optional<Case> parent(const Elites& elites);
  void look(const Case& c, Counts counts);

  SearchTask task_;
  RandomBits next_;
  Peaks drawn_, found_;
  Elites all_, small_;  ///< of all Cases, and of those of few elements
  std::size_t turn_ = 0;
  std::int64_t cases_ = 0;
  std::optional<TroubledCase> trouble_;
};

/// The length of a search: so many Cases, which finds the same each time, or seconds. A third each
/// is for random Cases, for neighbours and crosses of Cases, and for the contents of tensors.
struct SearchBudget {
  std::int64_t cases = 0;  ///< of the search; 0: by the clock
  double seconds = 0;      ///< of search and comparison together
};

/// Spends the budget, and also draws as many random Cases as the search judges, for comparison.
/// Ends at the first trouble. `on_case` is called after each step.
void spend(
    Search& search, const SearchBudget& budget, const std::function<void()>& on_case = [] {});

}  // namespace gradproof
