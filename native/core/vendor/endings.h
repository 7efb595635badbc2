// Children on their way out: asked, killed, and in the end abandoned when even that does not help.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/vendor/child.h"
#include "core/vendor/report.h"

namespace faultline {

class Endings {
 public:
  // `ask`: SIGTERM first, so that the library is shut down properly, and SIGKILL half a second later.
  void add(std::unique_ptr<VendorChild> process, bool ask, std::int64_t now_ns);
  // Reaps, kills and abandons what is due.
  void serve(std::int64_t now_ns, VendorReport& report);
  std::optional<std::int64_t> next_due_ns(std::int64_t now_ns) const;
  // No child is left that may still end in good time.
  bool settled() const;
  std::size_t abandoned() const;
  bool needs_polling() const;

 private:
  struct Ending {
    std::unique_ptr<VendorChild> process;
    std::int64_t due_ns;
    bool killed;
    bool abandoned;
  };

  std::vector<Ending> endings_;
};

}  // namespace faultline
