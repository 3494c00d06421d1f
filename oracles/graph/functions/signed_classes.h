// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>

#include "oracles/arithmetic/unit_name.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

enum class SignedClass : std::uint8_t { nan, minus_inf, negative, zero, positive, plus_inf };
inline constexpr std::size_t kSignedClasses = 6;

/// A comparison whose result depends on more than the classes of its operands.
struct OpenComparison : std::exception {
  const char* what() const noexcept override { return "classes do not decide a comparison"; }
};

/// The classes that a number may be of. An operation gives all classes that exact operands of these
/// classes may lead to, so that a set of one class is the class of the exact result: of a NaN or an
/// infinity among the inputs it follows without their sizes. A comparison of which both results are
/// possible throws OpenComparison. No sign of 0 is kept: 1/0 is an infinity of either sign.
class SignedClasses {
 public:
  SignedClasses() : SignedClasses(0.0) {}
  // NOLINTNEXTLINE(google-explicit-constructor): operations take a double beside a set
  SignedClasses(double number) : bits_(bit(class_of(number))) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a class is the set that has no other
  constexpr SignedClasses(SignedClass one) : bits_(bit(one)) {}

  bool has(SignedClass c) const { return (bits_ & bit(c)) != 0; }
  bool is(SignedClass c) const { return bits_ == bit(c); }
  SignedClasses united(const SignedClasses& o) const { return of_bits(bits_ | o.bits_); }

  /// The union of f(class) over the classes that the number may be of.
  template <class Each>
  SignedClasses each(const Each& f) const {
    unsigned all = 0;
    for (std::size_t c = 0; c < kSignedClasses; ++c)
      if (has(SignedClass(c))) all |= SignedClasses(f(SignedClass(c))).bits_;
    return of_bits(all);
  }

  friend SignedClasses operator+(const SignedClasses& a, const SignedClasses& b) {
    return by_table(sums(), a, b);
  }
  friend SignedClasses operator*(const SignedClasses& a, const SignedClasses& b) {
    return by_table(products(), a, b);
  }
  friend SignedClasses operator/(const SignedClasses& a, const SignedClasses& b) {
    return by_table(quotients(), a, b);
  }
  SignedClasses operator-() const {
    return each([](SignedClass c) { return negated(c); });
  }
  friend SignedClasses operator-(const SignedClasses& a, const SignedClasses& b) { return a + -b; }
  SignedClasses& operator+=(const SignedClasses& o) { return *this = *this + o; }

  friend SignedClasses abs(const SignedClasses& a) {
    return a.each([](SignedClass c) { return rank(c) < 0 ? negated(c) : c; });
  }

  friend bool operator<(const SignedClasses& a, const SignedClasses& b) {
    return compared(a, b, [](int x, int y) { return x < y; });
  }
  friend bool operator>(const SignedClasses& a, const SignedClasses& b) { return b < a; }
  friend bool operator<=(const SignedClasses& a, const SignedClasses& b) {
    return compared(a, b, [](int x, int y) { return x <= y; });
  }
  friend bool operator>=(const SignedClasses& a, const SignedClasses& b) { return b <= a; }
  friend bool operator==(const SignedClasses& a, const SignedClasses& b) {
    return compared(a, b, [](int x, int y) { return x == y; });
  }

  /// -2 to 2 from the negative infinity to the positive one; 0 for NaN.
  static constexpr int rank(SignedClass c) {
    return c == SignedClass::nan ? 0 : static_cast<int>(c) - static_cast<int>(SignedClass::zero);
  }
  static constexpr SignedClass negated(SignedClass c) {
    return c == SignedClass::nan ? c : of_rank(-rank(c));
  }

 private:
  using Bits = std::uint8_t;
  static constexpr std::size_t kSets = std::size_t{1} << kSignedClasses;
  using Table = std::array<std::array<Bits, kSets>, kSets>;

