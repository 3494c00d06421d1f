// SPDX-License-Identifier: Apache-2.0
// Lines that somebody could have written, with some of their words exchanged, through all that is
// made of a line: each is refused by a UsageError or judged whole. Damage to the heap is seen under
// AddressSanitizer.
#include <array>
#include <cctype>

#include <gtest/gtest.h>

#include "core/case/case.h"
#include "core/error.h"
#include "core/tensor/philox.h"
#include "tests/fuzz/targets.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 16> kNatural{
    "{ y = silu ( x [ a , a ] ) } a=3",
    "{ y = add ( s [ b , i ] , exp ( m [ i ] ) ) } b=2 i=4",
    "{ y = rms_norm ( add ( x , r ) , weight , eps=1e-6 ) } rows=3 cols=4",
    "{ x [ n , c , h ] -> max_pool ( window=2 ) -> mean ( h ) -> y } n=2 c=3 h=4",
    "{ y = group_norm ( x [ n , c , h ] , w [ c ] , b , groups=2 ) } n=2 c=4 h=3",
    "{ y = layer_norm ( linear ( x [ n , k ] , w ) , out ) } n=2 k=3 out=4",
    "{ y = rotary ( x [ t , h , d ] , cos [ t , d ] , sin [ t , d ] ) } t=2 h=3 d=4",
    "{ y = nll_loss ( log_softmax ( x [ n , c ] ) , labels ) } n=3 c=4",
    "{ f ( t , a=1 ) := { h = exp ( t ) ; divide ( h , add ( h , a ) ) } ; y = f ( x , a=2 ) } "
    "rows=2 cols=3",
    "{ y = batch_norm ( x , w , b ) ; m = running_mean ( x , mean ) ; v = running_var ( x , var ) "
    "} "
    "rows=4 cols=2",
    "{ y = sum ( multiply ( q [ h , m , d ] , k [ h , n , d ] ) , d ) } h=2 m=2 n=3 d=2",
    "{ y = multiply ( x , dy ) ; outputs y } rows=2 cols=2",
    "{ m ( t , a ) := divide ( t , mean ( abs ( t ) , a ) ) ; y = m ( x [ n , c ] , c ) } n=2 c=3",
    "{ y = hardtanh ( x , min=-1 , max=1 ) ; z = max ( y , cols ) } rows=2 cols=3 dtype=bf16",
    "{ y = instance_norm ( x [ n , c , h , w ] , g , b ) } n=2 c=2 h=2 w=3",
    "{ y = var ( x [ a , b ] , a , correction=0 ) } a=3 b=2 contract=stored=all"};

/// Words of the lines and of no line, any of which may stand in place of any other.
class Drawing {
 public:
  Drawing(std::uint64_t seed, std::uint64_t number) : stream_(seed, std::to_string(number)) {}

  std::string line() {
    std::vector<std::string> words = words_of(kNatural[below(kNatural.size())]);
    for (std::uint64_t k = 1 + below(4); k > 0; --k) change(words);
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t count) { return stream_.bits(drawn_++) % count; }

  static std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      words.emplace_back(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return words;
  }

  static bool is_sign(const std::string& word) {
    return std::isalnum(static_cast<unsigned char>(word.front())) == 0;
  }

  /// Now and then a word of no line; else one of a line, most often a sign for a sign.
  std::string any_word(bool sign) {
    constexpr std::array<std::string_view, 10> kOthers{
        "outputs y", "window=1e300", "groups=0", "h.v1",    "padding=1",
        "[ ]",       "correction=3", "d_x",      "-> relu", "stride=3"};
    if (below(8) == 0) return std::string(kOthers[below(kOthers.size())]);
    std::string word;
    for (int k = 0; k < 8 && (word.empty() || is_sign(word) != sign); ++k) {
      const std::vector<std::string> words = words_of(kNatural[below(kNatural.size())]);
      word = words[below(words.size())];
    }
    return word;
  }

  void change(std::vector<std::string>& words) {
    const std::uint64_t place = below(words.size());
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(place);
    switch (below(8)) {
      case 0:
        words.insert(at, any_word(below(2) == 0));
        return;
      case 1:
        words.erase(at);
        return;
      case 2:
      case 3:
      case 4: {
        const std::string other = words[below(words.size())];
        if (is_sign(other) == is_sign(*at)) *at = other;
        return;
      }
      default:
        *at = any_word(is_sign(*at));
    }
  }

  Stream stream_;
  std::uint64_t drawn_ = 0;
};

TEST(OddLines, AreRefusedOrJudged) {
  int judged = 0;
  for (std::uint64_t k = 0; k < 3000; ++k) {
    const std::string line = Drawing(1, k).line();
    EXPECT_NO_THROW(judged += line_is_judged(line)) << line;
  }
  // The control: what is drawn is no rubbish alone.
  EXPECT_GT(judged, 150);
}

TEST(OddLines, AnAxisThatStandsTwiceIsRefused) {
  try {
    parse_case("{y = silu(x[a,a])} a=3", {});
    FAIL() << "read";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "'x[a,a]' names an axis twice; two axes of one extent are two names: x[a,a2] in 'y = "
              "silu(x[a,a])'");
  }
  EXPECT_TRUE(line_is_judged("{y = silu(x[a,a2])} a=3 a2=3"));
}

}  // namespace
}  // namespace gradproof
