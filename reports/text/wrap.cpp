// SPDX-License-Identifier: Apache-2.0
#include "reports/text/wrap.h"

#include <algorithm>
#include <vector>

namespace gradproof {
namespace {

/// A word and the blanks before it; those go where a line ends.
struct Word {
  std::string blanks;
  std::string text;
};

std::vector<Word> words_in(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = text.find_first_not_of(' ', at);
    if (start == std::string_view::npos) break;
    const std::size_t end = std::min(text.find(' ', start), text.size());
    words.push_back(
        {std::string(text.substr(at, start - at)), std::string(text.substr(start, end - start))});
    at = end;
  }
  return words;
}

/// The words of a shell command, with their quotes.
std::vector<std::string> shell_words_in(const std::string& command) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : command) {
    if (c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

/// True if single quotes hold several words that mean the same in double quotes.
bool can_be_broken(const std::string& word) {
  return word.size() > 2 && word.front() == '\'' && word.back() == '\'' &&
         word.find_first_of("$`\"\\!") == std::string::npos &&
         word.find(' ') != std::string::npos && word.find('\'', 1) == word.size() - 1;
}

/// Lines that end with a backslash wherever another one follows.
class CommandLines {
 public:
  explicit CommandLines(const TextFrame& frame) : frame_(frame), line_(frame.head) {}

  void add(const std::string& word) {
    if (fits(word))
      line_ += gap() + word;
    else if (can_be_broken(word))
      add_quoted(word.substr(1, word.size() - 2));
    else
      next_line(), line_ += word;
    is_new_ = false;
  }
  std::string text() const { return text_ + line_ + "\n"; }

 private:
  static constexpr std::size_t kBackslash = 2;  ///< columns of " \"

  std::string gap() const { return is_new_ ? "" : " "; }
  bool fits(const std::string& word) const {
    return line_.size() + gap().size() + word.size() + kBackslash <= frame_.width;
  }
  void next_line() {
    if (is_new_) return;
    text_ += line_ + " \\\n";
    line_ = std::string(frame_.hang + 2, ' ');
    is_new_ = true;
  }
  void add_quoted(const std::string& content) {
    std::string next = "\"";
    for (const Word& word : words_in(content)) {
      next += word.text;
      if (!fits(next + "\"")) next_line();
      line_ += gap() + next;
      is_new_ = false;
      next.clear();
    }
    line_ += "\"";
  }

  const TextFrame frame_;
  std::string text_;
  std::string line_;
  bool is_new_ = true;  ///< nothing stands in the line yet
};

}  // namespace

std::string filled(const TextFrame& frame, std::string_view text) {
  std::string lines, line = frame.head;
  bool is_new = true;
  for (const Word& word : words_in(text)) {
    if (!is_new && line.size() + word.blanks.size() + word.text.size() > frame.width) {
      lines += line + "\n";
      line = std::string(frame.hang, ' ');
      is_new = true;
    }
    line += (is_new ? "" : word.blanks) + word.text;
    is_new = false;
  }
  return lines + line + "\n";
}

std::string filled_lines(std::string_view text, std::size_t width) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    lines += line.size() <= width
                 ? std::string(line) + "\n"
                 : filled({std::string(indent, ' '), indent + 2, width}, line.substr(indent));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string filled_command(const TextFrame& frame, const std::string& command) {
  if (frame.head.size() + command.size() <= frame.width) return frame.head + command + "\n";
  CommandLines lines(frame);
  for (const std::string& word : shell_words_in(command)) lines.add(word);
  return lines.text();
}

TextFrame field_frame(std::string_view label, std::size_t width, std::size_t indent) {
  constexpr std::size_t kLabel = 11;  // columns before a field's text
  std::string head = std::string(indent, ' ') + std::string(label);
  head.resize(std::max(kLabel, head.size() + 1), ' ');
  return {head, head.size(), width};
}

std::string field_lines(const TextFrame& frame, std::string_view text) {
  return text.empty() ? "" : filled(frame, text);
}

}  // namespace gradproof
