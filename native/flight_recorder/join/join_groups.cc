// Process groups by membership: the same name on disjoint ranks is two groups, and members without a dump count.
#include <algorithm>
#include <map>

#include "flight_recorder/join/believed_lists.h"
#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {
namespace {

class Groups {
 public:
  explicit Groups(Join& join) : join_(join), job_(join.job), lists_(believed_lists(join.job)) {}

  void build() {
    known_ranks();
    known_groups();
    open_groups();
    hidden_members();
    finish();
  }

 private:
  std::uint32_t node(std::int64_t rank) { return join_.node_of.at(rank); }

  void add_node(std::int64_t rank, std::uint32_t dump, bool refused) {
    const auto [at, added] = join_.node_of.try_emplace(rank, static_cast<std::uint32_t>(join_.nodes.size()));
    if (added) join_.nodes.push_back({rank, dump, refused});
  }

  void known_ranks() {
    for (std::uint32_t at = 0; at < job_.dumps.size(); ++at) add_node(job_.dumps[at].rank, at, false);
    for (const RankDump& refused : job_.refused) {
      if (refused.rank >= 0) add_node(refused.rank, NO_ID, true);
    }
    std::int64_t highest = -1;
    // One far number in a file name does not make a world of a million.
    const auto plausible = static_cast<std::int64_t>(std::max<std::size_t>(1024, join_.nodes.size() * 4));
    for (const Node& each : join_.nodes) {
      if (each.rank < plausible) highest = std::max(highest, each.rank);
    }
    std::vector<bool> seen(job_.rank_lists.size());
    for (const auto& lists : lists_) {
      for (const std::uint32_t list : lists) {
        if (list == NO_ID || seen[list]) continue;
        seen[list] = true;
        for (const std::int64_t rank : job_.rank_lists[list]) {
          highest = std::max(highest, rank);
          add_node(rank, NO_ID, false);
        }
      }
    }
    // Ranks are numbered from 0 without gaps: one that is not there has no dump. A far number in a list fills no memory.
    join_.world = highest + 1;
    const auto filled = static_cast<std::int64_t>(std::max<std::size_t>(FILLED, join_.nodes.size() * 4));
    for (std::int64_t rank = 0; rank <= highest && rank < filled; ++rank) {
      if (!join_.node_of.contains(rank)) add_node(rank, NO_ID, false);
    }
    std::sort(join_.nodes.begin(), join_.nodes.end(), [](const Node& a, const Node& b) { return a.rank < b.rank; });
    for (std::uint32_t at = 0; at < join_.nodes.size(); ++at) join_.node_of[join_.nodes[at].rank] = at;
  }

  void known_groups() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> made;
    for (std::uint32_t at = 0; at < job_.dumps.size(); ++at) {
      const RankDump& dump = job_.dumps[at];
      group_of_.emplace_back(dump.groups.size(), NO_ID);
      for (std::uint32_t l = 0; l < dump.groups.size(); ++l) {
        const LocalGroup& local = dump.groups[l];
        const std::uint32_t list = lists_[at][l];
        if (list == NO_ID) continue;
        const auto& ranks = job_.rank_lists[list];
        const auto [group, added] =
            made.try_emplace({local.name, local.desc, list}, static_cast<std::uint32_t>(join_.groups.size()));
        if (added) {
          Group fresh{local.name, local.desc, {}, ranks, false, false, false};
          std::vector<std::int64_t> sorted = ranks;
          std::sort(sorted.begin(), sorted.end());
          sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
          for (const std::int64_t rank : sorted) fresh.members.push_back({node(rank), NO_ID});
          join_.groups.push_back(std::move(fresh));
        }
        group_of_[at][l] = group->second;
      }
    }
  }

