// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/npy_header.h"

#include <charconv>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/printable.h"

namespace gradproof {
namespace {

/// Reads the dictionary that numpy writes, and no other Python.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  StoredTensor read() {
    demand('{');
    std::set<std::string> keys;
    while (!take('}')) {
      const std::string key = quoted();
      demand(':');
      if (!keys.insert(key).second) refuse(fmt::format("its header has '{}' twice", key));
      value(key);
      if (!take(',') && peek() != '}') demand(',');
    }
    peek();  // skips blanks
    if (!rest_.empty() || keys.size() != 3)
      refuse("its header has not descr, fortran_order, shape");
    return stored_;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError(fmt::format("tensor '{}': {}", name_, what));
  }

  char peek() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool take(std::string_view word) {
    peek();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }

  void demand(char c) {
    if (!take(c)) refuse(fmt::format("its header has no '{}' before '{}'", c, shown()));
  }

  std::string shown() const { return printable(std::string(rest_.substr(0, 20))); }

  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      refuse(fmt::format("no text in its header at '{}'", shown()));
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) refuse("its header ends within a text");
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  void value(const std::string& key) {
    if (key == "descr") {
      stored_.type = &type();
    } else if (key == "fortran_order") {
      if (take("True"))
        refuse("its elements are in the order of Fortran; save numpy.ascontiguousarray(...) of it");
      if (!take("False"))
        refuse(fmt::format("fortran_order is neither True nor False: '{}'", shown()));
    } else if (key == "shape") {
      shape();
    } else {
      refuse(fmt::format("its header has '{}'; known: descr fortran_order shape", printable(key)));
    }
  }

  const ElementType& type() {
    const std::string word = peek() == '[' ? std::string("[...]") : quoted();
    std::vector<std::string_view> known;
    for (const ElementType& t : element_types()) {
      if (t.numpy.empty()) continue;
      if (t.numpy == word) return t;
      known.push_back(t.numpy);
    }
    const char* const why = word.starts_with('>') ? "is big-endian, " : "";
    refuse(fmt::format("it {}has the dtype '{}'; known: {} (bfloat16 has none: safetensors)", why,
                       printable(word), fmt::join(known, " ")));
  }

  void shape() {
    demand('(');
    while (!take(')')) {
      std::int64_t extent = -1;
      peek();
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent < 0) refuse(fmt::format("no extent at '{}'", shown()));
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      stored_.shape.push_back(extent);
      if (!take(',') && peek() != ')') demand(')');
    }
  }

  std::string_view rest_;
  const std::string& name_;
  StoredTensor stored_;
};

}  // namespace

StoredTensor parse_npy_header(std::string_view text, const std::string& name) {
  return Dictionary(text, name).read();
}

}  // namespace gradproof
