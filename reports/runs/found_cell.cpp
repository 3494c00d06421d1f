// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/found_cell.h"

#include "reports/runs/found_cell_fields.h"
#include "reports/runs/sealed_line.h"

namespace gradproof {

std::string cell_line(const FoundCell& cell) { return sealed(dump(json_of(cell))); }

FoundCell read_cell(std::string_view line) {
  const std::string_view what = "no cell of a run";
  const Json json = parse_json(line, what);
  FoundCell cell;
  reading(what, [&] { cell = read_json<FoundCell>(json); });
  return cell;
}

}  // namespace gradproof
