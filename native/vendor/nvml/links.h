// The NVLinks of one GPU: state, errors and throughput, each link asked for by its number (no struct that embeds links:
// their number, and with it such structs, grew with the library).
#pragma once

#include <array>
#include <string>

#include "vendor/nvml/asker.h"

namespace faultline::nvml {

class Links {
 public:
  // The next few links; true when all are done. `closer`: with what is read seldom, from the first link of a pass on.
  bool step(Asker& asker, Gpu& gpu, bool closer);
  // For the table of capabilities; empty where there are none.
  std::string text() const;

 private:
  void begin(Asker& asker, Gpu& gpu);
  void end(Asker& asker, Gpu& gpu);
  void link(Asker& asker, Gpu& gpu, unsigned link);
  void counters(Asker& asker, Gpu& gpu, unsigned link);
  void corrections(Asker& asker, Gpu& gpu, unsigned link);
  unsigned count_by_state(Asker& asker, Gpu& gpu);

  unsigned count_ = 0;
  bool counted_ = false;
  bool closer_ = false;  // in this pass
  unsigned next_ = 0;       // of this pass
  unsigned up_ = 0;         // found up in this pass
  unsigned up_before_ = 0;  // in the last whole pass
  bool any_ever_up_ = false;
  // What the rows of kLinkFields answered in this pass, of all links the best answer.
  std::array<Return, fields_of(Batch::kLink).size()> codes_{};
};

}  // namespace faultline::nvml
