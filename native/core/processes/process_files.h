// Reads the files of procfs that tell about one process, and takes out of their text what is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/processes/open_file.h"

namespace faultline {

struct ListedFile {
  std::string name;
  std::uint64_t inode = 0;
};

// What a number stands for now. `ended`: a process that waits to be reaped. `refused`: it cannot be asked for.
enum class ProcessNumber : std::uint8_t { none, process, ended, refused };

class EnvironClient;

// With it, a process is another one than the next under its number.
struct ProcessKey {
  std::uint32_t pid = 0;
  std::uint64_t start_ticks = 0;
};

// The calls of the kernel that may hang; tests have others. Each answers 0 or an errno.
struct ProcessFiles {
  virtual ~ProcessFiles() = default;
  // The file from its start, at most `most` bytes. Neither follows a link in its place nor waits for a FIFO.
  virtual int read(const std::string& path, std::size_t most, std::string& text) const;
  // Names with the inodes that the listing gives them, which another process under the same number does not have.
  virtual int list(const std::string& path, std::vector<ListedFile>& files) const;
  virtual int link(const std::string& path, std::string& target) const;
  virtual int owner(const std::string& path, std::uint32_t& user) const;
  // Of a folder, as the list that has it gives it; 0 where it is not there.
  virtual std::uint64_t inode(const std::string& path) const;
  // The number that the kernel gave out last to a process or thread; nothing where procfs does not say, or is that of another
  // namespace than ours.
  virtual std::optional<std::uint32_t> newest(const std::string& proc) const;
  // Of our own namespace; a thread is none. Whether a process ended is known before its parent reaps it.
  virtual ProcessNumber number(std::uint32_t pid) const;
  // The same of a number that was a process: at a tenth of the cost, and until its parent reaps it one that ended is a process.
  virtual ProcessNumber still(std::uint32_t pid) const;
  // Of its environment the values of `names`, in their order; of the files that it has mapped those of `wanted` that are part
  // of a path. `folder`: its own in procfs.
  virtual int variables(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& names,
                        std::vector<std::optional<std::string>>& values) const;
  virtual int libraries(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& wanted,
                        std::vector<std::string>& found) const;
  // The files that it has open, as `kind_of_file` has it. No file is opened or asked that it has open: a dead file system holds up
  // nothing.
  virtual int open_files(const std::string& folder, const ProcessKey& process, const std::vector<std::string>& devices,
                         std::vector<OpenFile>& open) const;
  // What its standard input is. `near`: it may well be the one that is looked for.
  virtual int input(const std::string& folder, const ProcessKey& process, bool near, std::string& target) const;
  // A descriptor for reading of the log that it prints into, or -errno; `inode` as of open_printed_log. May hang.
  virtual int lend_log(const std::string& folder, const ProcessKey& process, std::uint64_t inode) const;
  // Who is asked for what may not be read here; null where no one is.
  virtual const EnvironClient* reader() const { return nullptr; }
  // Whether environments that were closed may be open by now: once, each time that the reader came back.
  virtual bool regained() const { return false; }
};

// Of /proc/<pid>/environ: the value of each of `names` in their order, nothing for one that is not there or has more than
// 4096 bytes. Of a name that comes twice the last counts.
std::vector<std::optional<std::string>> environment_values(std::string_view environ,
                                                           const std::vector<std::string>& names);
// Whether a value may be handed over: nothing but letters, digits and what names, lists and paths are written with.
bool is_plain_value(std::string_view value);
// Of /proc/<pid>/stat: clock ticks from boot to its start; 0 where the text is not of that form. proc(5): field 22.
std::uint64_t start_ticks(std::string_view stat);
// Of the same: its parent, 0 where the text is not of that form; and whether it has ended and waits for its parent.
std::uint32_t parent_of(std::string_view stat);
bool is_zombie(std::string_view stat);
// Of /proc/<pid>/status: its pid in the innermost namespace; 0 where the text does not say.
std::uint32_t inner_pid(std::string_view status);
// Of /proc/<pid>/stat: one number for where the kernel laid out its program, which another program does not have; 0 where that may
// not be known. proc(5): fields 26 to 28 and 45 to 51.
std::uint64_t program_mark(std::string_view stat);
// Of /proc/loadavg: its last field.
std::optional<std::uint32_t> newest_number(std::string_view loadavg);
// Of /proc/<pid>/status: effective user, effective group, further groups; empty where the text has no user.
std::vector<std::uint32_t> owner_of(std::string_view status);
// Of /proc/<pid>/cmdline: its words, at most 4096.
std::vector<std::string> command_words(std::string_view cmdline);

}  // namespace faultline
