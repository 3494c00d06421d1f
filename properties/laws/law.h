// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/claim/claim.h"
#include "core/compare/discrepancy.h"
#include "core/compare/verdict.h"
#include "core/error.h"
#include "kernels/kernel.h"

namespace gradproof {

class Trial;

/// A law's result about one quantity: the kernel's numbers against those that the law asks for.
struct Finding {
  std::string quantity;  ///< "d_weight along v", "y of the rows in another order"
  Shape shape;
  Discrepancy discrepancy;
  Verdict verdict;
  std::string why;  ///< where the bound comes from
};

/// A property that every correct kernel has, whatever its answer: no oracle is asked for the
/// answer. Bounds, where a law is not exact, are the oracle's.
struct Law {
  std::string name;  ///< the word of the key `law`
  std::string says;  ///< one sentence
  /// The reason why it says nothing of such a claim ("without gradients"); empty if it holds there.
  std::string (*silence)(const Claim& claim);
  /// Runs the kernel and says what must be equal.
  void (*holds)(Trial& trial);
  /// No contract promises such a law: `law=all` leaves it out, and it runs only if named.
  bool only_by_name = false;
  /// It asks about memory, guard bands or schedules of launches: of code that is called in another
  /// process it would hold whatever that does.
  bool of_launches = false;

  bool applies(const Claim& claim) const { return silence(claim).empty(); }
};

/// Code that a law called has raised an error, for which the law proves nothing.
struct CallRaised : UsageError {
  using UsageError::UsageError;
};

/// All laws, in the order of the key `law`.
const std::vector<Law>& laws();

/// Throws UsageError for an unknown name, with the known ones.
const Law& law_named(const std::string& name);

/// Throws UsageError where the law does not apply to the Case.
std::vector<Finding> check_law(const Law& law, const Kernel& kernel, const Case& c);

/// True if the law is about the Case and fails on it. A finding of the executor ends every law
/// alike; it counts only for clean_runs, which is about such findings.
bool convicts(const Law& law, const Kernel& kernel, const Case& c);

inline constexpr const char* kExecutionQuantity = "execution";

}  // namespace gradproof
