// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "oracles/functions/multiword_math.h"

namespace gradproof {

/// The outcomes of the comparisons of one evaluation, in order, and the first operation without a
/// finite value.
struct BranchTrace {
  std::vector<char> outcomes;
  const char* outside = nullptr;                ///< the name of that operation, e.g. "log"
  const std::vector<char>* replayed = nullptr;  ///< outcomes that replace the first computed ones

  /// The trace into which this thread records; nullptr: none.
  inline static thread_local BranchTrace* current = nullptr;

  /// Returns call(); the comparisons that it makes are recorded in this trace.
  template <class Call>
  auto record(const Call& call) {
    struct Until {
      BranchTrace* before;
      ~Until() { current = before; }
    } const until{std::exchange(current, this)};
    return call();
  }

  /// Records the outcome of a comparison and returns the outcome that the caller must use.
  static bool decided(bool outcome) {
    if (current == nullptr) return outcome;
    const std::size_t next = current->outcomes.size();
    if (current->replayed != nullptr && next < current->replayed->size())
      outcome = (*current->replayed)[next] != 0;
    current->outcomes.push_back(outcome ? 1 : 0);
    return outcome;
  }
};

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The T of a user's function: a V (multiword_math.h) that can be combined with double and int. Its
/// comparisons are recorded in the thread's BranchTrace. Argument-dependent lookup finds these
/// functions: exp expm1 log log1p sqrt pow tanh erf abs fabs max min.
template <class V>
class Traced {
 public:
  Traced() = default;
  template <class N>
  requires std::is_arithmetic_v<N> Traced(N value)  // NOLINT: as a double does
      : v_(static_cast<double>(value)) {}
  explicit Traced(const V& value) : v_(value) {}

  const V& value() const { return v_; }

  Traced operator-() const { return Traced(V(-v_)); }
  Traced operator+() const { return *this; }
  Traced& operator+=(const Traced& o) { return *this = *this + o; }
  Traced& operator-=(const Traced& o) { return *this = *this - o; }
  Traced& operator*=(const Traced& o) { return *this = *this * o; }
  Traced& operator/=(const Traced& o) { return *this = *this / o; }

  friend Traced operator+(const Traced& a, const Traced& b) { return Traced(V(a.v_ + b.v_)); }
  friend Traced operator-(const Traced& a, const Traced& b) { return Traced(V(a.v_ - b.v_)); }
  friend Traced operator*(const Traced& a, const Traced& b) { return Traced(V(a.v_ * b.v_)); }
  friend Traced operator/(const Traced& a, const Traced& b) {
    return noted("division", V(a.v_ / b.v_));
  }

  friend bool operator<(const Traced& a, const Traced& b) {
    return BranchTrace::decided(a.v_ < b.v_);
  }
  friend bool operator>(const Traced& a, const Traced& b) { return b < a; }
  friend bool operator<=(const Traced& a, const Traced& b) { return !(b < a); }
  friend bool operator>=(const Traced& a, const Traced& b) { return !(a < b); }
  friend bool operator==(const Traced& a, const Traced& b) {
    return BranchTrace::decided(!(a.v_ < b.v_) && !(b.v_ < a.v_));
  }

  friend Traced exp(const Traced& a) { return noted("exp", V(exp(a.v_))); }
  friend Traced expm1(const Traced& a) { return noted("expm1", V(expm1(a.v_))); }
  friend Traced log(const Traced& a) { return noted("log", V(log(a.v_))); }
  friend Traced log1p(const Traced& a) { return noted("log1p", V(log1p(a.v_))); }
  friend Traced sqrt(const Traced& a) { return noted("sqrt", V(sqrt(a.v_))); }
  friend Traced tanh(const Traced& a) { return noted("tanh", V(tanh(a.v_))); }
  friend Traced erf(const Traced& a) { return noted("erf", V(erf(a.v_))); }
  friend Traced sin(const Traced& a) { return noted("sin", V(sin(a.v_))); }
  friend Traced cos(const Traced& a) { return noted("cos", V(cos(a.v_))); }

  friend Traced abs(const Traced& a) { return a < Traced(0) ? -a : a; }
  friend Traced fabs(const Traced& a) { return abs(a); }
  friend Traced max(const Traced& a, const Traced& b) { return a < b ? b : a; }
  friend Traced min(const Traced& a, const Traced& b) { return b < a ? b : a; }

  /// a^n by repeated multiplication.
  friend Traced pow(const Traced& a, int n) {
    if (n < 0) return Traced(1) / (a * pow(a, -(n + 1)));
    if (n == 0) return Traced(1);
    const Traced half = pow(a, n / 2);
    return n % 2 == 0 ? half * half : half * half * a;
  }
  /// a^b; a must be positive unless b is an integer.
  friend Traced pow(const Traced& a, double b) {
    return b == std::floor(b) && std::abs(b) < 0x1p30 ? pow(a, static_cast<int>(b))
                                                      : pow(a, Traced(b));
  }
  friend Traced pow(const Traced& a, const Traced& b) { return exp(b * log(a)); }

 private:
  static Traced noted(const char* operation, const V& value) {
    BranchTrace* trace = BranchTrace::current;
    if (!has_value(value) && trace != nullptr && trace->outside == nullptr)
      trace->outside = operation;
    return Traced(value);
  }

  V v_ = V(0.0);
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
