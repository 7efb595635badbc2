// What every reader thread or child looks like to the core that owns it.
#pragma once

namespace faultline {

class Reader {
 public:
  virtual ~Reader() = default;
  // Idempotent and returns at once: it asks the reader to end and never joins a thread that may be stuck.
  virtual void stop() = 0;
  // It has ended by itself, and the core need not remember it.
  virtual bool ended() const { return false; }
};

}  // namespace faultline
