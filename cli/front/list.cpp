// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/command_line/claims.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/terminal/width.h"
#include "cli/front/verbs.h"
#include "cli/process/paths.h"
#include "cli/process/session.h"
#include "core/compare/record.h"
#include "core/error.h"
#include "core/graph/contract/forms.h"
#include "core/graph/stages.h"
#include "core/nearest_word.h"
#include "reports/text/text_table.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

std::string choices(const Key& key) {
  std::string text;
  if (key.type == KeyType::integer)
    text = key.maximum == INT64_MAX ? fmt::format("{}..", key.minimum)
                                    : fmt::format("{}..{}", key.minimum, key.maximum);
  if (key.type == KeyType::real) text = "a number";
  if (key.type == KeyType::text) text = "text";
  for (const std::string& word : key.words) {
    if (!text.empty()) text += " ";
    text += word.ends_with(':') ? word + "NUMBER" : word;
  }
  return text;
}

void print_schema(const Schema& schema) {
  say_filled(fmt::format("{}   {}\n", schema.word, schema.summary));
  if (!schema.pipeline.empty()) say_filled(fmt::format("  pipeline: {}\n", schema.pipeline));
  if (!schema.contract.empty()) say_filled(fmt::format("  contract: {}\n", schema.contract));
  for (const Key& key : schema.keys)
    say_filled(fmt::format("  {:<14} {:<10} {}{}\n", key.name, key.initial, choices(key),
                           key.help.empty() ? "" : "   # " + key.help));
  // Several rules may have the same message, one for each key that they are about.
  std::set<std::string> shown;
  for (const Refusal& refusal : schema.refusals)
    if (shown.insert(refusal.message).second)
      say_filled(fmt::format("  refused: {}\n", refusal.message));
  say_filled(fmt::format("  judged: {}\n", fmt::join(schema.tensors, " ")));
}

/// The choices of a key that has words, or `otherwise` for a system without the key.
std::string words_of(const Schema& schema, const std::string& key, const std::string& otherwise) {
  if (!schema.has(key)) return otherwise;
  return fmt::format("{}", fmt::join(schema.key(key, "").words, " "));
}

void print_columns(const std::vector<TextRow>& rows) {
  for (const std::string& line : fitted(rows, output_width())) say(line + "\n");
}

void print_table(const std::vector<Schema>& schemas) {
  std::vector<TextRow> rows{{"KERNEL", "DTYPES", "MODES"}};
  for (const Schema& s : schemas)
    rows.push_back({s.word, words_of(s, "dtype", "-"), words_of(s, "mode", kAnyMode)});
  const auto lines = fitted_rows(rows, output_width());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (const std::string& line : lines[k]) say(line + "\n");
    if (k == 0) continue;
    say(field_lines(field_frame("computes", output_width(), 4), schemas[k - 1].summary));
    say(field_lines(field_frame("contract", output_width(), 4), schemas[k - 1].contract));
  }
  say("\n'gradproof list KERNEL' prints its keys, defaults and choices.\n");
}

/// "x, weight, beta; eps=1e-05": an operand in brackets may be left out.
std::string call_of(const GraphStage& stage) {
  std::vector<std::string> words;
  for (const StageOperand& o : stage.operands)
    words.push_back(fmt::format(fmt::runtime(o.optional ? "[{}]" : "{}"), o.word));
  if (stage.axes == StageAxes::said) words.emplace_back("AXES");
  for (const StageOption& o : stage.options)
    words.push_back(!o.words.empty()        ? fmt::format("{}={}", o.key, fmt::join(o.words, "|"))
                    : std::isnan(o.initial) ? fmt::format("{}=", o.key)
                                            : fmt::format("{}={}", o.key, o.initial));
  return fmt::format("{}({})", stage.word, fmt::join(words, ", "));
}

/// "F.leaky_relu(x, slope)" of an expression with its braces.
std::string without_braces(std::string_view expression) {
  std::string text(expression);
  std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
  return text;
}

void print_stages(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const GraphStage& s : graph_stages()) names.emplace_back(s.word);
  const std::vector<std::string> chosen = names_with("stage", names, texts);
  std::vector<TextRow> rows{{"STAGE", "VALUE", "ADJOINT"}};
  for (const std::string& word : chosen) {
    const GraphStage& s = graph_stage(word);
    std::string call = call_of(s);
    if (!s.synonym.empty()) call += fmt::format("  ({})", s.synonym);
    rows.push_back({call, std::string(s.formula), std::string(s.adjoint)});
  }
  const auto lines = fitted_rows(rows, output_width());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (const std::string& line : lines[k]) say(line + "\n");
    if (k == 0) continue;
    say(field_lines(field_frame("LibTorch", output_width()),
                    without_braces(graph_stage(chosen[k - 1]).libtorch)));
  }
}

/// "; counts if declared", of some stages alone with their words.
std::string if_declared(const FormRow& row, const Form& form) {
  if (form.if_declared.empty()) return "";
  const std::string of = fmt::format("of {} ", fmt::join(form.if_declared, " "));
  return fmt::format("; {}counts if declared",
                     form.if_declared.size() == row.stages.size() ? "" : of);
}

/// Prints the words with which a contract may describe a step (docs/contracts.md).
void print_forms() {
  std::vector<TextRow> rows{{"CONTRACT", "FORMED AS", "STAGES"}};
  for (const FormRow& row : form_rows())
    for (const Form& form : row.forms)
      rows.push_back(
          {fmt::format("{}={}", row.word, form.word),
           fmt::format("{}{}", form.formula, if_declared(row, form)),
           &form == row.forms.data() ? fmt::format("{}", fmt::join(row.stages, " ")) : "the same"});
  say("\n");
  print_columns(rows);
}

}  // namespace

int run_list(const Options& options) {
  constexpr std::array<std::string_view, 4> kWithWords{"chains", "laws", "stages", "claims"};
  if (!options.cases.empty() && std::ranges::find(kWithWords, options.kernel) == kWithWords.end())
    throw UsageError(fmt::format("'{}' is one argument too many: only 'list {}' take more",
                                 options.cases.front(), fmt::join(kWithWords, "', 'list ")));
  if (options.kernel == "claims") {
    print_claims(options.cases);
    return 0;
  }
  if (options.kernel == "stages") {
    print_stages(options.cases);
    if (options.cases.empty()) print_forms();
    return 0;
  }
  const Interrupt interrupt;
  const std::string lab = lab_program(options.worker);
  Session session(is_program(lab) ? lab : worker_program(options.worker), options.deadline,
                  interrupt);
  if (options.kernel == "laws")
    return relay(session, options, LawsRequest{options.cases, static_cast<int>(output_width())});
  if (options.kernel == "chains") return relay(session, options, ChainsRequest{options.cases});
  std::vector<std::string> words;
  for (const Schema& schema : session.hello().schemas) {
    words.push_back(schema.word);
    if (options.kernel != schema.word) continue;
    print_schema(schema);
    return 0;
  }
  if (!options.kernel.empty())
    throw UsageError(fmt::format("unknown kernel '{}'; known: {}{}", options.kernel,
                                 fmt::join(words, " "), did_you_mean(options.kernel, words)));
  if (words.empty()) throw InstrumentError("the worker has no kernel");
  print_table(session.hello().schemas);
  return 0;
}

}  // namespace gradproof
