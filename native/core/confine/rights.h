// Takes rights from this process for good: its user, its capabilities, its limits. For a program's start, before it has a
// second thread; nothing here gives anything back.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace faultline::confine {

// What the system refused to take, in words with commas; empty when all of it is gone.
class Kept {
 public:
  void step(bool done, const char* what) {
    if (!done) text_ += (text_.empty() ? "" : ", ") + std::string(what);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// `nobody` of every distribution.
inline constexpr unsigned kNobody = 65534;

// Becomes this user, in no other group. True where the process is not root's, and so has nothing to give up.
bool drop_user(uid_t user, gid_t group);
// Whether it may signal processes of other users.
bool may_signal_others();
// Permitted, effective, inheritable, ambient, and as far as the system lets go of them those that could be had again. True
// where none is left that works; a unit whose filter forbids capset leaves those that a program got at its start.
bool drop_capabilities();
// What this thread starts from here on as another user than root has no capability, whatever filters say; its own stay.
bool start_without_capabilities();
// No more than `value`; a unit that forbids this has limits of its own.
void limit(int resource, std::uint64_t value);
// No core dump, and no memory that another process of the same user may read or write.
bool hide_memory();
bool no_new_privileges();
// Closes every descriptor from `first` on.
void close_from(int first);
// Ends with `parent`; false where that is gone already. To be asked for again after the user changed.
bool end_with(pid_t parent);

}  // namespace faultline::confine
