// SPDX-License-Identifier: Apache-2.0
#include "tools/exhaustive/tables.h"

#include <charconv>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record/tally.h"
#include "tools/exhaustive/text.h"

namespace gradproof {
namespace {

struct Wanted {
  std::vector<std::string> kernels;  ///< WORD or WORD/MUTANT; empty: all
  std::vector<DType> dtypes{DType::f16, DType::bf16};
  std::int64_t part = 0, parts = 1;
};

/// Reads a part, "3/16". Throws UsageError for other text.
void take_part(const std::string& text, Wanted& wanted) {
  const std::size_t slash = text.find('/');
  const auto whole = [&](std::string_view word, std::int64_t& number) {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    return error == std::errc{} && stop == end && !word.empty();
  };
  const bool read = slash != std::string::npos &&
                    whole(std::string_view(text).substr(0, slash), wanted.part) &&
                    whole(std::string_view(text).substr(slash + 1), wanted.parts);
  if (!read || wanted.part < 0 || wanted.part >= wanted.parts)
    throw UsageError("bad part '" + text + "'; write K/N with K from 0 to N-1");
}

Wanted wanted_of(const Catalog& catalog, const ExhaustiveRequest& request) {
  Wanted wanted{.kernels = request.kernels};
  if (!request.dtype.empty()) wanted.dtypes = {parse_dtype(request.dtype)};
  if (!request.part.empty()) take_part(request.part, wanted);
  if (!wanted.kernels.empty()) return wanted;
  // float32 has 2^32 numbers, so only swish_bias runs on all of them: its settings make every stage
  // but Swish exact.
  for (const Kernel& kernel : catalog.kernels())
    if (is_elementwise(kernel) &&
        (wanted.dtypes.front() != DType::f32 || kernel.schema->word == "swish_bias"))
      wanted.kernels.push_back(kernel.schema->word);
  return wanted;
}

PlannedTable table_of(const Catalog& catalog, const std::string& name, DType dtype,
                      const Wanted& wanted) {
  const std::size_t slash = name.find('/');
  const Kernel& kernel = catalog.named(name.substr(0, slash));
  const std::string mutant = slash == std::string::npos ? "none" : name.substr(slash + 1);
  if (!is_elementwise(kernel))
    throw UsageError(name + " has a norm: its outputs depend on more than one input");
  PlannedTable table{name, &kernel, dtype, settings_of(kernel, mutant, dtype), regions_of(dtype),
                     {},   ""};
  table.pieces = pieces_of(table.regions, wanted.part, wanted.parts);
  if (wanted.parts > 1) table.share = fmt::format(" (part {} of {})", wanted.part, wanted.parts);
  return table;
}

}  // namespace

std::vector<PlannedTable> tables_of(const Catalog& catalog, const ExhaustiveRequest& request) {
  const Wanted wanted = wanted_of(catalog, request);
  std::vector<PlannedTable> tables;
  for (const std::string& kernel : wanted.kernels)
    for (const DType dtype : wanted.dtypes)
      tables.push_back(table_of(catalog, kernel, dtype, wanted));
  return tables;
}

std::string title_of(const PlannedTable& table) {
  std::int64_t inputs = 0;
  for (const Piece& piece : table.pieces) inputs += piece.count;
  const std::size_t settings = table.settings.size();
  return fmt::format("{} {}: {} inputs{}, {} setting{}", table.name, name_of(table.dtype), inputs,
                     table.share, settings, settings == 1 ? "" : "s");
}

std::vector<std::string> lines_of(const PlannedTable& table,
                                  const std::vector<SettingRun>& settings, bool json) {
  ExhaustiveTable whole{table.name, table.dtype, table.regions, {}};
  for (const SettingRun& run : settings)
    for (const auto& [tensor, regions] : run.found)
      for (const auto& [region, e] : regions) whole.found[tensor][region].add(e);
  return table_lines(whole, json);
}

int show_result(const std::vector<TableRun>& tables, double seconds, bool json,
                WorkerChannel& channel) {
  const Tally tally = tally_of(tables);
  for (const std::string& gap : tally.gaps)
    channel.line(plain_line("incomplete", json ? gap : "incomplete: " + gap, json));
  channel.line(plain_line("result", result_line(tally, seconds), json));
  return exit_code(findings_of(tally));
}

}  // namespace gradproof
