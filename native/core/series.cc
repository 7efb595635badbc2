// Series by key (`<component>#<quantity>`): a dense id each, bounded in number and in length.
#include "core/series.h"

namespace faultline {

SeriesKey split_key(std::string_view key) {
  SeriesKey parts{};
  const std::size_t hash = key.rfind('#');
  if (hash == std::string_view::npos) return parts;
  parts.component = key.substr(0, hash);
  parts.quantity = key.substr(hash + 1);
  const std::size_t slash = parts.component.find('/');
  if (slash != std::string_view::npos) parts.component_type = parts.component.substr(0, slash);
  return parts;
}

SeriesRegistry::Made SeriesRegistry::intern(std::string_view key) {
  if (const auto known = ids_.find(key); known != ids_.end()) return {known->second, false};
  if (key.empty() || key.size() > kMaxKeyBytes || keys_.size() >= max_series_) return {kNoSeries, false};
  const auto id = static_cast<SeriesId>(keys_.size());
  keys_.emplace_back(key);
  ids_.emplace(keys_.back(), id);
  return {id, true};
}

SeriesId SeriesRegistry::find(std::string_view key) const {
  const auto known = ids_.find(key);
  return known == ids_.end() ? kNoSeries : known->second;
}

}  // namespace faultline
