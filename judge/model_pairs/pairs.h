// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "fixtures/models/linear_model.h"

namespace gradproof {

/// A model pair as a system under test: a row of data.
struct LinearPair {
  std::string word;    ///< "linear_scale_batchnorm"
  std::string kernel;  ///< "scale_batchnorm", the epilogue of its ModelNew
  const PairNames& names;
  std::shared_ptr<LinearModel> (*build)(const Case&);  ///< the ModelNew that the Case describes
};

const std::vector<LinearPair>& linear_pairs();

/// Throws UsageError for a word that is no pair's.
const LinearPair& linear_pair_of(const std::string& word);

}  // namespace gradproof
