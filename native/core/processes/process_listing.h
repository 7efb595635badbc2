// Which processes are there: by a list of all of them, and in between by the numbers that the kernel gave out since, which costs
// as much as there are new ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/processes/process_files.h"

namespace faultline {

class ProcessListing {
 public:
  struct Found {
    bool whole = false;  // `there` are all that there are; else those of new numbers
    std::vector<std::pair<std::uint32_t, std::uint64_t>> there;  // number and inode of its folder, rising
    std::vector<std::uint32_t> gone;  // of those that are followed; empty where the list is whole
    std::vector<std::uint32_t> ended;  // of the ranks; they wait for their parents
    std::optional<std::uint32_t> newest;  // the number given out last, before the look
  };
  // Those whose end is to be known at each look; each list rising.
  struct Followed {
    std::vector<std::uint32_t> ranks;  // though nothing reaps them
    std::vector<std::uint32_t> others;
  };
  // What the next look does. `from`: a number after which new ones are looked for; nothing: it lists all.
  struct Plan {
    std::optional<std::uint32_t> from;
    Followed followed;
  };

  Plan plan(Followed followed) const;
  // May hang. `most`: processes that are taken at most.
  static Found look(const ProcessFiles& files, const std::string& proc, const Plan& plan, std::size_t most);
  // Takes note of a look that was planned. `unknown`: of a whole list those that no look before it saw.
  void took(const Found& found, const std::vector<std::uint32_t>& unknown);

 private:
  // Numbers given out last at the two looks before: a process may be there a moment after its number is given out.
  std::optional<std::uint32_t> newest_;
  std::optional<std::uint32_t> before_;
  std::uint32_t since_whole_ = 0;  // looks
  bool trusted_ = true;  // numbers say what is new
};

}  // namespace faultline