  // Groups that no configuration describes: their members are those whose entries name them.
  void open_groups() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> known;
    for (std::uint32_t g = 0; g < join_.groups.size(); ++g) {
      known[{join_.groups[g].name, join_.groups[g].desc}].push_back(g);
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> open;
    for (std::uint32_t at = 0; at < job_.dumps.size(); ++at) {
      const RankDump& dump = job_.dumps[at];
      for (std::uint32_t l = 0; l < dump.groups.size(); ++l) {
        if (group_of_[at][l] != NO_ID || !dump.groups[l].has_ops) continue;
        const LocalGroup& local = dump.groups[l];
        const std::uint32_t self = node(dump.rank);
        for (const std::uint32_t g : known[{local.name, local.desc}]) {
          const auto& members = join_.groups[g].members;
          if (std::any_of(members.begin(), members.end(), [&](const Member& m) { return m.node == self; })) {
            group_of_[at][l] = g;
          }
        }
        if (group_of_[at][l] != NO_ID) continue;
        const auto [group, added] =
            open.try_emplace({local.name, local.desc}, static_cast<std::uint32_t>(join_.groups.size()));
        if (added) {
          join_.groups.push_back({local.name, local.desc, {}, {}, false, false, false});
          open_.push_back(group->second);
        }
        join_.groups[group->second].members.push_back({self, l});
        group_of_[at][l] = group->second;
      }
    }
    for (const std::uint32_t g : open_) {
      Group& group = join_.groups[g];
      if (job_.texts.text(group.desc) != "default_pg") continue;
      std::vector<bool> has(join_.nodes.size());
      for (const Member& member : group.members) has[member.node] = true;
      for (std::uint32_t n = 0; n < join_.nodes.size(); ++n) {
        if (!has[n]) group.members.push_back({n, NO_ID});
      }
    }
  }

  // How many members a group has by what an all_gather or reduce_scatter made of its input; 0 when nothing tells.
  std::size_t size_by_operations(const Group& group) const {
    std::size_t size = 0;
    for (const Member& member : group.members) {
      const RankDump* dump = join_.dump(member.node);
      if (dump == nullptr || member.local == NO_ID) continue;
      const LocalGroup& local = dump->groups[member.local];
      for (std::uint32_t i = local.first; i < local.last && i < local.first + 256; ++i) {
        const Signature& s = job_.signatures[dump->ops[dump->by_group[i]].signature];
        std::int64_t whole = s.output_elements, part = s.input_elements;
        if (s.kind == Kind::reduce_scatter) std::swap(whole, part);
        else if (s.kind != Kind::all_gather) continue;
        if (part <= 0 || whole <= 0 || whole % part != 0 || whole / part > MAX_GUESS) continue;
        size = std::max(size, static_cast<std::size_t>(whole / part));
      }
      if (size > 0) return size;
    }
    return size;
  }

  // A member that wrote no dump is not seen in a group that is known from entries only. Its place shows in the size
  // that operations had, or in that of the groups made with it.
  void hidden_members() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_desc;
    for (const std::uint32_t g : open_) {
      const std::string& desc = job_.texts.text(join_.groups[g].desc);
      if (desc != "default_pg" && !desc.empty() && desc != "undefined") by_desc[join_.groups[g].desc].push_back(g);
    }
    std::vector<std::pair<std::uint32_t, std::size_t>> lacking;
    for (const auto& [desc, groups] : by_desc) {
      std::size_t size = 0;
      for (const std::uint32_t g : groups) {
        size = std::max({size, size_by_operations(join_.groups[g]), join_.groups[g].members.size()});
      }
      std::vector<std::pair<std::uint32_t, std::size_t>> here;
      std::size_t hidden = 0;
      for (const std::uint32_t g : groups) {
        if (join_.groups[g].members.size() >= size) continue;
        here.emplace_back(g, size - join_.groups[g].members.size());
        hidden += here.back().second;
      }
      std::size_t absent = 0;
      for (const Node& each : join_.nodes) absent += unheard(each);
      // Without a gap in the numbers one more rank, the next, is the least that explains a place; not where lists say who
      // there is: then it is the group's name that is wrong.
      if (absent == 0 && hidden == 1 && open_.size() == join_.groups.size()) {
        next_rank();
        absent = 1;
      }
      if (hidden > 0 && absent > 0 && hidden <= absent) lacking.insert(lacking.end(), here.begin(), here.end());
    }
    for (const auto& [g, count] : lacking) {
      join_.groups[g].guessed = true;
      for (std::uint32_t n = 0; n < join_.nodes.size(); ++n) {
        if (unheard(join_.nodes[n])) join_.groups[g].members.push_back({n, NO_ID});
      }
    }
  }

  // Without a dump, or with one that was cut before its first operation.
  bool unheard(const Node& each) const {
    return each.dump == NO_ID || (job_.dumps[each.dump].truncated && job_.dumps[each.dump].ops.empty());
  }

  void next_rank() {
    const auto n = static_cast<std::uint32_t>(join_.nodes.size());
    join_.node_of[join_.world] = n;
    join_.nodes.push_back({join_.world, NO_ID, false});
    ++join_.world;
    for (const std::uint32_t g : open_) {
      if (job_.texts.text(join_.groups[g].desc) == "default_pg") join_.groups[g].members.push_back({n, NO_ID});
    }
  }

  void finish() {
    std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> of_group(job_.dumps.size());
    for (std::uint32_t at = 0; at < group_of_.size(); ++at) {
      for (std::uint32_t l = 0; l < group_of_[at].size(); ++l) {
        if (group_of_[at][l] != NO_ID) of_group[at].emplace(group_of_[at][l], l);
      }
    }
    for (std::uint32_t g = 0; g < join_.groups.size(); ++g) {
      Group& group = join_.groups[g];
      std::sort(group.members.begin(), group.members.end(),
                [](const Member& a, const Member& b) { return a.node < b.node; });
      bool counts_ops = false;
      for (Member& member : group.members) {
        const std::uint32_t dump = join_.nodes[member.node].dump;
        if (dump == NO_ID) continue;
        const auto local = of_group[dump].find(g);
        if (local == of_group[dump].end()) continue;
        member.local = local->second;
        const LocalGroup& of = job_.dumps[dump].groups[local->second];
        group.has_p2p = group.has_p2p || of.has_p2p;
        counts_ops = counts_ops || (job_.dumps[dump].gloo && of.counts_ops);
      }
      group.status_counts_collectives = !group.has_p2p && !counts_ops;
    }
    for (const Node& each : join_.nodes) {
      if (each.dump == NO_ID && !each.refused) join_.missing.push_back(each.rank);
    }
  }

  static constexpr std::int64_t MAX_GUESS = 65'536;
  // So many ranks that nothing was heard of are thought of without more witnesses.
  static constexpr std::size_t FILLED = 16'384;
  Join& join_;
  const Job& job_;
  std::vector<std::vector<std::uint32_t>> group_of_;
  std::vector<std::uint32_t> open_;
  std::vector<std::vector<std::uint32_t>> lists_;  // by dump and its group
};

}  // namespace

