// SPDX-License-Identifier: Apache-2.0
#include "properties/search/vary_contents.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace gradproof {
namespace {

/// One of the elements that the key `set` says: "x@3,7" and "0x1p3".
struct SetElement {
  std::string place;
  std::string number;
};

std::vector<SetElement> elements_set(const Case& c) {
  std::vector<SetElement> elements;
  std::istringstream parts(c.text("set"));
  for (std::string text; std::getline(parts, text, ';');) {
    const std::size_t colon = text.find(':');
    elements.push_back({text.substr(0, colon), text.substr(colon + 1)});
  }
  return elements;
}

std::string text_of(const std::vector<SetElement>& elements) {
  std::string text;
  for (const SetElement& e : elements)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ";", e.place, e.number);
  return text;
}

/// 2^(max(ilogb|x|, emin)-p+1), of a finite number.
double last_place_of(double value, DType dtype) {
  const int exponent = value == 0 ? min_exponent_of(dtype) : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, min_exponent_of(dtype)) - precision_of(dtype) + 1);
}

double nearest_power_of_two(double value) {
  if (value == 0) return 1;
  int exponent = 0;
  const double significand = std::frexp(std::abs(value), &exponent);  // from 0.5 to 1
  const double power = std::ldexp(1.0, significand < 0.75 ? exponent - 1 : exponent);
  return std::copysign(power, value);
}

/// A number of units from 1 to 2^(p-1), each size equally often.
double some_units(DType dtype, const RandomBits& next) {
  const auto sizes = static_cast<std::uint64_t>(precision_of(dtype));
  return std::ldexp(1.0, static_cast<int>(next() % sizes));
}

/// A number beside `value`, or made of `other`, an element of the same tensor.
double neighbour_of(double value, double other, DType dtype, const RandomBits& next) {
  if (!std::isfinite(value)) value = 1;
  if (!std::isfinite(other)) other = 1;
  const double last = last_place_of(value, dtype);
  const double power = nearest_power_of_two(value);
  switch (next() % 11) {
    case 0:
      return value + last * some_units(dtype, next);
    case 1:
      return value - last * some_units(dtype, next);
    case 2:
      return -value;
    case 3:
      return 2 * value;
    case 4:
      return value / 2;
    case 5:
      return power;
    case 6:
      return power + last_place_of(power, dtype);
    case 7:
      return power - last_place_of(power, dtype) / 2;  // the spacing below is half of it
    case 8:
      return other;
    case 9:
      return -other;
    default:
      return std::copysign(last_place_of(other, dtype) / 2, value);
  }
}

/// A tensor with elements that hold real numbers.
std::vector<std::string> names_of_changeable(const Tensors& inputs) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : inputs)
    if (tensor.dtype() != DType::i64 && tensor.numel() > 0) names.push_back(name);
  return names;
}

std::int64_t some_index(const Tensor& tensor, const RandomBits& next) {
  return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(tensor.numel()));
}

}  // namespace

Case with_changed_element(const Case& c, const Tensors& inputs, const RandomBits& next) {
  const std::vector<std::string> names = names_of_changeable(inputs);
  if (names.empty()) return c;
  const std::string& name = names[next() % names.size()];
  const Tensor& tensor = inputs.at(name);
  const std::int64_t index = some_index(tensor, next);
  const double other = tensor.at(some_index(tensor, next));
  const double number = neighbour_of(tensor.at(index), other, tensor.dtype(), next);
  const std::string indices = index_text(tensor.shape(), index);
  const SetElement element{fmt::format("{}@{}", name, indices.substr(1, indices.size() - 2)),
                           fmt::format("{:a}", round_to(tensor.dtype(), number))};

  std::vector<SetElement> elements = elements_set(c);
  const auto same = std::find_if(elements.begin(), elements.end(),
                                 [&](const SetElement& e) { return e.place == element.place; });
  if (same != elements.end())
    *same = element;
  else if (elements.size() < kMostSet)
    elements.push_back(element);
  else
    elements[next() % elements.size()] = element;
  return c.with("set", text_of(elements));
}

}  // namespace gradproof
