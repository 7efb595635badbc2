// A seccomp filter in the making: rules are looked at in their order, the first that fits decides.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

struct sock_filter;

namespace faultline::confine {

class CallFilter {
 public:
  // What a call meets that no rule fits.
  enum class Otherwise { kAllow, kKill };

  CallFilter();
  ~CallFilter();
  CallFilter(const CallFilter&) = delete;
  CallFilter& operator=(const CallFilter&) = delete;

  void allow(std::initializer_list<long> calls);
  // The call fails with this error, as one that the system does not have or permit.
  void refuse(std::initializer_list<long> calls, int error);
  // Refused unless the low half of argument `which` is `value`.
  void refuse_unless(long call, unsigned which, std::uint32_t value, int error);
  void refuse_if(long call, unsigned which, std::uint32_t value, int error);
  // Refused unless argument `which` has all these bits, and none of those.
  void refuse_unless_bits(long call, unsigned which, std::uint32_t wanted, std::uint32_t unwanted, int error);
  // Ends the process where argument `which` has one of these bits.
  void kill_if_bits(long call, unsigned which, std::uint32_t bits);
  // Calls that this build does not know by number, and those of another ABI: as if the system did not have them.
  void refuse_beyond(long highest, int error);
  // Begins to hold, for this thread and those that it starts. False where the system or the architecture has no filters.
  bool hold(Otherwise otherwise);

 private:
  std::vector<sock_filter> program_;
};

}  // namespace faultline::confine
