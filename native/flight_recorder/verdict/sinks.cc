// Where waiting ends: Tarjan's algorithm (SIAM J. Comput. 1, 1972) without recursion.
#include "flight_recorder/verdict/sinks.h"

#include <algorithm>

namespace faultline::flight_recorder {

std::vector<std::vector<std::uint32_t>> sinks_of(const std::vector<std::vector<std::uint32_t>>& edges) {
  constexpr std::uint32_t NEW = UINT32_MAX;
  const auto size = static_cast<std::uint32_t>(edges.size());
  std::vector<std::uint32_t> index(size, NEW), low(size, 0), component(size, NEW), stack;
  std::vector<std::pair<std::uint32_t, std::size_t>> path;
  std::vector<std::vector<std::uint32_t>> components;
  std::uint32_t next = 0;
  for (std::uint32_t start = 0; start < size; ++start) {
    if (index[start] != NEW) continue;
    path.emplace_back(start, 0);
    while (!path.empty()) {
      const std::uint32_t v = path.back().first;
      if (path.back().second == 0) {
        index[v] = low[v] = next++;
        stack.push_back(v);
      }
      bool entered = false;
      while (path.back().second < edges[v].size()) {
        const std::uint32_t to = edges[v][path.back().second++];
        if (index[to] == NEW) {
          path.emplace_back(to, 0);
          entered = true;
          break;
        }
        if (component[to] == NEW) low[v] = std::min(low[v], index[to]);
      }
      if (entered) continue;
      path.pop_back();
      if (!path.empty()) low[path.back().first] = std::min(low[path.back().first], low[v]);
      if (low[v] != index[v]) continue;
      components.emplace_back();
      while (true) {
        const std::uint32_t member = stack.back();
        stack.pop_back();
        component[member] = static_cast<std::uint32_t>(components.size() - 1);
        components.back().push_back(member);
        if (member == v) break;
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> sinks;
  for (std::uint32_t c = 0; c < components.size(); ++c) {
    bool leaves = false;
    for (const std::uint32_t v : components[c]) {
      for (const std::uint32_t to : edges[v]) leaves = leaves || component[to] != c;
    }
    if (leaves) continue;
    std::sort(components[c].begin(), components[c].end());
    sinks.push_back(std::move(components[c]));
  }
  std::sort(sinks.begin(), sinks.end());
  return sinks;
}

}  // namespace faultline::flight_recorder
