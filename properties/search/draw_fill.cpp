// SPDX-License-Identifier: Apache-2.0
#include "properties/search/draw_fill.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "core/tensor/philox.h"

namespace gradproof {

RandomBits random_bits(std::uint64_t seed, const std::string& name) {
  return [stream = Stream(seed, name), count = std::uint64_t{0}]() mutable {
    return stream.bits(count++);
  };
}

std::string draw_fill(const Key& key, const RandomBits& next, const std::vector<double>& beside) {
  constexpr std::array kUsual{1e-20, 1e-5, 0.3, 1.0, 17.0, 170.0, 1e3, 1e4, 1e5, 1e6};
  std::vector<double> numbers(kUsual.begin(), kUsual.end());
  numbers.insert(numbers.end(), beside.begin(), beside.end());
  std::map<std::string, std::vector<std::string>> kinds;  // "every" and "every:" are one
  for (const std::string& word : key.words) kinds[word.substr(0, word.find(':'))].push_back(word);
  const auto kind = std::next(kinds.begin(), static_cast<std::ptrdiff_t>(next() % kinds.size()));
  const std::vector<std::string>& words = kind->second;
  const std::string& word = words.size() == 1 ? words.front() : words[next() % words.size()];
  return word.back() == ':' ? fmt::format("{}{}", word, numbers[next() % numbers.size()]) : word;
}

}  // namespace gradproof