std::uint32_t Join::find(const Member& member, std::int64_t seq) const {
  const RankDump* of = dump(member.node);
  if (of == nullptr || member.local == NO_ID) return NO_ID;
  const LocalGroup& known = of->groups[member.local];
  const auto* first = of->by_group.get() + known.first;
  const auto* last = of->by_group.get() + known.last;
  const auto* at = std::partition_point(first, last, [&](std::uint32_t op) {
    const Op& each = of->ops.step(op);
    return !each.p2p && each.seq < seq;
  });
  return at == last || of->ops.step(*at).p2p || of->ops.step(*at).seq != seq ? NO_ID : *at;
}

At Join::at(const Group& group, const Member& member, std::int64_t seq, std::int64_t since_ns) const {
  const RankDump* of = dump(member.node);
  if (of == nullptr) return At::silent;
  const LocalGroup* known = local(member);
  const bool counted = known != nullptr && known->has_status && group.status_counts_collectives;
  if (const std::uint32_t op = find(member, seq); op != NO_ID) {
    // What the status knows nothing of has not ended.
    if (of->ops[op].done) return counted && known->enqueued >= 0 && seq > known->enqueued ? At::unknown : At::done;
    return At::pending;
  }
  const std::int64_t recorded = known == nullptr ? -1 : known->entries_enqueued;
  const std::int64_t enqueued = counted ? std::max(recorded, known->enqueued) : recorded;
  if (seq <= enqueued) {
    // A whole dump whose entries and status disagree says neither.
    const bool disagree = counted && recorded >= 0 && seq > std::min(recorded, known->enqueued);
    if (!of->truncated && disagree) return At::unknown;
    // Not in the dump though enqueued: finished and dropped, unless the dump ends before it.
    if (!of->truncated) return At::done;
    return counted ? (seq <= known->completed ? At::done : At::pending) : At::unknown;
  }
  if (counted) return At::not_joined;
  if (of->truncated) return At::unknown;
  if (known != nullptr && known->has_ops) return At::not_joined;
  // It has nothing of this group: only a record that reaches back far enough says that it did not join.
  const bool covers = of->ops.empty() || of->oldest_ns == 0 || since_ns == 0 || of->oldest_ns <= since_ns;
  return covers ? At::not_joined : At::unknown;
}

void join_groups(Join& join) { Groups(join).build(); }

}  // namespace faultline::flight_recorder
