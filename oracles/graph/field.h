// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/graph/step_context.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The number where it is positive, else 0; 0 for NaN.
template <class V>
[[gnu::always_inline]] inline V positive_part(const V& v) {
  return select(v > V(0), v, V(0));
}

/// The number with both flags set: any computed number is right.
template <class T>
[[gnu::always_inline]] inline T open_class(T of) {
  if constexpr (requires { of.vacuous; }) of.vacuous = of.overflow = true;
  return of;
}

/// Sets both flags where the mask is true.
template <class T>
[[gnu::always_inline]] inline void open_class_where(const MaskOf<T>& where, T& number) {
  if constexpr (requires { number.vacuous; }) {
    number.vacuous = number.vacuous | where;
    number.overflow = number.overflow | where;
  }
}

/// Sets both flags where an infinity or a NaN is another one in this form, as Inf - Inf may be: a
/// kernel may return either.
template <class T>
[[gnu::always_inline]] inline void open_where_forms_differ(T& number, const T& by_form) {
  using M = MaskOf<T>;
  const M finite(is_finite(number.v) & is_finite(by_form.v));
  if (all(finite)) [[likely]]
    return;
  const M both_nan(is_nan(number.v) & is_nan(by_form.v));
  const M same(M(number.v == by_form.v) | both_nan);
  open_class_where(M(!(finite | same)), number);
}

/// The number with the error of another form of it if that is larger. A truth stays.
template <class T>
[[gnu::always_inline]] inline T widened(T into, const T& other) {
  if constexpr (requires { into.vacuous; }) {
    into.e += positive_part(other.total() - into.total());
    into.vacuous = into.vacuous | other.vacuous;
    into.overflow = into.overflow | other.overflow;
    open_where_forms_differ(into, other);
  }
  return into;
}

/// Adds the k-th form of a number: `into` is the first form, or the result of the forms before. The
/// value stays that of the first, the error becomes the largest of the permitted forms.
template <class T>
void add_form(T& into, FormSet permitted, int k, const T& by_form) {
  if (!permitted.has(k)) return;
  if (permitted.has_before(k)) {
    into = widened(into, by_form);
    return;
  }
  T alone = by_form;
  alone.v = into.v;
  open_where_forms_differ(alone, by_form);
  into = alone;
}

/// A number by the forms of a part, in the order of its row: first(), second(), ... A truth takes
/// the first; an error arithmetic takes the first's value and the largest permitted error.
template <class A, class First, class... Others>
[[gnu::always_inline]] inline typename A::Scalar over_forms(FormSet permitted, const First& first,
                                                            const Others&... others) {
  using T = typename A::Scalar;
  T number = first();
  if constexpr (A::kErrors) {
    if (permitted.bits == 1) return number;
    auto largest = number.total();
    int k = 0;
    const auto take = [&](const auto& other) __attribute__((always_inline)) {
      if (!permitted.has(++k)) return;
      const T by_form = other();
      const auto error = by_form.total();
      if (!permitted.has_before(k)) {
        add_form(number, permitted, k, by_form);
        largest = error;
        return;
      }
      largest = select(error > largest, error, largest);
      number.vacuous = number.vacuous | by_form.vacuous;
      number.overflow = number.overflow | by_form.overflow;
      open_where_forms_differ(number, by_form);
    };
    (take(others), ...);
    number.e += positive_part(largest - number.total());
  }
  return number;
}

/// Makes all error of the field's elements independent.
template <class A>
void fold(Field<typename A::Scalar>& f) {
  if constexpr (A::kErrors)
    for (auto& v : f.v) v = A::folded(v);
  f.owner = kNobody;
}

/// Sets 0 in the idle lanes of a block's last pack; the block has `length` numbers.
template <class T>
void leave_out_idle_lanes(const GraphPlan& plan, const PlanValue& space, std::int64_t length,
                          Field<T>& terms) {
  const std::int64_t last = plan.block_length - 1;
  const std::int64_t filled = length - last * kLanesOf<T>;
  if (filled == kLanesOf<T>) return;
  for (std::int64_t first = last * space.inner; first < space.count;
       first += plan.block_length * space.inner)
    for (std::int64_t i = first; i < first + space.inner; ++i) {
      T& v = terms.v[static_cast<std::size_t>(i)];
      v = kept(v, filled);
    }
}

/// The result of a step's adjoint: for each operand a term for each element of the space, which is
/// summed if several elements share the operand's; empty if nobody wants it.
template <class T>
class Terms {
 public:
  explicit Terms(std::size_t operands) : fields_(operands) {}

  std::size_t size() const { return fields_.size(); }
  Field<T>& operator[](std::size_t operand) { return fields_[operand]; }
  /// Says that the operand's terms are the step's cotangent as it is.
  void pass_on(std::size_t operand) { is_cotangent_ |= 1U << operand; }
  bool is_cotangent(std::size_t operand) const { return (is_cotangent_ >> operand & 1) != 0; }

  auto begin() { return fields_.begin(); }
  auto end() { return fields_.end(); }

 private:
  std::vector<Field<T>> fields_;
  unsigned is_cotangent_ = 0;  ///< a bit for each operand
};

/// The part of a gradient that sums over several elements, from one use of its tensor or value. A
/// tensor's part is added up over blocks.
template <class A>
struct SummedUse {
  int tensor = 0;           ///< in GraphPlan::values
  std::int64_t length = 0;  ///< terms of one sum, in this block
  SumOrder order;
  std::vector<typename A::Sum> sums;
  SumSettings settings = {};
};

/// A field for a step that shares no errors but its own: those of others are folded. It refers to
/// the field if nothing is to be folded.
template <class A>
class FoldedField {
 public:
  using T = typename A::Scalar;

  FoldedField(const Field<T>& from, int own) : from_(&from) {
    if (from.owner == kNobody || from.owner == own) return;
    folded_ = from;
    for (T& v : folded_.v) v = A::folded(v);
    folded_.owner = kNobody;
    from_ = &folded_;
  }
  FoldedField(const FoldedField&) = delete;
  FoldedField& operator=(const FoldedField&) = delete;

  const Field<T>& field() const { return *from_; }
  const T& operator[](std::size_t i) const { return from_->v[i]; }
  std::size_t size() const { return from_->v.size(); }

 private:
  Field<T> folded_;
  const Field<T>* from_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
