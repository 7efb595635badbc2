// Who is in a process group where dumps contradict each other: the list that more of them bring.
#include "flight_recorder/join/believed_lists.h"

#include <algorithm>
#include <map>

#include "flight_recorder/limits.h"

namespace faultline::flight_recorder {
namespace {

struct Claim {
  std::uint32_t dump, local;
};

using Lists = std::map<std::uint32_t, std::vector<Claim>>;

// The world's list, where more dumps bring it than any other and at least two; NO_ID otherwise.
std::uint32_t world_list(const Job& job, const std::map<std::pair<std::uint32_t, std::uint32_t>, Lists>& named) {
  std::uint32_t world = NO_ID;
  std::size_t most = 1;
  for (const auto& [name, lists] : named) {
    if (job.texts.text(name.second) != "default_pg") continue;
    for (const auto& [list, claims] : lists) {
      if (claims.size() == most) world = NO_ID;
      if (claims.size() > most) most = claims.size(), world = list;
    }
  }
  return world;
}

bool has(const std::vector<std::int64_t>& ranks, std::int64_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

}  // namespace

std::vector<std::vector<std::uint32_t>> believed_lists(const Job& job) {
  std::vector<std::vector<std::uint32_t>> believed(job.dumps.size());
  // A short file does not make a world of a hundred thousand ranks.
  const std::size_t most = (BUDGET_BASE + job.bytes * BUDGET_FACTOR) / RANK_BYTES;
  // Of each name and description the lists, and whose dumps bring them.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Lists> named;
  for (std::uint32_t at = 0; at < job.dumps.size(); ++at) {
    const RankDump& dump = job.dumps[at];
    for (std::uint32_t l = 0; l < dump.groups.size(); ++l) {
      const LocalGroup& local = dump.groups[l];
      const bool member = local.ranks != NO_ID && job.rank_lists[local.ranks].size() <= most && has(job.rank_lists[local.ranks], dump.rank);
      believed[at].push_back(member ? local.ranks : NO_ID);
      if (member) named[{local.name, local.desc}][local.ranks].push_back({at, l});
    }
  }
  const std::uint32_t world = world_list(job, named);
  std::vector<bool> everybody(MAX_RANKS);
  if (world != NO_ID) {
    for (const std::int64_t rank : job.rank_lists[world]) everybody[static_cast<std::size_t>(rank)] = true;
  }
  for (const auto& [name, lists] : named) {
    // No group has a member outside the world.
    for (const auto& [list, claims] : lists) {
      const auto& ranks = job.rank_lists[list];
      const bool inside = std::all_of(ranks.begin(), ranks.end(), [&](std::int64_t rank) { return everybody[static_cast<std::size_t>(rank)]; });
      if (world == NO_ID || inside) continue;
      for (const Claim& claim : claims) believed[claim.dump][claim.local] = NO_ID;
    }
    if (lists.size() < 2) continue;
    std::unordered_map<std::int64_t, std::uint32_t> list_of;
    for (const auto& [list, claims] : lists) {
      for (const Claim& claim : claims) list_of.emplace(job.dumps[claim.dump].rank, list);
    }
    for (const auto& [list, claims] : lists) {
      std::uint32_t better = NO_ID;
      std::size_t most = claims.size();
      for (const std::int64_t rank : job.rank_lists[list]) {
        const auto other = list_of.find(rank);
        if (other == list_of.end() || other->second == list) continue;
        const std::size_t count = lists.at(other->second).size();
        if (count > most) most = count, better = other->second;
      }
      if (better == NO_ID) continue;
      for (const Claim& claim : claims) {
        believed[claim.dump][claim.local] = has(job.rank_lists[better], job.dumps[claim.dump].rank) ? better : NO_ID;
      }
    }
  }
  return believed;
}

}  // namespace faultline::flight_recorder
