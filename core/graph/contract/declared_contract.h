// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/contract/error_bound.h"
#include "core/graph/contract/step_contract.h"
#include "core/graph/graph.h"
#include "core/tensor/dtype.h"

namespace gradproof {

/// The part of a declaration that is about one step, or about all steps.
struct StepDeclaration {
  std::map<std::string, SumOrder, std::less<>> sums;  ///< by the word of sum_rows()
  std::map<FormPart, FormSet> forms;

  /// Replaces what the contract says by what the declaration says.
  void apply(StepContract& to) const;
  friend bool operator==(const StepDeclaration&, const StepDeclaration&) = default;
};

/// The declaration of code that computes a graph. Its text has parts KEY=WORD with commas or blanks
/// between them (docs/contracts.md).
///   accumulation=f32|f64      type of all arithmetic and of the numbers in the text; the default
///                             is float32, and float64 for float64 tensors
///   stored=outputs|none|saved|all|all+statistics
///                             values that are rounded to the storage type, and may be read so by
///                             later steps and by the adjoint: the outputs; none; each value; each
///                             value, and each gradient on the way; also mean and 1/std of each
///                             norm before its value takes them; or h+y, those of that name
///   functions=usual|rounded|libtorch|xla|any   errors of exp, erf and the like: those of the usual
///                             libraries and of approximate instructions; with division and square
///                             root correctly rounded; of LibTorch's vectors on the CPU; of XLA's
///                             polynomials; or the largest of all these
///   literals=exact|stored     whether numbers of the text may be rounded to the storage type
///   subnormals=kept|flushed   whether what is below the normal numbers may count as 0
///   bound=certain|likely      whether a sum's roundings count with all that they may be, or with
///                             what they are likely to be (docs/likely.md)
///   fma=yes|no                whether a product and a sum may be contracted to one rounding
///   SUMS=any|pairwise|lanes:L|blocks:B|chain:G   order of sums (sum_rows(), SumOrder)
///   PART=FORM[+FORM]|any      forms of a part (form_rows())
/// VALUE.SUMS and VALUE.PART declare it for the step alone that makes VALUE.
struct DeclaredContract {
  enum class Stored { outputs, none, saved, all, all_and_statistics, named };
  enum class Functions { usual, rounded, libtorch, xla, any };
  enum class Literals { exact, stored };
  enum class Subnormals { kept, flushed };

  std::optional<DType> accumulation;
  std::optional<Stored> stored;           ///< nothing said: outputs
  std::vector<std::string> stored_names;  ///< outputs, saved or named: those
  std::optional<Functions> functions;     ///< nothing said: usual
  std::optional<Literals> literals;       ///< nothing said: exact, stored where each value is
  std::optional<Subnormals> subnormals;   ///< nothing said: kept
  /// The bound counts a rounding for each product and for each sum, and holds either way.
  bool fma = true;
  std::optional<ErrorBound> bound;  ///< nothing said: likely, then certain
  StepDeclaration every;
  std::map<std::string, StepDeclaration, std::less<>> steps;  ///< by value

  bool stores_each_value() const {
    return stored == Stored::all || stored == Stored::all_and_statistics;
  }
  /// True if neither the values rounded between steps nor the functions' errors are declared.
  bool leaves_rounding_open() const { return !stored && !functions; }
  friend bool operator==(const DeclaredContract&, const DeclaredContract&) = default;
};

/// Reads what is declared of code that computes the graph. Throws UsageError that names the part
/// and the choices.
DeclaredContract parse_declared_contract(std::string_view text, const Graph& graph);

/// The text of what is declared, in canonical order.
/// parse_declared_contract(to_string(c), graph) == c is a law.
std::string to_string(const DeclaredContract& contract);

}  // namespace gradproof
