// SPDX-License-Identifier: Apache-2.0
// The witnesses with a fault in the adjoint, compiled once for all tests.
#include "tests/support/audit/witness_support.h"

namespace gradproof::oracle_tests {
namespace {

constexpr std::int64_t kFew = 8;

Fault planted;

}  // namespace

/// Has a name outside the file, as templates of headers have members of its type: g++ warns of one
/// that has none.
template <class T>
struct Faulty : Plain<T> {
  T shared(const T& value, SharedError symbol) const {
    if (planted.no_second_sum && symbol == SharedError::second_sum) return value * T(0);
    return planted.mean_terms ? value * T(this->count() / (this->count() + 1)) : value;
  }
  T swish_adjoint(const T& dy, const T& z, const typename Plain<T>::Sigmoid& l) const {
    return off(Plain<T>::swish_adjoint(dy, z, l), planted.swish);
  }
  T sum(const Values<T>& values, const std::string& name) const {
    return off(Plain<T>::sum(values, name), planted.sums);
  }
  T sum_in_unit(const Values<T>& values) const {
    return off(Plain<T>::sum_in_unit(values), planted.sums);
  }

 private:
  static T off(const T& right, double by) { return by == 0 ? right : right + right * T(by); }
};

namespace {

std::vector<std::size_t> all_of(const PipelineTarget& target) {
  std::vector<std::size_t> result(target.tensors().size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

}  // namespace

std::size_t TestedClaim::position_of(const std::string& name) const {
  std::size_t at = 0;
  while (at + 1 < target.tensors().size() && target.tensors()[at].name != name) ++at;
  return at;
}

std::vector<AuditWitness> witnesses_of(const Claim& claim, const Tensors& inputs,
                                       const std::string& gradient) {
  return derivative_witnesses(claim, inputs).at(gradient);
}

AuditWitness dual_of(const Claim& claim, const Tensors& inputs, const std::string& name,
                     const Fault& fault) {
  const TestedClaim tested(claim, inputs);
  planted = fault;
  const auto meetings =
      fault == Fault{} ? dual_meetings<Plain>(tested.target) : dual_meetings<Faulty>(tested.target);
  return dual_witness(tested.target, meetings[tested.position_of(name)]);
}

AuditWitness second_order_of(const Claim& claim, const Tensors& inputs, const std::string& name,
                             const Fault& fault, bool cotangent) {
  const TestedClaim tested(claim, inputs);
  const std::vector<Moved> moved{{tested.position_of(name), cotangent}};
  planted = fault;
  return fault == Fault{} ? second_order_witnesses<Plain>(tested.target, moved).front()
                          : second_order_witnesses<Faulty>(tested.target, moved).front();
}

std::vector<DualMeeting> first_meetings(const PipelineTarget& target, std::int64_t unit,
                                        const Fault& fault) {
  planted = fault;
  return meetings_of_unit<Faulty, TripleDouble>(target, unit, {all_of(target)}, 1);
}

std::vector<DualMeeting> last_meetings(const PipelineTarget& target, std::int64_t unit) {
  planted = {};
  std::vector<std::vector<std::size_t>> one_by_one;
  for (const std::size_t tensor : all_of(target)) one_by_one.push_back({tensor});
  return meetings_of_unit<Faulty, Digits400>(target, unit, one_by_one, 1);
}

Entries first_entries(const PipelineTarget& target, const std::vector<Moved>& moved) {
  planted = {};
  return second_order_entries<Faulty, TripleDouble>(target, moved, kFew);
}

Entries last_entries(const PipelineTarget& target, const std::vector<Moved>& moved) {
  planted = {};
  return second_order_entries<Faulty, Digits400>(target, moved, kFew);
}

}  // namespace gradproof::oracle_tests
