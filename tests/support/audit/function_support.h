// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "oracles/functions/audit_function.h"

namespace gradproof::function_tests {

template <class T>
using Arrays = std::vector<std::vector<T>>;

/// One scalar function of each number.
template <class Function>
struct Elementwise {
  Function function;

  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    std::vector<T> y;
    for (const T& x : in[0]) y.push_back(function(x));
    return y;
  }
};
template <class Function>
Elementwise(Function) -> Elementwise<Function>;

inline const AuditWitness& witness(const AuditRow& row) { return row.witnesses.at(0); }

inline std::int64_t count_of(const AuditRow& row, const std::string& reason) {
  for (const Inconclusive& group : row.inconclusive)
    if (name_of(group.reason) == reason) return group.entries;
  return 0;
}

}  // namespace gradproof::function_tests
