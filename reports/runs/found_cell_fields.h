// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "reports/record/fields.h"
#include "reports/runs/found_cell.h"

namespace gradproof {

template <class Field>
void each_field(FoundCell& c, const Field& field) {
  field("cell", c.cell);
  field("found", c.found);
}

}  // namespace gradproof
