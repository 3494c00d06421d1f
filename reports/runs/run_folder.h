// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gradproof {

/// FOLDER/ID.jsonl.
std::string run_path(const std::string& folder, const std::string& id);

/// Names of the runs that have a file in the folder, the first started in front; none where there
/// is no such folder. Files of other names are not looked at. Throws InstrumentError for records in
/// the form of an earlier version: what is not read must not be passed over in silence.
std::vector<std::string> run_ids(const std::string& folder);

}  // namespace gradproof
