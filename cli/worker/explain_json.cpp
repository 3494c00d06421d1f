// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/explain_text.h"
#include "reports/record/json.h"

namespace gradproof {
namespace {

Json comparand_json(const Comparand& c) {
  return {{"index", c.index},
          {"got", number_json(c.got)},
          {"truth", number_json(c.truth.hi)},
          {"error", number_json(c.error())},
          {"bound", number_json(c.truth.bound)},
          {"error_over_bound", number_json(c.ratio())}};
}

Json passages_json(const std::vector<Passage>& passages) {
  Json all = Json::array();
  for (const Passage& p : passages)
    all.push_back({{"name", p.name},
                   {"formula", p.formula},
                   {"truth", p.value},
                   {"permitted", number_json(p.error)}});
  return all;
}

Json terms_json(const std::vector<Term>& terms) {
  Json all = Json::array();
  for (const Term& term : terms)
    all.push_back({{"words", term.words}, {"detail", term.detail}, {"share", term.share}});
  return all;
}

Json truth_json(const Explanation& e) {
  return {{"digits", e.truth},
          {"radius", number_json(e.radius)},
          {"tier", e.fifty_digits ? "50 digits" : "double-double"},
          {"fast_decided", e.fast_decided},
          {"fast_agrees", e.fast_agrees},
          {"fast_radius", number_json(e.fast_radius)}};
}

Json witnesses_json(const ElementFacts& facts) {
  Json libtorch;
  if (!facts.libtorch.silence.empty())
    libtorch = {{"silence", facts.libtorch.silence}};
  else
    libtorch = {{"value", number_json(facts.libtorch.value)},
                {"off", number_json(facts.libtorch.off)},
                {"permitted", number_json(facts.libtorch.bound)},
                {"agrees", facts.libtorch.agrees()}};
  Json saved = Json::array();
  for (const SavedStatistic& s : facts.saved) {
    Json one = comparand_json(s.comparand);
    one["name"] = s.name;
    saved.push_back(std::move(one));
  }
  return {{"oracle", facts.record.witness},
          {"libtorch", libtorch},
          {"schedule", facts.schedule},
          {"saved", saved}};
}

/// An empty declaration is all of them together.
Json tighter_json(const std::vector<ContractBound>& tighter) {
  Json all = Json::array();
  for (const ContractBound& t : tighter)
    all.push_back({{"declaration", t.text}, {"bound", number_json(t.bound)}});
  return all;
}

}  // namespace

std::string explain_json(const ElementFacts& facts) {
  const Explanation& e = facts.explanation;
  Json neighbours = Json::array();
  for (const Comparand& n : facts.neighbours) neighbours.push_back(comparand_json(n));
  const Json json{
      {"case", to_string(facts.c)},
      {"formula", facts.formula},
      {"pipeline", facts.pipeline},
      {"record", to_json(facts.record)},
      {"tensor", facts.record.tensor},
      {"element", index_text(facts.record.shape, facts.element.index)},
      {"compared", comparand_json(facts.element)},
      {"truth", truth_json(e)},
      {"unit", e.unit},
      {"units", e.units},
      {"forward", passages_json(e.forward)},
      {"backward", passages_json(e.backward)},
      {"statistics", passages_json(e.statistics)},
      {"numbers", passages_json(e.numbers)},
      {"terms", terms_json(e.terms)},
      {"terms_over_bound", e.terms_over_bound > 0 ? number_json(e.terms_over_bound) : Json()},
      {"tighter", tighter_json(e.tighter)},
      {"witnesses", witnesses_json(facts)},
      {"neighbours", neighbours},
      {"over_the_bound",
       {{"of", facts.where}, {"count", facts.unit_bad}, {"elements", facts.unit_size}}}};
  return dump(json);
}

}  // namespace gradproof
