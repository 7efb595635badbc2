// Waits that Gloo does not record: sends and receives show only as numbers of operations that are missing in their group.
#include "flight_recorder/verdict/hidden_waits.h"

#include <algorithm>

namespace faultline::flight_recorder {
namespace {

using Nodes = std::vector<std::uint32_t>;

// So many ranks are asked what they wait for; in a job with more of them no pair explains it.
constexpr std::size_t MAX_ASKED = 512;

class HiddenWaits {
 public:
  HiddenWaits(const Join& join, const std::vector<Nodes>& awaited, std::vector<Nodes>& edges)
      : join_(join), edges_(edges), waits_in_(join.nodes.size(), NO_ID) {
    for (std::uint32_t n = 0; n < join.nodes.size(); ++n) {
      const RankDump* dump = join.dump(n);
      if (dump != nullptr && dump->gloo && !awaited[n].empty() && edges[n].empty()) open_.push_back(n);
    }
  }

  void find() {
    if (open_.size() > MAX_ASKED) return;
    for (bool more = true; more;) more = ask(&HiddenWaits::peer_waits) || ask(&HiddenWaits::sibling_waits);
  }

 private:
  bool ask(bool (HiddenWaits::*waits)(std::uint32_t)) {
    const std::size_t before = open_.size();
    std::erase_if(open_, [&](std::uint32_t node) { return (this->*waits)(node); });
    return open_.size() < before;
  }

  // A peer that waits, and not for this rank, or left no dump.
  bool peer_waits(std::uint32_t node) {
    return each_peer(node, [&](const Group& group, std::uint32_t peer) {
      const bool stuck = !edges_[peer].empty() || join_.dump(peer) == nullptr;
      return stuck && wait(node, peer, group);
    });
  }

  // A sibling of it is known to wait so, in a group of which all stand at one point and none waits in what is recorded:
  // they run the same program.
  bool sibling_waits(std::uint32_t node) {
    return each_peer(node, [&](const Group& group, std::uint32_t peer) {
      return has_waiting_sibling(node, group.desc) && wait(node, peer, group);
    });
  }

  bool wait(std::uint32_t node, std::uint32_t peer, const Group& group) {
    if (reaches(peer, node)) return false;
    edges_[node].push_back(peer);
    waits_in_[node] = group.desc;
    return true;
  }

  bool has_waiting_sibling(std::uint32_t node, std::uint32_t desc) const {
    return std::any_of(join_.groups.begin(), join_.groups.end(), [&](const Group& group) {
      const auto self = std::find_if(group.members.begin(), group.members.end(), [&](const Member& m) { return m.node == node; });
      if (self == group.members.end() || join_.local(*self) == nullptr || join_.local(*self)->counts_ops) return false;
      const std::int64_t far = join_.local(*self)->entries_enqueued;
      bool any = false;
      for (const Member& member : group.members) {
        const LocalGroup* local = join_.local(member);
        const bool hidden = waits_in_[member.node] != NO_ID;
        if (local == nullptr || local->entries_enqueued != far || (!hidden && !edges_[member.node].empty())) return false;
        any = any || (member.node != node && waits_in_[member.node] == desc);
      }
      return any;
    });
  }

  template <typename Each>
  bool each_peer(std::uint32_t node, Each each) {
    for (const Group& group : join_.groups) {
      const auto self = std::find_if(group.members.begin(), group.members.end(), [&](const Member& m) { return m.node == node; });
      if (self == group.members.end() || join_.local(*self) == nullptr || !join_.local(*self)->counts_ops) continue;
      for (const Member& member : group.members) {
        if (member.node != node && each(group, member.node)) return true;
      }
    }
    return false;
  }

  bool reaches(std::uint32_t from, std::uint32_t to) const {
    std::vector<bool> seen(edges_.size());
    Nodes next{from};
    while (!next.empty()) {
      const std::uint32_t at = next.back();
      next.pop_back();
      if (at == to) return true;
      if (seen[at]) continue;
      seen[at] = true;
      next.insert(next.end(), edges_[at].begin(), edges_[at].end());
    }
    return false;
  }

  const Join& join_;
  std::vector<Nodes>& edges_;
  Nodes waits_in_;  // by node: description of the group that it is found to wait in
  Nodes open_;      // waited for, and waiting for nothing that was recorded
};

}  // namespace

void add_hidden_waits(const Join& join, const std::vector<Nodes>& awaited, std::vector<Nodes>& edges) {
  HiddenWaits(join, awaited, edges).find();
}

}  // namespace faultline::flight_recorder