  static constexpr Bits bit(SignedClass c) { return static_cast<Bits>(1U << static_cast<int>(c)); }
  static constexpr SignedClass of_rank(int rank) {
    return SignedClass(static_cast<int>(SignedClass::zero) + rank);
  }
  static SignedClass class_of(double number) {
    if (std::isnan(number)) return SignedClass::nan;
    const int size = number == 0 ? 0 : std::isinf(number) ? 2 : 1;
    return of_rank(number < 0 ? -size : size);
  }
  static SignedClasses of_bits(unsigned bits) {
    SignedClasses set(SignedClass::nan);
    set.bits_ = static_cast<Bits>(bits);
    return set;
  }
  static constexpr bool is_nan(SignedClass a, SignedClass b) {
    return a == SignedClass::nan || b == SignedClass::nan;
  }
  static SignedClasses by_table(const Table& table, const SignedClasses& a,
                                const SignedClasses& b) {
    return of_bits(table[a.bits_][b.bits_]);
  }

  static Bits sum(SignedClass a, SignedClass b) {
    const int x = rank(a);
    const int y = rank(b);
    if (x * y == -4) return bit(SignedClass::nan);
    if (x * y == -1)
      return bit(SignedClass::negative) | bit(SignedClass::zero) | bit(SignedClass::positive);
    return bit(std::abs(x) > std::abs(y) ? a : b);
  }
  static Bits product(SignedClass a, SignedClass b) {
    const int x = rank(a);
    const int y = rank(b);
    if (x == 0 || y == 0) return bit(std::abs(x + y) == 2 ? SignedClass::nan : SignedClass::zero);
    const int size = std::max(std::abs(x), std::abs(y));
    return bit(of_rank((x < 0) == (y < 0) ? size : -size));
  }
  static Bits quotient(SignedClass a, SignedClass b) {
    const int x = rank(a);
    const int y = rank(b);
    if (std::abs(y) == 2) return bit(std::abs(x) == 2 ? SignedClass::nan : SignedClass::zero);
    if (y == 0 && x == 0) return bit(SignedClass::nan);
    if (y == 0) return bit(SignedClass::minus_inf) | bit(SignedClass::plus_inf);
    return product(a, b);
  }

  /// Makes the table of all pairs of sets from the results of an operation on two classes that are
  /// no NaN.
  template <class Operation>
  static Table table_of(const Operation& of) {
    Table table{};
    for (std::size_t a = 1; a < kSets; ++a)
      for (std::size_t b = 1; b < kSets; ++b)
        for (std::size_t i = 0; i < kSignedClasses; ++i)
          for (std::size_t j = 0; j < kSignedClasses; ++j) {
            if ((a >> i & 1) == 0 || (b >> j & 1) == 0) continue;
            const SignedClass x(static_cast<SignedClass>(i));
            const SignedClass y(static_cast<SignedClass>(j));
            const Bits made = is_nan(x, y) ? bit(SignedClass::nan) : of(x, y);
            table[a][b] = static_cast<Bits>(table[a][b] | made);
          }
    return table;
  }
  static const Table& sums() {
    static const Table table = table_of(sum);
    return table;
  }
  static const Table& products() {
    static const Table table = table_of(product);
    return table;
  }
  static const Table& quotients() {
    static const Table table = table_of(quotient);
    return table;
  }

  /// `of` compares ranks. Two numbers of one sign may be in any order.
  template <class Compare>
  static bool compared(const SignedClasses& a, const SignedClasses& b, const Compare& of) {
    bool may_be[2] = {false, false};
    for (std::size_t i = 0; i < kSignedClasses; ++i)
      for (std::size_t j = 0; j < kSignedClasses; ++j) {
        const SignedClass x(static_cast<SignedClass>(i));
        const SignedClass y(static_cast<SignedClass>(j));
        if (!a.has(x) || !b.has(y)) continue;
        const bool is_open = x == y && std::abs(rank(x)) == 1;
        const bool holds = !is_nan(x, y) && of(rank(x), rank(y));
        may_be[0] = may_be[0] || is_open || !holds;
        may_be[1] = may_be[1] || is_open || holds;
      }
    if (may_be[0] && may_be[1]) throw OpenComparison();
    return may_be[1];
  }

  Bits bits_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
